import type { Calendar } from "../../../storage/sums.ts";
import type { Account } from "./account.ts";
import { DAY_MS } from "../../span.ts";

const DAY_LENGTH = "2026-03-04".length;

/** The IANA name of the time zone of the account's payouts and its dashboard. */
export function timeZoneOf({ time_zone }: { time_zone?: Account["time_zone"] | undefined }): string {
  return time_zone ?? "UTC";
}

type Zoned = Partial<Pick<Account, "time_zone" | "former_time_zones">>;

/**
 * The days of an account: of the zone that it had at an instant. So what has been counted stays when the zone is changed.
 *
 * @see docs/spec/money.md "Reports"
 */
export function calendarOf(account: Zoned | null): Calendar {
  const zone = timeZoneOf(account ?? {});
  const former = account?.former_time_zones ?? [];
  return (at) => {
    if (at.length === DAY_LENGTH) return at;
    const ofThen = former.find(({ until }) => at < until)?.time_zone ?? zone;
    return ofThen === "UTC" ? at.slice(0, DAY_LENGTH) : dayIn(ofThen, new Date(at));
  };
}

/** The account's day of an instant. */
export function dayOf(account: Zoned, at: Date): string {
  return calendarOf(account)(at.toISOString());
}

/**
 * The zones of an account after a change. The new one cuts days from its next midnight, so that no instant of a past day
 * moves to another day.
 */
export function withTimeZone(account: Zoned, timeZone: string, now: Date): Required<Zoned> {
  const at = now.toISOString();
  const former = account.former_time_zones ?? [];
  const past = former.filter(({ until }) => until <= at);
  const ofNow = former.find(({ until }) => at < until)?.time_zone ?? timeZoneOf(account);
  if (ofNow === timeZone) return { time_zone: timeZone, former_time_zones: past };
  const today = Date.parse(dayIn(timeZone, now));
  const until = startOfDay(timeZone, new Date(today + DAY_MS).toISOString().slice(0, DAY_LENGTH));
  return {
    time_zone: timeZone,
    former_time_zones: [...past, { time_zone: ofNow, until: until.toISOString() }],
  };
}

/** The calendar day of an instant in a time zone, such as `2026-03-04`. */
export function dayIn(timeZone: string, at: Date): string {
  return new Date(wallClockMs(at.getTime(), timeZone)).toISOString().slice(0, 10);
}

/** The first instant of a calendar day in a time zone. */
export function startOfDay(timeZone: string, day: string): Date {
  return instantOf(timeZone, Date.parse(`${day}T00:00:00Z`));
}

/** The instant some days later at the same time of day, whether or not the clock was changed in between. */
export function daysLater(timeZone: string, at: Date, days: number): Date {
  return instantOf(timeZone, wallClockMs(at.getTime(), timeZone) + days * DAY_MS);
}

/** The first instant at which clocks show a time. For a skipped time, the instant that it would have been. */
function instantOf(timeZone: string, wallMs: number): Date {
  // Where a clock change skips or repeats the time, either the offset before it or the one after it is right.
  const instants = [wallMs - DAY_MS, wallMs + DAY_MS]
    .map((atMs) => wallMs - (wallClockMs(atMs, timeZone) - atMs))
    .toSorted((one, other) => one - other);
  return new Date(instants.find((atMs) => wallClockMs(atMs, timeZone) >= wallMs) ?? wallMs);
}

const clocks = new Map<string, Intl.DateTimeFormat | null>();

/** The local time in a time zone, as the same time in UTC. */
function wallClockMs(atMs: number, timeZone: string): number {
  const clock = clockOf(timeZone);
  if (clock === null) return atMs;
  const secondMs = Math.floor(atMs / 1_000) * 1_000;
  return Date.parse(`${clock.format(secondMs).replace(" ", "T")}Z`) + (atMs - secondMs);
}

/** Null: UTC, or a zone that this build of Node does not know. A sale must not fail because of that. */
function clockOf(timeZone: string): Intl.DateTimeFormat | null {
  let clock = clocks.get(timeZone);
  if (clock === undefined) clocks.set(timeZone, (clock = newClock(timeZone)));
  return clock;
}

function newClock(timeZone: string): Intl.DateTimeFormat | null {
  if (timeZone === "UTC") return null;
  try {
    // The Swedish format is `2026-03-04 05:06:07`.
    return new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium", timeZone });
  } catch {
    return null;
  }
}

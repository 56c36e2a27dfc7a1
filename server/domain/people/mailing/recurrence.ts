import type { Account } from "../../program/account/account.ts";
import { dayIn, startOfDay, timeZoneOf } from "../../program/account/time-zone.ts";
import type { CompanyEmail } from "../../program/company-email/company-email.ts";

const MINUTE_MS = 60_000;
const WEEK_DAYS = 7;

/**
 * The last time that a recurring e-mail was due, in the account's time zone, or null if it lacks a setting. In a month
 * without its day, it is due on the last one.
 */
export function latestDue(
  { settings }: Pick<CompanyEmail, "settings">,
  account: Pick<Account, "timeZone">,
  now: Date,
): string | null {
  const { frequency, day, hour, minute } = settings;
  if (frequency === null || day === null || hour === null || minute === null) return null;
  const zone = timeZoneOf(account);
  const today = dayIn(zone, now);
  const dueDays = frequency === "weekly" ? weekDays(today, day) : monthDays(today, day);
  const dues = dueDays.map((each) => timeOfDay(zone, each, hour * 60 + minute));
  return dues.find((due) => due <= now)?.toISOString() ?? null;
}

/** The last two days of a week day, the later one first. */
function weekDays(today: string, weekDay: number): string[] {
  const past = (new Date(`${today}T00:00:00Z`).getUTCDay() - (weekDay % WEEK_DAYS) + WEEK_DAYS) % WEEK_DAYS;
  return [past, past + WEEK_DAYS].map((days) => dayBefore(today, days));
}

/** The day of this month and of the month before. */
function monthDays(today: string, day: number): string[] {
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  return [0, 1].map((before) => {
    const last = new Date(Date.UTC(year, month - before, 0));
    return new Date(last.setUTCDate(Math.min(day, last.getUTCDate()))).toISOString().slice(0, 10);
  });
}

function dayBefore(today: string, days: number): string {
  const at = new Date(`${today}T00:00:00Z`);
  return new Date(at.setUTCDate(at.getUTCDate() - days)).toISOString().slice(0, 10);
}

/** A time of day. On a day whose clock is changed, it may be an hour off. */
function timeOfDay(zone: string, day: string, minutes: number): Date {
  return new Date(startOfDay(zone, day).getTime() + minutes * MINUTE_MS);
}

import { describe, expect, it } from "vitest";
import { rounds } from "../support/rounds.ts";
import { daysLater } from "../../server/domain/program/account/time-zone.ts";
import type { PayoutCycle } from "../../server/domain/program/account/account.ts";
import { latestPeriod, periodAt, periodOfDay } from "../../server/domain/ledger/payout/payout.ts";

const CASES: [cycle: PayoutCycle, at: string, key: string, start: string, end: string][] = [
  ["monthly", "2026-02-01T00:00:00.000Z", "2026-02", "2026-02-01", "2026-02-28"],
  ["monthly", "2026-02-28T23:59:59.999Z", "2026-02", "2026-02-01", "2026-02-28"],
  ["monthly", "2028-02-29T12:00:00.000Z", "2028-02", "2028-02-01", "2028-02-29"],
  ["monthly", "2026-12-31T23:59:59.999Z", "2026-12", "2026-12-01", "2026-12-31"],
  ["weekly", "2026-03-02T00:00:00.000Z", "2026-03-02/2026-03-08", "2026-03-02", "2026-03-08"],
  ["weekly", "2026-03-08T23:59:59.999Z", "2026-03-02/2026-03-08", "2026-03-02", "2026-03-08"],
  ["weekly", "2026-01-01T00:00:00.000Z", "2025-12-29/2026-01-04", "2025-12-29", "2026-01-04"],
  ["biweekly", "1970-01-05T00:00:00.000Z", "1970-01-05/1970-01-18", "1970-01-05", "1970-01-18"],
  ["biweekly", "2026-03-04T05:06:07.890Z", "2026-03-02/2026-03-15", "2026-03-02", "2026-03-15"],
];

type ZonedCase = [zone: string, cycle: PayoutCycle, at: string, key: string, start: string, end: string];
const ZONED: ZonedCase[] = [
  // 00:30 on 1 November in Berlin. The clock went back in October, and goes forward in March.
  ["Europe/Berlin", "monthly", "2026-10-31T23:30Z", "2026-11", "2026-10-31T23:00Z", "2026-11-30T23:00Z"],
  ["Europe/Berlin", "monthly", "2026-10-31T22:59Z", "2026-10", "2026-09-30T22:00Z", "2026-10-31T23:00Z"],
  ["Europe/Berlin", "monthly", "2027-03-28T12:00Z", "2027-03", "2027-02-28T23:00Z", "2027-03-31T22:00Z"],
  [
    "America/New_York",
    "weekly",
    "2026-11-02T04:59Z",
    "2026-10-26/2026-11-01",
    "2026-10-26T04:00Z",
    "2026-11-02T05:00Z",
  ],
  [
    "Pacific/Kiritimati",
    "biweekly",
    "2026-03-01T10:00Z",
    "2026-03-02/2026-03-15",
    "2026-03-01T10:00Z",
    "2026-03-15T10:00Z",
  ],
  // The clock goes forward at midnight, so the day begins at 1.
  ["America/Asuncion", "monthly", "2023-10-01T04:00Z", "2023-10", "2023-10-01T04:00Z", "2023-11-01T03:00Z"],
  // It is no zone that Node knows.
  ["Mars/Olympus", "monthly", "2026-11-01T00:00Z", "2026-11", "2026-11-01T00:00Z", "2026-12-01T00:00Z"],
];

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Havana",
  "Africa/Cairo",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Pacific/Apia",
];

describe("a payout's period", () => {
  it.each(CASES)("by a %s cycle holds %s in %s", (payoutCycle, at, key, firstDay, lastDay) => {
    const period = { key, start: `${firstDay}T00:00:00.000Z`, end: `${lastDay}T23:59:59.999Z` };
    expect(periodAt({ payout_cycle: payoutCycle }, new Date(at))).toEqual(period);
    expect(periodOfDay({ payout_cycle: payoutCycle }, at.slice(0, 10))).toEqual(period);
  });

  it.each(ZONED)("in %s by a %s cycle holds %s in %s", (timeZone, payoutCycle, at, key, start, nextStart) => {
    const end = new Date(Date.parse(nextStart) - 1).toISOString();
    const period = { key, start: new Date(start).toISOString(), end };
    expect(periodAt({ payout_cycle: payoutCycle, time_zone: timeZone }, new Date(at))).toEqual(period);
  });

  const cycles = (["monthly", "biweekly", "weekly"] as const).flatMap((cycle) =>
    ZONES.map((zone): [PayoutCycle, string] => [cycle, zone]),
  );
  it.each(cycles)("by a %s cycle in %s follows the one before", (payoutCycle, timeZone) => {
    const settings = { payout_cycle: payoutCycle, time_zone: timeZone };
    for (let hour = 0; hour < 24 * 800; hour += rounds(61, 13)) {
      const now = new Date(Date.UTC(2025, 11, 1, hour));
      const [before, current] = [latestPeriod(settings, now), periodAt(settings, now)];
      expect(Date.parse(before.end) + 1).toBe(Date.parse(current.start));
      expect(now.getTime()).toBeLessThanOrEqual(Date.parse(current.end));
      expect(now.getTime()).toBeGreaterThanOrEqual(Date.parse(current.start));
    }
  });
});

describe("some days later", () => {
  it.each([
    ["UTC", "2026-10-10T12:34:56.789Z", 30, "2026-11-09T12:34:56.789Z"],
    // 14:34 by summer time and by winter time.
    ["Europe/Berlin", "2026-10-10T12:34:56.789Z", 30, "2026-11-09T13:34:56.789Z"],
    ["Europe/Berlin", "2027-03-01T13:34:56.789Z", 30, "2027-03-31T12:34:56.789Z"],
    // 02:30 is skipped on that day.
    ["Europe/Berlin", "2027-03-27T01:30:00.000Z", 1, "2027-03-28T01:30:00.000Z"],
    // 02:30 comes twice on that day.
    ["Europe/Berlin", "2026-10-24T00:30:00.000Z", 1, "2026-10-25T00:30:00.000Z"],
    ["Asia/Kathmandu", "2026-01-01T00:00:00.000Z", 60, "2026-03-02T00:00:00.000Z"],
  ])("in %s, from %s by %i days, is %s", (zone, at, days, later) => {
    expect(daysLater(zone, new Date(at), days).toISOString()).toBe(later);
  });
});

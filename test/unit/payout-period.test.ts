import { describe, expect, it } from "vitest";
import type { PayoutCycle } from "../../server/domain/account/record.ts";
import { latestPeriod, periodAt } from "../../server/domain/payout/period.ts";

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

describe("a payout's period", () => {
  it.each(CASES)("by a %s cycle holds %s in %s", (cycle, at, key, firstDay, lastDay) => {
    const period = { key, start: `${firstDay}T00:00:00.000Z`, end: `${lastDay}T23:59:59.999Z` };
    expect(periodAt(cycle, new Date(at))).toEqual(period);
  });

  it.each(["monthly", "biweekly", "weekly"] as const)("by a %s cycle follows the one before", (cycle) => {
    for (let day = 0; day < 1_000; day++) {
      const now = new Date(Date.UTC(2026, 0, 1 + day, 13));
      const [before, current] = [latestPeriod(cycle, now), periodAt(cycle, now)];
      expect(Date.parse(before.end) + 1).toBe(Date.parse(current.start));
      expect(now.getTime()).toBeLessThanOrEqual(Date.parse(current.end));
      expect(now.getTime()).toBeGreaterThanOrEqual(Date.parse(current.start));
    }
  });
});

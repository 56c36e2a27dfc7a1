import { describe, expect, it } from "vitest";
import { addDays, addMonths } from "../../server/domain/report/period.ts";
import { stretchesBetween, type Stretch } from "../../server/domain/report/stretch.ts";

const CASES: [name: string, days: string[], stretches: [grain: string, span: string, sign: number][]][] = [
  ["a week", ["2026-03-02", "2026-03-09"], [["day", "2026-03-02 2026-03-09", 1]]],
  ["a month", ["2026-02-01", "2026-03-01"], [["month", "2026-02-01 2026-03-01", 1]]],
  [
    "a year that ends today",
    ["2025-11-23", "2026-11-23"],
    [
      ["month", "2025-12-01 2026-12-01", 1],
      ["day", "2025-11-23 2025-12-01", 1],
      ["day", "2026-11-23 2026-12-01", -1],
    ],
  ],
  [
    "everything up to a day",
    ["", "2026-03-05"],
    [
      ["month", " 2026-03-01", 1],
      ["day", "2026-03-01 2026-03-05", 1],
    ],
  ],
];

describe("the stretches of a report", () => {
  it.each(CASES)("cover %s", (_, days, expected) => {
    const found = stretchesBetween(days).map(({ grain, from, before, sign }) => [
      grain,
      `${from} ${before}`,
      sign,
    ]);
    expect(found).toEqual(expected);
  });

  it("cover each day between any two days once", () => {
    for (let start = "2024-01-01"; start < "2024-04-03"; start = addDays(start, 1)) {
      for (const length of [1, 15, 28, 29, 30, 31, 32, 45, 59, 60, 61, 62, 100, 366]) {
        const end = addDays(start, length);
        const covered = new Map<string, number>();
        for (const stretch of stretchesBetween([start, end])) cover(covered, stretch);
        const once = [...covered].filter(([, times]) => times !== 0);
        expect(once.map(([, times]) => times).every((times) => times === 1)).toBe(true);
        expect(once.map(([day]) => day).toSorted()).toEqual(daysFrom(start, end));
      }
    }
  });
});

function cover(covered: Map<string, number>, { grain, from, before, sign }: Stretch): void {
  const starts = grain === "day" ? daysFrom(from, before) : monthsFrom(from, before);
  const days = grain === "day" ? starts : starts.flatMap((month) => daysFrom(month, addMonths(month, 1)));
  for (const day of days) covered.set(day, (covered.get(day) ?? 0) + sign);
}

function daysFrom(from: string, before: string): string[] {
  const days: string[] = [];
  for (let day = from; day < before; day = addDays(day, 1)) days.push(day);
  return days;
}

function monthsFrom(from: string, before: string): string[] {
  const months: string[] = [];
  for (let month = from; month < before; month = addMonths(month, 1)) months.push(month);
  return months;
}

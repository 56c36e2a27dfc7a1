import { expect, it } from "vitest";
import { nextBankDay } from "../../server/domain/ledger/payments-batch/ach-file.ts";

/** The weekdays on which the Federal Reserve is closed, as it has published them. */
const CLOSED = {
  2025: "01-01 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-25",
  2026: "01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25",
  2027: "01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25",
};

it.each(Object.entries(CLOSED))("knows the holidays of %s", (year, days) => {
  const open = new Set<string>();
  for (let day = `${Number(year) - 1}-12-31`; day < `${year}-12-31`; day = nextBankDay(day)) open.add(day);
  const closed: string[] = [];
  for (let at = Date.parse(`${year}-01-01`); at < Date.parse(`${year}-12-31`); at += 24 * 60 * 60 * 1_000) {
    const date = new Date(at);
    const day = date.toISOString().slice(0, 10);
    if (date.getUTCDay() % 6 !== 0 && !open.has(day)) closed.push(day.slice(5));
  }
  expect(closed.join(" ")).toBe(days);
});

it.each([
  ["2026-07-02", "2026-07-03"],
  ["2027-07-02", "2027-07-06"],
  ["2026-11-25", "2026-11-27"],
  ["2027-12-30", "2027-12-31"],
])("after %s comes %s", (day, next) => {
  expect(nextBankDay(day)).toBe(next);
});

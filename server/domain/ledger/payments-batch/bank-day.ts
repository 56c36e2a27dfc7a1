const DAY_MS = 24 * 60 * 60 * 1_000;
const [SUNDAY, MONDAY, THURSDAY, SATURDAY] = [0, 1, 4, 6];

/** The holidays of the Federal Reserve that have a date, as month and day. */
const DATED = new Set(["01-01", "06-19", "07-04", "11-11", "12-25"]);

/** Those that are the nth weekday of a month, counted from its end if negative. */
const COUNTED: [month: number, weekday: number, nth: number][] = [
  [1, MONDAY, 3],
  [2, MONDAY, 3],
  [5, MONDAY, -1],
  [9, MONDAY, 1],
  [10, MONDAY, 2],
  [11, THURSDAY, 4],
];

/**
 * The first day after this one on which the Federal Reserve settles ACH payments.
 *
 * @param day such as `2026-07-03`
 * @see https://www.frbservices.org/about/holiday-schedules
 */
export function nextBankDay(day: string): string {
  let next = day;
  do next = addDays(next, 1);
  while (!isBankDay(next));
  return next;
}

/** A holiday on a Sunday moves to the Monday. On a Saturday, it does not move. */
function isBankDay(day: string): boolean {
  const weekday = weekdayOf(day);
  if (weekday === SUNDAY || weekday === SATURDAY || isHoliday(day)) return false;
  return weekday !== MONDAY || !isHoliday(addDays(day, -1));
}

function isHoliday(day: string): boolean {
  if (DATED.has(day.slice(5))) return true;
  const [month, date] = [Number(day.slice(5, 7)), Number(day.slice(8))];
  const isLast = addDays(day, 7).slice(5, 7) !== day.slice(5, 7);
  return COUNTED.some(
    ([ofMonth, weekday, nth]) =>
      month === ofMonth && weekdayOf(day) === weekday && (nth === -1 ? isLast : Math.ceil(date / 7) === nth),
  );
}

function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

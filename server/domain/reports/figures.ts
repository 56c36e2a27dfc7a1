import { Failure } from "../../failure.ts";
import type { Metric } from "../people/daily.ts";

interface Definition {
  /** How far back a figure reads before the period: not at all, some months, or to the beginning. */
  lookback: 0 | 3 | 6 | "all";
  value(view: Sums): number;
}

/** The sums from which a figure is computed. */
interface Sums {
  /** The sum in the period. */
  sum(metric: Metric): number;
  /** The sum in the months that end with the period. */
  sumOfLast(months: number, metric: Metric): number;
  /** The sum before the period. */
  before(metric: Metric): number;
  /** The number of calendar months in the period. */
  months: number;
}

const own = (value: Definition["value"]): Definition => ({ lookback: 0, value });
const counted = (metric: Metric) => own(({ sum }) => sum(metric));
const conversion = (part: Metric, whole: Metric) => own(({ sum }) => percent(sum(part), sum(whole)));

/** The promoters' earnings of the last months, divided by the clicks of those months. */
const earningsPerClick = (months: 3 | 6): Definition => ({
  lookback: months,
  value: ({ sumOfLast }) =>
    Math.round(ratio(sumOfLast(months, "earnings_cents"), sumOfLast(months, "clicks"))),
});

/**
 * Every figure of the reports. Rates are computed from sums, never from other rates.
 *
 * @see docs/spec/v2.md "Reports"
 */
const FIGURES = {
  revenueCents: counted("sales_cents"),
  clicks: counted("clicks"),
  referrals: counted("referrals"),
  signups: own(({ sum }) => sum("referrals") - sum("unsigned_referrals")),
  customers: counted("customers"),
  active_customers: {
    lookback: "all",
    value: ({ before, sum }) => before("active_customers") + sum("active_customers"),
  },
  monthlyChurnPercent: {
    lookback: "all",
    value: ({ before, sum, months }) =>
      percent(sum("cancellations") / months, before("active_customers") + sum("customers")),
  },
  netRevenueCents: own(({ sum }) => sum("sales_cents") - sum("refunds_cents")),
  sales: counted("sales"),
  refunds: counted("refunds"),
  cancellations: counted("cancellations"),
  earnings_cents: counted("earnings_cents"),
  non_link_customers: counted("non_link_customers"),
  referralsToCustomersPercent: conversion("customers", "referrals"),
  earningsPerClickOf3MonthsCents: earningsPerClick(3),
  earningsPerClickOf6MonthsCents: earningsPerClick(6),
  clicksToCustomersPercent: conversion("customers", "clicks"),
  clicksToReferralsPercent: conversion("referrals", "clicks"),
  paid_cents: counted("paid_cents"),
  owedCents: {
    lookback: "all",
    value: ({ before, sum }) =>
      before("earnings_cents") + sum("earnings_cents") - before("paid_cents") - sum("paid_cents"),
  },
} satisfies Record<string, Definition>;

export type Figure = keyof typeof FIGURES;
/** The requested figures by name. */
export type Figures = Partial<Record<Figure, number>>;

/** Computes the figures of a period. */
export function figuresOf(history: History, period: Period, figures: readonly Figure[]): Figures {
  const view = viewIn(period)(history);
  return Object.fromEntries(figures.map((figure) => [figure, FIGURES[figure].value(view)]));
}

/** Makes the function that computes one figure of a period. It is fast enough for very many histories. */
export function figureIn(period: Period, figure: Figure): (history: History) => number {
  const viewOf = viewIn(period);
  const { value } = FIGURES[figure];
  return (history) => value(viewOf(history));
}

/** The metrics that the figures need. */
export function metricsFor(figures: readonly Figure[]): Metric[] {
  const asked = new Set<Metric>();
  const ask = (metric: Metric) => {
    asked.add(metric);
    return 0;
  };
  const view: Sums = { sum: ask, sumOfLast: (_, metric) => ask(metric), before: ask, months: 1 };
  for (const figure of figures) FIGURES[figure].value(view);
  return [...asked];
}

/** The days before which totals must be known to compute these figures of some periods, in order. */
export function daysFor(figures: readonly Figure[], periods: Period[]): string[] {
  const days = new Set<string>();
  for (const { from, to } of periods) {
    const end = addDays(to, 1);
    days.add(from).add(end);
    for (const figure of figures) {
      const { lookback }: Definition = FIGURES[figure];
      if (lookback === "all") days.add("");
      else if (lookback > 0) days.add(addMonths(end, -lookback));
    }
  }
  return [...days].toSorted();
}

/** The running totals of one campaign or promoter. Any range of days then needs two look-ups. */
export type History = Map<Metric, Track>;

/** Running totals: each day with events, and the total up to its end. */
interface Track {
  days: string[];
  totals: number[];
}

/** The sums of metrics on a day. */
export interface DaySums {
  day: string;
  sums: Partial<Record<Metric, number>>;
}

/** Adds a day's sums. The days must come in order. */
export function addSums(history: History, { day, sums }: DaySums): void {
  for (const [metric, sum] of Object.entries(sums) as [Metric, number][]) {
    // Some databases return large numbers as text.
    if (Number(sum) !== 0) addSum(trackOf(history, metric), day, Number(sum));
  }
}

/** Whether every total ends at 0. */
export function isEmpty(history: History): boolean {
  return [...history.values()].every(({ totals }) => totals.at(-1) === 0);
}

/** The total before a day. */
export function sumBefore(history: History, metric: Metric, day: string): number {
  const track = history.get(metric);
  if (track === undefined) return 0;
  let [low, high] = [0, track.days.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((track.days[middle] ?? "") < day) low = middle + 1;
    else high = middle;
  }
  return track.totals[low - 1] ?? 0;
}

export const GROUPINGS = ["day", "week", "month", "year"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A range of calendar days (UTC), both ends included. */
export interface Period {
  from: string;
  to: string;
}

/** Enough for a year of days or thirty years of months. */
const MOST_PERIODS = 400;

/** The last day of the period that a day belongs to. */
const END: Record<Grouping, (day: string) => string> = {
  day: (day) => day,
  // Weeks begin on Monday, as in ISO 8601.
  week: (day) => addDays(day, (7 - new Date(day).getUTCDay()) % 7),
  month: (day) => addDays(`${addMonths(`${day.slice(0, 7)}-01`, 1)}`, -1),
  year: (day) => `${day.slice(0, 4)}-12-31`,
};

/**
 * Splits a range of days into periods, oldest first. The first and the last may be shorter.
 *
 * @throws Failure `invalid` if the range ends before it begins, or has too many periods
 */
export function periodsOf({ from, to }: Period, groupBy: Grouping): Period[] {
  if (from > to) throw new Failure("invalid", "The start date is after the end date");
  const periods: Period[] = [];
  for (let start = from; start <= to; start = addDays(periods.at(-1)?.to ?? to, 1)) {
    if (periods.length === MOST_PERIODS)
      throw new Failure("invalid", `More than ${MOST_PERIODS} periods; group by longer ones`);
    const end = END[groupBy](start);
    periods.push({ from: start, to: end < to ? end : to });
  }
  return periods;
}

/** The same day some months later, or that month's last day if it is shorter. */
export function addMonths(day: string, count: number): string {
  const number = monthNumber(day) + count;
  const [year, month] = [Math.floor(number / 12), number % 12];
  const lastOfMonth = utcDate(year, month + 1, 0).getUTCDate();
  return textOf(utcDate(year, month, Math.min(Number(day.slice(8)), lastOfMonth)));
}

/** The day some days later. */
export function addDays(day: string, count: number): string {
  return textOf(utcDate(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8)) + count));
}

function textOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Rounded to two decimals. */
function percent(part: number, whole: number): number {
  return Math.round(ratio(part, whole) * 10_000) / 100;
}

/** A share of zero is 0. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function viewIn(period: Period): (history: History) => Sums {
  const end = addDays(period.to, 1);
  const months = monthsIn(period);
  return (history) => {
    const since = (day: string, metric: Metric) =>
      sumBefore(history, metric, end) - sumBefore(history, metric, day);
    return {
      sum: (metric) => since(period.from, metric),
      sumOfLast: (count, metric) => since(addMonths(end, -count), metric),
      before: (metric) => sumBefore(history, metric, period.from),
      months,
    };
  };
}

/** The number of calendar months in a range. */
function monthsIn({ from, to }: Period): number {
  return monthNumber(to) - monthNumber(from) + 1;
}

function monthNumber(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

function addSum(track: Track, day: string, sum: number): void {
  const total = (track.totals.at(-1) ?? 0) + sum;
  if (track.days.at(-1) === day) {
    track.totals[track.totals.length - 1] = total;
  } else {
    track.days.push(day);
    track.totals.push(total);
  }
}

function trackOf(history: History, metric: Metric): Track {
  let track = history.get(metric);
  if (track === undefined) history.set(metric, (track = { days: [], totals: [] }));
  return track;
}

/** Date.UTC would read years below 100 as years of the last century. */
function utcDate(year: number, month: number, date: number): Date {
  const instant = new Date(0);
  instant.setUTCFullYear(year, month, date);
  return instant;
}

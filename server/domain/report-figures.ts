import { sumBefore, type History } from "./history.ts";
import { addDays, addMonths, monthsIn, type Period } from "./period.ts";
import type { Metric } from "./stats.ts";

/** What a figure is made of. */
interface View {
  /** What was counted in the period. */
  sum(metric: Metric): number;
  /** What was counted in the months that end with the period. */
  sumOfLast(months: number, metric: Metric): number;
  /** What was counted before the period. */
  before(metric: Metric): number;
  /** Calendar months that the period touches. */
  months: number;
}

interface Definition {
  /** Days that it needs before the period: none, those of so many months, or all. */
  lookback: 0 | 3 | 6 | "all";
  value(view: View): number;
}

const own = (value: Definition["value"]): Definition => ({ lookback: 0, value });
const counted = (metric: Metric) => own(({ sum }) => sum(metric));
const conversion = (part: Metric, whole: Metric) => own(({ sum }) => percent(sum(part), sum(whole)));

/** Choice: what promoters earned in the last months for each click of these months. */
const earningsPerClick = (months: 3 | 6): Definition => ({
  lookback: months,
  value: ({ sumOfLast }) =>
    Math.round(ratio(sumOfLast(months, "earningsCents"), sumOfLast(months, "clicks"))),
});

/**
 * Every figure of the reports. Rates come from sums, never from other rates.
 *
 * Choice: the net revenue is what remains after refunds; active customers are those at the end of
 * the period, however long ago they came; monthly churn is the cancellations of a month in percent
 * of who could cancel in the period, customers at its beginning and those won in it.
 */
const FIGURES = {
  revenueCents: counted("salesCents"),
  clicks: counted("clicks"),
  referrals: counted("referrals"),
  customers: counted("customers"),
  activeCustomers: {
    lookback: "all",
    value: ({ before, sum }) => before("activeCustomers") + sum("activeCustomers"),
  },
  monthlyChurnPercent: {
    lookback: "all",
    value: ({ before, sum, months }) =>
      percent(sum("cancellations") / months, before("activeCustomers") + sum("customers")),
  },
  netRevenueCents: own(({ sum }) => sum("salesCents") - sum("refundsCents")),
  sales: counted("sales"),
  refunds: counted("refunds"),
  cancellations: counted("cancellations"),
  earningsCents: counted("earningsCents"),
  nonLinkCustomers: counted("nonLinkCustomers"),
  referralsToCustomersPercent: conversion("customers", "referrals"),
  earningsPerClickOf3MonthsCents: earningsPerClick(3),
  earningsPerClickOf6MonthsCents: earningsPerClick(6),
  clicksToCustomersPercent: conversion("customers", "clicks"),
  clicksToReferralsPercent: conversion("referrals", "clicks"),
  paidCents: counted("paidCents"),
} satisfies Record<string, Definition>;

export type Figure = keyof typeof FIGURES;
/** Figures by name; those that were asked for. */
export type Figures = Partial<Record<Figure, number>>;

/** The figures of a period. */
export function figuresOf(history: History, period: Period, figures: readonly Figure[]): Figures {
  const view = viewOf(history, period);
  return Object.fromEntries(figures.map((figure) => [figure, FIGURES[figure].value(view)]));
}

/** The first day that must be read to tell these figures from a day on. */
export function firstDayFor(figures: readonly Figure[], from: string): string {
  const lookbacks = figures.map((figure): Definition["lookback"] => FIGURES[figure].lookback);
  if (lookbacks.includes("all")) return "";
  return addMonths(from, -Math.max(0, ...lookbacks.map(Number)));
}

function viewOf(history: History, period: Period): View {
  const end = addDays(period.to, 1);
  const since = (day: string, metric: Metric) =>
    sumBefore(history, metric, end) - sumBefore(history, metric, day);
  return {
    sum: (metric) => since(period.from, metric),
    sumOfLast: (months, metric) => since(addMonths(end, -months), metric),
    before: (metric) => sumBefore(history, metric, period.from),
    months: monthsIn(period),
  };
}

/** With two decimals. */
function percent(part: number, whole: number): number {
  return Math.round(ratio(part, whole) * 10_000) / 100;
}

/** Choice: of nothing, no part. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

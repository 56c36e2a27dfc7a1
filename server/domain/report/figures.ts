import { sumBefore, type History } from "./history.ts";
import { addDays, addMonths, monthsIn, type Period } from "./period.ts";
import type { Metric } from "./daily.ts";

/** The sums that a figure is computed from. */
interface View {
  /** The sum in the period. */
  sum(metric: Metric): number;
  /** The sum in the months that end with the period. */
  sumOfLast(months: number, metric: Metric): number;
  /** The sum before the period. */
  before(metric: Metric): number;
  /** How many calendar months the period touches. */
  months: number;
}

interface Definition {
  /** How far back a figure reads before the period: not at all, some months, or to the beginning. */
  lookback: 0 | 3 | 6 | "all";
  value(view: View): number;
}

const own = (value: Definition["value"]): Definition => ({ lookback: 0, value });
const counted = (metric: Metric) => own(({ sum }) => sum(metric));
const conversion = (part: Metric, whole: Metric) => own(({ sum }) => percent(sum(part), sum(whole)));

/** Choice: what promoters earned in the last months, divided by the clicks of those months. */
const earningsPerClick = (months: 3 | 6): Definition => ({
  lookback: months,
  value: ({ sumOfLast }) =>
    Math.round(ratio(sumOfLast(months, "earningsCents"), sumOfLast(months, "clicks"))),
});

/**
 * Every figure of the reports. Rates are computed from sums, never from other rates.
 *
 * Choice: net revenue is the revenue less refunds. Active customers are those at the end of the period, however long ago
 * they came, and the same goes for the amount that promoters are owed. Monthly churn is a month's average of
 * cancellations, in percent of the customers at the period's beginning plus those won in it.
 */
const FIGURES = {
  revenueCents: counted("salesCents"),
  clicks: counted("clicks"),
  referrals: counted("referrals"),
  signups: own(({ sum }) => sum("referrals") - sum("unsignedReferrals")),
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
  owedCents: {
    lookback: "all",
    value: ({ before, sum }) =>
      before("earningsCents") + sum("earningsCents") - before("paidCents") - sum("paidCents"),
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

/** Makes the function that computes one figure of a period. It is quick enough for very many histories. */
export function figureIn(period: Period, figure: Figure): (history: History) => number {
  const viewOf = viewIn(period);
  const { value } = FIGURES[figure];
  return (history) => value(viewOf(history));
}

/** The metrics that figures are computed from: those that they ask for. */
export function metricsFor(figures: readonly Figure[]): Metric[] {
  const asked = new Set<Metric>();
  const ask = (metric: Metric) => {
    asked.add(metric);
    return 0;
  };
  const view: View = { sum: ask, sumOfLast: (_, metric) => ask(metric), before: ask, months: 1 };
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

function viewIn(period: Period): (history: History) => View {
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

/** Rounded to two decimals. */
function percent(part: number, whole: number): number {
  return Math.round(ratio(part, whole) * 10_000) / 100;
}

/** Choice: a share of nothing is 0. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

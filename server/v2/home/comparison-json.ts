import { z } from "zod";
import { GROUPINGS, type Figure } from "../../domain/report/figures.ts";
import type { Comparison, RangeFigures } from "../../domain/report/chart.ts";

/** The figures of the start page. */
const FIGURES = {
  clicks_count: "clicks",
  referrals_count: "referrals",
  customers_count: "customers",
  revenue_amount: "revenueCents",
  owed_amount: "owedCents",
} as const satisfies Record<string, Figure>;

type Name = keyof typeof FIGURES;
const NAMES = Object.keys(FIGURES) as Name[];
const RATES = {
  clicks_to_referrals_cr: "clicksToReferralsPercent",
  referrals_to_customers_cr: "referralsToCustomersPercent",
  clicks_to_customers_cr: "clicksToCustomersPercent",
} as const satisfies Record<string, Figure>;

/** The figures to read. */
export const SHOWN_FIGURES: Figure[] = [...Object.values(FIGURES), ...Object.values(RATES)];

const point = z.object({ date: z.iso.date(), value: z.number() }).meta({ id: "HomePoint" });
const figure = z
  .object({
    total: z.number(),
    previous_total: z.number(),
    change_percent: z.number().nullable(),
    points: z.array(point),
    previous_points: z.array(point),
  })
  .meta({ id: "HomeFigure" });

/** A range of days beside the one before it. */
export const comparisonAnswer = z.object({
  start_date: z.iso.date(),
  end_date: z.iso.date(),
  previous_start_date: z.iso.date(),
  previous_end_date: z.iso.date(),
  group_by: z.enum(GROUPINGS),
  figures: z.object(Object.fromEntries(NAMES.map((name) => [name, figure])) as Record<Name, typeof figure>),
  rates: z.object({
    clicks_to_referrals_cr: z.number(),
    referrals_to_customers_cr: z.number(),
    clicks_to_customers_cr: z.number(),
  }),
});

/** A comparison in the interface's names. */
export function comparisonJson({
  groupBy,
  current,
  previous,
}: Comparison): z.output<typeof comparisonAnswer> {
  const figures = NAMES.map((name) => [name, figureJson(FIGURES[name], current, previous)]);
  return {
    start_date: current.range.from,
    end_date: current.range.to,
    previous_start_date: previous.range.from,
    previous_end_date: previous.range.to,
    group_by: groupBy,
    figures: Object.fromEntries(figures) as Record<Name, z.output<typeof figure>>,
    rates: {
      clicks_to_referrals_cr: current.total[RATES.clicks_to_referrals_cr] ?? 0,
      referrals_to_customers_cr: current.total[RATES.referrals_to_customers_cr] ?? 0,
      clicks_to_customers_cr: current.total[RATES.clicks_to_customers_cr] ?? 0,
    },
  };
}

function figureJson(name: Figure, current: RangeFigures, previous: RangeFigures): z.output<typeof figure> {
  const [total, earlier] = [current.total[name] ?? 0, previous.total[name] ?? 0];
  return {
    total,
    previous_total: earlier,
    change_percent: changePercent(earlier, total),
    points: points(name, current),
    previous_points: points(name, previous),
  };
}

function points(name: Figure, { rows }: RangeFigures): z.output<typeof point>[] {
  return rows.map(({ period, figures }) => ({ date: period.from, value: figures[name] ?? 0 }));
}

/** Rounded to a tenth. Choice: null if there was nothing before, because no percentage describes that. */
function changePercent(before: number, now: number): number | null {
  return before === 0 ? null : Math.round(((now - before) / Math.abs(before)) * 1_000) / 10;
}

import { z } from "zod";
import { GROUPINGS, type Figure } from "../../domain/reports/figures.ts";
import type { Comparison, RangeFigures } from "../../domain/reports/chart.ts";
import { field } from "../../http/fields.ts";

/** The figures of the start page, by their names in the API. */
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

/** All figures that are read. */
export const SHOWN_FIGURES: Figure[] = [...Object.values(FIGURES), ...Object.values(RATES)];

const point = z
  .object({
    date: field(z.iso.date(), "First day of the point.", "2026-02-01"),
    value: field(z.number(), "The figure.", 12),
  })
  .meta({ id: "HomePoint" });
const figure = z
  .object({
    total: field(z.number(), "The figure over the range.", 320),
    previous_total: field(z.number(), "The figure over the range before.", 256),
    change_percent: field(
      z.number().nullable(),
      "The change, in percent. Null if the range before had nothing.",
      25,
    ),
    points: field(z.array(point), "The figure over time, oldest first."),
    previous_points: field(z.array(point), "The figure over the range before."),
  })
  .meta({ id: "HomeFigure" });

/** A range of days compared with the previous range. */
export const comparisonAnswer = z.object({
  start_date: field(z.iso.date(), "First day (UTC).", "2026-02-01"),
  end_date: field(z.iso.date(), "Last day (UTC), included.", "2026-02-28"),
  previous_start_date: field(z.iso.date(), "First day of the range before, which is as long.", "2026-01-04"),
  previous_end_date: field(z.iso.date(), "Last day of the range before.", "2026-01-31"),
  group_by: field(z.enum(GROUPINGS), "How the days are grouped into points."),
  figures: field(
    z.object({
      clicks_count: field(figure, "Clicks, with the range before."),
      referrals_count: field(figure, "Leads, with the range before."),
      customers_count: field(figure, "Customers won, with the range before."),
      revenue_amount: field(figure, "Sum of the sales, in cents, with the range before."),
      owed_amount: field(
        figure,
        "What promoters are owed at the end of each point, in cents, with the range before.",
      ),
    }),
    "Figures of the range, each with the range before.",
  ),
  rates: field(
    z.object({
      clicks_to_referrals_cr: field(z.number(), "Leads of a hundred clicks.", 8.5),
      referrals_to_customers_cr: field(z.number(), "Customers of a hundred leads.", 24.5),
      clicks_to_customers_cr: field(z.number(), "Customers of a hundred clicks.", 2.1),
    }),
    "Shares, in percent.",
  ),
});

/** A comparison by the API's names. */
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

/** The change in percent, rounded to a tenth, or null if the previous range had nothing. */
function changePercent(before: number, now: number): number | null {
  return before === 0 ? null : Math.round(((now - before) / Math.abs(before)) * 1_000) / 10;
}

import { z } from "zod";
import { listPromoterCampaigns } from "../../../domain/people/promoter-campaign/search.ts";
import { loadChart } from "../../../domain/reports/chart.ts";
import type { Metric } from "../../../domain/people/daily.ts";
import { GROUPINGS } from "../../../domain/reports/figures.ts";
import { readQuery } from "../../../http/parameters/form.ts";
import { calendarDay, id, oneOf } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { field } from "../../../http/fields.ts";

const METRICS = {
  revenue: "salesCents",
  clicks: "clicks",
  referrals: "referrals",
  customers: "customers",
  cancellations: "cancellations",
  commissions: "earningsCents",
} as const satisfies Record<string, Metric>;
type Selection = keyof typeof METRICS;
const SELECTIONS = Object.keys(METRICS) as [Selection, ...Selection[]];

const params = z.object({
  period_from: field(calendarDay, "First day of the chart.", "2026-03-01"),
  period_to: field(calendarDay, "Last day of the chart.", "2026-03-31"),
  selection: field(oneOf(SELECTIONS), "What the chart shows. Revenue is in cents."),
  promoter_campaign_id: field(id.optional(), "Id of the promoter campaign.", 31),
});

/** `GET /api/v2/affiliate/promoters/chart_data` */
export const ownChartOperation: AffiliateOperation = {
  id: "getPortalChart",
  summary: "Chart the promoter's figures",
  description: "Shows one figure of the promoter over time: by day, week, month or year, as fits the range.",
  mayBeAged: true,
  params,
  answer: z
    .object({
      period_from: field(z.iso.date(), "First day of the chart.", "2026-03-01"),
      period_to: field(z.iso.date(), "Last day of the chart.", "2026-03-31"),
      selection: field(z.enum(SELECTIONS), params.shape.selection),
      selection_items: field(z.array(z.tuple([z.iso.date(), z.number()])), "The points of the chart.", [
        ["2026-03-01", 340],
      ]),
      total: field(z.number(), "How many there are.", 3),
      group_by: field(z.enum(GROUPINGS), "Whether each row is a day, a month or a year. Default: `month`."),
    })
    .meta({ id: "PortalChart" }),
  refusals: ["invalid"],
  handle,
};

async function handle({ event, promoter, context: { store } }: AffiliateRequest) {
  const given = shapeInput(params, readQuery(event));
  const { period_from: from, period_to: to, selection, promoter_campaign_id: only } = given;
  const joined = await listPromoterCampaigns(store, promoter.accountId, promoter.id);
  const { groupBy, points } = await loadChart(store, {
    promoterCampaigns: joined.filter((each) => only === undefined || each.id === only),
    metric: METRICS[selection],
    range: { from, to },
  });
  return {
    period_from: from,
    period_to: to,
    selection,
    selection_items: points.map(({ day, value }) => [day, value]),
    total: points.reduce((sum, { value }) => sum + value, 0),
    group_by: groupBy,
  };
}

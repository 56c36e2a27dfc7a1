import { z } from "zod";
import { listPromoterCampaigns } from "../../../domain/promoter-campaign/search.ts";
import { loadChart } from "../../../domain/report/chart.ts";
import type { Metric } from "../../../domain/report/daily.ts";
import { GROUPINGS } from "../../../domain/report/figures.ts";
import { readQuery } from "../../../http/parameters/form.ts";
import { calendarDay, id, oneOf } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

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
  period_from: calendarDay,
  period_to: calendarDay,
  selection: oneOf(SELECTIONS),
  promoter_campaign_id: id.optional(),
});

/** `GET /api/v2/affiliate/promoters/chart_data` */
export const ownChartOperation: AffiliateOperation = {
  summary: "Chart the promoter's figures",
  mayBeAged: true,
  params,
  answer: z
    .object({
      period_from: z.iso.date(),
      period_to: z.iso.date(),
      selection: z.enum(SELECTIONS),
      selection_items: z.array(z.tuple([z.iso.date(), z.number()])),
      total: z.number(),
      group_by: z.enum(GROUPINGS),
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

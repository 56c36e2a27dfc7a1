import { z } from "zod";
import { listPromoterCampaigns } from "../../domain/promoter-campaign/search.ts";
import {
  loadPromoterCampaign,
  type PromoterCampaign,
} from "../../domain/promoter-campaign/promoter-campaign.ts";
import { loadPromoter } from "../../domain/promoter/promoter.ts";
import { loadChart } from "../../domain/report/chart.ts";
import { GROUPINGS } from "../../domain/report/figures.ts";
import type { Metric } from "../../domain/report/daily.ts";
import { calendarDay, flag, oneOf } from "../../input/fields.ts";
import { v2FieldError } from "../../http/errors.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readPathId } from "../path-id.ts";

const SELECTIONS = ["revenue", "clicks", "referrals", "customers", "cancellations"] as const;

const METRICS: Record<(typeof SELECTIONS)[number], Metric> = {
  revenue: "salesCents",
  clicks: "clicks",
  referrals: "referrals",
  customers: "customers",
  cancellations: "cancellations",
};

const params = z.object({ period_from: calendarDay, period_to: calendarDay, selection: oneOf(SELECTIONS) });
const promoterCampaignParams = params.extend({ with_totals: flag.optional() });

const answer = {
  period_from: z.iso.date(),
  period_to: z.iso.date(),
  selection: z.enum(SELECTIONS),
  group_by: z.enum(GROUPINGS),
};

/** `GET /api/v2/company/promoters/{id}/chart_data` */
export const promoterChart: V2Operation = {
  summary: "Chart a promoter's figures",
  mayBeAged: true,
  params,
  answer: z
    .object({ ...answer, selection_items: z.array(z.tuple([z.iso.date(), z.number()])) })
    .meta({ id: "PromoterChart" }),
  refusals: ["not_found", "invalid"],
  handle: chartPromoter,
};

/** `GET /api/v2/company/promoter_campaigns/{id}/chart_data` */
export const promoterCampaignChart: V2Operation = {
  summary: "Chart a promoter campaign's figures",
  mayBeAged: true,
  params: promoterCampaignParams,
  answer: z
    .object({
      ...answer,
      selection_items: z.array(z.object({ date: z.iso.date(), value: z.number() })),
      total: z.number().optional(),
    })
    .meta({ id: "PromoterCampaignChart" }),
  refusals: ["not_found", "invalid"],
  shape: v2FieldError,
  handle: chartPromoterCampaign,
};

async function chartPromoter(request: V2Request) {
  const { event, account, context } = request;
  const { id } = await loadPromoter(context.store, account.id, readPathId(event));
  const given = shapeInput(params, readQuery(event));
  const joined = await listPromoterCampaigns(context.store, account.id, id);
  const { head, groupBy, points } = await chart(request, given, joined);
  return {
    ...head,
    selection_items: points.map(({ day, value }) => [day, value]),
    group_by: groupBy,
  };
}

/** Choice: `with_totals` adds the sum as `total`. */
async function chartPromoterCampaign(request: V2Request) {
  const { event, account, context } = request;
  const promoterCampaign = await loadPromoterCampaign(context.store, account.id, readPathId(event));
  const given = shapeInput(promoterCampaignParams, readQuery(event));
  const { head, groupBy, points } = await chart(request, given, [promoterCampaign]);
  return {
    ...head,
    selection_items: points.map(({ day, value }) => ({ date: day, value })),
    group_by: groupBy,
    ...(given.with_totals && { total: points.reduce((sum, { value }) => sum + value, 0) }),
  };
}

/** The points of a chart over promoter campaigns. */
async function chart(
  { context }: V2Request,
  { period_from: from, period_to: to, selection }: z.output<typeof params>,
  promoterCampaigns: PromoterCampaign[],
) {
  const shown = await loadChart(context.store, {
    promoterCampaigns,
    metric: METRICS[selection],
    range: { from, to },
  });
  return { head: { period_from: from, period_to: to, selection }, ...shown };
}

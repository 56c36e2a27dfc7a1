import { z } from "zod";
import { listPromoterCampaigns } from "../../domain/people/promoter-campaign/search.ts";
import {
  loadPromoterCampaign,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { loadPromoter } from "../../domain/people/promoter/promoter.ts";
import { loadChart } from "../../domain/reports/chart.ts";
import { GROUPINGS } from "../../domain/reports/figures.ts";
import type { Metric } from "../../domain/people/daily.ts";
import { calendarDay, flag, oneOf } from "../../input/fields.ts";
import { v2FieldError } from "../../http/errors.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readPathId } from "../../resource/listing.ts";
import { field } from "../../http/fields.ts";

const SELECTIONS = ["revenue", "clicks", "referrals", "customers", "cancellations"] as const;

const METRICS: Record<(typeof SELECTIONS)[number], Metric> = {
  revenue: "sales_cents",
  clicks: "clicks",
  referrals: "referrals",
  customers: "customers",
  cancellations: "cancellations",
};

const params = z.object({
  period_from: field(calendarDay, "First day of the chart.", "2026-03-01"),
  period_to: field(calendarDay, "Last day of the chart.", "2026-03-31"),
  selection: field(oneOf(SELECTIONS), "What the chart shows. Revenue is in cents."),
});
const promoterCampaignParams = params.extend({
  with_totals: field(flag.optional(), "`true` adds the sum. Default: `false`."),
});

const answer = {
  period_from: field(z.iso.date(), "First day of the chart.", "2026-03-01"),
  period_to: field(z.iso.date(), "Last day of the chart.", "2026-03-31"),
  selection: field(z.enum(SELECTIONS), params.shape.selection),
  group_by: field(z.enum(GROUPINGS), "The time between two points. It depends on the length of the chart."),
};

export const promoterChart: V2Operation = {
  id: "chartPromoter",
  summary: "Chart a promoter's figures",
  description: "Shows a figure of a promoter over time, in all campaigns.",
  params,
  answer: z
    .object({
      ...answer,
      selection_items: field(z.array(z.tuple([z.iso.date(), z.number()])), "The points of the chart.", [
        ["2026-03-01", 340],
      ]),
    })
    .meta({ id: "PromoterChart" }),
  refusals: ["not_found", "invalid"],
  handle: chartPromoter,
};

export const promoterCampaignChart: V2Operation = {
  id: "chartPromoterCampaign",
  summary: "Chart a promoter campaign's figures",
  description: "Shows a figure of a promoter over time in one campaign.",
  params: promoterCampaignParams,
  answer: z
    .object({
      ...answer,
      selection_items: field(
        z.array(
          z.object({
            date: field(z.iso.date(), "First day of the point.", "2026-03-01"),
            value: field(z.number(), "What was counted.", 340),
          }),
        ),
        "The points of the chart.",
      ),
      total: field(z.number().optional(), "The sum of the points.", 340),
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

/** `with_totals` adds the sum as `total`. */
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

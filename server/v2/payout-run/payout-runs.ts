import { z } from "zod";
import { campaigns, type Campaign } from "../../domain/program/campaign/campaign.ts";
import { UNITS } from "../../domain/money.ts";
import {
  CARRY_REASONS,
  payoutCounts,
  payoutRuns,
  previewRun,
  type PreviewedPayout,
} from "../../domain/ledger/payout-run/payout-run.ts";
import { promoters, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shown } from "../../resource/answer.ts";
import { listed } from "../../resource/list.ts";
import { lists } from "../../resource/operations.ts";
import { findMany } from "../../storage/query.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../../resource/listing.ts";
import { field, recordId } from "../../http/fields.ts";

const instant = z.iso.datetime();

const runAnswer = shown(payoutRuns, payoutCounts)("PayoutRun", {
  id: recordId,
  group_ref: field(z.string(), "The run that made the payouts.", "2026-02"),
  period_start: field(instant, "First moment of the period that is paid for."),
  period_end: field(instant, "Last moment of the period that is paid for."),
  started_at: field(instant, "When the run began."),
  finished_at: field(instant.nullable(), "When all its payouts were made, or null if they are not yet."),
  payouts_count: [field(z.int(), "How many payouts the run made.", 12), (_, count) => count],
});

/** @see docs/spec/v2.md "Payout runs" */
export const listPayoutRunsOperation: V2Operation = lists(runAnswer, {
  id: "listPayoutRuns",
  summary: "List payout runs, newest first",
  description:
    "Lists the payout runs, newest first. The server makes the payouts of a period within an hour of its end.",
  refusals: [],
  list: listed(payoutRuns, { isNewestFirst: true })(),
});

const previewedAnswer = z
  .object({
    id: field(z.string(), "Id of the payout until it is made.", "17-1-cash"),
    promoter: field(embeddedPromoter, "The promoter, or null if they were deleted."),
    campaign: field(embeddedCampaign, "The campaign, or null if it was deleted."),
    unit: field(z.enum(UNITS), "What is paid."),
    amount: field(z.int(), "Sum of the commissions: cents of money, otherwise whole units.", 12500),
    set_off: field(
      z.int(),
      "How much of the sum pays back what the promoter owes in other campaigns. The payout is less by it.",
      0,
    ),
    commissions_count: field(z.int(), "How many commissions it pays.", 9),
    not_paid_because: field(
      z.string().nullable(),
      "Why a run would not pay it yet, or null if it would.",
      "The sum is below the minimum payment",
    ),
  })
  .meta({ id: "PreviewedPayout" });

/** @see docs/spec/v2.md "Payout runs" */
export const previewPayoutRunOperation: V2Operation = {
  id: "previewPayoutRun",
  summary: "Show what the next payout run would pay if its period ended now",
  description:
    "Shows what the next run would pay if its period ended now: one payout for each promoter, campaign and unit. `not_paid_because` says what keeps it for a later run.",
  params: pageParams,
  answer: z.object({
    data: field(z.array(previewedAnswer), "The records."),
    meta: field(
      z.object({
        group_ref: field(z.string(), "Name of the run.", "2026-02"),
        period_start: field(instant, runAnswer.schema.shape.period_start),
        period_end: field(instant, "Last day of the next period that is paid for, or null if there is none."),
      }),
      "The period of the run.",
    ),
  }),
  isPaged: true,
  handle: preview,
};

async function preview(request: V2Request) {
  const { account, context } = request;
  const { page, window } = readListing(request, pageParams);
  const { period, payouts, total } = await previewRun(context, account, window);
  setPageHeaders(request, page, total);
  const [people, programs] = await Promise.all([
    findMany(
      context.store,
      promoters,
      account.id,
      payouts.map(({ promoter_id }) => promoter_id),
    ),
    findMany(
      context.store,
      campaigns,
      account.id,
      payouts.map(({ campaign_id }) => campaign_id),
    ),
  ]);
  return {
    // A promoter may have been deleted meanwhile.
    data: payouts.flatMap((each) => {
      const promoter = people.get(each.promoter_id);
      const campaign = programs.get(each.campaign_id);
      return promoter && campaign ? [previewedJson(each, { promoter, campaign })] : [];
    }),
    meta: { group_ref: period.key, period_start: period.start, period_end: period.end },
  };
}

function previewedJson(
  { promoter_id, campaign_id, unit, amount, set_off, commissionsCount, carryReason }: PreviewedPayout,
  { promoter, campaign }: { promoter: Promoter; campaign: Campaign },
): z.output<typeof previewedAnswer> {
  return {
    id: `${promoter_id}-${campaign_id}-${unit}`,
    promoter: embeddedPromoterJson(promoter),
    campaign: embeddedCampaignJson(campaign),
    unit,
    amount,
    set_off,
    commissions_count: commissionsCount,
    not_paid_because: carryReason && CARRY_REASONS[carryReason],
  };
}

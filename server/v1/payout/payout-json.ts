import { z } from "zod";
import { PAYOUT_STATUSES, type Payout } from "../../domain/ledger/payout/payout.ts";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import { promoterSubsetAnswer } from "../promoter/promoter-json.ts";
import { v1Unit } from "../reward/reward-json.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { landingUrl } from "../../input/common-fields.ts";

/** A campaign within other records of V1. */
export const campaignAnswer = z
  .object({
    id: recordId,
    name: field(z.string(), "Name of the campaign.", "Partners"),
    landing_url: landingUrl,
    description: field(z.string().nullable(), "Always null.", null),
    private: field(z.boolean(), "Whether promoters join by invitation only."),
    color: field(z.string(), "Colour of the campaign in the dashboard.", "#2563eb"),
    default_webhook_url: field(z.string().nullable(), "Always null. Webhooks belong to the account.", null),
    auto_approve_rewards: field(z.boolean(), "Whether commissions count without your approval."),
    auto_approve_promoters: field(z.boolean(), "Whether new promoters are approved without your review."),
  })
  .meta({ id: "V1Campaign" });

/** @see docs/spec/v1.md "Payout record" */
export const payoutAnswer = z
  .object({
    id: recordId,
    status: field(z.enum(PAYOUT_STATUSES), "State of the record."),
    amount: field(z.int(), "The amount: cents for `cash`, whole units otherwise.", 2000),
    date_paid: field(z.iso.datetime().nullable(), "When it was paid, or null if it was not yet."),
    due_date: field(z.iso.datetime().nullable(), "Day by which it must be paid, or null if there is none."),
    unit: field(z.string(), "Unit of the amount.", "cash"),
    created_at: createdAt,
    has_issues: field(z.boolean(), "Whether the payment failed."),
    reward: field(
      z.record(z.string(), z.unknown()).nullable(),
      "Always null, because a payout covers everything earned in its period.",
      null,
    ),
    promoter: field(promoterSubsetAnswer.nullable(), "The promoter, or null if they were deleted."),
    campaign: field(campaignAnswer.nullable(), "The campaign, or null if it was deleted."),
  })
  .meta({ id: "V1Payout" });

/**
 * A payout as V1 shows it. `has_issues` means that it failed. `reward` is null, because a payout covers everything that
 * was earned in its period.
 */
export function payoutJson(
  payout: Payout,
  {
    promoter,
    campaign,
  }: { promoter: z.output<typeof promoterSubsetAnswer> | null; campaign: Campaign | null },
): z.output<typeof payoutAnswer> {
  return {
    id: payout.id,
    status: payout.status,
    amount: payout.amount,
    date_paid: payout.paidAt,
    due_date: `${payout.dueDate}T00:00:00.000Z`,
    unit: v1Unit(payout.unit),
    created_at: payout.createdAt,
    has_issues: payout.status === "failed" || payout.error !== null,
    reward: null,
    promoter,
    campaign: campaign && campaignJson(campaign),
  };
}

/** A campaign as V1 shows it within other records. */
export function campaignJson(campaign: Campaign): z.output<typeof campaignAnswer> {
  return {
    id: campaign.id,
    name: campaign.name,
    landing_url: campaign.landingUrl,
    description: null,
    private: campaign.isPrivate,
    color: campaign.color,
    default_webhook_url: null,
    auto_approve_rewards: campaign.autoApproveCommissions,
    auto_approve_promoters: campaign.autoApprovePromoters,
  };
}

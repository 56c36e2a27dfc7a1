import { z } from "zod";
import { PAYOUT_STATUSES, type Payout } from "../../domain/payout/payout.ts";
import type { Campaign } from "../../domain/campaign/campaign.ts";
import { promoterSubsetAnswer } from "../promoter/promoter-json.ts";
import { v1Unit } from "../reward/reward-json.ts";

/** A campaign within other records of V1. */
export const campaignAnswer = z
  .object({
    id: z.int(),
    name: z.string(),
    landing_url: z.string(),
    description: z.string().nullable(),
    private: z.boolean(),
    color: z.string(),
    default_webhook_url: z.string().nullable(),
    auto_approve_rewards: z.boolean(),
    auto_approve_promoters: z.boolean(),
  })
  .meta({ id: "V1Campaign" });

/** @see docs/spec/v1.md "Payout record" */
export const payoutAnswer = z
  .object({
    id: z.int(),
    status: z.enum(PAYOUT_STATUSES),
    amount: z.int(),
    date_paid: z.iso.datetime().nullable(),
    due_date: z.iso.datetime().nullable(),
    unit: z.string(),
    created_at: z.iso.datetime(),
    has_issues: z.boolean(),
    reward: z.record(z.string(), z.unknown()).nullable(),
    promoter: promoterSubsetAnswer.nullable(),
    campaign: campaignAnswer.nullable(),
  })
  .meta({ id: "V1Payout" });

/**
 * A payout as V1 shows it. Choice: a failed payout has issues, and `reward` is null because a payout covers
 * everything that was earned in its period.
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

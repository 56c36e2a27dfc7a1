import { z } from "zod";
import { COMMISSION_STATUSES, type Commission } from "../../domain/ledger/commission/commission.ts";
import { leads, type Lead } from "../../domain/people/lead/lead.ts";
import type { Unit } from "../../domain/money.ts";
import type { View } from "../../storage/store.ts";
import { newEmbedded, type Embedded } from "../promoter/promoter-parts.ts";
import { leadAnswer, leadJson } from "../lead/lead-json.ts";
import { promoterSubsetAnswer } from "../promoter/promoter-json.ts";
import { promotionAnswer } from "../promoter/promotion-json.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";

/** V1's names of units. One differs from ours. */
export const V1_UNITS = ["cash", "credits", "points", "free_months", "discount_mon", "discount_per"] as const;

type V1Unit = (typeof V1_UNITS)[number];

/** @see docs/spec/v1.md "Reward record" */
export const rewardAnswer = z
  .object({
    id: recordId,
    status: field(z.enum(COMMISSION_STATUSES), "State of the record."),
    amount: field(z.int(), "The amount: cents for `cash`, whole units otherwise.", 2000),
    unit: field(z.enum(V1_UNITS), "Unit of the amount.", "cash"),
    created_at: createdAt,
    lead: field(
      leadAnswer.nullable(),
      "The lead, or null if it was deleted or the commission belongs to none.",
    ),
    event_id: field(z.string().nullable(), "Your own id of the sale, or null if it has none.", "order-1001"),
    conversion_amount: field(z.int(), "Amount of the sale that earned this, in cents.", 10000),
    tier_level: field(
      z.int(),
      "1 for the promoter, 2 for their parent, and so on. Null if it is no tier reward.",
      1,
    ),
    split_type: field(z.string().nullable(), "Always null, because commissions are not split.", null),
    promoter: field(promoterSubsetAnswer.nullable(), "The promoter, or null if they were deleted."),
    promotion: field(
      promotionAnswer.nullable(),
      "The promotion that the record belongs to, or null if it was deleted.",
    ),
  })
  .meta({ id: "V1Reward" });

/** Shows a commission with its lead, promoter and promotion. */
export async function showReward(view: View, commission: Commission): Promise<z.output<typeof rewardAnswer>> {
  const { accountId, leadId } = commission;
  const lead = leadId === null ? null : await view.get(leads, accountId, leadId);
  return rewardJson(commission, lead, newEmbedded(view, accountId));
}

/** A reward within an event, without the promoter and lead that the event already has. */
export const rewardSummaryAnswer = rewardAnswer
  .omit({ promoter: true, promotion: true })
  .meta({ id: "V1RewardSummary" });

/**
 * A commission, which V1 calls a reward. The lead is null if there is none or it was deleted.
 */
export async function rewardJson(
  commission: Commission,
  lead: Lead | null,
  embedded: Embedded,
): Promise<z.output<typeof rewardAnswer>> {
  return {
    ...rewardSummaryJson(commission, lead),
    promoter: await embedded.promoter(commission.promoterId),
    promotion: await embedded.promotion(commission.promoterCampaignId),
  };
}

/** The same without its promoter. */
export function rewardSummaryJson(
  commission: Commission,
  lead: Lead | null,
): z.output<typeof rewardSummaryAnswer> {
  return {
    id: commission.id,
    status: commission.status,
    amount: commission.amount,
    unit: v1Unit(commission.unit),
    created_at: commission.createdAt,
    lead: lead && leadJson(lead),
    event_id: commission.eventId,
    conversion_amount: commission.saleCents,
    tier_level: commission.tierLevel,
    split_type: null,
  };
}

/** A unit under V1's name. */
export function v1Unit(unit: Unit): V1Unit {
  return unit === "mon_discount" ? "discount_mon" : unit;
}

/** The unit with this name in V1. */
export function unitOfV1(unit: V1Unit): Unit {
  return unit === "discount_mon" ? "mon_discount" : unit;
}

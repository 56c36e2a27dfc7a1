import {
  COMMISSION_STATUSES,
  COMMISSION_TYPES,
  isPaid,
  type Commission,
} from "../../domain/commission/commission.ts";
import { z } from "zod";
import { readCommissionParts, type CommissionParts } from "../../domain/commission/search.ts";
import { FRAUD_SUSPICIONS } from "../../domain/lead/lead.ts";
import { UNITS } from "../../domain/money/money.ts";
import type { Reader } from "../../storage/store.ts";
import { embeddedPromoterCampaign, embeddedPromoterCampaignJson } from "../embedded-json.ts";

const instant = z.iso.datetime();

/** @see docs/spec/v2.md "Commission" */
export const commissionAnswer = z
  .object({
    id: z.int(),
    status: z.enum(COMMISSION_STATUSES),
    metadata: z.record(z.string(), z.unknown()),
    is_self_referral: z.boolean().nullable(),
    commission_type: z.enum(COMMISSION_TYPES),
    created_by_user_email: z.string().nullable(),
    created_by_user_at: instant.nullable(),
    sale_amount: z.int(),
    original_sale_amount: z.int(),
    original_sale_currency: z.string().nullable(),
    event_id: z.string().nullable(),
    plan_id: z.string().nullable(),
    tier: z.int(),
    internal_note: z.string().nullable(),
    external_note: z.string().nullable(),
    unit: z.enum(UNITS),
    fraud_check: z.enum(["no_suspicion", ...FRAUD_SUSPICIONS]).nullable(),
    amount: z.int(),
    is_paid: z.boolean(),
    is_split: z.boolean(),
    created_at: instant,
    status_updated_at: instant.nullable(),
    promoter_campaign: embeddedPromoterCampaign,
    referral: z.object({ id: z.int(), email: z.string().nullable(), uid: z.string().nullable() }).nullable(),
    reward: z.object({ id: z.int(), name: z.string() }).nullable(),
    split_details: z
      .object({ promoter_campaign_id: z.int(), promoter_id: z.int(), percentage: z.number() })
      .nullable(),
  })
  .meta({ id: "Commission" });

/** Shows a commission with the records that it belongs to. */
export async function showCommission(
  reader: Reader,
  commission: Commission,
): Promise<z.output<typeof commissionAnswer>> {
  return commissionJson(await readCommissionParts(reader, commission));
}

/**
 * A commission as V2 shows it. Amounts are cents of `cash`, or whole units of another kind. It is paid when its payout
 * is completed.
 *
 * Choice: a commission made by hand has no reward. `created_by_user_email` and `created_by_user_at` are null if an API
 * key made it, because keys name nobody.
 */
export function commissionJson(parts: CommissionParts): z.output<typeof commissionAnswer> {
  const { commission, lead } = parts;
  return {
    id: commission.id,
    status: commission.status,
    metadata: {},
    is_self_referral: commission.isSelfReferral,
    commission_type: commission.type,
    created_by_user_email: commission.createdByUser?.email ?? null,
    created_by_user_at: commission.createdByUser?.at ?? null,
    sale_amount: commission.saleCents,
    original_sale_amount: commission.originalSaleAmount,
    original_sale_currency: commission.originalSaleCurrency,
    event_id: commission.eventId,
    plan_id: commission.planId,
    tier: commission.tierLevel,
    internal_note: commission.internalNote,
    external_note: commission.externalNote,
    unit: commission.unit,
    fraud_check: commission.suspicion,
    amount: commission.amount,
    is_paid: isPaid(commission, parts.payout),
    is_split: commission.splitTenThousandths !== null,
    created_at: commission.createdAt,
    status_updated_at: commission.statusUpdatedAt,
    promoter_campaign: embeddedPromoterCampaignJson(commission, parts),
    referral: lead && { id: lead.id, email: lead.email, uid: lead.uid },
    reward: rewardJson(commission),
    split_details: splitJson(commission),
  };
}

/** The reward as it was called then, even if it has been deleted since. */
export function rewardJson({ rewardId, rewardName }: Commission) {
  return rewardId === null ? null : { id: rewardId, name: rewardName ?? "" };
}

function splitJson({ promoterCampaignId, promoterId, splitTenThousandths: share }: Commission) {
  if (share === null) return null;
  return { promoter_campaign_id: promoterCampaignId, promoter_id: promoterId, percentage: share / 10_000 };
}

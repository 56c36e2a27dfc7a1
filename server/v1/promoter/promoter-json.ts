import { z } from "zod";
import type { Balance } from "../../domain/commission/balance.ts";
import type { PromoCode } from "../../domain/promo-code/record.ts";
import type { Promoter } from "../../domain/promoter/record.ts";
import type { PromoterCampaign } from "../../domain/promoter-campaign/record.ts";
import type { Reward } from "../../domain/reward/record.ts";
import { profileAnswer, profileJson } from "./profile-json.ts";
import { promotionAnswer, promotionJson, type PromotionParts } from "./promotion-json.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { custId, customFields } from "../../input/common-fields.ts";

const STATUS = {
  accepted: "approved",
  pending: "pending",
  rejected: "denied",
  blocked: "denied",
  inactive: "approved",
} as const;

const balanceAnswer = z
  .object({
    cash: field(z.int(), "Money, in cents.", 2000),
    credits: field(z.int(), "Credits.", 0),
    points: field(z.int(), "Points.", 0),
    free_months: field(z.int(), "Free months.", 0),
    discount_mon: field(z.int(), "Discount as an amount.", 0),
    discount_per: field(z.int(), "Discount in percent.", 0),
  })
  .meta({ id: "V1Balance" });

/** @see docs/spec/v1.md "Promoter", last paragraph */
export const promoterSubsetAnswer = z
  .object({
    id: recordId,
    status: field(
      z.enum(["approved", "pending", "denied", "active"]),
      "Whether the promoter is approved. Sign-up tracking says `active` for `approved`.",
    ),
    cust_id: custId,
    email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
    created_at: createdAt,
    temp_password: field(
      z.string().nullable(),
      "First password of the promoter's dashboard. It is shown only when the promoter is created, and null afterwards.",
      "s3cret-start",
    ),
    default_promotion_id: field(z.int(), "Id of the promoter's first promotion.", 31),
    pref: field(
      z.string().nullable(),
      "Default referral id of the parent promoter. null: no parent.",
      "alex",
    ),
    default_ref_id: field(z.string(), "The promoter's referral id in their first campaign.", "jane"),
    note: field(
      z.string().nullable(),
      "A note of yours about the promoter. Promoters never see it.",
      "Met at the fair",
    ),
    w8_form_url: field(z.string().nullable(), "Their tax form W-8. null: not uploaded.", null),
    w9_form_url: field(z.string().nullable(), "Their tax form W-9. null: not uploaded.", null),
    parent_promoter_id: field(z.int().nullable(), "Id of the promoter who recruited this one.", 12),
    earnings_balance: field(balanceAnswer, "What the promoter has earned so far."),
    current_balance: field(balanceAnswer, "What the promoter has earned and has not been paid yet."),
    paid_balance: field(balanceAnswer, "What the promoter has been paid so far."),
    auth_token: field(
      z.string(),
      "Signs the promoter in to the portal: `/portal?auth_token=…`. Keep it secret.",
      "q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga",
    ),
  })
  .meta({ id: "V1PromoterSummary" });

/** @see docs/spec/v1.md "Promoter" */
export const promoterAnswer = promoterSubsetAnswer
  .extend({
    profile: field(profileAnswer, "The promoter's own details."),
    promotions: field(z.array(promotionAnswer), "The campaigns that the promoter is in."),
    custom_fields: field(z.record(z.string(), z.unknown()).nullable(), customFields),
    promo_codes: field(
      z.array(
        z.object({
          id: recordId,
          code: field(z.string(), "The code that customers type at the checkout.", "JANE10"),
          reward: field(
            z.object({ id: recordId, name: field(z.string(), "Name of the reward.", "20% of each sale") }),
            "The reward.",
          ),
        }),
      ),
      "The promoter's promo codes.",
    ),
  })
  .meta({ id: "V1Promoter" });

/** A promoter with the other records that a sign-up answer shows. */
export interface PromoterParts {
  promoter: Promoter;
  /** The default promoterCampaign. */
  promoterCampaign: PromoterCampaign;
  /** The parent's default ref id. null: no parent. */
  parentRefToken: string | null;
  balance: Balance;
}

/** A promo code with its reward. */
export interface RewardedPromoCode {
  promoCode: PromoCode;
  reward: Reward;
}

/** A promoter with everything that V1 shows of them. */
export interface WholePromoter {
  parts: PromoterParts;
  promotions: PromotionParts[];
  promoCodes: RewardedPromoCode[];
}

/** The complete V1 promoter. */
export function promoterJson({
  parts,
  promotions,
  promoCodes,
}: WholePromoter): z.output<typeof promoterAnswer> {
  return {
    ...promoterSubsetJson(parts),
    profile: profileJson(parts.promoter.profile),
    promotions: promotions.map(promotionJson),
    custom_fields: parts.promoter.customFields,
    promo_codes: promoCodes.map(({ promoCode, reward }) => ({
      id: promoCode.id,
      code: promoCode.code,
      reward: { id: reward.id, name: reward.name },
    })),
  };
}

/** The promoter within a sign-up answer, where `approved` is called `active`. */
export function trackedPromoterJson(parts: PromoterParts): z.output<typeof promoterSubsetAnswer> {
  const subset = promoterSubsetJson(parts);
  return { ...subset, status: subset.status === "approved" ? "active" : subset.status };
}

/** The promoter as V1 shows them within other records. */
export function promoterSubsetJson({
  promoter,
  promoterCampaign,
  parentRefToken,
  balance,
}: PromoterParts): z.output<typeof promoterSubsetAnswer> {
  return {
    id: promoter.id,
    status: STATUS[promoterCampaign.state],
    cust_id: promoter.custId,
    email: promoter.email,
    created_at: promoter.createdAt,
    temp_password: null, // shown only in the answer of its creation
    default_promotion_id: promoter.defaultPromoterCampaignId,
    pref: parentRefToken,
    default_ref_id: promoterCampaign.refToken,
    note: promoter.note,
    w8_form_url: null,
    w9_form_url: null,
    parent_promoter_id: promoter.parentPromoterId,
    earnings_balance: balanceJson(balance, "earnings"),
    current_balance: balanceJson(balance, "current"),
    paid_balance: balanceJson(balance, "paid"),
    auth_token: promoter.authToken,
  };
}

function balanceJson({ units }: Balance, kind: "earnings" | "current" | "paid") {
  return {
    cash: units["cash"]?.[kind] ?? 0,
    credits: units["credits"]?.[kind] ?? 0,
    points: units["points"]?.[kind] ?? 0,
    free_months: units["free_months"]?.[kind] ?? 0,
    discount_mon: units["mon_discount"]?.[kind] ?? 0,
    discount_per: units["discount_per"]?.[kind] ?? 0,
  };
}

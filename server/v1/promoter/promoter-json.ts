import { z } from "zod";
import type { Balance } from "../../domain/commission/balance.ts";
import type { PromoCode } from "../../domain/promo-code/promo-code.ts";
import type { PromoterCampaign } from "../../domain/promoter-campaign/promoter-campaign.ts";
import type { Promoter, PromoterProfile } from "../../domain/promoter/promoter.ts";
import type { Reward } from "../../domain/reward/reward.ts";
import { promotionAnswer, promotionJson, type PromotionParts } from "./promotion-json.ts";

const balanceAnswer = z
  .object({
    cash: z.int(),
    credits: z.int(),
    points: z.int(),
    free_months: z.int(),
    discount_mon: z.int(),
    discount_per: z.int(),
  })
  .meta({ id: "V1Balance" });

/** @see docs/spec/v1.md "Promoter", last paragraph */
export const promoterSubsetAnswer = z
  .object({
    id: z.int(),
    status: z.enum(["approved", "pending", "denied", "active"]),
    cust_id: z.string().nullable(),
    email: z.string(),
    created_at: z.iso.datetime(),
    temp_password: z.string().nullable(),
    default_promotion_id: z.int(),
    pref: z.string().nullable(),
    default_ref_id: z.string(),
    note: z.string().nullable(),
    w8_form_url: z.string().nullable(),
    w9_form_url: z.string().nullable(),
    parent_promoter_id: z.int().nullable(),
    earnings_balance: balanceAnswer,
    current_balance: balanceAnswer,
    paid_balance: balanceAnswer,
    auth_token: z.string(),
  })
  .meta({ id: "V1PromoterSummary" });

const socialAccount = z.object({ url: z.string().nullable() }).meta({ id: "V1SocialAccount" });

/** @see docs/spec/v1.md "Profile" */
export const profileAnswer = z
  .object({
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    website: z.string().nullable(),
    company_name: z.string().nullable(),
    phone_number: z.string().nullable(),
    address: z.string().nullable(),
    vat_id: z.string().nullable(),
    country: z.string().nullable(),
    wallet_email: z.string().nullable(),
    avatar_url: z.string().nullable(),
    description: z.string().nullable(),
    social_accounts: z.object({
      twitter: socialAccount,
      youtube: socialAccount,
      facebook: socialAccount,
      linkedin: socialAccount,
      instagram: socialAccount,
    }),
  })
  .meta({ id: "V1Profile" });

/** @see docs/spec/v1.md "Promoter" */
export const promoterAnswer = promoterSubsetAnswer
  .extend({
    profile: profileAnswer,
    promotions: z.array(promotionAnswer),
    custom_fields: z.record(z.string(), z.unknown()).nullable(),
    promo_codes: z.array(
      z.object({ id: z.int(), code: z.string(), reward: z.object({ id: z.int(), name: z.string() }) }),
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

const STATUS = {
  accepted: "approved",
  pending: "pending",
  rejected: "denied",
  blocked: "denied",
  inactive: "approved",
} as const;

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

/** A promoter's profile as V1 shows it. */
export function profileJson(profile: PromoterProfile): z.output<typeof profileAnswer> {
  return {
    first_name: profile.firstName,
    last_name: profile.lastName,
    website: profile.website,
    company_name: profile.companyName,
    phone_number: profile.phoneNumber,
    address: profile.address,
    vat_id: profile.vatId,
    country: profile.country,
    wallet_email: profile.walletEmail,
    avatar_url: profile.avatarUrl,
    description: profile.description,
    social_accounts: {
      twitter: { url: profile.twitterUrl },
      youtube: { url: profile.youtubeUrl },
      facebook: { url: profile.facebookUrl },
      linkedin: { url: profile.linkedinUrl },
      instagram: { url: profile.instagramUrl },
    },
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

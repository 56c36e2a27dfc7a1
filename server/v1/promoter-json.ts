import { refLink } from "../domain/promoter-campaign.ts";
import type { Stats } from "../domain/stats.ts";
import type { Balance, Campaign, Promoter, PromoterCampaign, PromoterProfile } from "../records.ts";

const STATUS = {
  accepted: "approved",
  pending: "pending",
  rejected: "denied",
  blocked: "denied",
  inactive: "approved",
} as const;

/** A participation with all that its V1 form shows. */
export interface PromotionParts {
  promoterCampaign: PromoterCampaign;
  campaign: Campaign;
  stats: Stats;
}

/** A promoter with what the sign-up answer shows of them. */
export interface PromoterParts {
  promoter: Promoter;
  /** The default participation. */
  promoterCampaign: PromoterCampaign;
  /** The parent's default ref id. null: no parent. */
  parentRefToken: string | null;
  balance: Balance;
}

/** The whole V1 promoter. @see spec "V1 promoter" */
export function promoterJson(parts: PromoterParts, promotions: PromotionParts[]) {
  return {
    ...promoterSubsetJson(parts),
    profile: profileJson(parts.promoter.profile),
    promotions: promotions.map(promotionJson),
    custom_fields: parts.promoter.customFields,
    promo_codes: [],
  };
}

/** The promoter within a sign-up answer, `active` where others say `approved`. @see spec "V1 promoter", below the table */
export function trackedPromoterJson(parts: PromoterParts) {
  const subset = promoterSubsetJson(parts);
  return { ...subset, status: subset.status === "approved" ? "active" : subset.status };
}

function promoterSubsetJson({ promoter, promoterCampaign, parentRefToken, balance }: PromoterParts) {
  return {
    id: promoter.id,
    status: STATUS[promoterCampaign.state],
    cust_id: promoter.custId,
    email: promoter.email,
    created_at: promoter.createdAt,
    temp_password: promoter.tempPassword,
    default_promotion_id: promoter.defaultPromoterCampaignId,
    pref: parentRefToken,
    default_ref_id: promoterCampaign.refToken,
    note: promoter.note,
    w8_form_url: null,
    w9_form_url: null,
    parent_promoter_id: promoter.parentPromoterId === null ? null : String(promoter.parentPromoterId),
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
    discount_per: units["discount_per"]?.[kind] ?? 0,
  };
}

function profileJson(profile: PromoterProfile) {
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

/** @see spec "V1 promotion" */
function promotionJson({ promoterCampaign, campaign, stats }: PromotionParts) {
  return {
    id: promoterCampaign.id,
    status: "offer_inactive", // `offer_running` goes with a reward for the referred, and none exists yet
    ref_id: promoterCampaign.refToken,
    promo_code: promoterCampaign.coupon,
    customer_promo_code: promoterCampaign.displayCoupon,
    target_reached_at: null,
    promoter_id: promoterCampaign.promoterId,
    campaign_id: promoterCampaign.campaignId,
    referral_link: refLink(promoterCampaign, campaign),
    current_offer: null,
    current_referral_reward: null,
    current_promotion_reward: null,
    current_target_reward: null,
    campaign_name: campaign.name,
    hidden: false,
    visitors_count: stats.clicks,
    leads_count: stats.referrals,
    customers_count: stats.customers,
    refunds_count: stats.refunds,
    cancellations_count: stats.cancellations,
    sales_count: stats.sales,
    sales_total: stats.salesCents,
    refunds_total: stats.refundsCents,
    active_customers_count: stats.activeCustomers,
  };
}

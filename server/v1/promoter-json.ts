import { z } from "zod";
import { type Balance, loadBalance } from "../domain/ledger/commission/balance.ts";
import { type PromoCode, promoCodes } from "../domain/people/promo-code/promo-code.ts";
import {
  type PromoterCampaign,
  loadPromoterCampaign,
  promoterCampaigns,
  withCampaign,
} from "../domain/people/promoter-campaign/promoter-campaign.ts";
import {
  type Promoter,
  type PromoterProfile,
  loadPromoter,
  promoters,
} from "../domain/people/promoter/promoter.ts";
import { type Reward, rewards, type RewardEntry } from "../domain/program/reward/reward.ts";
import { promotionAnswer, promotionJson, type PromotionParts } from "./promotion-json.ts";
import { createdAt, field, recordId } from "../http/fields.ts";
import { custId, customFields } from "../input/fields.ts";
import type { Campaign } from "../domain/program/campaign/campaign.ts";
import { listPromoterCampaigns } from "../domain/people/promoter-campaign/search.ts";
import { loadStats } from "../domain/people/daily.ts";
import { once, unlessGone } from "../domain/show.ts";
import type { View } from "../storage/store.ts";

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
      "Default referral id of the parent promoter, or null if there is none.",
      "alex",
    ),
    default_ref_id: field(z.string(), "The promoter's referral id in their first campaign.", "jane"),
    note: field(
      z.string().nullable(),
      "A note of yours about the promoter. Promoters never see it.",
      "Met at the fair",
    ),
    w8_form_url: field(z.string().nullable(), "Their tax form W-8, or null if it was not uploaded.", null),
    w9_form_url: field(z.string().nullable(), "Their tax form W-9, or null if it was not uploaded.", null),
    parent_promoter_id: field(
      z.string().nullable(),
      "Id of the promoter who recruited this one, as a text.",
      "12",
    ),
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

const socialAccount = z
  .object({
    url: field(z.string().nullable(), "An absolute web address.", "https://www.example.com/?via=jane"),
  })
  .meta({ id: "V1SocialAccount" });

/** @see docs/spec/v1.md "Profile" */
export const profileAnswer = z
  .object({
    first_name: field(z.string().nullable(), "First name.", "Jane"),
    last_name: field(z.string().nullable(), "Last name.", "Doe"),
    website: field(z.string().nullable(), "Address of their web site.", "https://blog.example.com"),
    company_name: field(z.string().nullable(), "Name of the company.", "Acme"),
    phone_number: field(z.string().nullable(), "Phone number.", "+1 555 0100"),
    address: field(z.string().nullable(), "Postal address.", "1 Main Street, Springfield"),
    vat_id: field(z.string().nullable(), "VAT id of their company.", "DE123456789"),
    country: field(z.string().nullable(), "Two-letter code of their country.", "US"),
    wallet_email: field(
      z.string().nullable(),
      "E-mail address of the wallet that they are paid to.",
      "jane@wallet.example",
    ),
    avatar_url: field(
      z.string().nullable(),
      "Address of their picture.",
      "https://blog.example.com/jane.png",
    ),
    description: field(z.string().nullable(), "A longer description.", "Ten percent off in spring"),
    social_accounts: field(
      z.object({
        twitter: field(socialAccount, "Their page on Twitter."),
        youtube: field(socialAccount, "Their channel on YouTube."),
        facebook: field(socialAccount, "Their page on Facebook."),
        linkedin: field(socialAccount, "Their page on LinkedIn."),
        instagram: field(socialAccount, "Their page on Instagram."),
      }),
      "Their pages on social networks.",
    ),
  })
  .meta({ id: "V1Profile" });

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

/** A promoter with the related records of a sign-up answer. */
interface PromoterParts {
  promoter: Promoter;
  /** The default promoterCampaign. */
  promoterCampaign: PromoterCampaign;
  /** The parent's default ref id, or null without a parent. */
  parentRefToken: string | null;
  balance: Balance;
}

/** A promo code with its reward. */
interface RewardedPromoCode {
  promoCode: PromoCode;
  reward: Reward;
}

/** A promoter with all related records that V1 shows. */
interface WholePromoter {
  parts: PromoterParts;
  promotions: PromotionParts[];
  promoCodes: RewardedPromoCode[];
}

/** The complete V1 promoter. */
function promoterJson({ parts, promotions, promoCodes }: WholePromoter): z.output<typeof promoterAnswer> {
  return {
    ...promoterSubsetJson(parts),
    profile: profileJson(parts.promoter.profile),
    promotions: promotions.map(promotionJson),
    custom_fields: parts.promoter.custom_fields,
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

/** A promoter within other records. */
export function promoterSubsetJson({
  promoter,
  promoterCampaign,
  parentRefToken,
  balance,
}: PromoterParts): z.output<typeof promoterSubsetAnswer> {
  return {
    id: promoter.id,
    status: STATUS[promoterCampaign.state],
    cust_id: promoter.cust_id,
    email: promoter.email,
    created_at: promoter.created_at,
    temp_password: null, // shown only in the answer that creates the promoter
    default_promotion_id: promoter.default_promoter_campaign_id,
    pref: parentRefToken,
    default_ref_id: promoterCampaign.ref_token,
    note: promoter.note,
    w8_form_url: null,
    w9_form_url: null,
    parent_promoter_id: promoter.parent_promoter_id?.toString() ?? null,
    earnings_balance: balanceJson(balance, "earnings"),
    current_balance: balanceJson(balance, "current"),
    paid_balance: balanceJson(balance, "paid"),
    auth_token: promoter.auth_token,
  };
}

/** A promoter's profile as V1 shows it. */
export function profileJson(profile: PromoterProfile): z.output<typeof profileAnswer> {
  return {
    first_name: profile.first_name,
    last_name: profile.last_name,
    website: profile.website,
    company_name: profile.company_name,
    phone_number: profile.phone_number,
    address: profile.address,
    vat_id: profile.vat_id,
    country: profile.country,
    wallet_email: profile.wallet_email,
    avatar_url: profile.avatar_url,
    description: profile.description,
    social_accounts: {
      twitter: { url: profile.twitter_url },
      youtube: { url: profile.youtube_url },
      facebook: { url: profile.facebook_url },
      linkedin: { url: profile.linkedin_url },
      instagram: { url: profile.instagram_url },
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

/**
 * Reads the related records that V1 shows with a promoter. `balance` saves a query if it is already known.
 *
 * @throws Failure `not_found` if they were deleted
 */
export async function readPromoterParts(
  view: View,
  promoter: Promoter,
  balance?: Balance,
): Promise<PromoterParts> {
  const { account_id, id, default_promoter_campaign_id, parent_promoter_id } = promoter;
  return {
    promoter,
    promoterCampaign: await loadPromoterCampaign(view, account_id, default_promoter_campaign_id),
    parentRefToken:
      parent_promoter_id === null ? null : await defaultRefToken(view, account_id, parent_promoter_id),
    balance: balance ?? (await loadBalance(view, account_id, id)),
  };
}

/** Shows a complete promoter. @throws Failure `not_found` if they were deleted */
export async function showPromoter(view: View, promoter: Promoter): Promise<z.output<typeof promoterAnswer>> {
  return promoterJson(await readWholePromoter(view, promoter));
}

/**
 * Reads the related records that V1 shows with a promoterCampaign.
 *
 * @throws Failure `not_found` if it was deleted
 */
export async function readPromotionParts(view: View, found: PromoterCampaign): Promise<PromotionParts> {
  const { promoterCampaign, campaign } = await withCampaign(view, found);
  return {
    promoterCampaign,
    campaign,
    stats: await loadStats(view, promoterCampaign),
    ...(await readOffers(view, {
      account_id: promoterCampaign.account_id,
      rewards_for_promoters: promoterCampaign.rewards_for_promoters ?? campaign.rewards_for_promoters,
      rewards_for_referrals: promoterCampaign.rewards_for_referrals ?? campaign.rewards_for_referrals,
    })),
  };
}

type Offering = Pick<Campaign, "account_id" | "rewards_for_promoters" | "rewards_for_referrals">;

/** Reads the rewards of the entries of a campaign or a promoterCampaign. */
export async function readOffers(
  view: View,
  { account_id, rewards_for_promoters, rewards_for_referrals }: Offering,
): Promise<Pick<PromotionParts, "rewards_for_promoters" | "rewards_for_referrals">> {
  return {
    rewards_for_promoters: await readRewards(view, account_id, rewards_for_promoters),
    rewards_for_referrals: await readRewards(view, account_id, rewards_for_referrals),
  };
}

/** Promoters and promotions within other records, null if deleted. */
export interface Embedded {
  promoter(id: number): Promise<z.output<typeof promoterSubsetAnswer> | null>;
  promotion(id: number): Promise<z.output<typeof promotionAnswer> | null>;
}

/** Reads each promoter and promotion only once per answer. */
export function newEmbedded(view: View, accountId: number): Embedded {
  const promoter = async (id: number) =>
    promoterSubsetJson(await readPromoterParts(view, await loadPromoter(view, accountId, id)));
  const promotion = async (id: number) =>
    promotionJson(await readPromotionParts(view, await loadPromoterCampaign(view, accountId, id)));
  return {
    promoter: once((id) => unlessGone(promoter(id))),
    promotion: once((id) => unlessGone(promotion(id))),
  };
}

/** A parent that is being deleted counts as none. */
async function defaultRefToken(view: View, accountId: number, promoterId: number): Promise<string | null> {
  const promoter = await view.get(promoters, accountId, promoterId);
  const promoterCampaign =
    promoter && (await view.get(promoterCampaigns, accountId, promoter.default_promoter_campaign_id));
  return promoterCampaign && promoterCampaign.ref_token;
}

/**
 * Reads all related records of a promoter: every promoterCampaign and every promo code in use.
 *
 * @throws Failure `not_found` if they were deleted
 */
async function readWholePromoter(view: View, promoter: Promoter): Promise<WholePromoter> {
  const { account_id, id } = promoter;
  const whole: WholePromoter = {
    parts: await readPromoterParts(view, promoter),
    promotions: [],
    promoCodes: [],
  };
  for (const promoterCampaign of await listPromoterCampaigns(view, account_id, id)) {
    const promotion = await unlessGone(readPromotionParts(view, promoterCampaign));
    if (promotion !== null) whole.promotions.push(promotion);
    whole.promoCodes.push(...(await readPromoCodes(view, promoterCampaign)));
  }
  return whole;
}

/** Only codes in use, because V1 has no field for archived codes. */
async function readPromoCodes(
  view: View,
  { account_id, id }: PromoterCampaign,
): Promise<RewardedPromoCode[]> {
  const found: RewardedPromoCode[] = [];
  for await (const chunk of view.scan(promoCodes, "in_use", account_id, [id])) {
    for (const promoCode of chunk) {
      const reward = await view.get(rewards, account_id, promoCode.reward_id);
      if (reward !== null) found.push({ promoCode, reward });
    }
  }
  return found;
}

async function readRewards(view: View, accountId: number, entries: RewardEntry[]): Promise<Reward[]> {
  const found = await Promise.all(entries.map(({ reward_id }) => view.get(rewards, accountId, reward_id)));
  return found.filter((reward) => reward !== null);
}

import { z } from "zod";
import type { Campaign } from "../domain/program/campaign/campaign.ts";
import {
  promoterCampaigns,
  refLink,
  type PromoterCampaign,
} from "../domain/people/promoter-campaign/promoter-campaign.ts";
import { readOffers, type Offer } from "../domain/people/promoter-campaign/search.ts";
import { readStats, type Stats } from "../domain/people/daily.ts";
import type { Reward } from "../domain/program/reward/reward.ts";
import { field, recordId } from "../http/fields.ts";
import { coupon, referralLink, refToken } from "../input/fields.ts";
import { shown } from "../resource/answer.ts";
import { findMany } from "../storage/query.ts";
import type { View } from "../storage/store.ts";

/** @see docs/spec/v1.md "Promotion" */
const offerAnswer = z
  .object({
    id: recordId,
    name: field(z.string(), "Name of the reward.", "Ten percent off"),
    amount: field(z.number().nullable(), "The amount: cents for `cash`, or a percentage.", 10),
    unit: field(z.string(), "Unit of the amount.", "cash"),
    default_promo_code: field(z.string().nullable(), "Coupon that the reward stands for.", null),
  })
  .meta({ id: "V1Offer" });

/** @see docs/spec/v1.md "Promotion" */
export const earningAnswer = z
  .object({
    id: recordId,
    amount: field(z.number(), "The fixed amount (cents for `cash`), or 0 for a percentage.", 0),
    type: field(z.enum(["per_referral", "per_promotion"]), "What kind of event was recorded."),
    unit: field(z.string(), "Unit of the amount.", "cash"),
    name: field(z.string(), "Name of the reward.", "20% of each sale"),
    per_of_sale: field(z.number(), "Percentage of each sale, or 0 for a fixed amount.", 20),
    default_promo_code: field(z.string(), "Coupon that the reward stands for, or an empty text.", ""),
  })
  .meta({ id: "V1PromoterReward" });

/** What V1 shows a promoter campaign with. */
interface PromotionParts {
  campaign: Campaign;
  stats: Stats;
  offers: z.output<typeof offersAnswer>;
}

async function promotionParts(view: View, records: PromoterCampaign[]): Promise<(PromotionParts | null)[]> {
  const [offers, statsOf] = await Promise.all([readOffers(view, records), readStats(view, records)]);
  return offers.map(
    (offer, at) =>
      offer && { campaign: offer.campaign, stats: statsOf(records[at]!.id), offers: offersJson(offer) },
  );
}

/** Stands for no reward, because clients of V1 read the fields of `current_referral_reward` without asking for null. */
const NO_EARNING: z.output<typeof earningAnswer> = {
  id: 0,
  amount: 0,
  type: "per_referral",
  unit: "",
  name: "",
  per_of_sale: 0,
  default_promo_code: "",
};

/** A promoter campaign, which V1 calls a promotion. @see docs/spec/v1.md "Promotion" */
export const promotionAnswer = shown(promoterCampaigns, promotionParts)("V1Promotion", {
  id: recordId,
  status: [
    field(
      z.string(),
      "Whether referred people get a reward: `offer_running` or `offer_inactive`.",
      "offer_running",
    ),
    (_, { offers }) => (offers.offer === null ? "offer_inactive" : "offer_running"),
  ],
  ref_id: [refToken, ({ ref_token }) => ref_token],
  promo_code: [coupon, (promoterCampaign) => promoterCampaign.coupon],
  customer_promo_code: [
    field(z.string().nullable(), "The code that customers type at the checkout.", "JANE10"),
    ({ display_coupon }) => display_coupon,
  ],
  target_reached_at: [
    field(
      z.iso.datetime().nullable(),
      "When the promoter reached the campaign's target, or null if they have not.",
      null,
    ),
    ({ targets_reached }) => targets_reached[0]?.at ?? null,
  ],
  promoter_id: field(z.int(), "Id of the promoter.", 17),
  campaign_id: [field(z.int(), "Id of the campaign.", 1), (_, { campaign }) => campaign.id],
  referral_link: [referralLink, (promoterCampaign, { campaign }) => refLink(promoterCampaign, campaign)],
  current_offer: [
    field(offerAnswer.nullable(), "What people who follow the link get, or null if nothing."),
    (_, { offers }) => offers.offer,
  ],
  current_referral_reward: [
    field(
      earningAnswer,
      "What the promoter earns for each sale. If nothing, its numbers are 0 and its texts empty.",
    ),
    (_, { offers }) => offers.referral_reward ?? NO_EARNING,
  ],
  current_promotion_reward: [
    field(earningAnswer.nullable(), "What the promoter earns besides sales, or null if nothing."),
    (_, { offers }) => offers.promotion_reward,
  ],
  current_target_reward: [
    field(earningAnswer.nullable(), "What the promoter earns for a target, or null if nothing."),
    (_, { offers }) => offers.target_reward,
  ],
  campaign_name: [field(z.string(), "Name of the campaign.", "Partners"), (_, { campaign }) => campaign.name],
  hidden: [field(z.boolean(), "Whether the promoter's dashboard hides the campaign."), () => false],
  visitors_count: [
    field(z.int(), "How many visitors followed the link.", 340),
    (_, { stats }) => stats.clicks,
  ],
  leads_count: [field(z.int(), "How many people signed up.", 42), (_, { stats }) => stats.referrals],
  customers_count: [
    field(z.int(), "How many of them became customers.", 12),
    (_, { stats }) => stats.customers,
  ],
  refunds_count: [field(z.int(), "How many sales were refunded.", 1), (_, { stats }) => stats.refunds],
  cancellations_count: [
    field(z.int(), "How many customers cancelled.", 2),
    (_, { stats }) => stats.cancellations,
  ],
  sales_count: [field(z.int(), "How many sales were made.", 25), (_, { stats }) => stats.sales],
  sales_total: [field(z.int(), "Sum of the sales, in cents.", 250000), (_, { stats }) => stats.sales_cents],
  refunds_total: [
    field(z.int(), "Sum of the refunds, in cents.", 10000),
    (_, { stats }) => stats.refunds_cents,
  ],
  active_customers_count: [
    field(z.int(), "How many of them are customers now.", 10),
    (_, { stats }) => stats.active_customers,
  ],
});

/** The promotions with these ids as V1 shows them within other records, all at once. Null: it was deleted. */
export async function readPromotions(
  view: View,
  accountId: number,
  ids: readonly number[],
): Promise<(id: number) => z.output<typeof promotionAnswer.schema> | null> {
  const found = await findMany(view, promoterCampaigns, accountId, ids);
  const shown = await promotionAnswer.showAll(view, [...found.values()]);
  const known = new Map(shown.map((promotion) => [promotion.id, promotion]));
  return (id) => known.get(id) ?? null;
}

/** The rewards of referred people and of promoters. */
export const offersAnswer = z.object({
  offer: field(offerAnswer.nullable(), "Always null."),
  referral_reward: field(earningAnswer.nullable(), "What promoters earn from each sale."),
  promotion_reward: field(earningAnswer.nullable(), "What promoters earn from other actions."),
  target_reward: field(earningAnswer.nullable(), "What promoters earn when they reach a target."),
});

/**
 * The rewards of a campaign, or of a promoterCampaign that has its own. V1's reward per referral is the one for sales,
 * its reward per promotion the one for any other action.
 */
export function offersJson({
  rewards_for_promoters,
  rewards_for_referrals: [offer],
}: Pick<Offer, "rewards_for_promoters" | "rewards_for_referrals">): z.output<typeof offersAnswer> {
  const rewards = rewards_for_promoters.map(({ reward }) => reward);
  return {
    offer: offer === undefined ? null : offerJson(offer.reward),
    referral_reward: firstOf(rewards, ["sale", "tier"]),
    promotion_reward: firstOf(rewards, ["custom"]),
    target_reward: firstOf(rewards, ["target"]),
  };
}

/** The reward of a promoter: a flat amount (cents for `cash`), or a percentage of each sale. */
export function earningJson(reward: Reward): z.output<typeof earningAnswer> {
  const { amount, percent, unit } = worth(reward);
  return {
    id: reward.id,
    amount: amount ?? 0,
    type: isPerReferral(reward) ? "per_referral" : "per_promotion",
    unit,
    name: reward.name,
    per_of_sale: percent ?? 0,
    default_promo_code: reward.coupon ?? "",
  };
}

/** The reward of a referred person. A percentage is an amount too: `unit` says which it is. */
function offerJson(reward: Reward): z.output<typeof offerAnswer> {
  const { amount, percent, unit } = worth(reward);
  return {
    id: reward.id,
    name: reward.name,
    amount: amount ?? percent,
    unit,
    default_promo_code: reward.coupon,
  };
}

/** V1 has one amount per reward, so it shows the first of several. */
function worth({ schemas }: Reward): { amount: number | null; percent: number | null; unit: string } {
  const [first] = schemas;
  if (first === undefined) return { amount: null, percent: null, unit: "cash" };
  const { unit, amount_ten_thousandths, is_flat } = first;
  if (!is_flat) return { amount: null, percent: amount_ten_thousandths / 10_000, unit };
  return { amount: amount_ten_thousandths / (unit === "cash" ? 100 : 10_000), percent: null, unit };
}

function firstOf(rewards: Reward[], types: Reward["promoter_reward_type"][]) {
  const reward = rewards.find(({ promoter_reward_type }) => types.includes(promoter_reward_type));
  return reward === undefined ? null : earningJson(reward);
}

/** Whether the sales of referred people earn the reward. @see docs/spec/v1.md "Promotion" */
function isPerReferral({ promoter_reward_type }: Reward): boolean {
  return promoter_reward_type === "sale" || promoter_reward_type === "tier";
}

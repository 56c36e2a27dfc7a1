import type { z } from "zod";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import { loadBalance, type Balance } from "../../domain/ledger/commission/balance.ts";
import { promoCodes } from "../../domain/people/promo-code/promo-code.ts";
import {
  loadPromoterCampaign,
  promoterCampaigns,
  withCampaign,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { listPromoterCampaigns } from "../../domain/people/promoter-campaign/search.ts";
import { loadPromoter, promoters, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { loadStats } from "../../domain/people/daily.ts";
import { rewards, type Reward, type RewardEntry } from "../../domain/program/reward/reward.ts";
import { once, unlessGone } from "../../domain/show.ts";
import type { View } from "../../storage/store.ts";
import {
  promoterJson,
  promoterSubsetJson,
  type promoterAnswer,
  type PromoterParts,
  type promoterSubsetAnswer,
  type RewardedPromoCode,
  type WholePromoter,
} from "./promoter-json.ts";
import { promotionJson, type promotionAnswer, type PromotionParts } from "./promotion-json.ts";

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
  const { accountId, id, defaultPromoterCampaignId, parentPromoterId } = promoter;
  return {
    promoter,
    promoterCampaign: await loadPromoterCampaign(view, accountId, defaultPromoterCampaignId),
    parentRefToken:
      parentPromoterId === null ? null : await defaultRefToken(view, accountId, parentPromoterId),
    balance: balance ?? (await loadBalance(view, accountId, id)),
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
      accountId: promoterCampaign.accountId,
      rewardsForPromoters: promoterCampaign.rewardsForPromoters ?? campaign.rewardsForPromoters,
      rewardsForReferrals: promoterCampaign.rewardsForReferrals ?? campaign.rewardsForReferrals,
    })),
  };
}

type Offering = Pick<Campaign, "accountId" | "rewardsForPromoters" | "rewardsForReferrals">;

/** Reads the rewards of the entries of a campaign or a promoterCampaign. */
export async function readOffers(
  view: View,
  { accountId, rewardsForPromoters, rewardsForReferrals }: Offering,
): Promise<Pick<PromotionParts, "rewardsForPromoters" | "rewardsForReferrals">> {
  return {
    rewardsForPromoters: await readRewards(view, accountId, rewardsForPromoters),
    rewardsForReferrals: await readRewards(view, accountId, rewardsForReferrals),
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
    promoter && (await view.get(promoterCampaigns, accountId, promoter.defaultPromoterCampaignId));
  return promoterCampaign && promoterCampaign.refToken;
}

/**
 * Reads all related records of a promoter: every promoterCampaign and every promo code in use.
 *
 * @throws Failure `not_found` if they were deleted
 */
async function readWholePromoter(view: View, promoter: Promoter): Promise<WholePromoter> {
  const { accountId, id } = promoter;
  const whole: WholePromoter = {
    parts: await readPromoterParts(view, promoter),
    promotions: [],
    promoCodes: [],
  };
  for (const promoterCampaign of await listPromoterCampaigns(view, accountId, id)) {
    const promotion = await unlessGone(readPromotionParts(view, promoterCampaign));
    if (promotion !== null) whole.promotions.push(promotion);
    whole.promoCodes.push(...(await readPromoCodes(view, promoterCampaign)));
  }
  return whole;
}

/** Only codes in use, because V1 has no field for archived codes. */
async function readPromoCodes(view: View, { accountId, id }: PromoterCampaign): Promise<RewardedPromoCode[]> {
  const found: RewardedPromoCode[] = [];
  for await (const chunk of view.scan(promoCodes, "inUse", accountId, [id])) {
    for (const promoCode of chunk) {
      const reward = await view.get(rewards, accountId, promoCode.rewardId);
      if (reward !== null) found.push({ promoCode, reward });
    }
  }
  return found;
}

async function readRewards(view: View, accountId: number, entries: RewardEntry[]): Promise<Reward[]> {
  const found = await Promise.all(entries.map(({ rewardId }) => view.get(rewards, accountId, rewardId)));
  return found.filter((reward) => reward !== null);
}

import { Failure } from "../../failure.ts";
import { loadCampaign, type Campaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { loadPromoterInUse } from "../promoter/promoter.ts";
import {
  loadOwnPromoterCampaign,
  promoterCampaigns,
  type OwnRecord,
} from "../promoter-campaign/promoter-campaign.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Reward } from "../reward/record.ts";
import { rewards } from "../reward/reward.ts";
import { asItIs, type Show } from "../show.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { lockCodes, refuseGivenCode } from "./code-owner.ts";
import { addPromoCode, archivePromoCode, promoCodes, updatePromoCode } from "./promo-code.ts";
import type { PromoCode } from "./record.ts";

/** Choice: enough for a code for each channel. */
const MOST_CODES = 50;

/** A promo code that a promoter makes. */
interface NewOwnCode {
  accountId: number;
  promoterId: number;
  promoterCampaignId: number;
  code: string;
  /** null: the first that the campaign gives to customers. */
  rewardId: number | null;
  description: string | null;
}

/**
 * The rewards that a promoter's own codes may give. Empty: the promoter can't make any.
 *
 * Choice: those that the campaign gives to customers anyway, because each code costs the company money.
 */
export async function rewardsForOwnCodes(
  reader: Reader,
  promoterCampaign: PromoterCampaign,
  campaign: Campaign,
): Promise<Reward[]> {
  if (!campaign.promotersMayMakePromoCodes || promoterCampaign.state !== "accepted") return [];
  const entries = promoterCampaign.rewardsForReferrals ?? campaign.rewardsForReferrals;
  const ids = [...new Set(entries.map(({ rewardId }) => rewardId))];
  const found = await Promise.all(ids.map((id) => reader.get(rewards, campaign.accountId, id)));
  return found.filter((reward) => reward !== null).filter(({ isHidden }) => !isHidden);
}

/**
 * Makes a promo code.
 *
 * @throws Failure `not_found` for a promoter campaign that is not the promoter's, `refused` if its campaign lets promoters
 * make none or there are too many, `invalid` for a reward that the campaign does not give, `taken`
 */
export async function createOwnCode<T>(
  context: Context,
  { show, ...input }: NewOwnCode & { show: Show<PromoCode, T> },
): Promise<T> {
  const id = await context.store.nextId("promo-code");
  return context.store.transact(async (tx) => {
    const { accountId, promoterId, promoterCampaignId, code, description } = input;
    await loadPromoterInUse(tx, accountId, promoterId);
    const own = { accountId, promoterId, id: promoterCampaignId };
    const promoterCampaign = await loadOwnPromoterCampaign(tx, own);
    const reward = await chosenReward(tx, promoterCampaign, input.rewardId);
    // Two codes can't both be the last one.
    await lockCodes(tx, accountId);
    if ((await tx.view.count(promoCodes, "own", accountId, [promoterCampaignId])) >= MOST_CODES) {
      throw new Failure("refused", `You have ${MOST_CODES} codes; archive one first.`);
    }
    await refuseGivenCode(tx, accountId, code);
    const nothing = { metadata: null, details: null };
    const given = { accountId, id, code, description, promoterCampaignId, rewardId: reward.id, ...nothing };
    return show(tx.view, await addPromoCode(tx, context, { ...given, madeByPromoterId: promoterId }));
  });
}

/**
 * Changes a promo code that the promoter made.
 *
 * @throws Failure `not_found` for another promoter's code, `refused` for one that the company made or that is archived,
 * or if the campaign lets promoters make none any more; `taken`
 */
export function updateOwnCode<T>(
  context: Context,
  wanted: OwnRecord,
  {
    show,
    ...changes
  }: { code: string | undefined; description: string | null | undefined } & {
    show: Show<PromoCode, T>;
  },
): Promise<T> {
  const guard = async (tx: Transaction, promoCode: PromoCode) => {
    const promoterCampaign = await requireOwn(tx, wanted, promoCode);
    if (promoCode.archivedAt !== null) throw new Failure("refused", "The code is archived.");
    await chosenReward(tx, promoterCampaign, null);
    const { code = promoCode.code } = changes;
    const isRenamed = code.toLowerCase() !== promoCode.code.toLowerCase();
    if (isRenamed) await refuseGivenCode(tx, wanted.accountId, code);
  };
  return updatePromoCode(context, wanted.accountId, { id: wanted.id, changes, guard, show });
}

/**
 * Archives a promo code that the promoter made.
 *
 * @throws Failure `not_found` for another promoter's code, `refused` for one that the company made
 */
export async function archiveOwnCode(context: Context, wanted: OwnRecord): Promise<void> {
  const guard = async (tx: Transaction, promoCode: PromoCode) => {
    await requireOwn(tx, wanted, promoCode);
  };
  await archivePromoCode(context, wanted.accountId, { id: wanted.id, guard, show: asItIs });
}

async function requireOwn(
  tx: Transaction,
  { accountId, promoterId }: OwnRecord,
  { promoterCampaignId, madeByPromoterId }: PromoCode,
): Promise<PromoterCampaign> {
  const promoterCampaign = await tx.get(promoterCampaigns, accountId, promoterCampaignId);
  if (promoterCampaign?.promoterId !== promoterId) throw new Failure("not_found", "Promo code not found.");
  if (madeByPromoterId === promoterId) return promoterCampaign;
  throw new Failure("refused", "The company made this code, and can change it.");
}

async function chosenReward(
  tx: Transaction,
  promoterCampaign: PromoterCampaign,
  rewardId: number | null,
): Promise<Reward> {
  const { accountId, campaignId } = promoterCampaign;
  const campaign = await loadCampaign(tx, accountId, campaignId);
  const offered = await rewardsForOwnCodes(tx, promoterCampaign, campaign);
  const [first] = offered;
  if (first === undefined) throw new Failure("refused", "You can't make codes for this campaign.");
  const chosen = rewardId === null ? first : offered.find(({ id }) => id === rewardId);
  if (chosen !== undefined) return chosen;
  const fault = `must be one of ${offered.map(({ id }) => id).join(", ")}`;
  throw new Failure("invalid", "The record breaks a rule", { rewardId: [fault] });
}

import { Failure } from "../../../failure.ts";
import { type Reader, type Transaction, TAKEN } from "../../../storage/store.ts";
import { loadCampaign, type Campaign } from "../../program/campaign/campaign.ts";
import type { Context } from "../../context.ts";
import { refuseErased } from "../erased.ts";
import { announce } from "../../events/event.ts";
import {
  loadOwnPromoterCampaign,
  loadPromoterCampaign,
  promoterCampaigns,
  type OwnRecord,
  type PromoterCampaign,
} from "../promoter-campaign/promoter-campaign.ts";
import { loadPromoter, loadPromoterInUse } from "../promoter/promoter.ts";
import { loadReward, rewards, type Reward } from "../../program/reward/reward.ts";
import { asItIs, type Show } from "../../show.ts";
import { loadPromoCode, lockCodes, promoCodes, refuseGivenCode, type PromoCode } from "./promo-code.ts";

/** The input for a new promo code. */
type NewPromoCode = Pick<
  PromoCode,
  "code" | "rewardId" | "promoterCampaignId" | "description" | "metadata" | "details"
>;

/**
 * Makes a promo code for a promoter campaign.
 *
 * @throws Failure `not_found` for an unknown promoter campaign or reward, `refused` for an erased promoter, `taken`
 */
export async function createPromoCode<T>(
  context: Context,
  accountId: number,
  { show, ...input }: NewPromoCode & { show: Show<PromoCode, T> },
): Promise<T> {
  const { store } = context;
  const id = await store.nextId("promo-code");
  return store.transact(async (tx) => {
    const promoterCampaign = await loadPromoterCampaign(tx, accountId, input.promoterCampaignId);
    refuseErased(await loadPromoter(tx, accountId, promoterCampaign.promoterId));
    const reward = await loadReward(tx, accountId, input.rewardId);
    return show(tx.view, await addPromoCode(tx, context, { ...input, accountId, id, rewardId: reward.id }));
  });
}

/** Changes to a promo code. Undefined fields stay unchanged. */
type PromoCodeChanges = {
  [F in Exclude<keyof NewPromoCode, "rewardId">]?: NewPromoCode[F] | undefined;
};

/**
 * Prevents changes to some codes. It reads within the transaction that makes the change.
 *
 * @throws Failure
 */
type Guard = (tx: Transaction, promoCode: PromoCode) => Promise<void>;

const REFUSALS = {
  code: () => new Failure("taken", "The record breaks a rule", { code: [TAKEN] }),
};

/**
 * Changes a promo code.
 *
 * @throws Failure `not_found`, `refused` for an erased promoter, `taken`, `rule_broken` if it is archived and has an
 * `extId`
 * @see docs/spec/states.md "Promoters and promoter campaigns", 1
 */
export function updatePromoCode<T>(
  context: Context,
  accountId: number,
  {
    id,
    changes,
    guard,
    show,
  }: { id: number; changes: PromoCodeChanges; guard?: Guard; show: Show<PromoCode, T> },
): Promise<T> {
  return context.store.transact(async (tx) => {
    const before = await loadPromoCode(tx, accountId, id);
    await guard?.(tx, before);
    if (before.archivedAt !== null && before.extId !== null) {
      const fields = { archivedAt: ["is set: an archived promo code with an ext_id can't be updated"] };
      throw new Failure("rule_broken", "The record breaks a rule", fields);
    }
    const { promoterCampaignId = before.promoterCampaignId } = changes;
    const owner = await loadPromoterCampaign(tx, accountId, promoterCampaignId);
    refuseErased(await loadPromoter(tx, accountId, owner.promoterId));
    const after: PromoCode = {
      ...before,
      code: changes.code ?? before.code,
      promoterCampaignId: owner.id,
      description: changes.description === undefined ? before.description : changes.description,
      metadata: changes.metadata === undefined ? before.metadata : changes.metadata,
      details: changes.details === undefined ? before.details : changes.details,
    };
    await tx.put(promoCodes, after, REFUSALS);
    await announce(tx, context, { entity: "promo_code", before, after });
    return show(tx.view, after);
  });
}

/**
 * Archives a promo code. An archived one stays unchanged.
 *
 * @throws Failure `not_found`
 */
export function archivePromoCode<T>(
  context: Context,
  accountId: number,
  { id, guard, show }: { id: number; guard?: Guard; show: Show<PromoCode, T> },
): Promise<T> {
  return context.store.transact(async (tx) => {
    const before = await loadPromoCode(tx, accountId, id);
    await guard?.(tx, before);
    if (before.archivedAt !== null) return show(tx.view, before);
    const after = { ...before, archivedAt: context.now.toISOString() };
    await tx.put(promoCodes, after);
    await announce(tx, context, { entity: "promo_code", before, after });
    return show(tx.view, after);
  });
}

/**
 * The rewards that a promoter's own codes may give. If it is empty, the promoter can't make any.
 *
 * @see docs/spec/v2.md "Promo codes"
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

/** A promo code that a promoter makes. */
interface NewOwnCode {
  accountId: number;
  promoterId: number;
  promoterCampaignId: number;
  code: string;
  /** Null: the first reward that the campaign gives to customers. */
  rewardId: number | null;
  description: string | null;
}

/** Enough for a code for each channel. */
const MOST_CODES = 50;

/**
 * Makes a promo code.
 *
 * @throws Failure `not_found` for a promoter campaign that is not the promoter's, `refused` if its campaign
 * does not let promoters make codes or there are too many, `invalid` for a reward that the campaign does not
 * give, `taken`
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
    // Otherwise two concurrent requests could both create the last one.
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
 * Changes a promoter's own promo code.
 *
 * @throws Failure `not_found` for another promoter's code, `refused` for one that the company made or that is
 * archived, or if the campaign no longer lets promoters make codes; `taken`
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
 * Archives a promoter's own promo code.
 *
 * @throws Failure `not_found` for another promoter's code, `refused` for one that the company made
 */
export async function archiveOwnCode(context: Context, wanted: OwnRecord): Promise<void> {
  const guard = async (tx: Transaction, promoCode: PromoCode) => {
    await requireOwn(tx, wanted, promoCode);
  };
  await archivePromoCode(context, wanted.accountId, { id: wanted.id, guard, show: asItIs });
}

/** Writes a new promo code as part of a larger change. @throws Failure `taken` */
async function addPromoCode(
  tx: Transaction,
  context: Context,
  input: NewPromoCode & Pick<PromoCode, "accountId" | "id" | "madeByPromoterId">,
): Promise<PromoCode> {
  const createdAt = context.now.toISOString();
  const promoCode: PromoCode = { ...input, extId: null, createdAt, archivedAt: null };
  await tx.put(promoCodes, promoCode, REFUSALS);
  await announce(tx, context, { entity: "promo_code", before: null, after: promoCode });
  return promoCode;
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

async function requireOwn(
  tx: Transaction,
  { accountId, promoterId }: OwnRecord,
  { promoterCampaignId, madeByPromoterId }: PromoCode,
): Promise<PromoterCampaign> {
  const promoterCampaign = await tx.get(promoterCampaigns, accountId, promoterCampaignId);
  if (promoterCampaign?.promoterId !== promoterId) throw new Failure("not_found", "Promo code not found.");
  if (madeByPromoterId === promoterId) return promoterCampaign;
  throw new Failure("refused", "Only the company can change this code.");
}

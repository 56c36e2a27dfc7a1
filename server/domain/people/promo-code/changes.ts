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
  "code" | "reward_id" | "promoter_campaign_id" | "description" | "metadata" | "details"
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
    const promoterCampaign = await loadPromoterCampaign(tx, accountId, input.promoter_campaign_id);
    refuseErased(await loadPromoter(tx, accountId, promoterCampaign.promoter_id));
    const reward = await loadReward(tx, accountId, input.reward_id);
    return show(
      tx.view,
      await addPromoCode(tx, context, { ...input, account_id: accountId, id, reward_id: reward.id }),
    );
  });
}

/** Changes to a promo code. Undefined fields stay unchanged. */
type PromoCodeChanges = {
  [F in Exclude<keyof NewPromoCode, "reward_id">]?: NewPromoCode[F] | undefined;
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
 * `ext_id`
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
    if (before.archived_at !== null && before.ext_id !== null) {
      const fields = { archived_at: ["is set: an archived promo code with an ext_id can't be updated"] };
      throw new Failure("rule_broken", "The record breaks a rule", fields);
    }
    const { promoter_campaign_id = before.promoter_campaign_id } = changes;
    const owner = await loadPromoterCampaign(tx, accountId, promoter_campaign_id);
    refuseErased(await loadPromoter(tx, accountId, owner.promoter_id));
    const after: PromoCode = {
      ...before,
      code: changes.code ?? before.code,
      promoter_campaign_id: owner.id,
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
    if (before.archived_at !== null) return show(tx.view, before);
    const after = { ...before, archived_at: context.now.toISOString() };
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
  if (!campaign.promoters_may_make_promo_codes || promoterCampaign.state !== "accepted") return [];
  const entries = promoterCampaign.rewards_for_referrals ?? campaign.rewards_for_referrals;
  const ids = [...new Set(entries.map(({ reward_id }) => reward_id))];
  const found = await Promise.all(ids.map((id) => reader.get(rewards, campaign.account_id, id)));
  return found.filter((reward) => reward !== null).filter(({ is_hidden }) => !is_hidden);
}

/** A promo code that a promoter makes. */
interface NewOwnCode {
  account_id: number;
  promoter_id: number;
  promoter_campaign_id: number;
  code: string;
  /** Null: the first reward that the campaign gives to customers. */
  reward_id: number | null;
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
    const { account_id, promoter_id, promoter_campaign_id, code, description } = input;
    await loadPromoterInUse(tx, account_id, promoter_id);
    const own = { account_id, promoter_id, id: promoter_campaign_id };
    const promoterCampaign = await loadOwnPromoterCampaign(tx, own);
    const reward = await chosenReward(tx, promoterCampaign, input.reward_id);
    // Otherwise two concurrent requests could both create the last one.
    await lockCodes(tx, account_id);
    if ((await tx.view.count(promoCodes, "own", account_id, [promoter_campaign_id])) >= MOST_CODES) {
      throw new Failure("refused", `You have ${MOST_CODES} codes; archive one first.`);
    }
    await refuseGivenCode(tx, account_id, code);
    const nothing = { metadata: null, details: null };
    const given = {
      account_id,
      id,
      code,
      description,
      promoter_campaign_id,
      reward_id: reward.id,
      ...nothing,
    };
    return show(tx.view, await addPromoCode(tx, context, { ...given, made_by_promoter_id: promoter_id }));
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
    if (promoCode.archived_at !== null) throw new Failure("refused", "The code is archived.");
    await chosenReward(tx, promoterCampaign, null);
    const { code = promoCode.code } = changes;
    const isRenamed = code.toLowerCase() !== promoCode.code.toLowerCase();
    if (isRenamed) await refuseGivenCode(tx, wanted.account_id, code);
  };
  return updatePromoCode(context, wanted.account_id, { id: wanted.id, changes, guard, show });
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
  await archivePromoCode(context, wanted.account_id, { id: wanted.id, guard, show: asItIs });
}

/** Writes a new promo code as part of a larger change. @throws Failure `taken` */
async function addPromoCode(
  tx: Transaction,
  context: Context,
  input: NewPromoCode & Pick<PromoCode, "account_id" | "id" | "made_by_promoter_id">,
): Promise<PromoCode> {
  const createdAt = context.now.toISOString();
  const promoCode: PromoCode = { ...input, ext_id: null, created_at: createdAt, archived_at: null };
  await tx.put(promoCodes, promoCode, REFUSALS);
  await announce(tx, context, { entity: "promo_code", before: null, after: promoCode });
  return promoCode;
}

async function chosenReward(
  tx: Transaction,
  promoterCampaign: PromoterCampaign,
  rewardId: number | null,
): Promise<Reward> {
  const { account_id, campaign_id } = promoterCampaign;
  const campaign = await loadCampaign(tx, account_id, campaign_id);
  const offered = await rewardsForOwnCodes(tx, promoterCampaign, campaign);
  const [first] = offered;
  if (first === undefined) throw new Failure("refused", "You can't make codes for this campaign.");
  const chosen = rewardId === null ? first : offered.find(({ id }) => id === rewardId);
  if (chosen !== undefined) return chosen;
  const fault = `must be one of ${offered.map(({ id }) => id).join(", ")}`;
  throw new Failure("invalid", "The record breaks a rule", { reward_id: [fault] });
}

async function requireOwn(
  tx: Transaction,
  { account_id, promoter_id }: OwnRecord,
  { promoter_campaign_id, made_by_promoter_id }: PromoCode,
): Promise<PromoterCampaign> {
  const promoterCampaign = await tx.get(promoterCampaigns, account_id, promoter_campaign_id);
  if (promoterCampaign?.promoter_id !== promoter_id) throw new Failure("not_found", "Promo code not found.");
  if (made_by_promoter_id === promoter_id) return promoterCampaign;
  throw new Failure("refused", "Only the company can change this code.");
}

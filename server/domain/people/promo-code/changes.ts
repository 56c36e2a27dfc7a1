import { Failure } from "../../../failure.ts";
import { type Transaction, TAKEN } from "../../../storage/store.ts";
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
import {
  loadReward,
  loadRewardEntries,
  type FullRewardEntry,
  type Reward,
} from "../../program/reward/reward.ts";
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
export async function createPromoCode(
  tx: Transaction,
  context: Context,
  accountId: number,
  input: NewPromoCode,
): Promise<PromoCode> {
  const promoterCampaign = await loadPromoterCampaign(tx, accountId, input.promoter_campaign_id);
  refuseErased(await loadPromoter(tx, accountId, promoterCampaign.promoter_id));
  await loadReward(tx, accountId, input.reward_id);
  return addPromoCode(tx, context, { ...input, account_id: accountId });
}

/** Changes to a promo code. Undefined fields stay unchanged. */
type PromoCodeChanges = {
  [F in Exclude<keyof NewPromoCode, "reward_id">]?: NewPromoCode[F] | undefined;
};

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
export async function updatePromoCode(
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, changes }: { id: number; changes: PromoCodeChanges },
): Promise<PromoCode> {
  return change(tx, context, await loadPromoCode(tx, accountId, id), changes);
}

/**
 * Archives a promo code. An archived one stays unchanged.
 *
 * @throws Failure `not_found`
 */
export async function archivePromoCode(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<PromoCode> {
  return archive(tx, context, await loadPromoCode(tx, accountId, id));
}

/**
 * The rewards that a promoter's own codes may give. If it is empty, the promoter can't make any.
 *
 * @see docs/spec/v2.md "Promo codes"
 */
export function rewardsForOwnCodes(
  { state }: PromoterCampaign,
  campaign: Campaign,
  rewards_for_referrals: FullRewardEntry[],
): Reward[] {
  if (!campaign.promoters_may_make_promo_codes || state !== "accepted") return [];
  const offered = new Map(rewards_for_referrals.map(({ reward }) => [reward.id, reward]));
  return [...offered.values()].filter(({ is_hidden }) => !is_hidden);
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
export async function createOwnCode(
  tx: Transaction,
  context: Context,
  { account_id, promoter_id, promoter_campaign_id, code, reward_id, description }: NewOwnCode,
): Promise<PromoCode> {
  await loadPromoterInUse(tx, account_id, promoter_id);
  const promoterCampaign = await loadOwnPromoterCampaign(tx, {
    account_id,
    promoter_id,
    id: promoter_campaign_id,
  });
  const reward = await chosenReward(tx, promoterCampaign, reward_id);
  // Otherwise two concurrent requests could both create the last one.
  await lockCodes(tx, account_id);
  if ((await tx.view.count(promoCodes, "own", account_id, [promoter_campaign_id])) >= MOST_CODES) {
    throw new Failure("refused", `You have ${MOST_CODES} codes; archive one first.`);
  }
  await refuseGivenCode(tx, account_id, code);
  return addPromoCode(tx, context, {
    account_id,
    code,
    description,
    promoter_campaign_id,
    reward_id: reward.id,
    metadata: null,
    details: null,
    made_by_promoter_id: promoter_id,
  });
}

/**
 * Changes a promoter's own promo code.
 *
 * @throws Failure `not_found` for another promoter's code, `refused` for one that the company made or that is
 * archived, or if the campaign no longer lets promoters make codes; `taken`
 */
export async function updateOwnCode(
  tx: Transaction,
  context: Context,
  { changes, ...wanted }: OwnRecord & { changes: Pick<PromoCodeChanges, "code" | "description"> },
): Promise<PromoCode> {
  const { promoCode, promoterCampaign } = await loadOwnCode(tx, wanted);
  if (promoCode.archived_at !== null) throw new Failure("refused", "The code is archived.");
  await chosenReward(tx, promoterCampaign, null);
  const { code = promoCode.code } = changes;
  const isRenamed = code.toLowerCase() !== promoCode.code.toLowerCase();
  if (isRenamed) await refuseGivenCode(tx, wanted.account_id, code);
  return change(tx, context, promoCode, changes);
}

/**
 * Archives a promoter's own promo code.
 *
 * @throws Failure `not_found` for another promoter's code, `refused` for one that the company made
 */
export async function archiveOwnCode(tx: Transaction, context: Context, wanted: OwnRecord): Promise<void> {
  const { promoCode } = await loadOwnCode(tx, wanted);
  await archive(tx, context, promoCode);
}

/** @throws Failure `taken` */
async function addPromoCode(
  tx: Transaction,
  context: Context,
  input: NewPromoCode & Pick<PromoCode, "account_id" | "made_by_promoter_id">,
): Promise<PromoCode> {
  const id = await tx.nextId("promo-code");
  const createdAt = context.now.toISOString();
  const promoCode: PromoCode = { ...input, id, ext_id: null, created_at: createdAt, archived_at: null };
  await tx.put(promoCodes, promoCode, REFUSALS);
  await announce(tx, context, { entity: "promo_code", before: null, after: promoCode });
  return promoCode;
}

async function change(
  tx: Transaction,
  context: Context,
  before: PromoCode,
  changes: PromoCodeChanges,
): Promise<PromoCode> {
  if (before.archived_at !== null && before.ext_id !== null) {
    const fields = { archived_at: ["is set: an archived promo code with an ext_id can't be updated"] };
    throw new Failure("rule_broken", "The record breaks a rule", fields);
  }
  const { account_id } = before;
  const { promoter_campaign_id = before.promoter_campaign_id } = changes;
  const owner = await loadPromoterCampaign(tx, account_id, promoter_campaign_id);
  refuseErased(await loadPromoter(tx, account_id, owner.promoter_id));
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
  return after;
}

async function archive(tx: Transaction, context: Context, before: PromoCode): Promise<PromoCode> {
  if (before.archived_at !== null) return before;
  const after = { ...before, archived_at: context.now.toISOString() };
  await tx.put(promoCodes, after);
  await announce(tx, context, { entity: "promo_code", before, after });
  return after;
}

async function chosenReward(
  tx: Transaction,
  promoterCampaign: PromoterCampaign,
  rewardId: number | null,
): Promise<Reward> {
  const { account_id, campaign_id } = promoterCampaign;
  const campaign = await loadCampaign(tx, account_id, campaign_id);
  const entries = promoterCampaign.rewards_for_referrals ?? campaign.rewards_for_referrals;
  const known = await loadRewardEntries(tx.view, account_id, entries);
  const offered = rewardsForOwnCodes(promoterCampaign, campaign, known);
  const [first] = offered;
  if (first === undefined) throw new Failure("refused", "You can't make codes for this campaign.");
  const chosen = rewardId === null ? first : offered.find(({ id }) => id === rewardId);
  if (chosen !== undefined) return chosen;
  const fault = `must be one of ${offered.map(({ id }) => id).join(", ")}`;
  throw new Failure("invalid", "The record breaks a rule", { reward_id: [fault] });
}

/** @throws Failure `not_found` for another promoter's code, `refused` for one that the company made */
async function loadOwnCode(
  tx: Transaction,
  { account_id, promoter_id, id }: OwnRecord,
): Promise<{ promoCode: PromoCode; promoterCampaign: PromoterCampaign }> {
  const promoCode = await loadPromoCode(tx, account_id, id);
  const promoterCampaign = await tx.get(promoterCampaigns, account_id, promoCode.promoter_campaign_id);
  if (promoterCampaign?.promoter_id !== promoter_id) throw new Failure("not_found", "Promo code not found.");
  if (promoCode.made_by_promoter_id === promoter_id) return { promoCode, promoterCampaign };
  throw new Failure("refused", "Only the company can change this code.");
}

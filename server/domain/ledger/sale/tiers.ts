import type { Transaction } from "../../../storage/store.ts";
import { loadCampaign } from "../../program/campaign/campaign.ts";
import { commissions, type Commission } from "../commission/commission.ts";
import { earningsOf, ruleFacts, type Earning, type EarningSale, type Tier } from "../commission/earnings.ts";
import type { Lead } from "../../people/lead/lead.ts";
import {
  acceptsLeads,
  earnsFromLeads,
  newPromoterCampaign,
  promoterCampaigns,
  type PromoterCampaign,
} from "../../people/promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../../people/promoter/promoter.ts";
import { loadRuleCounts } from "../../people/daily.ts";
import { loadReward, rulesHold, type Reward, type RewardEntry } from "../../program/reward/reward.ts";
import type { Customer } from "./customer.ts";
import type { Sale } from "./sale.ts";

/** This sale's own part of the counts that rules check. */
interface SaleCounts {
  /** Whether nothing was left of the customer before, or they were none. */
  isNewCustomer: boolean;
  amount_cents: number;
}

/**
 * Ten levels are more than any program pays, and they limit the reads of a sale.
 *
 * @see docs/spec/money.md "Rewards of a sale", 4
 */
const MAX_LEVELS = 10;

/**
 * The promoters who may earn from a sale: the lead's own, and their parents upwards. If the lead's promoter
 * may not earn, there are none. No parent occurs twice, even if the records form a circle.
 *
 * @see docs/spec/money.md "Who earns"
 */
export async function loadTiers(
  tx: Transaction,
  { promoterCampaign, promoter }: Pick<Customer, "promoterCampaign" | "promoter">,
  sale: SaleCounts,
): Promise<Tier[]> {
  if (!earnsFromLeads(promoterCampaign)) return [];
  const tiers = [await loadTier(tx, { level: 1, promoterCampaign, sale })];
  const seen = new Set([promoter.id]);
  let below = promoter;
  for (let level = 2; level <= MAX_LEVELS; level++) {
    const parent = await loadParent(tx, below);
    if (parent === null || seen.has(parent.id)) break;
    seen.add(parent.id);
    const paidIn = await acceptedIn(tx, parent, promoterCampaign.campaign_id);
    if (paidIn !== null) tiers.push(await loadTier(tx, { level, promoterCampaign: paidIn, sale: null }));
    below = parent;
  }
  return tiers;
}

/**
 * Whether the rules of a target no longer hold, after a part of the sale that reached it was refunded. The refund is
 * recorded by then.
 *
 * @see docs/spec/money.md "Targets"
 */
export async function isBonusLost(
  tx: Transaction,
  { target_rules = [], taken_back_by_ids }: Commission,
  { lead, sale }: { lead: Lead; sale: Sale },
): Promise<boolean> {
  if (taken_back_by_ids.length > 0) return false;
  // Other sales wait meanwhile, so the counts stay.
  const owner = await tx.lock(promoterCampaigns, sale.account_id, sale.promoter_campaign_id);
  if (owner === null) return false;
  const counts = await loadRuleCounts(tx.view, { ...owner, promoter_id: sale.promoter_id });
  const history = {
    ageInMonths: monthsBetween(new Date(lead.customer_since ?? sale.created_at), new Date(sale.created_at)),
    sales_count: lead.sales_count - lead.refunded_sales_count,
  };
  return !rulesHold(target_rules, ruleFacts(sale, history, counts), "stillHolds");
}

/** Makes targets reachable again whose bonus was taken back completely. */
export async function reopenTargets(tx: Transaction, sale: Sale, lost: Commission[]): Promise<void> {
  const owner = await tx.get(promoterCampaigns, sale.account_id, sale.promoter_campaign_id);
  if (lost.length === 0 || owner === null) return;
  const keptIds = await keptTargetIds(tx, sale);
  const lostIds = new Set(lost.map(({ reward_id }) => reward_id));
  const isReopened = (rewardId: number) => lostIds.has(rewardId) && !keptIds.has(rewardId);
  await tx.put(promoterCampaigns, {
    ...owner,
    targets_reached: owner.targets_reached.filter(({ reward_id }) => !isReopened(reward_id)),
  });
}

/**
 * Marks a target as reached again, because the money of its sale was returned. False if another sale has
 * reached it since.
 */
export async function regainTarget(
  tx: Transaction,
  { reward_id }: Commission,
  { account_id, promoter_campaign_id, created_at: at }: Sale,
): Promise<boolean> {
  const owner = await tx.get(promoterCampaigns, account_id, promoter_campaign_id);
  if (owner === null || reward_id === null) return false;
  if (owner.targets_reached.some((target) => target.reward_id === reward_id)) return false;
  await tx.put(promoterCampaigns, {
    ...owner,
    targets_reached: [...owner.targets_reached, { reward_id, at }],
  });
  return true;
}

/**
 * The whole months from one instant to a later one, in UTC. A month ends on the last day of a shorter month,
 * like a subscription: a month after 31 January is 28 February, and so is a year after 29 February.
 *
 * @see docs/spec/money.md "Durations", 1
 */
export function monthsBetween(from: Date, to: Date): number {
  const [year, month] = [to.getUTCFullYear(), to.getUTCMonth()];
  const months = 12 * (year - from.getUTCFullYear()) + month - from.getUTCMonth();
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  const isOver = to.getTime() >= Date.UTC(year, month, day) + timeOfDay(from);
  return Math.max(0, isOver ? months : months - 1);
}

/** A hypothetical sale, by a customer with this past. */
interface ImaginedSale extends EarningSale {
  /** The customer's sales so far, including this one. */
  sales_count: number;
  ageInMonths: number;
  /** The promoter's customers and revenue so far, including this one. */
  customersCount: number;
  revenueCents: number;
}

/**
 * Computes the rewards for a hypothetical sale, by the same function as for a real one. Each higher level has
 * a parent with the same rewards.
 *
 * @throws Failure `rule_broken` if an amount is too large
 */
export function previewEarnings(
  accountId: number,
  { entries, sale }: { entries: { entry: RewardEntry; reward: Reward }[]; sale: ImaginedSale },
): Earning[] {
  const { sales_count, ageInMonths, customersCount, revenueCents, ...sold } = sale;
  const tiers = Array.from({ length: MAX_LEVELS }, (_, below): Tier => ({
    level: below + 1,
    promoterCampaign: newPromoterCampaign({
      account_id: accountId,
      id: below + 1,
      campaign_id: 0,
      promoter_id: below + 1,
      state: "accepted",
      ref_token: "",
      created_at: "",
    }),
    entries,
    customersCount,
    revenueCents,
  }));
  // A one-time reward was given with the customer's first sale.
  const onceRewardIds = sales_count > 1 ? entries.map(({ reward }) => reward.id) : [];
  return earningsOf({
    sale: sold,
    tiers,
    history: { ageInMonths, sales_count, once_reward_ids: onceRewardIds },
    splits: [],
  });
}

/**
 * A promoter's rewards. Their counts are read only if a rule needs them, because other sales wait meanwhile.
 */
async function loadTier(
  tx: Transaction,
  {
    level,
    promoterCampaign,
    sale,
  }: { level: number; promoterCampaign: PromoterCampaign; sale: SaleCounts | null },
): Promise<Tier> {
  const { account_id, id, campaign_id } = promoterCampaign;
  const campaign = await loadCampaign(tx, account_id, campaign_id);
  const rewards = promoterCampaign.rewards_for_promoters ?? campaign.rewards_for_promoters;
  const entries: Tier["entries"] = [];
  for (const entry of rewards)
    entries.push({ entry, reward: await loadReward(tx, account_id, entry.reward_id) });
  const tier = { level, promoterCampaign, entries };
  if (!hasRules(entries)) return { ...tier, customersCount: 0, revenueCents: 0 };
  await tx.lock(promoterCampaigns, account_id, id);
  const { customersCount, revenueCents } = await loadRuleCounts(tx.view, promoterCampaign);
  return {
    ...tier,
    customersCount: customersCount + (sale?.isNewCustomer ? 1 : 0),
    revenueCents: revenueCents + (sale?.amount_cents ?? 0),
  };
}

function hasRules(entries: Tier["entries"]): boolean {
  return entries.some(({ reward }) => reward.schemas.some(({ rules }) => rules.length > 0));
}

async function loadParent(
  tx: Transaction,
  { account_id, parent_promoter_id }: Promoter,
): Promise<Promoter | null> {
  return parent_promoter_id === null ? null : tx.get(promoters, account_id, parent_promoter_id);
}

/**
 * The promoter campaign by which a parent is paid: in the sale's campaign, or their default one if they are
 * not in the sale's.
 */
async function acceptedIn(
  tx: Transaction,
  { account_id, id, default_promoter_campaign_id }: Promoter,
  campaignId: number,
): Promise<PromoterCampaign | null> {
  const paidIn =
    (await tx.find(promoterCampaigns, "promoter_in_campaign", account_id, [id, campaignId])) ??
    (await tx.get(promoterCampaigns, account_id, default_promoter_campaign_id));
  return paidIn !== null && acceptsLeads(paidIn) ? paidIn : null;
}

/** The targets from which the sale still gives a bonus. */
async function keptTargetIds(
  tx: Transaction,
  { account_id, commission_ids }: Sale,
): Promise<Set<number | null>> {
  const keptIds = new Set<number | null>();
  for (const id of commission_ids) {
    const each = await tx.get(commissions, account_id, id);
    const isKept =
      each?.target_rules !== undefined && each.takes_back_id === null && each.taken_back_by_ids.length === 0;
    if (isKept) keptIds.add(each.reward_id);
  }
  return keptIds;
}

/** The time since midnight, in milliseconds. */
function timeOfDay(at: Date): number {
  return at.getTime() - Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
}

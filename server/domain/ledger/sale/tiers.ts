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
  amountCents: number;
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
    const paidIn = await acceptedIn(tx, parent, promoterCampaign.campaignId);
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
  { targetRules = [], takenBackByIds }: Commission,
  { lead, sale }: { lead: Lead; sale: Sale },
): Promise<boolean> {
  if (takenBackByIds.length > 0) return false;
  // Other sales wait meanwhile, so the counts stay.
  const owner = await tx.lock(promoterCampaigns, sale.accountId, sale.promoterCampaignId);
  if (owner === null) return false;
  const counts = await loadRuleCounts(tx.view, { ...owner, promoterId: sale.promoterId });
  const history = {
    ageInMonths: monthsBetween(new Date(lead.customerSince ?? sale.createdAt), new Date(sale.createdAt)),
    salesCount: lead.salesCount - lead.refundedSalesCount,
  };
  return !rulesHold(targetRules, ruleFacts(sale, history, counts), "stillHolds");
}

/** Makes targets reachable again whose bonus was taken back completely. */
export async function reopenTargets(tx: Transaction, sale: Sale, lost: Commission[]): Promise<void> {
  const owner = await tx.get(promoterCampaigns, sale.accountId, sale.promoterCampaignId);
  if (lost.length === 0 || owner === null) return;
  const keptIds = await keptTargetIds(tx, sale);
  const lostIds = new Set(lost.map(({ rewardId }) => rewardId));
  const isReopened = (rewardId: number) => lostIds.has(rewardId) && !keptIds.has(rewardId);
  await tx.put(promoterCampaigns, {
    ...owner,
    targetsReached: owner.targetsReached.filter(({ rewardId }) => !isReopened(rewardId)),
  });
}

/**
 * Marks a target as reached again, because the money of its sale was returned. False if another sale has
 * reached it since.
 */
export async function regainTarget(
  tx: Transaction,
  { rewardId }: Commission,
  { accountId, promoterCampaignId, createdAt: at }: Sale,
): Promise<boolean> {
  const owner = await tx.get(promoterCampaigns, accountId, promoterCampaignId);
  if (owner === null || rewardId === null) return false;
  if (owner.targetsReached.some((target) => target.rewardId === rewardId)) return false;
  await tx.put(promoterCampaigns, {
    ...owner,
    targetsReached: [...owner.targetsReached, { rewardId, at }],
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
  salesCount: number;
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
  const { salesCount, ageInMonths, customersCount, revenueCents, ...sold } = sale;
  const tiers = Array.from({ length: MAX_LEVELS }, (_, below): Tier => ({
    level: below + 1,
    promoterCampaign: newPromoterCampaign({
      accountId,
      id: below + 1,
      campaignId: 0,
      promoterId: below + 1,
      state: "accepted",
      refToken: "",
      createdAt: "",
    }),
    entries,
    customersCount,
    revenueCents,
  }));
  // A one-time reward was given with the customer's first sale.
  const onceRewardIds = salesCount > 1 ? entries.map(({ reward }) => reward.id) : [];
  return earningsOf({ sale: sold, tiers, history: { ageInMonths, salesCount, onceRewardIds }, splits: [] });
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
  const { accountId, id, campaignId } = promoterCampaign;
  const campaign = await loadCampaign(tx, accountId, campaignId);
  const rewards = promoterCampaign.rewardsForPromoters ?? campaign.rewardsForPromoters;
  const entries: Tier["entries"] = [];
  for (const entry of rewards)
    entries.push({ entry, reward: await loadReward(tx, accountId, entry.rewardId) });
  const tier = { level, promoterCampaign, entries };
  if (!hasRules(entries)) return { ...tier, customersCount: 0, revenueCents: 0 };
  await tx.lock(promoterCampaigns, accountId, id);
  const { customersCount, revenueCents } = await loadRuleCounts(tx.view, promoterCampaign);
  return {
    ...tier,
    customersCount: customersCount + (sale?.isNewCustomer ? 1 : 0),
    revenueCents: revenueCents + (sale?.amountCents ?? 0),
  };
}

function hasRules(entries: Tier["entries"]): boolean {
  return entries.some(({ reward }) => reward.schemas.some(({ rules }) => rules.length > 0));
}

async function loadParent(
  tx: Transaction,
  { accountId, parentPromoterId }: Promoter,
): Promise<Promoter | null> {
  return parentPromoterId === null ? null : tx.get(promoters, accountId, parentPromoterId);
}

/**
 * The promoter campaign by which a parent is paid: in the sale's campaign, or their default one if they are
 * not in the sale's.
 */
async function acceptedIn(
  tx: Transaction,
  { accountId, id, defaultPromoterCampaignId }: Promoter,
  campaignId: number,
): Promise<PromoterCampaign | null> {
  const paidIn =
    (await tx.find(promoterCampaigns, "promoterInCampaign", accountId, [id, campaignId])) ??
    (await tx.get(promoterCampaigns, accountId, defaultPromoterCampaignId));
  return paidIn !== null && acceptsLeads(paidIn) ? paidIn : null;
}

/** The targets from which the sale still gives a bonus. */
async function keptTargetIds(
  tx: Transaction,
  { accountId, commissionIds }: Sale,
): Promise<Set<number | null>> {
  const keptIds = new Set<number | null>();
  for (const id of commissionIds) {
    const each = await tx.get(commissions, accountId, id);
    const isKept =
      each?.targetRules !== undefined && each.takesBackId === null && each.takenBackByIds.length === 0;
    if (isKept) keptIds.add(each.rewardId);
  }
  return keptIds;
}

/** The time since midnight, in milliseconds. */
function timeOfDay(at: Date): number {
  return at.getTime() - Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
}

import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { loadCampaign } from "../../program/campaign/campaign.ts";
import { commissions, type Commission } from "../commission/commission.ts";
import { earningsOf, type Earning, type EarningSale, type Tier } from "../commission/earnings.ts";
import { leads, type Lead } from "../../people/lead/lead.ts";
import {
  acceptsLeads,
  earnsFromLeads,
  newPromoterCampaign,
  promoterCampaigns,
  type PromoterCampaign,
} from "../../people/promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../../people/promoter/promoter.ts";
import { loadStats } from "../../people/daily.ts";
import { loadReward, rulesHold, type Reward, type RewardEntry } from "../../program/reward/reward.ts";
import type { Customer } from "./customer.ts";
import { isRefunded, sales, type Sale } from "./sale.ts";

/** This sale's own part of the counts that rules check. */
interface SaleCounts {
  leadId: number;
  isFirstSale: boolean;
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

/** Whether a target's rules no longer hold without the refunded part of the sale that reached it. */
export async function isBonusLost(
  tx: Transaction,
  { targetRules = [], takenBackByIds }: Commission,
  { lead, after: sale }: { lead: Lead; after: Sale },
): Promise<boolean> {
  if (takenBackByIds.length > 0) return false;
  const { accountId, promoterCampaignId } = sale;
  // Other sales wait meanwhile, so the counts stay.
  const owner = await tx.lock(promoterCampaigns, accountId, promoterCampaignId);
  if (owner === null) return false;
  const { customers, salesCents } = await loadStats(tx.view, { ...owner, promoterId: sale.promoterId });
  const former = await loadTargetLoss(tx, owner, { leadId: lead.id, saleId: sale.id });
  const refundedCount = isRefunded(sale) ? 1 : 0;
  const isCustomerGone = isGone(lead, promoterCampaignId, lead.refundedSalesCount + refundedCount);
  const age = monthsBetween(new Date(lead.customerSince ?? sale.createdAt), new Date(sale.createdAt));
  const counts = {
    customer_age_in_months: age,
    customer_sales_count: lead.salesCount - refundedCount,
    promoter_campaign_customers_count: customers - former.customersCount - (isCustomerGone ? 1 : 0),
    promoter_campaign_revenue: salesCents - former.revenueCents - sale.refundedCents,
  };
  return !rulesHold(targetRules, { counts, planId: sale.planId }, "stillHolds");
}

/** The counts for a promoter's targets in a campaign, reduced by refunds. Revenue is in cents. */
export async function loadTargetCounts(
  view: View,
  joined: PromoterCampaign,
): Promise<{ customers: number; revenue: number }> {
  const { customers, salesCents } = await loadStats(view, joined);
  const loss = await loadTargetLoss(view, joined, { leadId: 0 });
  return { customers: customers - loss.customersCount, revenue: salesCents - loss.revenueCents };
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
    lostTargetSaleIds: [...new Set([...(owner.lostTargetSaleIds ?? []), sale.id])],
  });
}

/**
 * Marks a target as reached again, because the money of its sale was returned. False if another sale has
 * reached it since.
 */
export async function regainTarget(
  tx: Transaction,
  { rewardId }: Commission,
  { accountId, id, promoterCampaignId, createdAt: at }: Sale,
): Promise<boolean> {
  const owner = await tx.get(promoterCampaigns, accountId, promoterCampaignId);
  if (owner === null || rewardId === null) return false;
  if (owner.targetsReached.some((target) => target.rewardId === rewardId)) return false;
  await tx.put(promoterCampaigns, {
    ...owner,
    targetsReached: [...owner.targetsReached, { rewardId, at }],
    lostTargetSaleIds: (owner.lostTargetSaleIds ?? []).filter((saleId) => saleId !== id),
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
  const tier = { level, promoterCampaign, entries, customersCount: 0, revenueCents: 0 };
  if (!hasRules(entries)) return tier;
  await tx.lock(promoterCampaigns, accountId, id);
  const { customers, salesCents } = await loadStats(tx.view, promoterCampaign);
  return {
    ...tier,
    customersCount: customers + (sale?.isFirstSale ? 1 : 0),
    revenueCents: salesCents + (sale?.amountCents ?? 0),
    ...(sale !== null && { targetLoss: await loadTargetLoss(tx, promoterCampaign, { leadId: sale.leadId }) }),
  };
}

function hasRules(entries: Tier["entries"]): boolean {
  return entries.some(({ reward }) => reward.schemas.some(({ rules }) => rules.length > 0));
}

type TargetLoss = NonNullable<Tier["targetLoss"]>;

/**
 * The reduction of a promoter's target counts by refunds: the refunded parts of sales that had reached a
 * target, and the customers who bought nothing else. `except` names a lead and a sale that the caller counts.
 *
 * @see docs/spec/money.md "Targets"
 */
async function loadTargetLoss(
  reader: Reader,
  { accountId, id, lostTargetSaleIds = [] }: PromoterCampaign,
  except: { leadId: number; saleId?: number },
): Promise<TargetLoss> {
  let revenueCents = 0;
  const gone = new Set<number>();
  for (const saleId of lostTargetSaleIds) {
    const sale = saleId === except.saleId ? null : await reader.get(sales, accountId, saleId);
    if (sale === null) continue;
    revenueCents += sale.refundedCents;
    const lead = sale.leadId === except.leadId ? null : await reader.get(leads, accountId, sale.leadId);
    if (lead !== null && isGone(lead, id, lead.refundedSalesCount)) gone.add(lead.id);
  }
  return { customersCount: gone.size, revenueCents };
}

/** Whether a lead of the promoter campaign is no longer a customer, if so many of its sales are refunded. */
function isGone(lead: Lead, promoterCampaignId: number, refundedCount: number): boolean {
  const isCounted = lead.promoterCampaignId === promoterCampaignId && lead.customerSince !== null;
  return isCounted && lead.salesCount > 0 && refundedCount >= lead.salesCount;
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

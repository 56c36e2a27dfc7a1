import { commissions, type Commission } from "../commission/commission.ts";
import type { Tier } from "../commission/earnings.ts";
import { leads, type Lead } from "../lead/lead.ts";
import { promoterCampaigns, type PromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { loadStats } from "../report/daily.ts";
import { rulesHold } from "../reward/reward.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { monthsBetween } from "./months.ts";
import type { Sale } from "./record.ts";
import { isRefunded } from "./refunded-part.ts";
import { sales } from "./sales.ts";

type TargetLoss = NonNullable<Tier["targetLoss"]>;

/**
 * What refunds took off the counts of a promoter's targets: the refunded parts of sales that had reached one, and the
 * customers who bought nothing else. `except` names a lead and a sale that the caller counts.
 *
 * @see docs/spec/money.md "Targets"
 */
export async function loadTargetLoss(
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

/** Whether a target's rules no longer hold without what is refunded of the sale that reached it. */
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

/** Lets a promoter reach targets again whose bonus was taken back: those of which nothing is left. */
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

/** Marks a target as reached again, because the money of its sale came back. false: another sale has reached it since. */
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

/** The targets of which the sale still gives something. */
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

/** Whether a lead of the promoter campaign is no customer any more, if so many of its sales are refunded. */
function isGone(lead: Lead, promoterCampaignId: number, refundedCount: number): boolean {
  const isCounted = lead.promoterCampaignId === promoterCampaignId && lead.customerSince !== null;
  return isCounted && lead.salesCount > 0 && refundedCount >= lead.salesCount;
}

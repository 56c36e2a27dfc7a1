import {
  acceptsLeads,
  earnsFromLeads,
  promoterCampaigns,
  type PromoterCampaign,
} from "../promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../promoter/promoter.ts";
import type { Transaction } from "../../storage/store.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import type { Tier } from "../commission/earnings.ts";
import { loadStats } from "../report/daily.ts";
import { loadReward } from "../reward/reward.ts";
import type { Customer } from "./customer.ts";
import { loadTargetLoss } from "./target.ts";

/** Choice: ten levels are more than any program pays, and they bound the reads of a sale. */
export const MAX_LEVELS = 10;

/** This sale's own part of the counts that rules judge. */
export interface SaleCounts {
  leadId: number;
  isFirstSale: boolean;
  amountCents: number;
}

/**
 * The promoters who may earn from a sale: the lead's own, and their parents upwards. Nobody earns from the leads of a
 * promoter who may not. No parent comes twice, even if the records form a circle.
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

async function loadParent(
  tx: Transaction,
  { accountId, parentPromoterId }: Promoter,
): Promise<Promoter | null> {
  return parentPromoterId === null ? null : tx.get(promoters, accountId, parentPromoterId);
}

/** Where a parent is paid: in the sale's campaign, or in their default one if they are not in the sale's. */
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

/** A promoter's rewards. Their counts are read only if a rule needs them, because other sales wait meanwhile. */
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

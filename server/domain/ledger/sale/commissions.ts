import type { Reader, Transaction } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { loadCampaign } from "../../program/campaign/campaign.ts";
import {
  commissions,
  newCommission,
  type Commission,
  type CommissionNotes,
} from "../commission/commission.ts";
import { isRunning, rankOf, type CustomerHistory, type Earning } from "../commission/earnings.ts";
import { approvalOf } from "../commission/review.ts";
import type { Context } from "../../context.ts";
import { announceMoney } from "../announcement.ts";
import type { Lead, Split } from "../../people/lead/lead.ts";
import { ensureNonCashPayout } from "../payout/creation.ts";
import type { PromoCode } from "../../people/promo-code/promo-code.ts";
import {
  acceptsLeads,
  loadPromoterCampaign,
  promoterCampaigns,
  type PromoterCampaign,
} from "../../people/promoter-campaign/promoter-campaign.ts";
import { loadReward, type Reward } from "../../program/reward/reward.ts";
import { isTakenBack, sales, type Sale } from "./sale.ts";
import { monthsBetween } from "./tiers.ts";

/** The sale that earns commissions, and when it does so. */
interface EarningEvent {
  account: Account;
  lead: Lead;
  sale: Sale;
  /** The sale's instant, or that of a later instalment. */
  at: Date;
  /** Notes on each commission. */
  notes?: CommissionNotes | undefined;
  /** Whether promoters get no e-mail about the commissions. */
  isSilent?: boolean;
}

/** Writes the commissions of a sale, each with its terms and the unrefunded part of the sale. */
export async function addCommissions(
  tx: Transaction,
  context: Pick<Context, "store" | "now" | "isHistory">,
  { earnings, ...event }: EarningEvent & { earnings: Earning[] },
): Promise<Commission[]> {
  const added: Commission[] = [];
  for (const earning of earnings) {
    const id = await context.store.nextId("commission");
    const commission = await commissionOf(tx, context, { ...event, earning, id });
    await tx.insert(commissions, commission);
    await announceMoney(tx, context, { entity: "commission", before: null, after: commission });
    added.push(await ensureNonCashPayout(tx, context, commission));
  }
  return added;
}

/**
 * The shares of a lead's commissions that go to others. The share of a promoter campaign that is gone or not
 * accepted stays with the lead's own promoter.
 */
export async function payableSplits(reader: Reader, { accountId, splits }: Lead): Promise<Split[]> {
  const payable: Split[] = [];
  for (const split of splits ?? []) {
    const owner = await reader.get(promoterCampaigns, accountId, split.promoterCampaignId);
    if (owner !== null && acceptsLeads(owner)) payable.push(split);
  }
  return payable;
}

/**
 * The lead's past for the rewards of a sale of this day. The lead includes the sale.
 *
 * @see docs/spec/money.md "Durations"
 */
export async function loadHistory(reader: Reader, lead: Lead, at: Date): Promise<CustomerHistory> {
  const { customerSince, salesCount, refundedSalesCount, rewardStarts = [], repeatingSince } = lead;
  const startOf = (rewardId: number) => rewardStarts.find((start) => start.rewardId === rewardId)?.at;
  const monthsSince = (from: string | null | undefined) => monthsBetween(new Date(from ?? at), at);
  return {
    ageInMonths: monthsSince(customerSince),
    salesCount: salesCount - refundedSalesCount,
    onceRewardIds: [...lead.onceRewardIds, ...(await keptOnceIds(reader, lead))],
    monthsOf: (rewardId) => monthsSince(repeatingSince ?? startOf(rewardId)),
  };
}

/** The one-time rewards that refunds have not taken back. */
async function keptOnceIds(reader: Reader, { accountId, onceGiven = [] }: Lead): Promise<number[]> {
  const keptIds: number[] = [];
  for (const { rewardId, saleId } of onceGiven) {
    const sale = await reader.get(sales, accountId, saleId);
    if (sale === null || !(isTakenBack(sale) || sale.isDuplicate)) keptIds.push(rewardId);
  }
  return keptIds;
}

/**
 * The lead before its next sale, with the date from which its rewards count because of sales elsewhere or
 * under an earlier release.
 */
export function withRepeatingSince(lead: Lead): Lead {
  const isKnown = lead.rewardStarts !== undefined || lead.customerSince === null;
  return isKnown ? lead : { ...lead, repeatingSince: lead.customerSince! };
}

/** The lead with the rewards that apply to a sale. */
export function withApplied(
  lead: Lead,
  { id: saleId, createdAt: at }: Sale,
  applied: Pick<Reward, "id" | "duration">[],
): Lead {
  const { onceGiven = [], rewardStarts = [] } = lead;
  const starts = new Map(rewardStarts.map((start) => [start.rewardId, start]));
  const given = [...onceGiven];
  for (const { id: rewardId, duration } of applied) {
    if (duration === "once") given.push({ rewardId, saleId });
    if (duration !== "repeating") continue;
    const known = starts.get(rewardId);
    if (known === undefined || at < known.at) starts.set(rewardId, { rewardId, at });
  }
  return { ...lead, ...(given.length > 0 && { onceGiven: given }), rewardStarts: [...starts.values()] };
}

/** A sale, with the data that determine the referred person's reward. */
interface RewardedSale {
  sale: Pick<Sale, "productId" | "billingPeriod">;
  history: CustomerHistory;
  /** The promo code that was used, or null. */
  code: PromoCode | null;
}

/**
 * The reward that a referred person gets with a sale, or null: that of their promo code, otherwise the one
 * offered for such a sale. A reward's limits, `max_redemptions` and `new_customers_only`, are not checked
 * here: the shop or the payment processor grants the discount before it reports the sale, and knows the
 * unreferred customers as well. A promoter whose code was accepted must not lose the sale.
 *
 * @see docs/spec/money.md "Rewards of a sale"
 */
export async function referralRewardOf(
  reader: Reader,
  { accountId, campaignId, rewardsForReferrals }: PromoterCampaign,
  { sale, history, code }: RewardedSale,
): Promise<Reward | null> {
  const ofCode = code && (await rewardOfCode(reader, code));
  if (ofCode !== null) return ofCode;
  const entries =
    rewardsForReferrals ?? (await loadCampaign(reader, accountId, campaignId)).rewardsForReferrals;
  const ranked = entries
    .map((entry) => ({ entry, rank: rankOf(entry, sale) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank);
  for (const { entry } of ranked) {
    const reward = await loadReward(reader, accountId, entry.rewardId);
    if (isRunning(reward, history)) return reward;
  }
  return null;
}

async function commissionOf(
  tx: Transaction,
  context: Pick<Context, "store" | "now" | "isHistory">,
  event: EarningEvent & { earning: Earning; id: number },
): Promise<Commission> {
  const { lead, sale, earning, at } = event;
  const { accountId } = sale;
  const owner = await loadPromoterCampaign(tx, accountId, earning.promoterCampaignId);
  return newCommission({
    accountId,
    id: event.id,
    promoterCampaignId: owner.id,
    promoterId: owner.promoterId,
    campaignId: owner.campaignId,
    leadId: lead.id,
    type: "sale",
    unit: earning.unit,
    amount: earning.amount,
    saleId: sale.id,
    origin: sale.origin,
    eventId: sale.eventId,
    saleCents: sale.amountCents - sale.refundedCents,
    originalSaleAmount: sale.originalAmount - sale.refundedOriginalAmount,
    originalSaleCurrency: sale.originalCurrency,
    planId: sale.planId,
    billingPeriod: sale.billingPeriod,
    tierLevel: earning.tierLevel,
    rewardId: earning.reward.id,
    rewardName: earning.reward.name,
    terms: earning.terms,
    ...(earning.targetRules && { targetRules: earning.targetRules }),
    splitTenThousandths: earning.splitTenThousandths,
    ...(earning.isShare && { staysOnMove: true as const }),
    suspicion: lead.suspicion,
    isSelfReferral: lead.suspicion === "same_promoter_email",
    createdAt: at.toISOString(),
    ...(event.isSilent && { isSilent: true as const }),
    ...event.notes,
    ...(await approvalOf(tx, context, { ...event, ...earning, campaignId: owner.campaignId })),
  });
}

/** A promo code may have a reward for promoters, which is not what the person gets. */
async function rewardOfCode(reader: Reader, { accountId, rewardId }: PromoCode): Promise<Reward | null> {
  const reward = await loadReward(reader, accountId, rewardId);
  return reward.isPromoterReward ? null : reward;
}

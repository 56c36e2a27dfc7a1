import { originIn } from "../../people/origin.ts";
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
  is_silent?: boolean;
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
export async function payableSplits(reader: Reader, { account_id, splits }: Lead): Promise<Split[]> {
  const payable: Split[] = [];
  for (const split of splits ?? []) {
    const owner = await reader.get(promoterCampaigns, account_id, split.promoter_campaign_id);
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
  const { customer_since, sales_count, refunded_sales_count, reward_starts = [], repeating_since } = lead;
  const startOf = (rewardId: number) => reward_starts.find((start) => start.reward_id === rewardId)?.at;
  const monthsSince = (from: string | null | undefined) => monthsBetween(new Date(from ?? at), at);
  return {
    ageInMonths: monthsSince(customer_since),
    sales_count: sales_count - refunded_sales_count,
    once_reward_ids: [...lead.once_reward_ids, ...(await keptOnceIds(reader, lead))],
    monthsOf: (rewardId) => monthsSince(repeating_since ?? startOf(rewardId)),
  };
}

/** The one-time rewards that refunds have not taken back. */
async function keptOnceIds(reader: Reader, { account_id, once_given = [] }: Lead): Promise<number[]> {
  const keptIds: number[] = [];
  for (const { reward_id, sale_id } of once_given) {
    const sale = await reader.get(sales, account_id, sale_id);
    if (sale === null || !(isTakenBack(sale) || sale.is_duplicate)) keptIds.push(reward_id);
  }
  return keptIds;
}

/**
 * The lead before its next sale, with the date from which its rewards count because of sales
 * elsewhere.
 */
export function withRepeatingSince(lead: Lead): Lead {
  const isKnown = lead.reward_starts !== undefined || lead.customer_since === null;
  return isKnown ? lead : { ...lead, repeating_since: lead.customer_since! };
}

/** The lead with the rewards that apply to a sale. */
export function withApplied(
  lead: Lead,
  { id: saleId, created_at: at }: Sale,
  applied: Pick<Reward, "id" | "duration">[],
): Lead {
  const { once_given = [], reward_starts = [] } = lead;
  const starts = new Map(reward_starts.map((start) => [start.reward_id, start]));
  const given = [...once_given];
  for (const { id: rewardId, duration } of applied) {
    if (duration === "once") given.push({ reward_id: rewardId, sale_id: saleId });
    if (duration !== "repeating") continue;
    const known = starts.get(rewardId);
    if (known === undefined || at < known.at) starts.set(rewardId, { reward_id: rewardId, at });
  }
  return { ...lead, ...(given.length > 0 && { once_given: given }), reward_starts: [...starts.values()] };
}

/** A sale, with the data that determine the referred person's reward. */
interface RewardedSale {
  sale: Pick<Sale, "product_id" | "billing_period">;
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
  { account_id, campaign_id, rewards_for_referrals }: PromoterCampaign,
  { sale, history, code }: RewardedSale,
): Promise<Reward | null> {
  const ofCode = code && (await rewardOfCode(reader, code));
  if (ofCode !== null) return ofCode;
  const entries =
    rewards_for_referrals ?? (await loadCampaign(reader, account_id, campaign_id)).rewards_for_referrals;
  const ranked = entries
    .map((entry) => ({ entry, rank: rankOf(entry, sale) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank);
  for (const { entry } of ranked) {
    const reward = await loadReward(reader, account_id, entry.reward_id);
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
  const { account_id } = sale;
  const owner = await loadPromoterCampaign(tx, account_id, earning.promoter_campaign_id);
  return newCommission({
    account_id,
    id: event.id,
    promoter_campaign_id: owner.id,
    promoter_id: owner.promoter_id,
    campaign_id: owner.campaign_id,
    lead_id: lead.id,
    commission_type: "sale",
    unit: earning.unit,
    amount: earning.amount,
    sale_id: sale.id,
    ...originIn(sale),
    event_id: sale.event_id,
    sale_amount: sale.amount_cents - sale.refunded_cents,
    original_sale_amount: sale.original_amount - sale.refunded_original_amount,
    original_sale_currency: sale.original_currency,
    plan_id: sale.plan_id,
    billing_period: sale.billing_period,
    tier: earning.tier_level,
    reward_id: earning.reward.id,
    reward_name: earning.reward.name,
    terms: earning.terms,
    ...(earning.target_rules && { target_rules: earning.target_rules }),
    split_ten_thousandths: earning.split_ten_thousandths,
    ...(earning.is_share && { stays_on_move: true as const }),
    fraud_check: lead.fraud_check,
    is_self_referral: lead.fraud_check === "same_promoter_email",
    created_at: at.toISOString(),
    ...(event.is_silent && { is_silent: true as const }),
    ...event.notes,
    ...(await approvalOf(tx, context, { ...event, ...earning, campaign_id: owner.campaign_id })),
  });
}

/** A promo code may have a reward for promoters, which is not what the person gets. */
async function rewardOfCode(reader: Reader, { account_id, reward_id }: PromoCode): Promise<Reward | null> {
  const reward = await loadReward(reader, account_id, reward_id);
  return reward.is_promoter_reward ? null : reward;
}

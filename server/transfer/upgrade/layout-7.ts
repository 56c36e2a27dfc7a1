import { accounts, type Account } from "../../domain/program/account/account.ts";
import { campaigns, type Campaign } from "../../domain/program/campaign/campaign.ts";
import { commissions, newCommission, type Commission } from "../../domain/ledger/commission/commission.ts";
import { facts, type Fact } from "../../domain/events/event.ts";
import { leads, type Lead } from "../../domain/people/lead/lead.ts";
import { payouts, type Payout } from "../../domain/ledger/payout/payout.ts";
import {
  newPromoterCampaign,
  promoterCampaigns,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import {
  rewards,
  type Reward,
  type RewardEntry,
  type RewardSchema,
} from "../../domain/program/reward/reward.ts";
import { pastClicks, visitors, type PastClicks, type Visitor } from "../../domain/people/visitor/visitor.ts";
import { deliveries, type Delivery } from "../../domain/events/webhook/delivery.ts";
import { webhooks, type Webhook } from "../../domain/events/webhook/webhook.ts";
import type { Items } from "../item.ts";
import { item, recordsOf, type Changes } from "./conversion.ts";

/** Layout 7 had no sales. Its records get the new fields of sales, with values that change no sum. */
export async function sales(items: Items): Promise<Changes> {
  const payoutIds = await payoutIdsByCommission(items);
  const each =
    <R>(of: { name: string }, upgrade: (record: R) => unknown) =>
    (record: R) => [item(of, upgrade(record))];
  return {
    [accounts.name]: each(accounts, upgradedAccount),
    [facts.name]: each(facts, upgradedFact),
    [deliveries.name]: each(deliveries, upgradedDelivery),
    [commissions.name]: each(commissions, (commission: FormerCommission) =>
      upgradedCommission(commission, payoutIds),
    ),
    [payouts.name]: each(payouts, upgradedPayout),
    [campaigns.name]: each(campaigns, upgradedCampaign),
    [promoterCampaigns.name]: each(promoterCampaigns, upgradedPromoterCampaign),
    [leads.name]: each(leads, upgradedLead),
    [rewards.name]: each(rewards, upgradedReward),
    [visitors.name]: each(visitors, withOrigin<Visitor>),
    [pastClicks.name]: each(pastClicks, withOrigin<PastClicks>),
    [webhooks.name]: each(webhooks, upgradedWebhook),
  };
}

const V2_FORMAT = { format: "v2" } as const;

function upgradedAccount(account: Account): Account {
  const added = {
    minPayingCustomers: 0,
    requiresPayoutMethod: false,
    payoutCycle: "monthly",
    maxAutoApproveCents: null,
  };
  return { ...added, ...account };
}

type FormerCampaign = Campaign & { letters?: Campaign["emails"] };

function upgradedCampaign({ letters, ...campaign }: FormerCampaign): Campaign {
  const added = { autoApproveCommissions: true, commissionHoldDays: 0 };
  return {
    ...added,
    ...campaign,
    emails: letters ?? campaign.emails,
    rewardsForPromoters: withoutProducts(campaign.rewardsForPromoters),
    rewardsForReferrals: withoutProducts(campaign.rewardsForReferrals),
  };
}

function upgradedPromoterCampaign(promoterCampaign: PromoterCampaign): PromoterCampaign {
  const { rewardsForPromoters, rewardsForReferrals } = promoterCampaign;
  return {
    ...newPromoterCampaign(promoterCampaign),
    rewardsForPromoters: rewardsForPromoters && withoutProducts(rewardsForPromoters),
    rewardsForReferrals: rewardsForReferrals && withoutProducts(rewardsForReferrals),
  };
}

/** There were no products, so a product id must not refer to a product that is created later. */
function withoutProducts(entries: RewardEntry[]): RewardEntry[] {
  return entries.map((entry) => ({ ...entry, productIds: [] }));
}

function upgradedLead(lead: Lead): Lead {
  const added = {
    subscriptionId: null,
    entrySource: lead.tid === null ? "api" : "cookie",
    origin: null,
    splits: null,
    salesCount: 0,
    refundedSalesCount: 0,
    onceRewardIds: [],
    cancellationId: null,
  };
  return { ...added, ...lead };
}

/** Earlier visits count as direct visits to an unknown page. */
function withOrigin<R extends Visitor | PastClicks>(record: R): R {
  const added = { origin: null };
  return { ...added, ...record };
}

type FormerSchema = RewardSchema & { amountHundredths?: number };

function upgradedReward(reward: Reward): Reward {
  return {
    ...reward,
    schemas: reward.schemas.map(({ amountHundredths, ...schema }: FormerSchema) =>
      amountHundredths === undefined ? schema : { ...schema, amountTenThousandths: 100 * amountHundredths },
    ),
  };
}

type FormerCommission = Commission & { conversionCents?: number };

function upgradedCommission(former: FormerCommission, payoutIds: Map<string, number>): Commission {
  const { conversionCents, ...commission } = former;
  if (conversionCents === undefined) return commission;
  const paidBy = payoutIds.get(earningOf(former, former.createdAt)) ?? null;
  return {
    ...newCommission({ ...commission, saleCents: conversionCents }),
    type: conversionCents > 0 ? "sale" : "custom",
    payoutId: former.status === "approved" ? paidBy : null,
  };
}

function upgradedPayout(payout: Payout): Payout {
  const added = { runId: null };
  return { ...added, ...payout };
}

/** Seeded payouts had one commission each, made at the end of their period. */
async function payoutIdsByCommission(items: Items): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const payout of await recordsOf<Payout>(items, payouts)) {
    if (payout.status !== "cancelled") ids.set(earningOf(payout, payout.periodEnd), payout.id);
  }
  return ids;
}

type Earning = Pick<Payout, "accountId" | "promoterCampaignId" | "unit" | "amount">;

function earningOf({ accountId, promoterCampaignId, unit, amount }: Earning, at: string): string {
  return JSON.stringify([accountId, promoterCampaignId, unit, amount, at]);
}

function upgradedFact(fact: Fact): Fact {
  if (fact.entity !== "referral") return fact;
  const [before, after] = [fact.before, fact.after].map((lead) => lead && upgradedLead(lead as Lead));
  return { ...fact, before: before ?? null, after: after ?? null };
}

type FormerDelivery = Delivery & { letter?: Delivery["email"] };

function upgradedDelivery({ letter, ...delivery }: FormerDelivery): Delivery {
  const message = delivery.message && { ...V2_FORMAT, ...delivery.message };
  return { ...delivery, email: letter ?? delivery.email, message };
}

function upgradedWebhook(webhook: Webhook): Webhook {
  return { ...V2_FORMAT, ...webhook };
}

import { accounts } from "../../domain/account/account.ts";
import type { Account } from "../../domain/account/record.ts";
import { campaigns } from "../../domain/campaign/campaign.ts";
import type { Campaign } from "../../domain/campaign/record.ts";
import { commissions, newCommission } from "../../domain/commission/commission.ts";
import type { Commission } from "../../domain/commission/record.ts";
import { SYSTEM } from "../../domain/account/record.ts";
import { facts } from "../../domain/event/event.ts";
import type { Fact } from "../../domain/event/record.ts";
import { leads } from "../../domain/lead/lead.ts";
import type { Lead } from "../../domain/lead/record.ts";
import { payouts } from "../../domain/payout/payout.ts";
import type { Payout } from "../../domain/payout/record.ts";
import { newPromoterCampaign, promoterCampaigns } from "../../domain/promoter-campaign/promoter-campaign.ts";
import type { PromoterCampaign } from "../../domain/promoter-campaign/record.ts";
import { rewards } from "../../domain/reward/reward.ts";
import type { Reward, RewardEntry, RewardSchema } from "../../domain/reward/record.ts";
import { pastClicks } from "../../domain/visitor/past-clicks.ts";
import type { PastClicks, Visitor } from "../../domain/visitor/record.ts";
import { visitors } from "../../domain/visitor/visitor.ts";
import { webhooks } from "../../domain/webhook/webhooks.ts";
import { deliveries } from "../../domain/webhook/delivery.ts";
import type { Delivery, Webhook } from "../../domain/webhook/record.ts";
import type { Collection } from "../../storage/collection.ts";
import type { AtomicDriver } from "../../storage/driver.ts";
import type { AnyRecord } from "../collections.ts";
import { allIn, entryIn, recordsIn } from "../records-in.ts";
import type { Work } from "../work.ts";

/** Layout 7 had no sales. Its records get the fields that sales brought, with values that change no sum. */
export async function upgradeSales(driver: AtomicDriver, work: Work): Promise<void> {
  await change(driver, work, { from: accounts, accountId: SYSTEM, upgrade: upgradedAccount });
  await change(driver, work, { from: facts, accountId: SYSTEM, upgrade: upgradedFact });
  await change(driver, work, { from: deliveries, accountId: SYSTEM, upgrade: upgradedDelivery });
  for (const { id: accountId } of await allIn(driver, accounts, SYSTEM)) {
    const payoutIds = await payoutIdsByCommission(driver, accountId);
    const upgrade = (commission: FormerCommission) => upgradedCommission(commission, payoutIds);
    await change(driver, work, { from: commissions, accountId, upgrade });
    await change(driver, work, { from: payouts, accountId, upgrade: upgradedPayout });
    await change(driver, work, { from: campaigns, accountId, upgrade: upgradedCampaign });
    await change(driver, work, { from: promoterCampaigns, accountId, upgrade: upgradedPromoterCampaign });
    await change(driver, work, { from: leads, accountId, upgrade: upgradedLead });
    await change(driver, work, { from: rewards, accountId, upgrade: upgradedReward });
    await change(driver, work, { from: visitors, accountId, upgrade: withOrigin });
    await change(driver, work, { from: pastClicks, accountId, upgrade: withOrigin });
    await change(driver, work, { from: webhooks, accountId, upgrade: upgradedWebhook });
  }
}

const V2_FORMAT = { format: "v2" } as const;

interface Kind<R extends AnyRecord> {
  from: Collection<R>;
  accountId: number;
  /** May be called again with its own result. */
  upgrade: (record: R) => R;
}

async function change<R extends AnyRecord>(
  driver: AtomicDriver,
  work: Work,
  { from, accountId, upgrade }: Kind<R>,
): Promise<void> {
  for await (const records of recordsIn(driver, from, accountId)) {
    await work.commit({ puts: records.map((record) => entryIn(from, upgrade(record))) });
  }
}

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

/** There were no products. An id that named none must not name a product that is created later. */
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

/** Choice: earlier visits count as direct ones to an unknown page. */
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
async function payoutIdsByCommission(driver: AtomicDriver, accountId: number): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for await (const chunk of recordsIn(driver, payouts, accountId)) {
    for (const payout of chunk) {
      if (payout.status !== "cancelled") ids.set(earningOf(payout, payout.periodEnd), payout.id);
    }
  }
  return ids;
}

type Earning = Pick<Payout, "promoterCampaignId" | "unit" | "amount">;

function earningOf({ promoterCampaignId, unit, amount }: Earning, at: string): string {
  return JSON.stringify([promoterCampaignId, unit, amount, at]);
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

import type { Account } from "../account/record.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import { updateCampaign } from "../campaign/update.ts";
import type { Context } from "../context.ts";
import type { Lead } from "../lead/record.ts";
import { generatePayouts } from "../payout-run/generate.ts";
import { movePayout } from "../payout/status-moves.ts";
import { payouts } from "../payout/payout.ts";
import { latestPeriod, type Period } from "../payout/period.ts";
import { createReward, type NewReward } from "../reward/reward.ts";
import { recordCancellation } from "../sale/cancellation.ts";
import { recordRefund } from "../sale/refund.ts";
import { recordSale } from "../sale/sale.ts";
import { asItIs } from "../show.ts";
import { PLANS, type Dice } from "./values.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Days between two payments of a customer. */
const MONTH_DAYS = 30;
/** Customers at once: enough that their commits share their cost. */
const AT_ONCE = 50;

/** A customer, with what they paid and when. */
export interface SeedCustomer {
  email: string;
  planId: string;
  cents: number;
  paidAt: Date[];
  refundsLast: boolean;
  cancels: boolean;
}

const REWARD: NewReward = {
  name: "20 % of each sale",
  isPromoterReward: true,
  promoterRewardType: "sale",
  tierRewardMode: null,
  tierLevel: null,
  coupon: null,
  isHidden: false,
  providerCouponId: null,
  duration: "forever",
  durationMonths: null,
  maxRedemptions: null,
  newCustomersOnly: false,
  schemas: [{ unit: "cash", amountTenThousandths: 200_000, isFlat: false, rules: [] }],
};

/** Gives the default campaign rewards, if it has none: for each sale, and for the parents of those who sold. */
export async function seedRewards(context: Context, { id, defaultCampaignId }: Account): Promise<void> {
  const { rewardsForPromoters } = await loadCampaign(context.store, id, defaultCampaignId);
  if (rewardsForPromoters.length > 0) return;
  const ofSale = await createReward(context, id, REWARD);
  const ofParent = await createReward(context, id, {
    ...REWARD,
    name: "10 % of what your promoters earn",
    promoterRewardType: "tier",
    tierRewardMode: "tier_commission_mode",
    tierLevel: 2,
    schemas: [{ unit: "cash", amountTenThousandths: 100_000, isFlat: false, rules: [] }],
  });
  const entries = [ofSale, ofParent].map(({ id: rewardId }) => ({
    applyOn: "all" as const,
    productIds: [],
    rewardId,
  }));
  const changes = { rewardsForPromoters: entries };
  await updateCampaign(context, id, { id: defaultCampaignId, changes, show: asItIs });
}

/** A lead as a customer who pays each month for some time. null: the lead never pays. */
export function customerOf(dice: Dice, { email, state, createdAt }: Lead, now: Date): SeedCustomer | null {
  if (state !== "signup" || email === null) return null;
  const { id: planId, cents } = dice.pick(PLANS);
  const since = Date.parse(createdAt) + (1 + dice.number(14)) * DAY_MS;
  const paidAt = Array.from(
    { length: 1 + dice.number(12) },
    (_, month) => since + month * MONTH_DAYS * DAY_MS,
  )
    .filter((at) => at < now.getTime())
    .map((at) => new Date(at));
  if (paidAt.length === 0) return null;
  return { email, planId, cents, paidAt, refundsLast: dice.percent(8), cancels: dice.percent(25) };
}

/** Records all that customers paid, by the rules that real sales follow. */
export async function seedSales(
  context: Context,
  account: Account,
  customers: SeedCustomer[],
): Promise<void> {
  for (let at = 0; at < customers.length; at += AT_ONCE) {
    const group = customers.slice(at, at + AT_ONCE);
    await Promise.all(group.map((customer) => payFor(context, account, customer)));
  }
}

async function payFor(context: Context, account: Account, customer: SeedCustomer): Promise<void> {
  const { email, planId, cents, paidAt } = customer;
  const names = { email, uid: null, tid: null, refToken: null, promoCode: null };
  for (const [number, createdAt] of paidAt.entries()) {
    await recordSale({ ...context, now: createdAt }, account, {
      customer: names,
      eventId: `${email}-${number + 1}`,
      amount: cents,
      currency: null,
      quantity: 1,
      planId,
      billingPeriod: "monthly",
      mrrCents: cents,
      subscriptionId: null,
      createdAt,
      skipEmailNotification: true,
      instalments: null,
      show: asItIs,
    });
  }
  const lastAt = paidAt.at(-1)!.getTime();
  const soon = new Date(Math.min(lastAt + 2 * DAY_MS, context.now.getTime()));
  const later = { ...context, now: soon };
  const told = { customer: { email, uid: null }, createdAt: soon, show: asItIs };
  if (customer.refundsLast) {
    const refund = { eventId: `refund-${email}`, saleEventId: `${email}-${paidAt.length}`, currency: null };
    await recordRefund(later, account, { ...told, ...refund, amount: cents });
  }
  if (customer.cancels) await recordCancellation(later, account, { ...told, eventId: null });
}

/** Makes the payouts of the last twelve months, and pays all but the latest. */
export async function seedPayouts(context: Context, account: Account): Promise<void> {
  const latest = latestPeriod(account.payoutCycle, context.now);
  const periods: Period[] = [latest];
  while (periods.length < 12) {
    periods.unshift(latestPeriod(account.payoutCycle, new Date(periods[0]!.start)));
  }
  for (const period of periods) {
    const dayAfter = new Date(Date.parse(period.end) + DAY_MS);
    const then = { ...context, now: dayAfter < context.now ? dayAfter : context.now };
    const run = generatePayouts(then, account, period);
    while (!(await run.next()).done);
    if (period !== latest) await payAll(then, account);
  }
}

async function payAll(context: Context, { id: accountId }: Account): Promise<void> {
  for await (const chunk of context.store.scan(payouts, "status", accountId, ["pending"])) {
    for (const { id } of chunk) await movePayout(context, accountId, { id, to: "completed" });
  }
}

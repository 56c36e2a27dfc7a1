import { Failure } from "../../failure.ts";
import type { Account } from "../program/account/account.ts";
import { commissions } from "../ledger/commission/commission.ts";
import { setCommissionStatus } from "../ledger/commission/review.ts";
import type { Context } from "../context.ts";
import type { Lead } from "../people/lead/lead.ts";
import type { PaymentsBatch } from "../ledger/payments-batch/batch.ts";
import { createPaymentsBatch, payBatch } from "../ledger/payments-batch/changes.ts";
import type { PayoutMethodName } from "../ledger/payout-method/payout-method.ts";
import { generatePayouts } from "../ledger/payout-run/payout-run.ts";
import { latestPeriod, payouts, type Period } from "../ledger/payout/payout.ts";
import { movePayout } from "../ledger/payout/status.ts";
import { recordSale } from "../ledger/sale/new-sale.ts";
import { recordCancellation } from "../ledger/sale/cancellation.ts";
import { recordRefund } from "../ledger/sale/refund.ts";
import { asItIs } from "../show.ts";
import { type Dice, type SeedPlan } from "./plan.ts";
import { HOLD_DAYS, PLANS } from "./program.ts";
import { DAY_MS } from "../span.ts";

/** A customer, with their payments and when they were made. */
export interface SeedCustomer {
  email: string;
  plan_id: string;
  cents: number;
  paid_at: Date[];
  refundsLast: boolean;
  cancels: boolean;
}

/** The average number of a customer's payments in a year. */
const USUAL_PAYMENTS = 3.5;

/** The chance, in percent, that a lead becomes a customer, for about the wanted number of sales. */
export function customerChance({ leads, sales }: { leads: number; sales: number }): number {
  return leads === 0 ? 0 : (100 * sales) / (leads * USUAL_PAYMENTS);
}

/** Days between two payments of a customer. */
const MONTH_DAYS = 30;

/** A lead as a customer who pays each month for some time, or null if the lead never pays. */
export function customerOf(dice: Dice, { email, state, created_at }: Lead, now: Date): SeedCustomer | null {
  if (state !== "signup" || email === null) return null;
  const { id: planId, cents } = dice.pick(PLANS);
  const since = Date.parse(created_at) + 1 + dice.number(14 * DAY_MS);
  const paidAt = Array.from(
    { length: 1 + dice.number(12) },
    (_, month) => since + month * MONTH_DAYS * DAY_MS,
  )
    .filter((at) => at < now.getTime())
    .map((at) => new Date(at));
  if (paidAt.length === 0) return null;
  return {
    email,
    plan_id: planId,
    cents,
    paid_at: paidAt,
    refundsLast: dice.percent(8),
    cancels: dice.percent(25),
  };
}

/** Concurrent payments: enough that their commits share their cost. */
const AT_ONCE = 20;

/**
 * Records all payments of customers, by the rules of real sales, in the order of time. Yields the part done.
 */
export async function* seedSales(
  { context, account }: SeedPlan,
  customers: SeedCustomer[],
  stepsAtOnce = AT_ONCE,
): AsyncGenerator<number> {
  const steps = customers.flatMap((customer) => stepsOf(context, account, customer));
  steps.sort((one, other) => one.at.getTime() - other.at.getTime());
  for (let at = 0; at < steps.length; at += stepsAtOnce) {
    await recordSteps(steps.slice(at, at + stepsAtOnce));
    yield Math.min(1, (at + stepsAtOnce) / steps.length);
  }
}

/** How long a suspicious commission waits for a decision. */
const DECISION_DAYS = 25;

/** Approves or denies the commissions of suspicious leads that have waited for long. */
export async function seedDecisions({ context, account, dice }: SeedPlan): Promise<void> {
  const { store, now } = context;
  const waiting: { id: number; at: Date }[] = [];
  const long = now.getTime() - DECISION_DAYS * DAY_MS;
  for await (const chunk of store.scan(commissions, "pending", account.id, [])) {
    for (const { id, approve_at, takes_back_id, created_at } of chunk) {
      if (approve_at !== null || takes_back_id !== null || Date.parse(created_at) > long) continue;
      waiting.push({ id, at: daysAfter(new Date(created_at), DECISION_DAYS, now) });
    }
  }
  for (const { id, at } of waiting) {
    const status = dice.percent(60) ? "denied" : "approved";
    await store.transact(async (tx) => {
      const commission = await tx.get(commissions, account.id, id);
      if (commission !== null) await setCommissionStatus(tx, { ...context, now: at }, { commission, status });
    });
  }
}

const PERIODS = 12;

/**
 * Makes the payouts of the last twelve periods. All but the last two are paid. Payable ones of the last but
 * one went into payments batches. Those of the latest are due, and some of them are in a batch already.
 */
export async function seedPayouts({ context, account }: SeedPlan): Promise<void> {
  const periods: Period[] = [latestPeriod(account, context.now)];
  while (periods.length < PERIODS) {
    periods.unshift(latestPeriod(account, new Date(periods[0]!.start)));
  }
  for (const [at, period] of periods.entries()) {
    const dayAfter = new Date(Date.parse(period.end) + DAY_MS);
    const then = { ...context, now: dayAfter < context.now ? dayAfter : context.now };
    const run = generatePayouts(then, account, period);
    while (!(await run.next()).done);
    if (at < PERIODS - 2) await payAll(then, account);
    if (at === PERIODS - 2) await payBatches(then, account);
    if (at === PERIODS - 1) await createBatch(then, account, "paypal");
  }
}

/** An action of a customer. */
interface Step {
  customer: SeedCustomer;
  at: Date;
  record: () => Promise<unknown>;
}

/** Refunds and cancellations come this long after the last payment. */
const REFUND_DAYS = 2;

function stepsOf(context: Context, account: Account, customer: SeedCustomer): Step[] {
  const { email, cents, paid_at, refundsLast, cancels } = customer;
  const steps: Step[] = paid_at.map((at, number) => ({
    customer,
    at,
    record: () => recordPayment(context, account, { customer, at, number: number + 1 }),
  }));
  const at = new Date(paid_at.at(-1)!.getTime() + REFUND_DAYS * DAY_MS);
  if (at > context.now) return steps;
  const later = { ...context, now: at };
  const reported = { customer: { email, uid: null }, created_at: at };
  if (refundsLast) {
    const refund = {
      event_id: `refund-${email}`,
      sale_event_id: `${email}-${paid_at.length}`,
      currency: null,
    };
    const given = { ...reported, ...refund, amount: cents };
    const record = () => context.store.transact((tx) => recordRefund(tx, later, account, given));
    steps.push({ customer, at, record });
  }
  if (cancels) {
    const given = { ...reported, event_id: null, subscription_id: null };
    const record = () => context.store.transact((tx) => recordCancellation(tx, later, account, given));
    steps.push({ customer, at, record });
  }
  return steps;
}

/**
 * Records a payment when the commission's hold is over, so that only those of the last days are still held.
 */
async function recordPayment(
  context: Context,
  account: Account,
  { customer, at, number }: { customer: SeedCustomer; at: Date; number: number },
): Promise<void> {
  const { email, plan_id, cents } = customer;
  const later = { ...context, now: daysAfter(at, HOLD_DAYS, context.now) };
  const sale = {
    customer: { email, uid: null, tid: null, ref_token: null, promoCode: null },
    event_id: `${email}-${number}`,
    amount: cents,
    currency: null,
    quantity: 1,
    plan_id,
    billing_period: "monthly" as const,
    mrr: cents,
    subscription_id: null,
    created_at: at,
    skip_email_notification: true,
    instalments: null,
  };
  await context.store.transact((tx) => recordSale(tx, later, account, sale));
}

/** Some days later, but not in the future. */
function daysAfter(at: Date, days: number, now: Date): Date {
  return new Date(Math.min(at.getTime() + days * DAY_MS, now.getTime()));
}

/** Records steps concurrently, but those of one customer one after another. */
async function recordSteps(steps: Step[]): Promise<void> {
  const latest = new Map<SeedCustomer, Promise<unknown>>();
  for (const { customer, record } of steps) {
    latest.set(customer, (latest.get(customer) ?? Promise.resolve()).then(record));
  }
  await Promise.all(latest.values());
}

async function payAll(context: Context, { id: accountId }: Account): Promise<void> {
  for (const id of await pendingPayouts(context, accountId)) {
    await context.store.transact((tx) => movePayout(tx, context, accountId, { id, to: "completed" }));
  }
}

/** The pending payouts that were made by now. Rewards other than money get theirs when they are earned. */
async function pendingPayouts({ store, now }: Context, accountId: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const chunk of store.scan(payouts, "status", accountId, ["pending"])) {
    ids.push(
      ...chunk.filter(({ created_at }) => Date.parse(created_at) <= now.getTime()).map(({ id }) => id),
    );
  }
  return ids;
}

/** Pays by two batches, of which one is complete. The other one has failed for one promoter. */
async function payBatches(context: Context, account: Account): Promise<void> {
  await payBatchOf(context, account, { method: "paypal", error: null });
  await payBatchOf(context, account, { method: "wise", error: "The recipient's account is closed" });
}

async function payBatchOf(
  context: Context,
  account: Account,
  { method, error }: { method: PayoutMethodName; error: string | null },
): Promise<void> {
  const { store } = context;
  const batch = await createBatch(context, account, method);
  if (batch === null) return;
  await store.transact((tx) => payBatch(tx, context, account.id, batch.id));
  let failure = error;
  for await (const chunk of store.scan(payouts, "batch", account.id, [batch.id])) {
    for (const { id } of chunk) {
      const move = { id, to: failure === null ? "completed" : "failed", error: failure } as const;
      await store.transact((tx) => movePayout(tx, context, account.id, move));
      failure = null;
    }
  }
}

/** Null if no payout can be paid by this method. */
async function createBatch(
  context: Context,
  account: Account,
  method: PayoutMethodName,
): Promise<PaymentsBatch | null> {
  try {
    return (await createPaymentsBatch(context, account, { method, show: asItIs })).batch;
  } catch (error) {
    if (error instanceof Failure && error.kind === "refused") return null;
    throw error;
  }
}

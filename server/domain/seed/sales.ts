import type { Account } from "../account/account.ts";
import { commissions } from "../commission/commission.ts";
import { setCommissionStatus } from "../commission/review.ts";
import type { Context } from "../context.ts";
import type { Lead } from "../lead/lead.ts";
import { recordCancellation, recordRefund } from "../sale/refund.ts";
import { recordSale } from "../sale/new-sale.ts";
import { asItIs } from "../show.ts";
import type { Dice } from "./dice.ts";
import { DAY_MS, type SeedPlan } from "./plan.ts";
import { HOLD_DAYS, PLANS } from "./program.ts";

/** Days between two payments of a customer. */
const MONTH_DAYS = 30;
/** How many payments a customer makes in a year, on average. */
const USUAL_PAYMENTS = 3.5;
/** Payments at once: enough that their commits share their cost. */
const AT_ONCE = 20;
/** Customers who get their money back, or leave, do so that long after their last payment. */
const REFUND_DAYS = 2;
/** How long a suspicious commission waits until somebody decides. */
const DECISION_DAYS = 25;

/** A customer, with what they paid and when. */
export interface SeedCustomer {
  email: string;
  planId: string;
  cents: number;
  paidAt: Date[];
  refundsLast: boolean;
  cancels: boolean;
}

/** The chance, in percent, that a lead becomes a customer, if the leads are to make about so many sales. */
export function customerChance({ leads, sales }: { leads: number; sales: number }): number {
  return leads === 0 ? 0 : (100 * sales) / (leads * USUAL_PAYMENTS);
}

/** A lead as a customer who pays each month for some time. null: the lead never pays. */
export function customerOf(dice: Dice, { email, state, createdAt }: Lead, now: Date): SeedCustomer | null {
  if (state !== "signup" || email === null) return null;
  const { id: planId, cents } = dice.pick(PLANS);
  const since = Date.parse(createdAt) + 1 + dice.number(14 * DAY_MS);
  const paidAt = Array.from(
    { length: 1 + dice.number(12) },
    (_, month) => since + month * MONTH_DAYS * DAY_MS,
  )
    .filter((at) => at < now.getTime())
    .map((at) => new Date(at));
  if (paidAt.length === 0) return null;
  return { email, planId, cents, paidAt, refundsLast: dice.percent(8), cancels: dice.percent(25) };
}

/** Something that a customer did. */
interface Step {
  customer: SeedCustomer;
  at: Date;
  record: () => Promise<unknown>;
}

/** Records all that customers paid, by the rules that real sales follow, in the order of time. Yields the part done. */
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

/** Records steps at once, but those of one customer one after the other. */
async function recordSteps(steps: Step[]): Promise<void> {
  const latest = new Map<SeedCustomer, Promise<unknown>>();
  for (const { customer, record } of steps) {
    latest.set(customer, (latest.get(customer) ?? Promise.resolve()).then(record));
  }
  await Promise.all(latest.values());
}

function stepsOf(context: Context, account: Account, customer: SeedCustomer): Step[] {
  const { email, cents, paidAt, refundsLast, cancels } = customer;
  const steps: Step[] = paidAt.map((at, number) => ({
    customer,
    at,
    record: () => recordPayment(context, account, { customer, at, number: number + 1 }),
  }));
  const at = new Date(paidAt.at(-1)!.getTime() + REFUND_DAYS * DAY_MS);
  if (at > context.now) return steps;
  const later = { ...context, now: at };
  const told = { customer: { email, uid: null }, createdAt: at, show: asItIs };
  if (refundsLast) {
    const refund = { eventId: `refund-${email}`, saleEventId: `${email}-${paidAt.length}`, currency: null };
    const record = () => recordRefund(later, account, { ...told, ...refund, amount: cents });
    steps.push({ customer, at, record });
  }
  if (cancels) {
    const record = () => recordCancellation(later, account, { ...told, eventId: null });
    steps.push({ customer, at, record });
  }
  return steps;
}

/** Records a payment when the commission's hold is over, so that only those of the last days are still held. */
async function recordPayment(
  context: Context,
  account: Account,
  { customer, at, number }: { customer: SeedCustomer; at: Date; number: number },
): Promise<void> {
  const { email, planId, cents } = customer;
  await recordSale({ ...context, now: daysAfter(at, HOLD_DAYS, context.now) }, account, {
    customer: { email, uid: null, tid: null, refToken: null, promoCode: null },
    eventId: `${email}-${number}`,
    amount: cents,
    currency: null,
    quantity: 1,
    planId,
    billingPeriod: "monthly",
    mrr: cents,
    subscriptionId: null,
    createdAt: at,
    skipEmailNotification: true,
    instalments: null,
    show: asItIs,
  });
}

/** Approves or denies the commissions of suspicious leads that have waited for long. */
export async function seedDecisions({ context, account, dice }: SeedPlan): Promise<void> {
  const { store, now } = context;
  const waiting: { id: number; at: Date }[] = [];
  const long = now.getTime() - DECISION_DAYS * DAY_MS;
  for await (const chunk of store.scan(commissions, "pending", account.id, [])) {
    for (const { id, approveAt, takesBackId, createdAt } of chunk) {
      if (approveAt !== null || takesBackId !== null || Date.parse(createdAt) > long) continue;
      waiting.push({ id, at: daysAfter(new Date(createdAt), DECISION_DAYS, now) });
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

/** Some days later, but not in the future. */
function daysAfter(at: Date, days: number, now: Date): Date {
  return new Date(Math.min(at.getTime() + days * DAY_MS, now.getTime()));
}

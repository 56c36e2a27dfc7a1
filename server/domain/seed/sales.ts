import type { Account } from "../account/record.ts";
import { commissions } from "../commission/commission.ts";
import { setCommissionStatus } from "../commission/status.ts";
import type { Context } from "../context.ts";
import type { Lead } from "../lead/record.ts";
import { recordCancellation } from "../sale/cancellation.ts";
import { recordRefund } from "../sale/refund.ts";
import { recordSale } from "../sale/new-sale.ts";
import { asItIs } from "../show.ts";
import type { Dice } from "./dice.ts";
import { DAY_MS, type SeedPlan } from "./plan.ts";
import { HOLD_DAYS, PLANS } from "./program.ts";

/** Days between two payments of a customer. */
const MONTH_DAYS = 30;
/** About as many payments does a customer make in a history of a year. */
const USUAL_PAYMENTS = 3.5;
/** Customers at once: enough that their commits share their cost. */
const AT_ONCE = 50;
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

/** Records all that customers paid, by the rules that real sales follow. Yields how many customers are done. */
export async function* seedSales(
  { context, account }: SeedPlan,
  customers: SeedCustomer[],
  customersAtOnce = AT_ONCE,
): AsyncGenerator<number> {
  for (let at = 0; at < customers.length; at += customersAtOnce) {
    const group = customers.slice(at, at + customersAtOnce);
    await Promise.all(group.map((customer) => payFor(context, account, customer)));
    yield at + group.length;
  }
}

async function payFor(context: Context, account: Account, customer: SeedCustomer): Promise<void> {
  const { email, planId, cents, paidAt } = customer;
  const names = { email, uid: null, tid: null, refToken: null, promoCode: null };
  for (const [number, createdAt] of paidAt.entries()) {
    // Recorded when the commission's hold is over, so that only those of the last days are still held.
    await recordSale({ ...context, now: daysAfter(createdAt, HOLD_DAYS, context.now) }, account, {
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
  const soon = new Date(paidAt.at(-1)!.getTime() + REFUND_DAYS * DAY_MS);
  if (soon > context.now) return;
  const later = { ...context, now: soon };
  const told = { customer: { email, uid: null }, createdAt: soon, show: asItIs };
  if (customer.refundsLast) {
    const refund = { eventId: `refund-${email}`, saleEventId: `${email}-${paidAt.length}`, currency: null };
    await recordRefund(later, account, { ...told, ...refund, amount: cents });
  }
  if (customer.cancels) await recordCancellation(later, account, { ...told, eventId: null });
}

/** Approves or denies the commissions of suspicious leads that have waited for long. */
export async function seedDecisions({ context, account, dice }: SeedPlan): Promise<void> {
  const { store, now } = context;
  const waiting: { id: number; at: Date }[] = [];
  const long = now.getTime() - DECISION_DAYS * DAY_MS;
  for await (const chunk of store.scan(commissions, "status", account.id, ["pending"])) {
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

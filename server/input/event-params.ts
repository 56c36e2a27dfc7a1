import { z } from "zod";
import { Failure } from "../failure.ts";
import { email, flag, instant, oneOf, text } from "./fields.ts";
import { describe, shapeInput } from "./shape.ts";

/** Choice: the longest amounts and counts that any real sale could have. They keep every sum exact. */
const AMOUNT = /^\d{1,12}$/;
const COUNT = /^\d{1,6}$/;
const BILLING_PERIODS = ["monthly", "yearly", "one_time"] as const;

/** A positive integer in the minor unit of the currency, as a number or as text. */
export const saleAmount = integer(AMOUNT, 1);
const count = integer(COUNT, 1);
const days = integer(COUNT, 0);
const currency = text.trim().toUpperCase();
const names = { email, uid: text };

/** The parameters of every sale. @see docs/spec/money.md "Sales" */
export const saleParams = z
  .object({
    ...names,
    tid: text,
    ref_id: text,
    promo_code: text,
    event_id: text,
    amount: saleAmount,
    quantity: count,
    plan: text,
    billing_period: oneOf(BILLING_PERIODS),
    currency,
    // Choice: it is for statistics, so a faulty one never costs a sale.
    mrr: saleAmount.nullable().catch(null),
    subscription_id: text,
    start_recurring_reward_in: days,
    recurring_reward_frequency: count,
    max_recurring: count,
    ecom_sale: flag,
    skip_email_notification: flag,
    created_at: instant,
  })
  .partial()
  .meta({ id: "SaleInput" });

/** The parameters of every refund. */
export const refundParams = z
  .object({
    ...names,
    event_id: text,
    sale_event_id: text,
    amount: saleAmount,
    currency,
    quantity: count,
    ecom_refund: flag,
    skip_email_notification: flag,
    created_at: instant,
  })
  .partial()
  .meta({ id: "RefundInput" });

/** The parameters of every cancellation. */
export const cancellationParams = z
  .object({ ...names, event_id: text, skip_email_notification: flag, created_at: instant })
  .partial()
  .meta({ id: "CancellationInput" });

/** @throws Failure `missing` or `invalid` */
export function shapeSale(input: Record<string, unknown>) {
  const params = shapeEvent(saleParams, input);
  const { tid = null, ref_id: refToken = null, promo_code: promoCode = null } = params;
  const customer = { ...customerOf(params), tid, refToken, promoCode };
  refuseNameless(Object.values(customer));
  return {
    customer,
    eventId: required(params.event_id, "Error. Event id can not be blank!"),
    amount: required(params.amount, "Error. Amount blank or invalid."),
    currency: params.currency ?? null,
    quantity: params.quantity ?? 1,
    planId: params.plan ?? null,
    billingPeriod: params.billing_period ?? null,
    mrr: params.mrr ?? null,
    subscriptionId: params.subscription_id ?? null,
    createdAt: params.created_at ?? null,
    skipEmailNotification: params.skip_email_notification ?? false,
    instalments: instalmentsOf(params),
  };
}

/** @throws Failure `missing` or `invalid` */
export function shapeRefund(input: Record<string, unknown>) {
  const params = shapeEvent(refundParams, input);
  const customer = customerOf(params);
  refuseNameless(Object.values(customer));
  return {
    customer,
    eventId: required(params.event_id, "Error. Event id can not be blank!"),
    saleEventId: params.sale_event_id ?? null,
    amount: required(params.amount, "Error. Amount blank or invalid."),
    currency: params.currency ?? null,
    createdAt: params.created_at ?? null,
  };
}

/** @throws Failure `missing` or `invalid` */
export function shapeCancellation(input: Record<string, unknown>) {
  const params = shapeEvent(cancellationParams, input);
  const customer = customerOf(params);
  refuseNameless(Object.values(customer));
  return { customer, eventId: params.event_id ?? null, createdAt: params.created_at ?? null };
}

/** A faulty amount has its own message, which clients know. All other faults share one message. */
function shapeEvent<S extends z.ZodObject>(schema: S, input: Record<string, unknown>): z.output<S> {
  try {
    return shapeInput(schema, input);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== "invalid") throw error;
    if (error.fields["amount"]) throw new Failure("invalid", "Error. Amount blank or invalid.");
    throw new Failure("invalid", describe(error.fields), error.fields);
  }
}

type Named = { email?: string | undefined; uid?: string | undefined };

function customerOf({ email: mail, uid }: Named): { email: string | null; uid: string | null } {
  return { email: mail ?? null, uid: uid ?? null };
}

function refuseNameless(given: (string | null)[]): void {
  if (given.every((name) => name === null)) {
    throw new Failure("missing", "Error. Email and uid can not be blank!");
  }
}

function required<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new Failure("missing", message);
  return value;
}

function instalmentsOf(params: z.output<typeof saleParams>) {
  const {
    start_recurring_reward_in: startInDays = null,
    recurring_reward_frequency: everyDays = null,
    max_recurring: maxCount = null,
  } = params;
  return startInDays === null && everyDays === null ? null : { startInDays, everyDays, maxCount };
}

function integer(pattern: RegExp, least: number) {
  return z
    .union([z.number(), z.string()], "is invalid")
    .transform((value) => (pattern.test(String(value).trim()) ? Number(value) : Number.NaN))
    .refine((value) => value >= least, "is invalid")
    .meta({ documentedAs: { type: "integer", minimum: least } });
}

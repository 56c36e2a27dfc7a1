import { z } from "zod";
import { Failure } from "../failure.ts";
import { email, flag, instant, oneOf, text, refToken, tid, uid } from "./fields.ts";
import { describe, shapeInput } from "./shape.ts";
import { field } from "../http/fields.ts";

/**
 * At most twelve digits, so that sums stay exact.
 *
 * @see docs/spec/money.md "Amounts"
 */
const AMOUNT = /^\d{1,12}$/;
const COUNT = /^\d{1,6}$/;
const BILLING_PERIODS = ["monthly", "yearly", "one_time"] as const;

/** A positive integer in the minor unit of the currency, as a number or as text. */
export const saleAmount = integer(AMOUNT, 1);
const count = integer(COUNT, 1);
const days = field(
  integer(COUNT, 0),
  "Days from the sale to the first commission. Default: immediately.",
  30,
);
const currency = text.trim().toUpperCase();
const names = {
  email: field(email, "The person's e-mail address.", "jane@example.com"),
  uid: field(text, uid),
};

/** The parameters of every sale. @see docs/spec/money.md "Sales" */
export const saleParams = z
  .object({
    ...names,
    tid: field(text, tid),
    ref_id: field(text, refToken),
    promo_code: field(
      text,
      "The promo code that the person used. It is used if nothing else names the promoter.",
      "JANE10",
    ),
    event_id: field(
      text,
      "Your own id of the event, such as the number of the invoice. It is recorded once.",
      "order-1001",
    ),
    amount: field(
      saleAmount,
      "The amount in the minor unit of its currency, such as cents. Greater than 0.",
      10000,
    ),
    quantity: field(count, "How many pieces were sold. It multiplies fixed rewards. Default: 1.", 1),
    plan: field(
      text,
      "Your own id of the price or plan that was sold. It finds the product.",
      "price_pro_monthly",
    ),
    billing_period: field(oneOf(BILLING_PERIODS), "How often the plan is paid.", "monthly"),
    currency: field(
      currency,
      "The currency of the amount (ISO 4217). It is converted by the rate of its day. Default: your account's.",
      "USD",
    ),
    // A faulty value is ignored.
    // @see docs/spec/money.md "Sales", 5
    mrr: field(
      saleAmount.nullable().catch(null),
      "The monthly recurring revenue, in the currency of the amount. For statistics only.",
      2900,
    ),
    subscription_id: field(text, "Your billing provider's id of the subscription.", "sub_42"),
    start_recurring_reward_in: days,
    recurring_reward_frequency: field(
      count,
      "Days from one commission to the next, without further sales. Default: none follows.",
      30,
    ),
    max_recurring: field(count, "How many commissions follow the first. Default: until the lead leaves.", 11),
    ecom_sale: field(flag, "Whether it is a single purchase in a shop. Accepted, but not used."),
    skip_email_notification: field(flag, "`true` sends no e-mail about this. Default: `false`."),
    created_at: field(instant, "When it happened. Default: now.", "2026-03-01T09:30:00.000Z"),
  })
  .partial()
  .meta({ id: "SaleInput" });

/** The parameters of every refund. */
export const refundParams = z
  .object({
    ...names,
    event_id: field(text, saleParams.shape.event_id),
    sale_event_id: field(
      text,
      "Your own id of the sale that is refunded. Default: the lead's latest sale that has something left.",
      "order-1001",
    ),
    amount: field(saleAmount, saleParams.shape.amount),
    currency: field(
      currency,
      "The currency of the amount (ISO 4217). Default: that of the sale which is refunded.",
      "USD",
    ),
    quantity: field(count, saleParams.shape.quantity),
    ecom_refund: field(flag, "Whether it refunds a single purchase in a shop. Accepted, but not used."),
    skip_email_notification: field(flag, saleParams.shape.skip_email_notification),
    created_at: field(instant, saleParams.shape.created_at),
  })
  .partial()
  .meta({ id: "RefundInput" });

/** The parameters of every cancellation. */
export const cancellationParams = z
  .object({
    ...names,
    event_id: field(text, saleParams.shape.event_id),
    subscription_id: field(
      text,
      "Your billing provider's id of the subscription that has ended. Default: all of the customer's have.",
      "sub_42",
    ),
    skip_email_notification: field(flag, saleParams.shape.skip_email_notification),
    created_at: field(instant, saleParams.shape.created_at),
  })
  .partial()
  .meta({ id: "CancellationInput" });

/** @throws Failure `missing` or `invalid` */
export function shapeSale(input: Record<string, unknown>) {
  const params = shapeEvent(saleParams, input);
  const { tid = null, ref_id: refToken = null, promo_code = null } = params;
  const customer = { ...customerOf(params), tid, ref_token: refToken, promoCode: promo_code };
  refuseNameless(Object.values(customer));
  return {
    customer,
    event_id: required(params.event_id, "Error. Event id can not be blank!"),
    amount: required(params.amount, "Error. Amount blank or invalid."),
    currency: params.currency ?? null,
    quantity: params.quantity ?? 1,
    plan_id: params.plan ?? null,
    billing_period: params.billing_period ?? null,
    mrr: params.mrr ?? null,
    subscription_id: params.subscription_id ?? null,
    created_at: params.created_at ?? null,
    skip_email_notification: params.skip_email_notification ?? false,
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
    event_id: required(params.event_id, "Error. Event id can not be blank!"),
    sale_event_id: params.sale_event_id ?? null,
    amount: required(params.amount, "Error. Amount blank or invalid."),
    currency: params.currency ?? null,
    created_at: params.created_at ?? null,
  };
}

/** @throws Failure `missing` or `invalid` */
export function shapeCancellation(input: Record<string, unknown>) {
  const params = shapeEvent(cancellationParams, input);
  const customer = customerOf(params);
  refuseNameless(Object.values(customer));
  const subscriptionId = params.subscription_id ?? null;
  const eventId = params.event_id ?? subscriptionId;
  return {
    customer,
    event_id: eventId,
    subscription_id: subscriptionId,
    created_at: params.created_at ?? null,
  };
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
  return startInDays === null && everyDays === null
    ? null
    : { start_in_days: startInDays, every_days: everyDays, max_count: maxCount };
}

function integer(pattern: RegExp, least: number) {
  return z
    .union([z.number(), z.string()], "is invalid")
    .transform((value) => (pattern.test(String(value).trim()) ? Number(value) : Number.NaN))
    .refine((value) => value >= least, "is invalid")
    .meta({ documentedAs: { type: "integer", minimum: least } });
}

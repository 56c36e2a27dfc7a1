import { z } from "zod";
import { share } from "../../domain/money.ts";
import { payerOf, type Nothing, type PaymentEvent, type RefundEvent } from "../event.ts";
import { amount, instant, isoAmount, metadata, objectId, type StripeApi } from "./api.ts";
import { sessionCompleted } from "./invoice.ts";

const email = z.string().nullish();

/** A charge, in the form of any version. */
const chargeShape = z.object({
  id: z.string(),
  amount,
  amount_captured: amount.nullish(),
  amount_refunded: amount.nullish(),
  captured: z.boolean().nullish(),
  paid: z.boolean().nullish(),
  currency: z.string(),
  created: instant,
  customer: objectId.nullish(),
  /** Missing since 2025. Null: the charge paid no invoice. */
  invoice: objectId.nullish(),
  payment_intent: objectId.nullish(),
  receipt_email: email,
  billing_details: z.object({ email }).nullish(),
  metadata,
});

type Charge = z.output<typeof chargeShape>;

const disputeShape = z.object({
  id: z.string(),
  amount,
  currency: z.string(),
  status: z.string(),
  charge: objectId,
  payment_intent: objectId.nullish(),
  balance_transactions: z.array(z.object({ amount })).nullish(),
});

/** A charge without an invoice. An invoice reports its own charges. */
export async function chargeSucceeded(data: unknown, api: StripeApi | null): Promise<PaymentEvent | Nothing> {
  const charge = chargeShape.parse(data);
  if (charge.paid === false || charge.captured === false) {
    return { kind: "nothing", reason: "The charge is not captured yet" };
  }
  const invoice = await invoiceOf(charge, api);
  if (invoice === undefined) {
    // A later sync finds a missing sale; a sale too many would be paid out.
    return {
      kind: "nothing",
      reason: "Only the API knows whether an invoice has this charge; connect with a key",
    };
  }
  if (invoice !== null) return { kind: "nothing", reason: "The invoice of the charge reports the payment" };
  const { id, currency, payment_intent: intent } = charge;
  // A checkout knows the tax and the visit, which its charge does not report.
  const checkout = api && intent ? await api.checkoutOf({ payment_intent: intent }) : null;
  if (checkout !== null) return sessionCompleted(checkout, api);
  const captured = isoAmount(charge.amount_captured ?? charge.amount, currency);
  return {
    kind: "payment",
    objects: [id, ...(intent ? [intent] : [])],
    subscription_id: null,
    payer: payerOf({
      customerId: charge.customer ?? null,
      email: charge.billing_details?.email ?? charge.receipt_email ?? null,
      metadata: [charge.metadata],
    }),
    // A charge does not report its tax.
    parts: { source: "charge", gross_amount: captured, net_amount: captured, quantity: 1 },
    currency: currency.toUpperCase(),
    plan_id: null,
    billing_period: "one_time",
    at: charge.created,
  };
}

/**
 * A refund of a charge. Its event has the sum of refunds before and after it, but since 2022 not the refund
 * itself. So the refund's id consists of the charge's id and the new sum.
 *
 * @see docs/spec/money.md "Billing providers", 9
 */
export async function chargeRefunded(
  { data, before, at }: { data: unknown; before: number; at: Date },
  api: StripeApi | null,
): Promise<RefundEvent | Nothing> {
  const charge = chargeShape.parse(data);
  const { id, currency, amount_refunded: refunded } = charge;
  // Stripe counts what was authorised and never captured as refunded.
  const released = charge.amount - (charge.amount_captured ?? charge.amount);
  const returned = (sum: number) => isoAmount(Math.max(0, sum - released), currency);
  const [grossFrom, grossTo] = [returned(before), returned(refunded ?? 0)];
  if (released > 0 && grossTo === 0) {
    return { kind: "nothing", reason: "The money was released before it was captured" };
  }
  const objects = await objectsOf(charge, api);
  const paidAmount = isoAmount(charge.amount - released, currency);
  const common = { objects, currency: currency.toUpperCase(), net_amount: null, paid_amount: paidAmount, at };
  return { kind: "refund", id: `${id}:${refunded}`, gross_from: grossFrom, gross_to: grossTo, ...common };
}

/**
 * A new dispute. The bank takes the money at the same time, unless it only inquires. If it takes the money
 * later, `charge.dispute.funds_withdrawn` reports it.
 */
export async function disputeCreated(
  reported: { data: unknown; at: Date },
  api: StripeApi | null,
): Promise<RefundEvent | Nothing> {
  const { status } = disputeShape.parse(reported.data);
  if (status.startsWith("warning_")) {
    return { kind: "nothing", reason: "The bank only inquires about the payment and took no money" };
  }
  return fundsWithdrawn(reported, api);
}

/** Money that a bank took back. */
export async function fundsWithdrawn(
  { data, at }: { data: unknown; at: Date },
  api: StripeApi | null,
): Promise<RefundEvent> {
  const dispute = disputeShape.parse(data);
  return disputed({ dispute, kind: "dispute", id: dispute.id, amount: dispute.amount, at }, api);
}

/**
 * Money that a bank returned after a dispute: the whole sum, or a part if the payment had been refunded in
 * part before. The bank's transactions may be in another currency, so their ratio is used.
 */
export async function fundsReinstated(
  { data, at }: { data: unknown; at: Date },
  api: StripeApi | null,
): Promise<RefundEvent> {
  const dispute = disputeShape.parse(data);
  const moved = (dispute.balance_transactions ?? []).map((each) => each.amount);
  const sumOf = (amounts: number[]) => amounts.reduce((sum, each) => sum + Math.abs(each), 0);
  const withdrawn = sumOf(moved.filter((each) => each < 0));
  const returned = Math.min(withdrawn, sumOf(moved.filter((each) => each > 0)));
  const whole = dispute.amount;
  const given = returned > 0 ? share(whole, returned, withdrawn) : whole;
  const id = `${dispute.id}:reinstated`;
  return disputed({ dispute, kind: "reversal", id, amount: given, at }, api);
}

interface Disputed extends Pick<RefundEvent, "kind" | "id" | "at"> {
  dispute: z.output<typeof disputeShape>;
  amount: number;
}

async function disputed(
  { dispute, amount: moved, ...reported }: Disputed,
  api: StripeApi | null,
): Promise<RefundEvent> {
  const { currency, charge, payment_intent } = dispute;
  const objects = await objectsOf({ id: charge, payment_intent }, api);
  // A dispute does not say how much was paid.
  const paid = (await api?.paidBy(charge)) ?? null;
  const paidAmount = paid === null ? null : isoAmount(paid, currency);
  const amounts = {
    gross_from: 0,
    gross_to: isoAmount(moved, currency),
    net_amount: null,
    paid_amount: paidAmount,
  };
  return { ...reported, objects, ...amounts, currency: currency.toUpperCase() };
}

async function objectsOf(charge: Pick<Charge, "id" | "invoice" | "payment_intent">, api: StripeApi | null) {
  const { id, payment_intent: intent } = charge;
  return [await invoiceOf(charge, api), id, intent].filter((each) => typeof each === "string");
}

/** The invoice that a charge paid: null if none, undefined if only the API knows. */
async function invoiceOf(
  { invoice, payment_intent: intent }: Pick<Charge, "invoice" | "payment_intent">,
  api: StripeApi | null,
): Promise<string | null | undefined> {
  if (invoice !== undefined) return invoice;
  if (!intent) return null;
  return api === null ? undefined : api.invoiceOf(intent);
}

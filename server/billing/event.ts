import type { PaymentParts } from "../domain/ledger/sale/payment.ts";
import type { BillingPeriod } from "../domain/ledger/sale/sale.ts";

/** The names that an event has for the person who pays. */
export interface Payer {
  /** The provider's id of the customer. */
  customerId: string | null;
  /** Our own names of the person, from metadata: uids first. */
  uids: string[];
  /** Ids of visits, from metadata. */
  tids: string[];
  email: string | null;
  /** The codes of discounts. */
  promoCodes: string[];
}

/** A payment. One of nothing is a sign-up. */
export interface PaymentEvent {
  kind: "payment";
  /** The ids of its objects, such as the invoice and the charge. The first names the sale. */
  objects: string[];
  subscriptionId: string | null;
  payer: Payer;
  /** In the minor unit of the currency (ISO 4217). */
  parts: PaymentParts;
  currency: string;
  /** The price that most of the money was paid for, by the provider's id. */
  planId: string | null;
  billingPeriod: BillingPeriod | null;
  at: Date;
}

/** Money that was paid back, that a bank took back, or that it gave back after a dispute. */
export interface RefundEvent {
  kind: "refund" | "dispute" | "reversal";
  /** No two refunds share it, and each repetition has it. */
  id: string;
  /** The ids of the payment's objects. */
  objects: string[];
  /** The refunded part of the payment, with tax: from this sum of its refunds to that one. */
  grossFrom: number;
  grossTo: number;
  /** Without tax. null: the payment's own share of tax applies. */
  netAmount: number | null;
  currency: string;
  at: Date;
}

/** A subscription that has ended. */
export interface CancellationEvent {
  kind: "cancellation";
  subscriptionId: string;
  payer: Payer;
  at: Date;
}

/** The meaning that an event of a provider has for us. */
export type BillingEvent = PaymentEvent | RefundEvent | CancellationEvent;

/** An event that means nothing to us, and why, for people who read the provider's log. */
export interface Nothing {
  kind: "nothing";
  reason: string;
}

/** As in `track/sale`. It keeps every sum exact. */
const MAX_QUANTITY = 999_999;

/** How many items were sold, at least one. */
export function soldQuantity(quantity: number): number {
  return Math.min(Math.max(1, quantity), MAX_QUANTITY);
}

/** The names that metadata may have, in the order in which they count. `fp_` is what earlier integrations wrote. */
const UIDS = ["svc_uid", "fp_uid"];
const TIDS = ["svc_tid", "fp_tid", "tid"];

/** The names by which an event names the payer. */
interface Names {
  customerId: string | null;
  email: string | null;
  /** From the event's object, its subscription, and so on. The first that has a name counts. */
  metadata: (Record<string, unknown> | null | undefined)[];
  /** The reference that a payment link carries: a visit's id, or the account's own id of the person. */
  reference?: string | null;
  promoCodes?: string[];
}

/** The payer of an event. */
export function payerOf({ customerId, email, metadata, reference = null, promoCodes = [] }: Names): Payer {
  const named = (names: string[]) =>
    names.flatMap((name) => metadata.map((each) => each?.[name])).filter((value) => isText(value));
  const references = isText(reference) ? [reference] : [];
  return {
    customerId,
    uids: [...named(UIDS), ...references],
    tids: [...named(TIDS), ...references],
    email: isText(email) ? email.trim() : null,
    promoCodes,
  };
}

/** Longer texts are nobody's id. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= 1_000;
}

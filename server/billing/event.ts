import type { PaymentParts } from "../domain/ledger/sale/payment.ts";
import type { BillingPeriod } from "../domain/ledger/sale/sale.ts";

/** The payer's names in an event. */
export interface Payer {
  /** The provider's id of the customer. */
  customerId: string | null;
  /** Our own ids of the person, from metadata: uids first. */
  uids: string[];
  /** Ids of visits, from metadata. */
  tids: string[];
  email: string | null;
  /** Discount codes. */
  promoCodes: string[];
}

/** A payment. One of zero is a sign-up. */
export interface PaymentEvent {
  kind: "payment";
  /** The ids of its objects, such as the invoice and the charge. The sale is named after the first. */
  objects: string[];
  subscription_id: string | null;
  payer: Payer;
  /** In the minor unit of the currency (ISO 4217). */
  parts: PaymentParts;
  currency: string;
  /** The provider's id of the price with the largest part of the amount. */
  plan_id: string | null;
  billing_period: BillingPeriod | null;
  at: Date;
}

/** Money that was refunded, taken back by a bank, or returned after a dispute. */
export interface RefundEvent {
  kind: "refund" | "dispute" | "reversal";
  /** Unique among refunds, and the same in each repetition. */
  id: string;
  /** The ids of the payment's objects. */
  objects: string[];
  /** The refunded part of the payment, with tax: the sum of its refunds before and after this one. */
  gross_from: number;
  gross_to: number;
  /** Without tax. Null: the payment's own tax share applies. */
  net_amount: number | null;
  /** What was paid, with tax: the sum that the refund is a part of. Null: the event does not say. */
  paid_amount: number | null;
  currency: string;
  at: Date;
}

/** A subscription that has ended. */
export interface CancellationEvent {
  kind: "cancellation";
  subscription_id: string;
  payer: Payer;
  at: Date;
}

/** A customer whom the account's own code has named at the provider. It is a sign-up. */
export interface CustomerEvent {
  kind: "customer";
  subscription_id: null;
  payer: Payer;
  at: Date;
}

/** The meaning of a provider's event. */
export type BillingEvent = PaymentEvent | RefundEvent | CancellationEvent | CustomerEvent;

/** An event without meaning for us, and the reason, for readers of the provider's log. */
export interface Nothing {
  kind: "nothing";
  reason: string;
  /** Whether it is of the mode that the connection does not have: live, or test. Absent: no. */
  isOtherMode?: true;
}

/** The limit of `track/sale`, which keeps sums exact. */
const MAX_QUANTITY = 999_999;

/** How many items were sold, at least one. */
export function soldQuantity(quantity: number): number {
  return Math.min(Math.max(1, quantity), MAX_QUANTITY);
}

/** The metadata names to read, by precedence. `fp_` comes from earlier integrations. */
const UIDS = ["svc_uid", "fp_uid"];
const TIDS = ["svc_tid", "fp_tid", "tid"];

/** An event's sources for the payer's names. */
interface Names {
  customerId: string | null;
  email: string | null;
  /**
   * The metadata of the event's object, of its subscription, and so on. The first that names the payer wins.
   */
  metadata: (Record<string, unknown> | null | undefined)[];
  /** The reference of a payment link: a visit's id, or the account's own id of the person. */
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

/** A customer, if the account's own code has named the person or the visit. */
export function customerOf(payer: Payer, at: Date): CustomerEvent | Nothing {
  if (payer.uids.length > 0 || payer.tids.length > 0)
    return { kind: "customer", subscription_id: null, payer, at };
  return { kind: "nothing", reason: "The customer's metadata names neither a visit nor a person" };
}

/** Longer texts are no ids. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= 1_000;
}

import type { PaymentParts } from "../sale/payment.ts";

export const BILLING_PROVIDERS = ["stripe", "paddle"] as const;

export type BillingProvider = (typeof BILLING_PROVIDERS)[number];

/** An account's connection with a billing provider, which reports payments to us. */
export interface BillingConnection {
  accountId: number;
  provider: BillingProvider;
  /** Signs the provider's events. */
  secret: string;
  /** Reads from the provider's API. null: events alone must do. */
  apiKey: string | null;
  /** Where the provider's API is. null: its usual address. */
  apiUrl: string | null;
  createdAt: string;
}

/**
 * An object of a billing provider that belongs to a payment, such as its invoice, its charge or its customer. Several
 * events speak of one payment, each of another object.
 */
export interface BillingObject {
  accountId: number;
  provider: BillingProvider;
  /** The object's id is stored as a hash, because a customer's id is personal. */
  hash: string;
  /** The event id of the payment's sale, recorded or to be recorded. */
  saleEventId: string;
  /** What is known best of the payment. null, or absent in records of former releases: nothing. */
  parts?: PaymentParts | null;
  /**
   * The names that the payment had before events showed that they mean one payment. Refunds may wait under them. Only
   * the object that the payment is named after has all of them. Records of former releases have none.
   */
  formerNames?: string[];
}

/** A refund whose sale is not known yet. */
export interface WaitingRefund {
  accountId: number;
  provider: BillingProvider;
  saleEventId: string;
  eventId: string;
  /** The refunded part of the payment, with tax: from this sum of its refunds to that one. */
  grossFrom: number;
  grossTo: number;
  /** Without tax. null: the payment's own share of tax applies. */
  netAmount: number | null;
  currency: string;
  /** Absent in records of former releases: money that was paid back. */
  kind?: "refund" | "dispute" | "reversal";
  /** When the money moved. */
  createdAt: string;
  keptAt: string;
}

/** A cancellation of a subscription whose first payment is not known yet. */
export interface WaitingCancellation {
  accountId: number;
  provider: BillingProvider;
  /** The provider's id. It is also the event id of the cancellation. */
  subscriptionId: string;
  /** When the subscription ended. */
  createdAt: string;
  keptAt: string;
}

import { sql, type RawBuilder, type SqlBool } from "kysely";
import { Failure } from "../../../failure.ts";
import { findPage, type Schema } from "../../../storage/query.ts";
import type { Reader, Store, View } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { BankAccount } from "../../program/account/account.ts";
import { PROVIDER_WORDS, type PaymentProviderName } from "./connection.ts";

/**
 * The knowledge about a payment. `intent`: recorded, but not sent. `asked`: the provider was asked, and may
 * have paid. `unclaimed`: the money waits at the provider for its receiver. `partly_returned`: a part of it came back, and the
 * rest has arrived, so that its payouts stay paid. `returned`: it came back.
 */
export const PAYMENT_STATES = [
  "intent",
  "asked",
  "unclaimed",
  "confirmed",
  "failed",
  "partly_returned",
  "returned",
] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];

/** The payer. `file`: the company itself, with a downloaded file. */
export type Payer = PaymentProviderName | "file";

/** A provider's report on a payment. Null fields are not reported. */
export interface Said {
  state: PaymentState;
  amount: number | null;
  currency: string | null;
}

/** The reason why a person must decide. */
export interface Review {
  since: string;
  reason: string;
  /** `silence`: the provider's next report resolves it. `payouts`: they no longer fit the payment. */
  kind?: "silence" | "payouts";
  /** The provider's contradictory report. */
  said?: Said;
  /** When the owners were told by e-mail. Absent: not yet. */
  told_at?: string;
}

const paymentFields = {
  id: integer(),
  order_id: integer(),
  payer: text<Payer>(),
  payments_batch_id: integer(),
  promoter_id: integer(),
  payout_ids: json<number[]>(),
  payout_method_id: integer().nullable(),
  /** With tax, in the currency's minor unit. */
  amount: integer(),
  currency: text(),
  /** A UUID that identifies it at the provider. */
  reference: text(),
  state: text<PaymentState>(),
  /** When each state was reached. */
  steps: json<{ state: PaymentState; at: string }[]>(),
  /** The provider's own id, or null if not known yet. */
  provider_id: text().nullable(),
  /** The provider's fee, in the currency's minor unit, or null if unknown. */
  fee: integer().nullable(),
  /** Why it failed or came back, in the provider's words. */
  error: text().nullable().personal("erased"),
  /** Whether the receiver's details were at fault, so that a retry with the same details is pointless. */
  is_payee_fault: flag().optional(),
  /** The person who decided whether it was paid. Absent: the provider's report. */
  decided_by: text().optional(),
  /** The provider's report that the decision was about. The same report again changes nothing. */
  decided_about: json<Said>().optional(),
  review: json<Review>()
    .nullable()
    .personal((review) => ({ ...review, reason: "erased" })),
  created_at: time(),
};

/**
 * The money for one promoter's payouts. Amount, currency, receiver and reference never change: the receiver
 * is the payout method, whose details are frozen once a payout uses it.
 */
export type Payment = RowOf<typeof paymentFields>;

export const payments = table("payment", paymentFields, {
  derived: {
    review_since: ["time", ({ review }) => review?.since ?? null],
  },
  unique: { reference: ["reference"] },
  indexes: {
    order: { on: ["order_id"] },
    batch: { on: ["payments_batch_id"] },
    promoter: { on: ["promoter_id"] },
    review: { on: ["review_since"], where: "review_since is not null" },
    created: { on: ["created_at"] },
  },
});

export const FILE_FORMATS = ["paypal", "wise", "sepa", "pain001", "nacha", "bank"] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

/** What a file depends on besides its payments. It is fixed with the first download, so that each one is the same. */
export interface FileTerms {
  format: FileFormat;
  /** The account that pays, with its holder's name. Null: the format names none. */
  payer: (BankAccount & { name: string }) | null;
}

const paymentOrderFields = {
  id: integer(),
  payer: text<Payer>(),
  payments_batch_id: integer(),
  currency: text(),
  /** Only for a file. */
  file: json<FileTerms>().optional().secret(),
  /** A UUID that identifies it at the provider, or at the bank. */
  reference: text(),
  /** How often the provider was asked to execute it. Written before each request. */
  attempts: integer(),
  first_asked_at: time().nullable(),
  last_asked_at: time().nullable(),
  /**
   * The company's account at the provider that was asked to execute it, or null.
   *
   * @see payingAccountOf
   */
  asked_account: text().nullable(),
  /** The end of one process's exclusive right to contact the provider about it, or null. */
  held_until: time().nullable(),
  /** Whether its outcome is known, from the provider or a person. It is then never sent again. */
  is_settled: flag(),
  /** Since when the provider has not reported its outcome. Null: its last response did. */
  silent_since: time().nullable(),
  /** The provider's own id, or null if not known yet. */
  provider_id: text().nullable(),
  /** When the server asks for news, or null if nothing is open. */
  next_ask_at: time().nullable(),
  created_at: time(),
};

/**
 * One request to a provider that pays several payments together, or one file. A provider may have executed it
 * after the first request, even if the response was an error.
 */
export type PaymentOrder = RowOf<typeof paymentOrderFields>;

export const paymentOrders = table("payment-order", paymentOrderFields, {
  unique: { reference: ["reference"] },
  indexes: {
    batch: { on: ["payments_batch_id"] },
    due: { on: ["next_ask_at"], where: "next_ask_at is not null" },
  },
});

/** The latest payment of a payout: at most one, so that no payout is paid twice. */
const payoutClaimFields = {
  payout_id: integer(),
  payment_id: integer(),
};

export const payoutClaims = table("payout-claim", payoutClaimFields, {
  key: ["payout_id"],
});

/** How sentences name who moves the money. */
export function payerWords(payer: Payer): string {
  return payer === "file" ? "The bank" : PROVIDER_WORDS[payer];
}

/** The states in which money may be on its way, or has arrived. */
const LIVE = new Set<PaymentState>(["intent", "asked", "unclaimed", "confirmed", "partly_returned"]);

/** Whether money may be on its way or has arrived, so that the payouts must not be paid in another way. */
export function isLive({ state }: Pick<Payment, "state">): boolean {
  return LIVE.has(state);
}

/** The latest payment of a payout, or null. */
export async function findPaymentOf(
  reader: Reader,
  { account_id, id }: { account_id: number; id: number },
): Promise<Payment | null> {
  const claim = await reader.get(payoutClaims, account_id, id);
  return claim && reader.get(payments, account_id, claim.payment_id);
}

/** @throws Failure `not_found` */
export async function loadPayment(reader: Reader, accountId: number, id: number): Promise<Payment> {
  const payment = await reader.get(payments, accountId, id);
  if (payment === null) throw new Failure("not_found", "Payment not found.");
  return payment;
}

/** The order with this reference, or with a payment that has it, or null. */
export async function findOrderNamed(
  reader: Reader,
  accountId: number,
  reference: string,
): Promise<PaymentOrder | null> {
  const order = await reader.find(paymentOrders, "reference", accountId, [reference]);
  if (order !== null) return order;
  const payment = await reader.find(payments, "reference", accountId, [reference]);
  return payment && reader.get(paymentOrders, accountId, payment.order_id);
}

/** The payments of a batch, oldest first. */
export async function listPayments(view: View, accountId: number, batchId: number): Promise<Payment[]> {
  return (await view.list(payments, "batch", accountId, [batchId])).toSorted(
    (one, other) => one.id - other.id,
  );
}

/** Whether the money of a payment moves without a file. */
export const IS_BY_PROVIDER = sql<SqlBool>`payments.payer <> 'file'`;

/** Whether a payment waits for a person's decision, or does not. */
export function needsDecision(wanted: boolean): RawBuilder<SqlBool> {
  return wanted
    ? sql<SqlBool>`payments.review_since is not null`
    : sql<SqlBool>`payments.review_since is null`;
}

/** The latest payments, newest first: all, or those that need a decision. */
export async function listLatestPayments(
  store: Store,
  accountId: number,
  { isUndecided, limit }: { isUndecided: boolean; limit: number },
): Promise<Payment[]> {
  const all = store
    .query<Schema<{ payments: typeof payments }>>()
    .selectFrom("payments")
    .where("account_id", "=", accountId)
    .orderBy("id", "desc");
  const query = isUndecided ? all.where(needsDecision(true)) : all;
  return (await findPage(store, payments, { query, limit, offset: 0 })).records;
}

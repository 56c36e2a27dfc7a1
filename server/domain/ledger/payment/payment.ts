import { Failure } from "../../../failure.ts";
import { among, findPage, type Found, type Schema, type Window } from "../../../storage/query.ts";
import type { Reader, Store, View } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import { PROVIDER_WORDS, type PaymentProviderName } from "./connection.ts";

/**
 * What is known about a payment. `intent`: it is written down, and nobody was asked for it. `asked`: the provider has been
 * asked, and may have paid. `unclaimed`: the money waits at the provider for its receiver. `returned`: it came back.
 */
export const PAYMENT_STATES = ["intent", "asked", "unclaimed", "confirmed", "failed", "returned"] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];

/** Who moves the money. `file`: the company itself, with a file that it downloaded. */
export type Payer = PaymentProviderName | "file";

/** What a provider says about a payment. null: it does not say. */
export interface Said {
  state: PaymentState;
  amount: number | null;
  currency: string | null;
}

/** Why a person must decide. */
export interface Review {
  since: string;
  reason: string;
  /** `silence`: the provider's next word answers it. `payouts`: they don't fit the payment any more. */
  kind?: "silence" | "payouts";
  /** The word of the provider that can't be true. */
  said?: Said;
  /** When the owners were told by e-mail. Absent: not yet. */
  toldAt?: string;
}

/**
 * The money of one promoter's payouts on its way. Amount, currency, receiver and reference never change: the receiver is the
 * payout method, whose details are kept as they are once a payout uses it.
 */
export interface Payment {
  accountId: number;
  id: number;
  orderId: number;
  payer: Payer;
  paymentsBatchId: number;
  promoterId: number;
  payoutIds: number[];
  payoutMethodId: number | null;
  /** With tax, in the currency's minor unit. */
  amount: number;
  currency: string;
  /** A UUID that names it at the provider. */
  reference: string;
  state: PaymentState;
  /** When each state was reached. */
  steps: { state: PaymentState; at: string }[];
  /** The provider's own id. null: unknown yet. */
  providerId: string | null;
  /** What the provider took for it, in the currency's minor unit. null: unknown. */
  fee: number | null;
  /** Why it failed or came back, in the provider's words. */
  error: string | null;
  /** Whether the receiver's details were at fault, so that the same details need not be tried again. */
  isPayeeFault?: boolean;
  /** Who said that it was paid, or not. Absent: the provider did. */
  decidedBy?: string;
  /** The word of the provider that the decision was about. The same word is no news. */
  decidedAbout?: Said;
  review: Review | null;
  createdAt: string;
}

export const payments = table<Payment>()({
  name: "payment",
  columns: {
    id: "integer",
    order_id: "integer",
    payments_batch_id: "integer",
    promoter_id: "integer",
    payer: "text",
    state: "text",
    reference: "text",
    review_since: ["text", ({ review }) => review?.since ?? null],
    created_at: "text",
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

/**
 * One request to a provider that pays several payments together, or one file. A provider may have executed it as soon as it
 * was asked once, whatever came back.
 */
export interface PaymentOrder {
  accountId: number;
  id: number;
  payer: Payer;
  paymentsBatchId: number;
  currency: string;
  /** A UUID that names it at the provider. */
  reference: string;
  /** How often the provider was asked to execute it. Written before each time. */
  attempts: number;
  firstAskedAt: string | null;
  lastAskedAt: string | null;
  /** The company's account at the provider that was asked to execute it. null: none was. @see payingAccountOf */
  askedAccount: string | null;
  /** Until then, one process talks to the provider about it. null: nobody does. */
  heldUntil: string | null;
  /** Whether it is known what became of it, by the provider or by a person. It is never sent again then. */
  isSettled: boolean;
  /** Since when the provider has not said what became of it. null: its last answer did. */
  silentSince?: string | null;
  /** The provider's own id. null: unknown yet. */
  providerId: string | null;
  /** When the server asks for news. null: nothing is open. */
  nextAskAt: string | null;
  createdAt: string;
}

export const paymentOrders = table<PaymentOrder>()({
  name: "payment-order",
  columns: {
    id: "integer",
    payments_batch_id: "integer",
    reference: "text",
    next_ask_at: "text",
    created_at: "text",
  },
  unique: { reference: ["reference"] },
  indexes: {
    batch: { on: ["payments_batch_id"] },
    due: { on: ["next_ask_at"], where: "next_ask_at is not null" },
  },
});

/** The latest payment of a payout: at most one, so that no payout is paid by two. */
interface PayoutClaim {
  accountId: number;
  payoutId: number;
  paymentId: number;
}

export const payoutClaims = table<PayoutClaim>()({
  name: "payout-claim",
  key: ["payout_id"],
  columns: { payout_id: "integer", payment_id: "integer" },
});

/** How sentences name who moves the money. */
export function payerWords(payer: Payer): string {
  return payer === "file" ? "The bank" : PROVIDER_WORDS[payer];
}

/** The states in which money may be on its way, or has arrived. */
const LIVE = new Set<PaymentState>(["intent", "asked", "unclaimed", "confirmed"]);

/** Whether money may be on its way or has arrived, so that nobody may pay the payouts in another way. */
export function isLive({ state }: Pick<Payment, "state">): boolean {
  return LIVE.has(state);
}

/** The latest payment of a payout. null: it has none. */
export async function findPaymentOf(
  reader: Reader,
  { accountId, id }: { accountId: number; id: number },
): Promise<Payment | null> {
  const claim = await reader.get(payoutClaims, accountId, id);
  return claim && reader.get(payments, accountId, claim.paymentId);
}

/** @throws Failure `not_found` */
export async function loadPayment(reader: Reader, accountId: number, id: number): Promise<Payment> {
  const payment = await reader.get(payments, accountId, id);
  if (payment === null) throw new Failure("not_found", "Payment not found.");
  return payment;
}

/** The payments of a batch, oldest first. */
export async function listPayments(view: View, accountId: number, batchId: number): Promise<Payment[]> {
  return (await view.list(payments, "batch", accountId, [batchId])).toSorted(
    (one, other) => one.id - other.id,
  );
}

/** The filter of a list of payments. undefined: all. */
export interface PaymentFilter {
  paymentsBatchId?: number | undefined;
  promoterId?: number | undefined;
  state?: PaymentState | undefined;
  needsDecision?: boolean | undefined;
  /** Only those that no file pays. */
  isByProvider?: true | undefined;
}

/** A page of an account's payments, newest first. */
export function findPayments(
  store: Store,
  accountId: number,
  { filter, ...window }: Window & { filter: PaymentFilter },
): Promise<Found<Payment>> {
  let question = store
    .question<Schema<{ payments: typeof payments }>>()
    .selectFrom("payments")
    .where("account_id", "=", accountId)
    .orderBy("id", "desc");
  if (filter.paymentsBatchId !== undefined)
    question = question.where("payments_batch_id", "=", filter.paymentsBatchId);
  if (filter.promoterId !== undefined) question = question.where("promoter_id", "=", filter.promoterId);
  if (filter.state !== undefined) question = question.where(among("state", [filter.state]));
  if (filter.isByProvider) question = question.where("payer", "<>", "file");
  if (filter.needsDecision !== undefined)
    question = question.where("review_since", filter.needsDecision ? "is not" : "is", null);
  return findPage(store, payments, { question, ...window });
}

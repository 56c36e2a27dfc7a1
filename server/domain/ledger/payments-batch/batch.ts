import { sql } from "kysely";
import { Failure } from "../../../failure.ts";
import { findPage, type Found, type Schema, type Window } from "../../../storage/query.ts";
import type { Reader, Store, Transaction, View } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import type { PayoutMethodName } from "../payout-method/payout-method.ts";
import type { payouts } from "../payout/payout.ts";

/**
 * The documented statuses of a batch. None is ever `pending`.
 *
 * @see docs/spec/v2.md "Payments batch"
 */
export const PAYMENTS_BATCH_STATUSES = [
  "awaiting_confirmation",
  "pending",
  "processing",
  "completed",
  "failed",
] as const;

export type PaymentsBatchStatus = (typeof PAYMENTS_BATCH_STATUSES)[number];

/** Pending payouts that are paid together by one method. The payouts refer to it. */
export interface PaymentsBatch {
  accountId: number;
  id: number;
  method: PayoutMethodName;
  status: PaymentsBatchStatus;
  processingStartedAt: string | null;
  completedAt: string | null;
  /** Why it failed. */
  error: string | null;
  /**
   * The promoters with whom its files begin, if it needs several. A payout may leave the batch, but no
   * promoter may move to another file, because the first one may have been uploaded.
   */
  partStarts?: number[];
  /** The user who has made it. Absent: a program did, or a release before this was noted. */
  madeBy?: Pick<PaymentsBatchUser, "userId" | "email">;
  /** The user who has approved its payment by a provider. Absent: not approved, or changed since. */
  approvedBy?: PaymentsBatchUser;
  createdAt: string;
}

/** A user who has done something with a batch, with their address on that day. */
interface PaymentsBatchUser {
  userId: number;
  email: string;
  at: string;
}

export const paymentsBatches = table<PaymentsBatch>()({
  name: "payments-batch",
  columns: { id: "integer", method: "text", status: "text", created_at: "text" },
});

/** @throws Failure `not_found` */
export async function loadPaymentsBatch(
  reader: Reader,
  accountId: number,
  id: number,
): Promise<PaymentsBatch> {
  const batch = await reader.get(paymentsBatches, accountId, id);
  if (batch === null) throw new Failure("not_found", "Payments batch not found.");
  return batch;
}

/**
 * The same, and no payout of the batch can move meanwhile.
 *
 * @throws Failure `not_found`
 */
export async function lockPaymentsBatch(
  tx: Transaction,
  accountId: number,
  id: number,
): Promise<PaymentsBatch> {
  const batch = await tx.lock(paymentsBatches, accountId, id);
  if (batch === null) throw new Failure("not_found", "Payments batch not found.");
  return batch;
}

/** How many batches a list shows. */
const LISTED = 1_000;

/** An account's batches, newest first. */
export function listPaymentsBatches(store: Store, accountId: number): Promise<PaymentsBatch[]> {
  return store.page(paymentsBatches, "id", accountId, [], { limit: LISTED, reverse: true });
}

type BatchSchema = Schema<{ payments_batches: typeof paymentsBatches; payouts: typeof payouts }>;

/** A page of an account's batches, newest first. */
export function findPaymentsBatches(
  store: Store,
  accountId: number,
  window: Window,
): Promise<Found<PaymentsBatch>> {
  const query = store
    .query<BatchSchema>()
    .selectFrom("payments_batches")
    .where("account_id", "=", accountId)
    .orderBy("id", "desc");
  return findPage(store, paymentsBatches, { query, ...window });
}

/** The sum of a batch's payouts with tax, and the number of their promoters. */
interface BatchTotals {
  totalInclTax: number;
  promotersCount: number;
}

/** Adds up the payouts of a batch. */
export async function loadBatchTotals(view: View, { accountId, id }: PaymentsBatch): Promise<BatchTotals> {
  const query = view
    .query<BatchSchema>()
    .selectFrom("payouts")
    .select([
      sql<number>`coalesce(sum(total_incl_tax), 0)`.as("incl_tax"),
      sql<number>`count(distinct promoter_id)`.as("promoters"),
    ])
    .where("account_id", "=", accountId)
    .where("payments_batch_id", "=", id);
  const [sums] = await view.rows(query);
  return { totalInclTax: Number(sums?.incl_tax), promotersCount: Number(sums?.promoters) };
}

/** The name of a batch in its files and at the bank. */
export function batchReference({ id }: Pick<PaymentsBatch, "id">): string {
  return `BATCH-${id}`;
}

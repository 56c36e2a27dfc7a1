import { sql } from "kysely";
import { Failure } from "../../../failure.ts";
import { among, type Schema } from "../../../storage/query.ts";
import type { Reader, Store, Transaction, View } from "../../../storage/store.ts";
import { integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import { payoutMethods, type PayoutMethodName } from "../payout-method/payout-method.ts";
import { payouts, type Payout } from "../payout/payout.ts";
import { hasLatinForm, latinOf } from "../../latin.ts";
import { decimalOf } from "../../money.ts";
import { listPayments, type Payment } from "../payment/payment.ts";
import { loadPromoter, promoterName } from "../../people/promoter/promoter.ts";

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

const fields = {
  id: integer(),
  method: text<PayoutMethodName>(),
  status: text<PaymentsBatchStatus>(),
  processing_started_at: time().nullable(),
  completed_at: time().nullable(),
  /** Why it failed. */
  error: text().nullable(),
  /**
   * The promoters with whom its files begin, if it needs several. A payout may leave the batch, but no
   * promoter may move to another file, because the first one may have been uploaded.
   */
  part_starts: json<number[]>().optional(),
  /** The user who has made it. Absent: a program did. */
  made_by: json<Pick<PaymentsBatchUser, "user_id" | "email">>().optional(),
  /** The user who has approved its payment by a provider. Absent: not approved, or changed since. */
  approved_by: json<PaymentsBatchUser>().optional(),
  created_at: time(),
};

/** Pending payouts that are paid together by one method. The payouts refer to it. */
export type PaymentsBatch = RowOf<typeof fields>;

/** A user who has done something with a batch, with their address on that day. */
interface PaymentsBatchUser {
  user_id: number;
  email: string;
  at: string;
}

export const paymentsBatches = table("payments-batch", fields);

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

/** The sum of a batch's payouts with tax, and the number of their promoters. */
interface BatchTotals {
  total_incl_tax: number;
  promotersCount: number;
}

/** Adds up the payouts of each of some batches. */
export async function batchTotals(view: View, batches: PaymentsBatch[]): Promise<BatchTotals[]> {
  const ids = batches.map(({ id }) => id);
  const query = view
    .query<Schema<{ payouts: typeof payouts }>>()
    .selectFrom("payouts")
    .select([
      "payments_batch_id",
      sql<number>`sum(total_incl_tax)`.as("incl_tax"),
      sql<number>`count(distinct promoter_id)`.as("promoters"),
    ])
    .where("account_id", "=", batches[0]?.account_id ?? 0)
    .where(among("payments_batch_id", ids))
    .groupBy("payments_batch_id");
  const rows = await view.rows(query);
  const sums = new Map(rows.map((row) => [Number(row.payments_batch_id), row]));
  return ids.map((id) => ({
    total_incl_tax: Number(sums.get(id)?.incl_tax ?? 0),
    promotersCount: Number(sums.get(id)?.promoters ?? 0),
  }));
}

/** The name of a batch in its files and at the bank. */
export function batchReference({ id }: Pick<PaymentsBatch, "id">): string {
  return `BATCH-${id}`;
}

/** One line of a file: everything that a promoter gets from it by one method. */
export interface PaymentLine {
  payment_id: number;
  promoter_id: number;
  name: string;
  /** With tax, in the currency's minor unit. */
  amount: number;
  /** The same as a decimal number with a point. */
  decimal: string;
  currency: string;
  /** Identifies the payment at the bank: at most 30 characters without blanks. */
  reference: string;
  /** The account or the wallet. */
  details: Record<string, string>;
}

/**
 * The payouts of a batch that are left to pay.
 *
 * @throws Failure `refused` if there are none
 */
export async function loadLeft(view: View, { account_id, id }: PaymentsBatch): Promise<Payout[]> {
  const all = await view.list(payouts, "batch", account_id, [id]);
  const left = all.filter(({ status }) => status === "pending" || status === "processing");
  if (left.length === 0) throw new Failure("refused", "The payments batch has nothing left to pay");
  return left;
}

/** The lines of a file, in the order of its payments. */
export async function loadPaymentLines(
  tx: Transaction,
  batch: PaymentsBatch,
  payments: Payment[],
): Promise<PaymentLine[]> {
  const known = await listPayments(tx.view, batch.account_id, batch.id);
  const ranks = ranksOf(known.filter(({ payer }) => payer === "file"));
  const lines: PaymentLine[] = [];
  for (const payment of payments)
    lines.push(await lineOf(tx, batch, { payment, rank: ranks.get(payment.id)! }));
  return lines;
}

/** The place of each payment among those of its promoter, from 1. */
function ranksOf(payments: Payment[]): Map<number, number> {
  const counts = new Map<number, number>();
  return new Map(
    payments.map(({ id, promoter_id }) => {
      const rank = (counts.get(promoter_id) ?? 0) + 1;
      counts.set(promoter_id, rank);
      return [id, rank];
    }),
  );
}

/** The maximum of payments in one file of a method. Absent: no limit. */
const MOST_PAYMENTS: Partial<Record<PayoutMethodName, number>> = { paypal: 15_000, wise: 1_000 };

/**
 * The promoters with whom the files of a batch begin, in the order of their ids. Each is paid once, for all
 * payouts.
 */
export function partStarts(method: PayoutMethodName, promoterIds: Iterable<number>): number[] {
  const ordered = [...new Set(promoterIds)].toSorted((left, right) => left - right);
  const size = MOST_PAYMENTS[method] ?? ordered.length;
  return ordered.filter((_, rank) => rank % size === 0);
}

/** The payouts of one file, and the suffix of its name. */
interface Part {
  left: Payout[];
  suffix: string;
}

/**
 * Chooses the payouts of one file of a batch. For a batch of several files, a part must be chosen, so that a
 * user can't upload the first and forget the others.
 *
 * @throws Failure `refused` if no part is chosen of several, or nothing is left of it, `invalid` for a part
 * that does not exist
 */
export async function choosePart(
  view: View,
  { batch, left }: { batch: PaymentsBatch; left: Payout[] },
  part: number | null,
): Promise<Part> {
  const starts = batch.part_starts ?? (await currentStarts(view, batch));
  const count = starts.length;
  if (part === null && count > 1) {
    const files = `A ${batch.method} file holds ${MOST_PAYMENTS[batch.method]} payments, so this batch needs ${count} files`;
    throw new Failure("refused", `${files}: choose a part from 1 to ${count}`);
  }
  const chosen = part ?? 1;
  if (chosen < 1 || chosen > count) {
    const fault = `is not from 1 to ${count}`;
    throw new Failure("invalid", `Validation failed: part ${fault}`, { part: [fault] });
  }
  // The files cover all promoters: the first also has those before the others' starts.
  const from = chosen === 1 ? 0 : (starts[chosen - 1] ?? 0);
  const before = starts[chosen] ?? Infinity;
  const inPart = left.filter(({ promoter_id }) => promoter_id >= from && promoter_id < before);
  if (inPart.length === 0) {
    throw new Failure("refused", `Part ${chosen} of the payments batch has nothing left to pay`);
  }
  return { left: inPart, suffix: count > 1 ? `-${chosen}-of-${count}` : "" };
}

async function lineOf(
  reader: Transaction,
  batch: PaymentsBatch,
  { payment, rank }: { payment: Payment; rank: number },
): Promise<PaymentLine> {
  const { account_id, id: paymentId, promoter_id, payout_method_id, amount, currency } = payment;
  const promoter = await loadPromoter(reader, account_id, promoter_id);
  const method =
    payout_method_id === null ? null : await reader.get(payoutMethods, account_id, payout_method_id);
  const texts = Object.entries(method?.details ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].trim() !== "",
  );
  const details = Object.fromEntries(texts.map(([name, value]) => [name, value.trim()]));
  return {
    payment_id: paymentId,
    promoter_id,
    name: details["account_holder_name"] ?? promoterName(promoter),
    amount,
    decimal: decimalOf(amount, currency),
    currency,
    reference: `${batchReference(batch)}-${promoter_id}${rank > 1 ? `-${rank}` : ""}`,
    details,
  };
}

/** The name of a payment's receiver in Latin letters, or null if only the receiver can write it so. */
export function latinNameOf({ name, details }: Pick<PaymentLine, "name" | "details">): string | null {
  const country = details["country"] ?? details["bank_country"] ?? null;
  const own = [details["account_holder_name_latin"], name].find(
    (each) => each !== undefined && hasLatinForm(each, country),
  );
  return own === undefined ? null : latinOf(own, country);
}

/** The parts of a batch without stored ones, which needs one file. */
async function currentStarts(view: View, { account_id, id, method }: PaymentsBatch): Promise<number[]> {
  const promoterIds = new Set<number>();
  for (const { promoter_id } of await view.list(payouts, "batch", account_id, [id]))
    promoterIds.add(promoter_id);
  return partStarts(method, promoterIds);
}

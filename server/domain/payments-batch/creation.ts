import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import { parse } from "../../storage/documents.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { METHOD_WORDS, type PayoutMethodName } from "../payout-method/record.ts";
import { lockSelectedPayoutMethod } from "../payout-method/payout-method.ts";
import { UNPAYABLE_REASONS, unpayableReason } from "../payout/unpayable-reason.ts";
import { payoutQuestion } from "../payout/filter.ts";
import { payeeOf, payeeQuestion } from "../payout/payee.ts";
import { payouts } from "../payout/payout.ts";
import type { Payout } from "../payout/record.ts";
import type { Show } from "../show.ts";
import { paymentsBatches } from "./batch.ts";
import { partStarts } from "./files/parts.ts";
import type { PaymentsBatch } from "./record.ts";

/** A pending payout of the method that can't be paid yet. */
export interface LeftOut {
  payout: Payout;
  reason: string;
}

/** A new batch as it is shown, and the payouts that it leaves out. */
export interface CreatedBatch<T> {
  batch: T;
  leftOut: LeftOut[];
}

/**
 * Puts all pending, payable money payouts of one method into a batch, in one commit. From then on they keep the method
 * that their promoter has now.
 *
 * @throws Failure `refused` if there are none
 */
export async function createPaymentsBatch<T>(
  context: Context,
  account: Account,
  { method, show }: { method: PayoutMethodName; show: Show<PaymentsBatch, T> },
): Promise<CreatedBatch<T>> {
  const { store } = context;
  const { payable, leftOut } = await sortOut(context, account, method);
  const id = await store.nextId("payments-batch");
  const batch: PaymentsBatch = {
    accountId: account.id,
    id,
    method,
    status: "awaiting_confirmation",
    processingStartedAt: null,
    completedAt: null,
    error: null,
    createdAt: context.now.toISOString(),
  };
  return store.transact(async (tx) => {
    const added: number[] = [];
    for (const payout of payable) {
      if (await isAdded(tx, context, { batch, payout })) added.push(payout.promoterId);
    }
    if (added.length === 0)
      throw new Failure("refused", `No pending payout can be paid by ${METHOD_WORDS[method]}`);
    const starts = partStarts(method, added);
    const after = { ...batch, ...(starts.length > 1 && { partStarts: starts }) };
    await tx.insert(paymentsBatches, after);
    await announce(tx, context, { entity: "payments_batch", before: null, after });
    return { batch: await show(tx.view, after), leftOut };
  });
}

/** Finds the pending money payouts of a method that are in no batch, oldest first. */
async function sortOut(context: Context, account: Account, method: PayoutMethodName) {
  const { store } = context;
  const free = payoutQuestion(context, account, { status: "pending" })
    .where("payouts.unit", "=", "cash")
    .where("payouts.payments_batch_id", "is", null);
  const payees = payeeQuestion(store, account.id)
    .where("selected.method", "=", method)
    .where("promoters.id", "in", free.select("payouts.promoter_id"));
  const rows = await store.rows(payees);
  const reasons = new Map(
    rows.map(payeeOf).map((payee) => [payee.promoter.id, unpayableReason(payee, account)]),
  );
  const payable: Payout[] = [];
  const leftOut: LeftOut[] = [];
  for (const { doc } of await store.rows(free.select("payouts.doc").orderBy("payouts.id"))) {
    const payout = parse(payouts, doc);
    const reason = reasons.get(payout.promoterId);
    if (reason === null) payable.push(payout);
    else if (reason !== undefined) leftOut.push({ payout, reason: UNPAYABLE_REASONS[reason] });
  }
  return { payable, leftOut };
}

function isFree({ status, unit, paymentsBatchId }: Payout): boolean {
  return status === "pending" && unit === "cash" && paymentsBatchId === null;
}

/** Adds a payout to a batch. false: it, or its promoter's method, has changed meanwhile. */
async function isAdded(
  tx: Transaction,
  context: Context,
  { batch, payout: { accountId, id } }: { batch: PaymentsBatch; payout: Payout },
): Promise<boolean> {
  const before = await tx.get(payouts, accountId, id);
  if (before === null || !isFree(before)) return false;
  const selected = await lockSelectedPayoutMethod(tx, accountId, before.promoterId);
  if (selected === null || selected.isDisabled || selected.method !== batch.method) return false;
  const after = { ...before, paymentsBatchId: batch.id, payoutMethodId: selected.id };
  await tx.put(payouts, after);
  await announce(tx, context, { entity: "payout", before, after });
  return true;
}

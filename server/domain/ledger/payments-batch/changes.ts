import { Failure } from "../../../failure.ts";
import type { Transaction, Reader } from "../../../storage/store.ts";
import { allOf } from "../../../storage/query.ts";
import type { Account } from "../../program/account/account.ts";
import { SYSTEM, type Context, type Actor } from "../../context.ts";
import { announce } from "../../events/event.ts";
import { announceMoney } from "../announcement.ts";
import {
  lockSelectedPayoutMethod,
  METHOD_WORDS,
  type PayoutMethodName,
} from "../payout-method/payout-method.ts";
import { refuseHeld } from "../payout-method/changes.ts";
import { payeeOf, payeeQuery, UNPAYABLE_REASONS, unpayableReason } from "../payout/groups.ts";
import { payouts, type Payout } from "../payout/payout.ts";
import { payoutQuery } from "../payout/search.ts";
import { forgetFile, moveWithin } from "../payout/status.ts";
import type { Show } from "../../show.ts";
import {
  lockPaymentsBatch,
  paymentsBatches,
  batchReference,
  partStarts,
  type PaymentsBatch,
  type PaymentsBatchStatus,
} from "./batch.ts";
import { users } from "../../access/user/user.ts";

/** A new batch as shown, and the payouts that it leaves out. */
interface CreatedBatch<T> {
  batch: T;
  leftOut: LeftOut[];
}

/** A pending payout of the method that can't be paid yet. */
interface LeftOut {
  payout: Payout;
  reason: string;
}

/**
 * Puts all pending, payable money payouts of one method into a batch, in one commit. From then on they keep
 * the method that their promoter has now. It opens the transaction itself, because there may be very many payouts, and they are
 * sorted out before.
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
  const refusal = new Failure("refused", `No pending payout can be paid by ${METHOD_WORDS[method]}`);
  // A refused attempt uses up no number.
  if (payable.length === 0) throw refusal;
  const id = await store.nextId("payments-batch");
  const batch: PaymentsBatch = {
    account_id: account.id,
    id,
    method,
    status: "awaiting_confirmation",
    processing_started_at: null,
    completed_at: null,
    error: null,
    ...madeBy(context),
    created_at: context.now.toISOString(),
  };
  return store.transact(async (tx) => {
    const added: number[] = [];
    for (const payout of payable) {
      if (await isAdded(tx, context, { batch, payout })) added.push(payout.promoter_id);
    }
    if (added.length === 0) throw refusal;
    const starts = partStarts(method, added);
    const after = { ...batch, ...(starts.length > 1 && { part_starts: starts }) };
    await tx.insert(paymentsBatches, after);
    await announce(tx, context, { entity: "payments_batch", before: null, after });
    return { batch: await show(tx.view, after), leftOut };
  });
}

/** The statuses in which a batch can be paid for the first time, and those in which it can be retried. */
export const PAYABLE: readonly PaymentsBatchStatus[] = ["awaiting_confirmation"];
export const RETRIABLE: readonly PaymentsBatchStatus[] = ["failed"];

/**
 * Confirms a batch: its payouts are processing from now on. After a failure, the failed ones are processing
 * again.
 *
 * This sends no money: the company uploads the batch's file to its bank or wallet, and then marks the payouts
 * as paid. For a payment by a provider, see `intendPayments`.
 *
 * @throws Failure `not_found`, or `refused` if nothing is left to pay
 */
export async function payBatch(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<PaymentsBatch> {
  const before = await lockPaymentsBatch(tx, accountId, id);
  if (!PAYABLE.includes(before.status) && !RETRIABLE.includes(before.status)) {
    throw new Failure("refused", `A ${before.status} payments batch can't be paid`);
  }
  const open = (await payoutsIn(tx, before)).filter(
    ({ status }) => status === "pending" || status === "failed",
  );
  if (open.length === 0) throw new Failure("refused", "The payments batch has nothing left to pay");
  await refuseHeld(
    tx,
    accountId,
    open.map(({ promoter_id }) => promoter_id),
  );
  const processingStartedAt = context.now.toISOString();
  const after: PaymentsBatch = {
    ...before,
    status: "processing",
    processing_started_at: processingStartedAt,
    error: null,
  };
  // The batch comes first, because each payout that moves reads its status.
  await tx.put(paymentsBatches, after);
  for (const payout of open) await moveWithin(tx, context, { payout, to: "processing" });
  await announce(tx, context, { entity: "payments_batch", before, after });
  return after;
}

/**
 * Deletes a batch. Its payouts are pending again, except completed ones.
 *
 * @throws Failure `not_found`, or `refused` while it is processing or once it is completed
 */
export async function removePaymentsBatch(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<void> {
  const batch = await lockPaymentsBatch(tx, accountId, id);
  if (batch.status === "processing" || batch.status === "completed") {
    throw new Failure("refused", `A ${batch.status} payments batch can't be deleted`);
  }
  const inside = await payoutsIn(tx, batch);
  await tx.remove(paymentsBatches, accountId, id);
  for (const payout of inside) await takeOut(tx, context, payout);
  await announce(tx, context, { entity: "payments_batch", before: batch, after: null });
}

function madeBy({ actor }: Context): Pick<PaymentsBatch, "made_by"> {
  if (actor?.kind !== "user" || actor.id === null) return {};
  return { made_by: { user_id: actor.id, email: actor.name ?? "" } };
}

/** Finds the pending money payouts of a method that are in no batch, oldest first. */
async function sortOut(context: Context, account: Account, method: PayoutMethodName) {
  const { store } = context;
  const free = payoutQuery(store, account.id, { status: "pending" })
    .where("payouts.unit", "=", "cash")
    .where("payouts.payments_batch_id", "is", null);
  const payees = payeeQuery(store, account.id)
    .where("selected.method", "=", method)
    .where("promoters.id", "in", free.select("payouts.promoter_id"));
  const rows = await store.rows(payees);
  const reasons = new Map(
    rows
      .map((row) => payeeOf(store, row))
      .map((payee) => [payee.promoter.id, unpayableReason(payee, account)]),
  );
  const payable: Payout[] = [];
  const leftOut: LeftOut[] = [];
  for (const row of await store.rows(free.select(allOf(payouts)).orderBy("payouts.id"))) {
    const payout = store.record(payouts, row)!;
    const reason = reasons.get(payout.promoter_id);
    if (reason === null) payable.push(payout);
    else if (reason !== undefined) leftOut.push({ payout, reason: UNPAYABLE_REASONS[reason] });
  }
  return { payable, leftOut };
}

/** Adds a payout to a batch. False: it, or its promoter's method, has changed meanwhile. */
async function isAdded(
  tx: Transaction,
  context: Context,
  { batch, payout: { account_id, id } }: { batch: PaymentsBatch; payout: Payout },
): Promise<boolean> {
  const before = await tx.get(payouts, account_id, id);
  if (before === null || !isFree(before)) return false;
  const selected = await lockSelectedPayoutMethod(tx, account_id, before.promoter_id);
  if (selected === null || selected.is_disabled || selected.method !== batch.method) return false;
  const after = { ...before, payments_batch_id: batch.id, payout_method_id: selected.id };
  await tx.put(payouts, after);
  await announceMoney(tx, context, { entity: "payout", before, after });
  return true;
}

function isFree({ status, unit, payments_batch_id }: Payout): boolean {
  return status === "pending" && unit === "cash" && payments_batch_id === null;
}

function payoutsIn({ view }: Transaction, { account_id, id }: PaymentsBatch): Promise<Payout[]> {
  return view.list(payouts, "batch", account_id, [id]);
}

async function takeOut(tx: Transaction, context: Context, before: Payout): Promise<void> {
  if (before.status === "failed") {
    await moveWithin(tx, context, { payout: before, to: "pending" });
    return;
  }
  if (before.status === "pending") await forgetFile(tx, context, before);
  const payoutMethodId = before.status === "pending" ? null : before.payout_method_id;
  const after = { ...before, payments_batch_id: null, payout_method_id: payoutMethodId };
  await tx.put(payouts, after);
  await announceMoney(tx, context, { entity: "payout", before, after });
}

/** Where the approval of a batch stands for one caller. */
export interface Approval {
  is_required: boolean;
  /** Why the caller can't approve it, or null if they can. */
  notApprovableBecause: string | null;
  /** Why the caller can't send it by a provider, or null if no approval is missing. */
  notSendableBecause: string | null;
}

/** Where the approval of a batch stands for the caller. */
export async function approvalOf(
  { store, actor }: Context,
  account: Account,
  batch: PaymentsBatch,
): Promise<Approval> {
  return {
    is_required: account.requires_second_person === true,
    notApprovableBecause: await notApprovable(store, batch, actor),
    notSendableBecause: notSendable(account, batch, actor),
  };
}

/**
 * Lets another user send a batch by a provider. A stolen session, or one person alone, can't send money then.
 *
 * @throws Failure `not_found`, or `refused` for a caller who is no user with a second factor or who has made the batch, or if
 * nothing is to be sent
 */
export async function approveBatch(
  tx: Transaction,
  { actor, now }: Context,
  accountId: number,
  id: number,
): Promise<PaymentsBatch> {
  const before = await lockPaymentsBatch(tx, accountId, id);
  const reason = await notApprovable(tx, before, actor);
  if (reason !== null) throw new Failure("refused", reason);
  const { id: userId, name } = actor!;
  const approvedBy = { user_id: userId!, email: name ?? "", at: now.toISOString() };
  const after = { ...before, approved_by: approvedBy };
  await tx.put(paymentsBatches, after);
  return after;
}

/** @throws Failure `refused` until another user has approved a batch */
export function refuseUnapproved({ actor }: Context, account: Account, batch: PaymentsBatch): void {
  const reason = notSendable(account, batch, actor);
  if (reason !== null) throw new Failure("refused", reason);
}

async function notApprovable(
  reader: Reader,
  batch: PaymentsBatch,
  actor: Actor | undefined,
): Promise<string | null> {
  const user = actor?.kind === "user" ? await reader.get(users, SYSTEM, actor.id!) : null;
  if (user === null || user.second_factor === null)
    return "Only a user with a second factor can approve a payments batch";
  if (user.id === batch.made_by?.user_id)
    return `You have made ${batchReference(batch)}, so another user must approve it`;
  // Some payouts may have failed while others are under way.
  const isOpen = batch.status === "processing" || PAYABLE.includes(batch.status);
  if (!isOpen && !RETRIABLE.includes(batch.status))
    return `A ${batch.status} payments batch can't be approved`;
  return null;
}

function notSendable(account: Account, batch: PaymentsBatch, actor: Actor | undefined): string | null {
  if (account.requires_second_person !== true) return null;
  const name = batchReference(batch);
  if (batch.approved_by === undefined) return `A second person must approve ${name} before it is sent`;
  if (actor?.kind === "user" && actor.id === batch.approved_by.user_id)
    return `You have approved ${name}, so another user must send it`;
  // The approver may have made the key.
  if (actor?.kind === "key") return `A user must send ${name}, not a key`;
  return null;
}

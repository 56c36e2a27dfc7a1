import { Failure } from "../../../failure.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { commissions, isPaid, type Commission } from "../commission/commission.ts";
import type { Context } from "../../context.ts";
import { isErased } from "../../people/erased.ts";
import { announce } from "../../events/event.ts";
import { announceMoney } from "../announcement.ts";
import { followPayout } from "../invoice/changes.ts";
import { findInvoiceOf, refuseInvoiced } from "../invoice/invoice.ts";
import {
  batchReference,
  paymentsBatches,
  type PaymentsBatch,
  type PaymentsBatchStatus,
} from "../payments-batch/batch.ts";
import { PROVIDER_WORDS } from "../payment/connection.ts";
import {
  findPaymentOf,
  isLive,
  payments,
  payoutClaims,
  type Payment,
  type PaymentState,
} from "../payment/payment.ts";
import { lockSelectedPayoutMethod } from "../payout-method/payout-method.ts";
import { promoters } from "../../people/promoter/promoter.ts";
import { loadPayout, payouts, withTax, type Payout, type PayoutStatus } from "./payout.ts";

/**
 * Moves a payout to another status. A cancelled payout frees its commissions.
 *
 * @throws Failure `not_found`, or `refused` if its status does not allow the move
 */
export async function movePayout(
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, to, error = null }: { id: number; to: PayoutStatus; error?: string | null },
): Promise<Payout> {
  return moveWithin(tx, context, { payout: await loadPayout(tx, accountId, id), to, error });
}

/**
 * Sets a payout's status. The present status changes nothing.
 *
 * @throws Failure `not_found`, `refused`
 */
export async function setPayoutStatus(
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, to }: { id: number; to: PayoutStatus | null },
): Promise<Payout> {
  const payout = await loadPayout(tx, accountId, id);
  return to === null || payout.status === to ? payout : moveWithin(tx, context, { payout, to });
}

/**
 * The allowed moves from each status.
 *
 * @see docs/spec/states.md "Payouts"
 */
const MOVES: Record<PayoutStatus, readonly PayoutStatus[]> = {
  pending: ["processing", "completed", "cancelled"],
  processing: ["completed", "failed"],
  failed: ["processing", "pending", "cancelled"],
  completed: ["pending"],
  cancelled: [],
};

/** A change of a payout's status. */
interface Move {
  payout: Payout;
  to: PayoutStatus;
  error?: string | null;
  /** The payment that causes it. Absent: it is moved by hand. */
  by?: Payment;
}

/** Moves a payout as part of a larger change. @throws Failure `refused` */
export async function moveWithin(
  tx: Transaction,
  context: Context,
  { payout, to, error = null, by }: Move,
): Promise<Payout> {
  // Money may come back after it had arrived.
  const isReturn = by !== undefined && payout.status === "completed" && to === "failed";
  if (!MOVES[payout.status].includes(to) && !isReturn) {
    throw new Failure("refused", `A ${payout.status} payout can't become ${to}`);
  }
  if (to === "cancelled") {
    refuseUploaded(payout);
    await refuseInvoiced(tx, payout);
  }
  const latest = by === undefined ? await findPaymentOf(tx, payout) : null;
  refusePaid(latest);
  const { account_id, promoter_id } = payout;
  const staysInBatch = to === "pending" && (await isAwaited(tx, payout));
  const promoter = await tx.get(promoters, account_id, promoter_id);
  const moved: Payout = {
    ...payout,
    ...marks(payout, to, { at: context.now.toISOString(), staysInBatch }),
    status: to,
    // Errors from banks may contain names and account numbers.
    error: to !== "failed" ? null : promoter !== null && isErased(promoter) ? "erased" : error,
    payout_method_id:
      to === "pending" && !staysInBatch ? null : (by?.payout_method_id ?? (await methodFor(tx, payout, to))),
  };
  await tx.put(payouts, moved);
  await followPayout(tx, { before: payout, after: moved });
  if (to === "cancelled") await freeCommissions(tx, moved);
  await announceMoney(tx, context, { entity: "payout", before: payout, after: moved });
  const uploaded = staysInBatch ? "asked" : FILE_STATES[to];
  if (latest?.payer === "file" && uploaded !== undefined) await noteFile(tx, context, latest, uploaded);
  await settleBatch(tx, context, payout, { isReturn, hasFailed: to === "failed" });
  return moved;
}

/** What a status set by hand says about the file that pays the payout. */
const FILE_STATES: Partial<Record<PayoutStatus, PaymentState>> = {
  completed: "confirmed",
  failed: "failed",
  pending: "failed",
  cancelled: "failed",
};

/** Records that a pending payout leaves its batch, because the batch's file was not used. */
export async function forgetFile(
  tx: Transaction,
  context: Pick<Context, "now">,
  payout: Payout,
): Promise<void> {
  const latest = await findPaymentOf(tx, payout);
  if (latest?.payer === "file" && isLive(latest)) await noteFile(tx, context, latest, "failed");
}

async function noteFile(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  payment: Payment,
  state: PaymentState,
): Promise<void> {
  if (payment.state === state) return;
  if (isLive({ state }) && !isLive(payment) && (await isReplaced(tx, payment))) return;
  const steps = [...payment.steps, { state, at: now.toISOString() }];
  await tx.put(payments, { ...payment, state, steps });
}

/** Whether another file pays one of the payouts of a payment that had failed. */
async function isReplaced(tx: Transaction, { account_id, id, payout_ids }: Payment): Promise<boolean> {
  for (const payoutId of payout_ids) {
    const claim = await tx.get(payoutClaims, account_id, payoutId);
    if (claim !== null && claim.payment_id !== id) return true;
  }
  return false;
}

/**
 * Refuses to move a payout by hand while a provider's payment of it may arrive, or has arrived.
 * @throws Failure `refused`
 */
function refusePaid(latest: Payment | null): void {
  if (latest === null || latest.payer === "file" || !isLive(latest)) return;
  const word = PROVIDER_WORDS[latest.payer];
  const fact = isArrived(latest) ? `${word} has paid` : `${word} is paying`;
  throw new Failure("refused", `${fact} this payout, so its status follows payment ${latest.id}`);
}

function isArrived({ state }: Payment): boolean {
  return state === "confirmed" || state === "partly_returned";
}

const REMOVABLE = new Set<PayoutStatus>(["pending", "failed", "cancelled"]);

/**
 * Deletes a payout that moved no money, and frees its commissions.
 * @throws Failure `not_found`, or `refused` if it is processing or completed, or its batch may be paid
 */
export async function removePayout(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<Payout> {
  const payout = await loadPayout(tx, accountId, id);
  if (!REMOVABLE.has(payout.status)) {
    throw new Failure("refused", `A ${payout.status} payout can't be removed`);
  }
  refuseUploaded(payout);
  refusePaid(await findPaymentOf(tx, payout));
  await refuseInvoiced(tx, payout);
  await freeCommissions(tx, payout);
  await tx.remove(payouts, accountId, id);
  await announceMoney(tx, context, { entity: "payout", before: payout, after: null });
  await settleBatch(tx, context, payout);
  return payout;
}

/** Refuses to change a settled commission. @throws Failure `refused` */
export async function refuseSettled(reader: Reader, commission: Commission): Promise<void> {
  const reason = await settlementOf(reader, commission);
  if (reason !== null) throw new Failure("refused", reason);
}

/**
 * The reason why a commission can't be changed, or null: its money is paid, or may be on its way. A payout in
 * a payments batch counts as on its way, because a file for the bank may exist.
 *
 * @see docs/spec/money.md "Refunds, cancellations and moves", 7
 */
export async function settlementOf(reader: Reader, commission: Commission): Promise<string | null> {
  const { account_id, id, payout_id, set_off } = commission;
  if (set_off !== undefined)
    return `Commission ${id} sets a debt in another campaign off and can't be changed`;
  const payout = payout_id === null ? null : await reader.get(payouts, account_id, payout_id);
  if (isPaid(commission, payout)) {
    return `Commission ${id} is paid and can't be changed`;
  }
  const isUnderWay =
    payout !== null &&
    (payout.status !== "pending" ||
      payout.payments_batch_id !== null ||
      (await findInvoiceOf(reader, payout)) !== null);
  return isUnderWay ? `Commission ${id} belongs to a payout that is under way or has failed` : null;
}

/**
 * Removes commissions from their pending payouts, lowers the amounts of these payouts, and returns the
 * commissions without a payout, for the caller to write. A payout whose remaining amount is not positive is
 * deleted, which frees its other commissions.
 *
 * @see docs/spec/states.md "Payouts"
 */
export async function withdrawFromPayouts(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  leaving: Commission[],
): Promise<Commission[]> {
  for (const payout of await payoutsOf(tx, leaving)) {
    const parts = leaving.filter(({ payout_id }) => payout_id === payout.id);
    await lower(tx, context, { payout, by: parts.reduce((sum, { amount }) => sum + amount, 0) });
  }
  return leaving.map((each) => ({ ...each, payout_id: null }));
}

/**
 * Refuses to free the commissions of a pending payout in a payments batch: the bank may have the batch's
 * file, and would pay them in addition to the next payout. A failed payout may leave its batch, because its
 * money came back and files leave it out.
 *
 * @throws Failure `refused`
 */
function refuseUploaded({ status, payments_batch_id: id }: Payout): void {
  if (status !== "pending" || id === null) return;
  const holder = `${batchReference({ id })} holds this payout, and its file may have been uploaded`;
  throw new Failure("refused", `${holder}. Delete the batch first`);
}

/**
 * Whether a payout that is marked as unpaid returns to its payments batch, because the batch is still unpaid
 * and its file may have been uploaded with the payout in it.
 */
async function isAwaited(
  tx: Transaction,
  { account_id, status, payments_batch_id }: Payout,
): Promise<boolean> {
  if (status !== "completed" || payments_batch_id === null) return false;
  const batch = await tx.get(paymentsBatches, account_id, payments_batch_id);
  return batch?.status === "awaiting_confirmation";
}

/** The times and the batch of each status. A payout that becomes pending again starts over. */
function marks(
  payout: Payout,
  to: PayoutStatus,
  { at, staysInBatch }: { at: string; staysInBatch: boolean },
) {
  const isAgain = to === "pending";
  return {
    processing_started_at: to === "processing" ? at : isAgain ? null : payout.processing_started_at,
    paid_at: to === "completed" ? at : null,
    failed_at: to === "failed" ? at : null,
    // A batch counts the payouts that it pays.
    payments_batch_id: (isAgain && !staysInBatch) || to === "cancelled" ? null : payout.payments_batch_id,
  };
}

/**
 * The method of a payout from now on. Once it is processing, it keeps its method. A retry after a failure
 * uses the promoter's present method if that fits the payments batch, because wrong details are the usual
 * reason of failures.
 *
 * @see docs/spec/v2.md "Payments batches"
 */
export async function methodFor(tx: Transaction, payout: Payout, to: PayoutStatus): Promise<number | null> {
  const { account_id, promoter_id, payout_method_id: kept, payments_batch_id, status } = payout;
  const selected = await lockSelectedPayoutMethod(tx, account_id, promoter_id);
  const isAgain = status === "failed" && to === "processing";
  if (!isAgain || selected === null || selected.is_disabled) return kept ?? selected?.id ?? null;
  const batch =
    payments_batch_id === null ? null : await tx.get(paymentsBatches, account_id, payments_batch_id);
  return batch === null || batch.method === selected.method ? selected.id : kept;
}

/** Removes all commissions from a payout that ends without paying them, so that a later run may pay them. */
async function freeCommissions(tx: Transaction, { account_id, id }: Payout): Promise<void> {
  for (const commission of await tx.view.list(commissions, "payout", account_id, [id])) {
    await tx.put(commissions, { ...commission, payout_id: null });
  }
}

/**
 * Completes a batch with its last processing payout. It fails if one of its payouts has failed, and waits
 * again if some were not sent. Call it after each change of a payout's status, and after a payout was
 * removed.
 */
async function settleBatch(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { account_id, payments_batch_id: id }: Payout,
  { isReturn = false, hasFailed = false }: { isReturn?: boolean; hasFailed?: boolean } = {},
): Promise<void> {
  // Other payouts of the batch that change wait for this one.
  const locked = id === null ? null : await tx.lock(paymentsBatches, account_id, id);
  const batch = hasFailed && locked !== null ? await disapproved(tx, locked) : locked;
  // A batch that was not paid keeps waiting, even if its payouts change.
  const isSettled = batch?.status === "completed" && isReturn;
  if (batch === null || (batch.status !== "processing" && batch.status !== "failed" && !isSettled)) return;
  const { status, failed_count } = await settledStatus(tx, batch);
  if (status !== batch.status) await putStatus(tx, context, { batch, status, failed_count });
}

/** A retry may go to another receiver, so the batch must be approved again. */
async function disapproved(
  tx: Transaction,
  { approved_by, ...batch }: PaymentsBatch,
): Promise<PaymentsBatch> {
  if (approved_by !== undefined) await tx.put(paymentsBatches, batch);
  return batch;
}

/** The status that follows from a batch's payouts, of which there may be very many. */
async function settledStatus(
  { view }: Transaction,
  { account_id, id }: PaymentsBatch,
): Promise<{ status: PaymentsBatchStatus; failed_count: number }> {
  const has = async (status: PayoutStatus) =>
    (await view.page(payouts, "batch_status", account_id, [id, status], { limit: 1 })).length > 0;
  if (await has("processing")) return { status: "processing", failed_count: 0 };
  // A provider did not pay them. They can be paid in another way, or leave with the batch.
  if (await has("pending")) return { status: "awaiting_confirmation", failed_count: 0 };
  const failedCount = await view.count(payouts, "batch_status", account_id, [id, "failed"]);
  return { status: failedCount > 0 ? "failed" : "completed", failed_count: failedCount };
}

async function putStatus(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  {
    batch,
    status,
    failed_count,
  }: { batch: PaymentsBatch; status: PaymentsBatchStatus; failed_count: number },
): Promise<void> {
  const { approved_by, ...rest } = batch;
  const after: PaymentsBatch = {
    ...rest,
    ...(status === "processing" && approved_by !== undefined && { approved_by }),
    status,
    completed_at: status === "completed" ? context.now.toISOString() : null,
    error: status === "failed" ? `${failed_count} of its payouts failed` : null,
  };
  await tx.put(paymentsBatches, after);
  await announce(tx, context, { entity: "payments_batch", before: batch, after });
}

/** The payouts that commissions belong to, each once. */
async function payoutsOf(reader: Reader, leaving: Commission[]): Promise<Payout[]> {
  const found = new Map<number, Payout>();
  for (const { account_id, payout_id } of leaving) {
    const payout = payout_id === null ? null : await reader.get(payouts, account_id, payout_id);
    if (payout !== null) found.set(payout.id, payout);
  }
  return [...found.values()];
}

async function lower(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { payout, by }: { payout: Payout; by: number },
): Promise<void> {
  const amount = payout.amount - by;
  if (amount > 0) {
    const lowered = { ...payout, amount, total_incl_tax: withTax(amount, payout.tax_rate_hundredths) };
    await tx.put(payouts, lowered);
    return announceMoney(tx, context, { entity: "payout", before: payout, after: lowered });
  }
  await freeCommissions(tx, payout);
  await tx.remove(payouts, payout.account_id, payout.id);
  await announceMoney(tx, context, { entity: "payout", before: payout, after: null });
}

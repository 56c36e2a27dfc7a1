import { Failure } from "../../../failure.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { commissions, isPaid, type Commission } from "../commission/commission.ts";
import type { Context } from "../../context.ts";
import { isErased } from "../../people/erased.ts";
import { announce } from "../../events/event.ts";
import { announceMoney } from "../commission/balance-event.ts";
import {
  batchReference,
  paymentsBatches,
  type PaymentsBatch,
  type PaymentsBatchStatus,
} from "../payments-batch/batch.ts";
import { PROVIDER_WORDS } from "../payment/connection.ts";
import { findPaymentOf, isLive, payments, type Payment, type PaymentState } from "../payment/payment.ts";
import { lockSelectedPayoutMethod } from "../payout-method/payout-method.ts";
import { promoters } from "../../people/promoter/promoter.ts";
import type { Show } from "../../show.ts";
import { loadPayout, payouts, withTax, type Payout, type PayoutStatus } from "./payout.ts";

/**
 * Moves a payout to another status. A cancelled payout frees its commissions.
 *
 * @throws Failure `not_found`, or `refused` if its status does not allow the move
 */
export function movePayout(
  context: Context,
  accountId: number,
  { id, to, error = null }: { id: number; to: PayoutStatus; error?: string | null },
): Promise<Payout> {
  return context.store.transact(async (tx) =>
    moveWithin(tx, context, { payout: await loadPayout(tx, accountId, id), to, error }),
  );
}

/** Sets a payout's status. The present status changes nothing. @throws Failure `not_found`, `refused` */
export function setPayoutStatus<T>(
  context: Context,
  accountId: number,
  { id, to, show }: { id: number; to: PayoutStatus | null; show: Show<Payout, T> },
): Promise<T> {
  return context.store.transact(async (tx) => {
    const payout = await loadPayout(tx, accountId, id);
    const isSame = to === null || payout.status === to;
    return show(tx.view, isSame ? payout : await moveWithin(tx, context, { payout, to }));
  });
}

/** The allowed moves from each status. @see docs/spec/states.md "Payouts" */
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
  /** The payment that moves it along. Absent: somebody moves it by hand. */
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
  if (to === "cancelled") refuseUploaded(payout);
  const latest = by === undefined ? await findPaymentOf(tx, payout) : null;
  refusePaid(latest);
  const { accountId, promoterId } = payout;
  const staysInBatch = to === "pending" && (await isAwaited(tx, payout));
  const promoter = await tx.get(promoters, accountId, promoterId);
  const moved: Payout = {
    ...payout,
    ...marks(payout, to, { at: context.now.toISOString(), staysInBatch }),
    status: to,
    // Errors from banks may hold names and account numbers.
    error: to !== "failed" ? null : promoter !== null && isErased(promoter) ? "erased" : error,
    payoutMethodId:
      to === "pending" && !staysInBatch ? null : (by?.payoutMethodId ?? (await methodFor(tx, payout, to))),
  };
  await tx.put(payouts, moved);
  if (to === "cancelled") await freeCommissions(tx, moved);
  await announceMoney(tx, context, { entity: "payout", before: payout, after: moved });
  const uploaded = staysInBatch ? "asked" : FILE_STATES[to];
  if (latest?.payer === "file" && uploaded !== undefined) await noteFile(tx, context, latest, uploaded);
  await settleBatch(tx, context, payout, { isReturn, hasFailed: to === "failed" });
  return moved;
}

/** What the status that somebody gives to a payout says about the file that pays it. */
const FILE_STATES: Partial<Record<PayoutStatus, PaymentState>> = {
  completed: "confirmed",
  failed: "failed",
  pending: "failed",
  cancelled: "failed",
};

/** Notes that a pending payout leaves its batch, because nobody has used the batch's file. */
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
  const steps = [...payment.steps, { state, at: now.toISOString() }];
  await tx.put(payments, { ...payment, state, steps });
}

/**
 * Refuses to move a payout by hand while a provider's payment of it may arrive, or has arrived.
 *
 * @throws Failure `refused`
 */
function refusePaid(latest: Payment | null): void {
  if (latest === null || latest.payer === "file" || !isLive(latest)) return;
  const word = PROVIDER_WORDS[latest.payer];
  const fact = latest.state === "confirmed" ? `${word} has paid` : `${word} is paying`;
  throw new Failure("refused", `${fact} this payout, so its status follows payment ${latest.id}`);
}

const REMOVABLE = new Set<PayoutStatus>(["pending", "failed", "cancelled"]);

/**
 * Deletes a payout that moved no money, and frees its commissions.
 *
 * @throws Failure `not_found`, or `refused` if it is processing or completed, or its batch may be paid
 */
export function removePayout(context: Context, accountId: number, id: number): Promise<Payout> {
  return context.store.transact(async (tx) => {
    const payout = await loadPayout(tx, accountId, id);
    if (!REMOVABLE.has(payout.status)) {
      throw new Failure("refused", `A ${payout.status} payout can't be removed`);
    }
    refuseUploaded(payout);
    refusePaid(await findPaymentOf(tx, payout));
    await freeCommissions(tx, payout);
    await tx.remove(payouts, accountId, id);
    await announceMoney(tx, context, { entity: "payout", before: payout, after: null });
    await settleBatch(tx, context, payout);
    return payout;
  });
}

/** Refuses to change a settled commission. @throws Failure `refused` */
export async function refuseSettled(reader: Reader, commission: Commission): Promise<void> {
  const reason = await settlementOf(reader, commission);
  if (reason !== null) throw new Failure("refused", reason);
}

/**
 * Why a commission can't be changed: its money is paid, or may be on its way. null: it can be changed.
 *
 * Choice: a payout in a payments batch counts as on its way, because a file for the bank may exist.
 */
export async function settlementOf(reader: Reader, commission: Commission): Promise<string | null> {
  const { accountId, id, payoutId } = commission;
  const payout = payoutId === null ? null : await reader.get(payouts, accountId, payoutId);
  if (isPaid(commission, payout)) {
    return `Commission ${id} is paid and can't be changed`;
  }
  const isUnderWay = payout !== null && (payout.status !== "pending" || payout.paymentsBatchId !== null);
  return isUnderWay ? `Commission ${id} belongs to a payout that is under way or has failed` : null;
}

/**
 * Takes commissions out of their pending payouts, lowers the amounts of these payouts, and returns the
 * commissions without a payout. The caller writes them.
 *
 * Choice: a payout whose remaining amount is not positive is deleted. Its other commissions are free for a
 * later one.
 */
export async function withdrawFromPayouts(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  leaving: Commission[],
): Promise<Commission[]> {
  for (const payout of await payoutsOf(tx, leaving)) {
    const parts = leaving.filter(({ payoutId }) => payoutId === payout.id);
    await lower(tx, context, { payout, by: parts.reduce((sum, { amount }) => sum + amount, 0) });
  }
  return leaving.map((each) => ({ ...each, payoutId: null }));
}

/**
 * Refuses to free the commissions of a pending payout in a payments batch, because the bank may have the batch's file,
 * and would pay them as well as the next payout.
 *
 * Choice: a failed payout may leave its batch, because its money came back and files leave it out.
 *
 * @throws Failure `refused`
 */
function refuseUploaded({ status, paymentsBatchId: id }: Payout): void {
  if (status !== "pending" || id === null) return;
  const holder = `${batchReference({ id })} holds this payout, and its file may have been uploaded`;
  throw new Failure("refused", `${holder}. Delete the batch first`);
}

/**
 * Whether a payout that is marked as unpaid goes back to its payments batch, because that one is still to be paid and its
 * file may have been uploaded with the payout in it.
 */
async function isAwaited(tx: Transaction, { accountId, status, paymentsBatchId }: Payout): Promise<boolean> {
  if (status !== "completed" || paymentsBatchId === null) return false;
  const batch = await tx.get(paymentsBatches, accountId, paymentsBatchId);
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
    processingStartedAt: to === "processing" ? at : isAgain ? null : payout.processingStartedAt,
    paidAt: to === "completed" ? at : null,
    failedAt: to === "failed" ? at : null,
    // A batch counts what it pays.
    paymentsBatchId: (isAgain && !staysInBatch) || to === "cancelled" ? null : payout.paymentsBatchId,
  };
}

/**
 * The method that a payout goes to from now on. Once it is on its way, it keeps the method that it had then.
 *
 * Choice: if it failed and is tried again, it goes to the method that the promoter has selected since, if that fits the
 * payments batch. Wrong details are the usual reason why a payment fails.
 */
export async function methodFor(tx: Transaction, payout: Payout, to: PayoutStatus): Promise<number | null> {
  const { accountId, promoterId, payoutMethodId: kept, paymentsBatchId, status } = payout;
  const selected = await lockSelectedPayoutMethod(tx, accountId, promoterId);
  const isAgain = status === "failed" && to === "processing";
  if (!isAgain || selected === null || selected.isDisabled) return kept ?? selected?.id ?? null;
  const batch = paymentsBatchId === null ? null : await tx.get(paymentsBatches, accountId, paymentsBatchId);
  return batch === null || batch.method === selected.method ? selected.id : kept;
}

/** Takes all commissions out of a payout that ends without paying them, so that a later run may pay them. */
async function freeCommissions(tx: Transaction, { accountId, id }: Payout): Promise<void> {
  for (const commission of await tx.view.list(commissions, "payout", accountId, [id])) {
    await tx.put(commissions, { ...commission, payoutId: null });
  }
}

/**
 * Completes a batch with the last of its payouts that was under way. It fails if one of its payouts has failed, and waits
 * again if some were not sent. Call it after each change of a payout's status, and when a payout was removed.
 */
async function settleBatch(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { accountId, paymentsBatchId: id }: Payout,
  { isReturn = false, hasFailed = false }: { isReturn?: boolean; hasFailed?: boolean } = {},
): Promise<void> {
  // Other payouts of the batch that change wait for this one.
  const locked = id === null ? null : await tx.lock(paymentsBatches, accountId, id);
  const batch = hasFailed && locked !== null ? await disapproved(tx, locked) : locked;
  // A batch that has not been paid waits, whatever happens to its payouts.
  const isSettled = batch?.status === "completed" && isReturn;
  if (batch === null || (batch.status !== "processing" && batch.status !== "failed" && !isSettled)) return;
  const { status, failedCount } = await settledStatus(tx, batch);
  if (status !== batch.status) await putStatus(tx, context, { batch, status, failedCount });
}

/** What failed may go to another receiver the next time, so somebody must approve the batch anew. */
async function disapproved(tx: Transaction, { approvedBy, ...batch }: PaymentsBatch): Promise<PaymentsBatch> {
  if (approvedBy !== undefined) await tx.put(paymentsBatches, batch);
  return batch;
}

/** The status that follows from a batch's payouts, of which there may be very many. */
async function settledStatus(
  { view }: Transaction,
  { accountId, id }: PaymentsBatch,
): Promise<{ status: PaymentsBatchStatus; failedCount: number }> {
  const has = async (status: PayoutStatus) =>
    (await view.page(payouts, "batchStatus", accountId, [id, status], { limit: 1 })).length > 0;
  if (await has("processing")) return { status: "processing", failedCount: 0 };
  // A provider did not pay them. They can be paid in another way, or leave with the batch.
  if (await has("pending")) return { status: "awaiting_confirmation", failedCount: 0 };
  const failedCount = await view.count(payouts, "batchStatus", accountId, [id, "failed"]);
  return { status: failedCount > 0 ? "failed" : "completed", failedCount };
}

async function putStatus(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { batch, status, failedCount }: { batch: PaymentsBatch; status: PaymentsBatchStatus; failedCount: number },
): Promise<void> {
  const { approvedBy, ...rest } = batch;
  const after: PaymentsBatch = {
    ...rest,
    ...(status === "processing" && approvedBy !== undefined && { approvedBy }),
    status,
    completedAt: status === "completed" ? context.now.toISOString() : null,
    error: status === "failed" ? `${failedCount} of its payouts failed` : null,
  };
  await tx.put(paymentsBatches, after);
  await announce(tx, context, { entity: "payments_batch", before: batch, after });
}

/** The payouts that commissions belong to, each once. */
async function payoutsOf(reader: Reader, leaving: Commission[]): Promise<Payout[]> {
  const found = new Map<number, Payout>();
  for (const { accountId, payoutId } of leaving) {
    const payout = payoutId === null ? null : await reader.get(payouts, accountId, payoutId);
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
    const lowered = { ...payout, amount, totalInclTax: withTax(amount, payout.taxRateHundredths) };
    await tx.put(payouts, lowered);
    return announceMoney(tx, context, { entity: "payout", before: payout, after: lowered });
  }
  await freeCommissions(tx, payout);
  await tx.remove(payouts, payout.accountId, payout.id);
  await announceMoney(tx, context, { entity: "payout", before: payout, after: null });
}

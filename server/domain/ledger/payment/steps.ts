import { isDeepStrictEqual } from "node:util";
import { Failure } from "../../../failure.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { isErased } from "../../people/erased.ts";
import { bookFee } from "../books/entry.ts";
import { promoters } from "../../people/promoter/promoter.ts";
import { followPayment } from "./followed-payout.ts";
import { receiverOf } from "./intent.ts";
import { tellPromoter } from "../money-email.ts";
import {
  findOrderNamed,
  isLive,
  loadPayment,
  paymentOrders,
  payerWords,
  payments,
  type Payment,
  type PaymentOrder,
  type PaymentState,
  type Review,
  type Said,
} from "./payment.ts";
import {
  isOverdue,
  inPast,
  judge,
  mayRepeat,
  nextAskAt,
  untoldSince,
  type Answer,
  type Report,
} from "./report.ts";

/**
 * How long other processes wait before they take an order from one that may have died. If it was only slow,
 * the provider is asked twice, under one reference.
 */
const HOLD_MS = 20 * 1_000;
/** Longer than a request and its token, each of which may be repeated once after 30 seconds. */
const REQUEST_MS = 3 * 60 * 1_000;

/** An order that only this process may discuss with the provider until `heldUntil`. */
export interface HeldOrder {
  order: PaymentOrder;
  /** `receiver` is null if the promoter was erased. */
  payments: { payment: Payment; receiver: { payee: string; name: string } | null }[];
  /** `send`: it was never sent. `find`: it may have been executed, so the provider is asked first. */
  next: "send" | "find";
}

/**
 * Reserves an order, so that only one process contacts the provider about it. If it was never sent, it is
 * marked as sent. Resolves to null if another process has it, or nothing is open.
 */
export function holdOrder(
  context: Context,
  { accountId, id }: Pick<PaymentOrder, "accountId" | "id">,
  /** The company's account at the provider that this process uses. */
  account: string,
): Promise<HeldOrder | null> {
  return context.store.transact(async (tx) => {
    const found = await tx.lock(paymentOrders, accountId, id);
    if (found === null || found.payer === "file" || isHeld(found, context.now)) return null;
    const before = inPast(found, context.now);
    const own = await tx.view.list(payments, "order", accountId, [id]);
    const next = before.attempts === 0 && !before.isSettled ? "send" : "find";
    const order = held(before, context.now);
    if (next === "send")
      return {
        order: await beginAttempt(tx, context, { order, account }),
        next,
        payments: await named(tx, own),
      };
    await tx.put(paymentOrders, order);
    return { order, next, payments: await named(tx, own) };
  });
}

/**
 * Decides whether an order that may have been executed is sent again, and records that beforehand. Resolves
 * to null if not.
 *
 * @see docs/internals.md "One payment"
 */
export function repeatOrder(
  context: Context,
  { accountId, id, attempts }: PaymentOrder,
  given: { answer: Answer["kind"]; refusesRepetitionsMs: number; account: string },
): Promise<PaymentOrder | null> {
  const { now } = context;
  return context.store.transact(async (tx) => {
    const order = await tx.lock(paymentOrders, accountId, id);
    // Another process has sent it meanwhile, because this one was too slow.
    if (order === null || order.attempts !== attempts) return null;
    if (!mayRepeat(order, given.answer, { ...given, now })) return null;
    return beginAttempt(tx, context, { order: held(order, now), account: given.account });
  });
}

/** Records a provider's answer. It may be recorded any number of times, in any order. */
export function recordAnswer(
  context: Context,
  { accountId, id, attempts, heldUntil }: PaymentOrder,
  answer: Answer,
): Promise<void> {
  return context.store.transact(async (tx) => {
    const found = await tx.lock(paymentOrders, accountId, id);
    if (found === null) return;
    const order = inPast(found, context.now);
    const own = await tx.view.list(payments, "order", accountId, [id]);
    const isOnlyAttempt = order.attempts === 1 && attempts === 1;
    const isRefused = answer.kind === "refused" && isOnlyAttempt;
    const after: PaymentOrder = {
      ...order,
      isSettled: order.isSettled || answer.kind === "taken" || isRefused,
      providerId: answer.kind === "taken" ? (answer.providerId ?? order.providerId) : order.providerId,
      silentSince: isTold(answer) ? null : (order.silentSince ?? context.now.toISOString()),
      // A process that was too slow has lost the order to another one.
      heldUntil: order.heldUntil === heldUntil ? null : order.heldUntil,
    };
    const states: PaymentState[] = [];
    for (const payment of own)
      states.push(await apply(tx, context, { payment, order: after, answer, isOnlyAttempt }));
    const isOver = after.isSettled && after.providerId === null && answer.kind === "unaskable";
    const next = isOver ? null : nextAskAt(after, states, context.now);
    const isLeft = isRefused && states.some((state) => state === "asked");
    await tx.put(paymentOrders, isLeft ? unasked(after, context.now) : { ...after, nextAskAt: next });
  });
}

function isTold(answer: Answer): boolean {
  return answer.kind === "taken" ? answer.gap === undefined : answer.kind === "refused";
}

/** An order that was refused as a whole because of some receivers. It is sent again without them. */
function unasked(order: PaymentOrder, now: Date): PaymentOrder {
  const never = { attempts: 0, firstAskedAt: null, lastAskedAt: null, askedAccount: null, isSettled: false };
  return { ...order, ...never, nextAskAt: now.toISOString() };
}

/** Makes the server ask soon about the order that has this reference, or a payment with it. Resolves to null without one. */
export function hurryOrder(
  context: Context,
  accountId: number,
  { reference, providerId }: { reference: string; providerId: string | null },
): Promise<PaymentOrder | null> {
  return context.store.transact(async (tx) => {
    const order = await findOrderNamed(tx, accountId, reference);
    if (order === null) return null;
    const after = {
      ...order,
      providerId: order.providerId ?? providerId,
      nextAskAt: context.now.toISOString(),
    };
    await tx.put(paymentOrders, after);
    return after;
  });
}

/**
 * Records a person's decision about a payment whose outcome the provider does not report. Its order is never
 * sent again.
 *
 * @throws Failure `not_found`, or `refused` if the provider knows it, or is being asked
 */
export function decidePayment(
  context: Context,
  accountId: number,
  { id, wasPaid }: { id: number; wasPaid: boolean },
): Promise<Payment> {
  return context.store.transact(async (tx) => {
    const payment = await loadPayment(tx, accountId, id);
    const order = await tx.lock(paymentOrders, accountId, payment.orderId);
    if (order !== null && isUnderWay(order, context.now)) {
      const words = `${payerWords(payment.payer)} is being asked about this payment. Try again in a few minutes`;
      throw new Failure("refused", words);
    }
    const isOpenFile = payment.payer === "file" && payment.state === "asked";
    if (payment.review === null && !isOpenFile) {
      throw new Failure("refused", `This payment is ${payment.state}, so no decision is needed`);
    }
    if (order !== null) await tx.put(paymentOrders, { ...order, isSettled: true });
    const decidedBy = context.actor?.name ?? context.actor?.kind ?? "process";
    const { said, kind } = payment.review ?? {};
    return move(
      tx,
      context,
      { ...payment, decidedBy, ...(said !== undefined && { decidedAbout: said }), review: null },
      { state: wasPaid ? "confirmed" : "failed", knowsPayouts: kind === "payouts" },
    );
  });
}

function isUnderWay({ lastAskedAt }: PaymentOrder, now: Date): boolean {
  return lastAskedAt !== null && Math.abs(now.getTime() - Date.parse(lastAskedAt)) < REQUEST_MS;
}

function isHeld({ heldUntil }: PaymentOrder, now: Date): boolean {
  if (heldUntil === null) return false;
  const leftMs = Date.parse(heldUntil) - now.getTime();
  // A clock that was ahead has written a longer one.
  return leftMs > 0 && leftMs <= HOLD_MS + REQUEST_MS;
}

function held(order: PaymentOrder, now: Date): PaymentOrder {
  return { ...order, heldUntil: new Date(now.getTime() + HOLD_MS).toISOString() };
}

async function beginAttempt(
  tx: Transaction,
  context: Context,
  { order, account }: { order: PaymentOrder; account: string },
): Promise<PaymentOrder> {
  const at = context.now.toISOString();
  const after: PaymentOrder = {
    ...order,
    attempts: order.attempts + 1,
    firstAskedAt: order.firstAskedAt ?? at,
    lastAskedAt: at,
    askedAccount: account,
  };
  await tx.put(paymentOrders, after);
  for (const payment of await tx.view.list(payments, "order", order.accountId, [order.id])) {
    if (payment.state === "intent") await move(tx, context, payment, { state: "asked" });
  }
  return after;
}

/** The payments with their receivers. */
async function named(tx: Transaction, own: Payment[]): Promise<HeldOrder["payments"]> {
  const found: HeldOrder["payments"] = [];
  for (const payment of own) found.push({ payment, receiver: await receiverOf(tx, payment) });
  return found;
}

/** Applies an answer to one payment, and resolves to its state. */
async function apply(
  tx: Transaction,
  context: Context,
  given: { payment: Payment; order: PaymentOrder; answer: Answer; isOnlyAttempt: boolean },
): Promise<PaymentState> {
  const { payment, order, answer, isOnlyAttempt } = given;
  if (answer.kind === "taken") {
    const report = answer.reports.find(({ reference }) => reference === payment.reference);
    if (report !== undefined) return (await applyReport(tx, context, payment, report)).state;
    if (answer.isComplete && payment.state === "asked") {
      // It may be listed later, so a person must check, and nothing else follows.
      const words = `${payerWords(payment.payer)} has the order, but does not list this payment`;
      return (await ask(tx, context, payment, { reason: words, kind: "silence" })).state;
    }
  }
  if (answer.kind === "refused" && isOnlyAttempt && judge(payment, "failed") === "new") {
    const fault = answer.faults.find(({ reference }) => reference === payment.reference);
    // Without the rejected receivers, the others may be paid.
    if (fault === undefined && answer.faults.length > 0) return payment.state;
    const [error, isPayeeFault] = [fault?.reason ?? answer.reason, fault !== undefined];
    const failed = await move(tx, context, payment, { state: "failed", error, isPayeeFault });
    // A fault of the company, such as too little money, is nothing that the promoter can repair.
    if (isPayeeFault) await tellPromoter(tx, context, failed);
    return failed.state;
  }
  if (!AWAITED.has(payment.state) || !isOverdue(order, context.now) || payment.review !== null)
    return payment.state;
  const what = order.attempts === 0 ? "could not be asked" : "has not said whether it has paid";
  const since = `since ${untoldSince(order)?.slice(0, 16).replace("T", " ")} UTC`;
  const why = await tellable(tx, payment, whyUntold(answer));
  const reason = `${payerWords(payment.payer)} ${what} ${since}${why === null ? "" : `: ${why}`}`;
  return (await ask(tx, context, payment, { reason, kind: "silence" })).state;
}

function whyUntold(answer: Answer): string | null {
  if (answer.kind === "taken") return answer.gap ?? null;
  return "reason" in answer ? answer.reason : null;
}

/** The states before the provider's final report. */
const AWAITED = new Set<PaymentState>(["intent", "asked", "unclaimed"]);

async function applyReport(
  tx: Transaction,
  context: Context,
  payment: Payment,
  report: Report,
): Promise<Payment> {
  const { state, amount, currency } = report;
  const said: Said = { state, amount, currency };
  const words = `${payerWords(payment.payer)} says that it is ${state}`;
  const isOther =
    (amount !== null && amount !== payment.amount) || (currency !== null && currency !== payment.currency);
  const isDecided = isDeepStrictEqual(payment.decidedAbout, said);
  if (isOther && !isDecided) {
    const money = `${amount} ${currency} instead of ${payment.amount} ${payment.currency}`;
    return ask(tx, context, payment, { reason: `${words}, with ${money}, in minor units`, said });
  }
  const known = {
    ...payment,
    providerId: report.providerId ?? payment.providerId,
    fee: report.fee ?? payment.fee,
  };
  // More of it may come back, until nothing is left.
  const isMore = state === "partly_returned" && payment.state === state && payment.error !== report.error;
  const judged = isDecided ? "old" : isMore ? "new" : judge(payment, state);
  if (judged === "contradiction")
    return ask(tx, context, known, { reason: `${words}, and it was ${payment.state} before`, said });
  await bookFee(tx, context.now, payment, known);
  if (judged === "new") {
    const { decidedBy: _decidedBy, decidedAbout: _decidedAbout, ...undecided } = known;
    return tellPromoter(tx, context, await move(tx, context, { ...undecided, review: null }, report));
  }
  // The provider knows the payment, so that no decision is needed any more.
  const isKnown = known.review?.kind === "silence" && state === payment.state && AWAITED.has(state);
  const after = isKnown ? { ...known, review: null } : known;
  if (after.providerId !== payment.providerId || after.fee !== payment.fee || isKnown)
    await tx.put(payments, after);
  return after;
}

/** Asks a person to decide about a payment. */
async function ask(
  tx: Transaction,
  context: Context,
  payment: Payment,
  review: Omit<Review, "since" | "toldAt">,
): Promise<Payment> {
  if (payment.review?.reason === review.reason) return payment;
  const [toldAt, since] = [payment.review?.toldAt, context.now.toISOString()];
  const after = { ...payment, review: { since, ...review, ...(toldAt !== undefined && { toldAt }) } };
  await tx.put(payments, after);
  return after;
}

/** Moves a payment and its payouts to a state. */
async function move(
  tx: Transaction,
  context: Context,
  payment: Payment,
  {
    state,
    error = null,
    isPayeeFault = false,
    knowsPayouts = false,
  }: { state: PaymentState; error?: string | null; isPayeeFault?: boolean; knowsPayouts?: boolean },
): Promise<Payment> {
  const isBack = state === "failed" || state === "partly_returned" || state === "returned";
  const moved: Payment = {
    ...payment,
    state,
    error: isBack ? await tellable(tx, payment, error) : null,
    ...(isPayeeFault && { isPayeeFault }),
    steps: [...payment.steps, { state, at: context.now.toISOString() }],
  };
  await tx.put(payments, moved);
  const stray: number[] = [];
  let sum = 0;
  for (const id of payment.payoutIds) {
    const payout = await followPayment(tx, context, { payment: moved, payoutId: id });
    if (payout === null) stray.push(id);
    else sum += payout.totalInclTax;
  }
  if (!isLive(moved) || knowsPayouts) return moved;
  if (stray.length > 0) {
    const reason = `It is ${state}, but payout ${stray.join(", ")} was settled in another way`;
    return ask(tx, context, moved, { reason, kind: "payouts" });
  }
  if (sum === payment.amount) return moved;
  // Commissions may leave a payout that has failed, until its money turns out to have arrived.
  const reason = `It is ${state} with ${payment.amount}, but its payouts are ${sum} now, in minor units`;
  return ask(tx, context, moved, { reason, kind: "payouts" });
}

/** Errors of providers may contain names and addresses, which must not be stored for erased people. */
async function tellable(
  tx: Transaction,
  { accountId, promoterId }: Payment,
  error: string | null,
): Promise<string | null> {
  const promoter = error === null ? null : await tx.get(promoters, accountId, promoterId);
  return promoter !== null && isErased(promoter) ? "erased" : error;
}

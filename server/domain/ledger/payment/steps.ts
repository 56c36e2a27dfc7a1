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

/** An order that only this process may discuss with the provider until `held_until`. */
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
  { account_id, id }: Pick<PaymentOrder, "account_id" | "id">,
  /** The company's account at the provider that this process uses. */
  account: string,
): Promise<HeldOrder | null> {
  return context.store.transact(async (tx) => {
    const found = await tx.lock(paymentOrders, account_id, id);
    if (found === null || found.payer === "file" || isHeld(found, context.now)) return null;
    const before = inPast(found, context.now);
    const own = await tx.view.list(payments, "order", account_id, [id]);
    const next = before.attempts === 0 && !before.is_settled ? "send" : "find";
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
  { account_id, id, attempts }: PaymentOrder,
  given: { answer: Answer["kind"]; refusesRepetitionsMs: number; account: string },
): Promise<PaymentOrder | null> {
  const { now } = context;
  return context.store.transact(async (tx) => {
    const order = await tx.lock(paymentOrders, account_id, id);
    // Another process has sent it meanwhile, because this one was too slow.
    if (order === null || order.attempts !== attempts) return null;
    if (!mayRepeat(order, given.answer, { ...given, now })) return null;
    return beginAttempt(tx, context, { order: held(order, now), account: given.account });
  });
}

/** Records a provider's answer. It may be recorded any number of times, in any order. */
export function recordAnswer(
  context: Context,
  { account_id, id, attempts, held_until }: PaymentOrder,
  answer: Answer,
): Promise<void> {
  return context.store.transact(async (tx) => {
    const found = await tx.lock(paymentOrders, account_id, id);
    if (found === null) return;
    const order = inPast(found, context.now);
    const own = await tx.view.list(payments, "order", account_id, [id]);
    const isOnlyAttempt = order.attempts === 1 && attempts === 1;
    const isRefused = answer.kind === "refused" && isOnlyAttempt;
    const after: PaymentOrder = {
      ...order,
      is_settled: order.is_settled || answer.kind === "taken" || isRefused,
      provider_id: answer.kind === "taken" ? (answer.provider_id ?? order.provider_id) : order.provider_id,
      silent_since: isTold(answer) ? null : (order.silent_since ?? context.now.toISOString()),
      // A process that was too slow has lost the order to another one.
      held_until: order.held_until === held_until ? null : order.held_until,
    };
    const states: PaymentState[] = [];
    for (const payment of own)
      states.push(await apply(tx, context, { payment, order: after, answer, isOnlyAttempt }));
    const isOver = after.is_settled && after.provider_id === null && answer.kind === "unaskable";
    const next = isOver ? null : nextAskAt(after, states, context.now);
    const isLeft = isRefused && states.some((state) => state === "asked");
    await tx.put(paymentOrders, isLeft ? unasked(after, context.now) : { ...after, next_ask_at: next });
  });
}

function isTold(answer: Answer): boolean {
  return answer.kind === "taken" ? answer.gap === undefined : answer.kind === "refused";
}

/** An order that was refused as a whole because of some receivers. It is sent again without them. */
function unasked(order: PaymentOrder, now: Date): PaymentOrder {
  const never = {
    attempts: 0,
    first_asked_at: null,
    last_asked_at: null,
    asked_account: null,
    is_settled: false,
  };
  return { ...order, ...never, next_ask_at: now.toISOString() };
}

/** Makes the server ask soon about the order that has this reference, or a payment with it. Resolves to null without one. */
export function hurryOrder(
  context: Context,
  accountId: number,
  { reference, provider_id }: { reference: string; provider_id: string | null },
): Promise<PaymentOrder | null> {
  return context.store.transact(async (tx) => {
    const order = await findOrderNamed(tx, accountId, reference);
    if (order === null) return null;
    const after = {
      ...order,
      provider_id: order.provider_id ?? provider_id,
      next_ask_at: context.now.toISOString(),
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
export async function decidePayment(
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, wasPaid }: { id: number; wasPaid: boolean },
): Promise<Payment> {
  const payment = await loadPayment(tx, accountId, id);
  const order = await tx.lock(paymentOrders, accountId, payment.order_id);
  if (order !== null && isUnderWay(order, context.now)) {
    const words = `${payerWords(payment.payer)} is being asked about this payment. Try again in a few minutes`;
    throw new Failure("refused", words);
  }
  const isOpenFile = payment.payer === "file" && payment.state === "asked";
  if (payment.review === null && !isOpenFile) {
    throw new Failure("refused", `This payment is ${payment.state}, so no decision is needed`);
  }
  if (order !== null) await tx.put(paymentOrders, { ...order, is_settled: true });
  const decidedBy = context.actor?.name ?? context.actor?.kind ?? "process";
  const { said, kind } = payment.review ?? {};
  return move(
    tx,
    context,
    { ...payment, decided_by: decidedBy, ...(said !== undefined && { decided_about: said }), review: null },
    { state: wasPaid ? "confirmed" : "failed", knowsPayouts: kind === "payouts" },
  );
}

function isUnderWay({ last_asked_at }: PaymentOrder, now: Date): boolean {
  return last_asked_at !== null && Math.abs(now.getTime() - Date.parse(last_asked_at)) < REQUEST_MS;
}

function isHeld({ held_until }: PaymentOrder, now: Date): boolean {
  if (held_until === null) return false;
  const leftMs = Date.parse(held_until) - now.getTime();
  // A clock that was ahead has written a longer one.
  return leftMs > 0 && leftMs <= HOLD_MS + REQUEST_MS;
}

function held(order: PaymentOrder, now: Date): PaymentOrder {
  return { ...order, held_until: new Date(now.getTime() + HOLD_MS).toISOString() };
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
    first_asked_at: order.first_asked_at ?? at,
    last_asked_at: at,
    asked_account: account,
  };
  await tx.put(paymentOrders, after);
  for (const payment of await tx.view.list(payments, "order", order.account_id, [order.id])) {
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
    const failed = await move(tx, context, payment, { state: "failed", error, is_payee_fault: isPayeeFault });
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
  const isDecided = isDeepStrictEqual(payment.decided_about, said);
  if (isOther && !isDecided) {
    const money = `${amount} ${currency} instead of ${payment.amount} ${payment.currency}`;
    return ask(tx, context, payment, { reason: `${words}, with ${money}, in minor units`, said });
  }
  const known = {
    ...payment,
    provider_id: report.provider_id ?? payment.provider_id,
    fee: report.fee ?? payment.fee,
  };
  // More of it may come back, until nothing is left.
  const isMore = state === "partly_returned" && payment.state === state && payment.error !== report.error;
  const judged = isDecided ? "old" : isMore ? "new" : judge(payment, state);
  if (judged === "contradiction")
    return ask(tx, context, known, { reason: `${words}, and it was ${payment.state} before`, said });
  await bookFee(tx, context.now, payment, known);
  if (judged === "new") {
    const { decided_by: _decidedBy, decided_about: _decidedAbout, ...undecided } = known;
    return tellPromoter(tx, context, await move(tx, context, { ...undecided, review: null }, report));
  }
  // The provider knows the payment, so that no decision is needed any more.
  const isKnown = known.review?.kind === "silence" && state === payment.state && AWAITED.has(state);
  const after = isKnown ? { ...known, review: null } : known;
  if (after.provider_id !== payment.provider_id || after.fee !== payment.fee || isKnown)
    await tx.put(payments, after);
  return after;
}

/** Asks a person to decide about a payment. */
async function ask(
  tx: Transaction,
  context: Context,
  payment: Payment,
  review: Omit<Review, "since" | "told_at">,
): Promise<Payment> {
  if (payment.review?.reason === review.reason) return payment;
  const [toldAt, since] = [payment.review?.told_at, context.now.toISOString()];
  const after = {
    ...payment,
    review: { since, ...review, ...(toldAt !== undefined && { told_at: toldAt }) },
  };
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
    is_payee_fault = false,
    knowsPayouts = false,
  }: { state: PaymentState; error?: string | null; is_payee_fault?: boolean; knowsPayouts?: boolean },
): Promise<Payment> {
  const isBack = state === "failed" || state === "partly_returned" || state === "returned";
  const moved: Payment = {
    ...payment,
    state,
    error: isBack ? await tellable(tx, payment, error) : null,
    ...(is_payee_fault && { is_payee_fault }),
    steps: [...payment.steps, { state, at: context.now.toISOString() }],
  };
  await tx.put(payments, moved);
  const stray: number[] = [];
  let sum = 0;
  for (const id of payment.payout_ids) {
    const payout = await followPayment(tx, context, { payment: moved, payout_id: id });
    if (payout === null) stray.push(id);
    else sum += payout.total_incl_tax;
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
  { account_id, promoter_id }: Payment,
  error: string | null,
): Promise<string | null> {
  const promoter = error === null ? null : await tx.get(promoters, account_id, promoter_id);
  return promoter !== null && isErased(promoter) ? "erased" : error;
}

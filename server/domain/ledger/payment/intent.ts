import { Failure } from "../../../failure.ts";
import { allOf, type Schema } from "../../../storage/query.ts";
import type { Transaction } from "../../../storage/store.ts";
import { accounts, type Account } from "../../program/account/account.ts";
import { type Context, SYSTEM } from "../../context.ts";
import { isErased } from "../../people/erased.ts";
import { announce } from "../../events/event.ts";
import { refuseUnapproved } from "../payments-batch/changes.ts";
import { lockPaymentsBatch, paymentsBatches, type PaymentsBatch } from "../payments-batch/batch.ts";
import { HELD, isHeld } from "../payout-method/changes.ts";
import {
  METHOD_WORDS,
  payoutMethods,
  type PayoutMethod,
  type PayoutMethodName,
} from "../payout-method/payout-method.ts";
import { payouts, type Payout } from "../payout/payout.ts";
import { methodFor, moveWithin } from "../payout/status.ts";
import { loadPromoter, promoterName, type Promoter } from "../../people/promoter/promoter.ts";
import { PROVIDER_WORDS, type PaymentProviderName } from "./connection.ts";
import {
  findPaymentOf,
  isLive,
  paymentOrders,
  payments,
  payoutClaims,
  type Payment,
  type PaymentOrder,
} from "./payment.ts";
import { smallestPayment, stepWords } from "./provider-money.ts";
import { whyNotPayable } from "./stripe-account.ts";
import { DAY_MS } from "../../span.ts";

const IS_EMAIL = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]+$/;

/**
 * The payout method that each provider pays, and the detail that names the receiver. The API has no methods
 * named after Stripe and Tremendous, so they pay methods of the kind `custom`.
 *
 * @see docs/spec/v2.md "Payments"
 */
const PAID_BY: Record<PaymentProviderName, { method: PayoutMethodName; field: string; isPayee: RegExp }> = {
  paypal: { method: "paypal", field: "wallet_email", isPayee: IS_EMAIL },
  wise: { method: "wise", field: "wise_email", isPayee: IS_EMAIL },
  stripe: { method: "custom", field: "stripe_account", isPayee: /^acct_\w+$/ },
  tremendous: { method: "custom", field: "gift_card_email", isPayee: IS_EMAIL },
};

/** The payout method that a provider pays. */
export function methodOf(provider: PaymentProviderName): PayoutMethodName {
  return PAID_BY[provider].method;
}

/** A payment that could be made now. */
export interface PlannedPayment {
  promoter_id: number;
  name: string;
  /** The receiver at the provider. */
  payee: string;
  payout_method_id: number;
  amount: number;
  payouts: Payout[];
}

/** The effect of sending a batch. */
export interface Plan {
  batch: PaymentsBatch;
  currency: string;
  toPay: PlannedPayment[];
  leftOut: { payout: Payout; reason: string }[];
}

/**
 * Shows the effect of sending a batch, and writes nothing.
 *
 * @throws Failure `not_found`, `refused` for another method
 */
export function planPayments(
  context: Context,
  account: Account,
  given: { batchId: number; provider: PaymentProviderName },
): Promise<Plan> {
  return context.store.transact((tx) => planWithin(tx, account, { ...given, now: context.now }));
}

/**
 * Records the next payments of a batch before the provider is asked, at most as many as one order may hold.
 * Their payouts are processing from then on. Resolves to null if nothing is left to pay.
 *
 * @throws Failure `not_found`, `refused` for another method, without approval, or for more than the account's limits
 */
export function intendPayments(
  context: Context,
  { id }: Pick<Account, "id">,
  given: { batchId: number; provider: PaymentProviderName; mostPayments: number },
): Promise<PaymentOrder | null> {
  return context.store.transact(async (tx) => {
    // An owner may have set a limit while the provider was asked. Only one batch at a time is counted against it.
    const account = await tx.lock(accounts, SYSTEM, id);
    if (account === null) throw new Failure("not_found", "Account not found.");
    const { batch, toPay } = await planWithin(tx, account, { ...given, now: context.now });
    const planned = toPay.slice(0, given.mostPayments);
    if (planned.length === 0) return null;
    refuseUnapproved(context, account, batch);
    await refuseExcess(tx, context, account, toPay);
    const at = context.now.toISOString();
    const order = await newOrder(context, { account, batchId: batch.id, payer: given.provider });
    await tx.insert(paymentOrders, { ...order, next_ask_at: at });
    if (batch.status !== "processing") {
      const after: PaymentsBatch = { ...batch, status: "processing", processing_started_at: at, error: null };
      // The batch comes first, because each payout that moves reads its status.
      await tx.put(paymentsBatches, after);
      await announce(tx, context, { entity: "payments_batch", before: batch, after });
    }
    for (const { payouts: own, ...one } of planned) {
      for (const payout of own) await moveWithin(tx, context, { payout, to: "processing" });
      await insertPayment(tx, context, order, {
        promoter_id: one.promoter_id,
        payout_method_id: one.payout_method_id,
        amount: one.amount,
        payout_ids: own.map(({ id }) => id),
        state: "intent",
      });
    }
    return { ...order, next_ask_at: at };
  });
}

/**
 * Refuses to pay more than the account's limits, so that a stolen session or a typing error can't empty the
 * company's account at the provider.
 *
 * @throws Failure `refused`
 */
async function refuseExcess(
  { view }: Transaction,
  { now }: Context,
  { id, max_run_cents = 0, max_day_cents = 0 }: Account,
  toPay: PlannedPayment[],
): Promise<void> {
  const total = toPay.reduce((sum, { amount }) => sum + amount, 0);
  if (max_run_cents > 0 && total > max_run_cents)
    throw new Failure(
      "refused",
      `The payments are ${total}, and the limit of a run is ${max_run_cents}, in minor units`,
    );
  if (max_day_cents === 0) return;
  const since = new Date(now.getTime() - DAY_MS).toISOString();
  const query = view
    .query<Schema<{ payments: typeof payments }>>()
    .selectFrom("payments")
    .select(allOf(payments))
    .where("account_id", "=", id)
    .where("created_at", ">", since);
  const latest = (await view.rows(query)).map((row) => view.record(payments, row)!);
  const paid = latest.filter((one) => one.payer !== "file" && isLive(one));
  const before = paid.reduce((sum, { amount }) => sum + amount, 0);
  if (before + total <= max_day_cents) return;
  const words = `The payments of 24 hours would be ${before + total}, and their limit is ${max_day_cents}, in minor units`;
  throw new Failure("refused", words);
}

/**
 * The receiver of a payment at its provider, or null if the details are gone, because the promoter was
 * erased.
 */
export async function receiverOf(
  tx: Pick<Transaction, "get" | "find">,
  { account_id, promoter_id, payout_method_id, payer }: Payment,
): Promise<{ payee: string; name: string } | null> {
  if (payout_method_id === null || payer === "file") return null;
  const method = await tx.get(payoutMethods, account_id, payout_method_id);
  const payee = textOf(method?.details[PAID_BY[payer].field]);
  if (method === null || payee === null) return null;
  return { payee, name: nameOf(method, await loadPromoter(tx, account_id, promoter_id)) };
}

function nameOf({ details }: PayoutMethod, promoter: Promoter): string {
  return textOf(details["account_holder_name"]) ?? promoterName(promoter);
}

/** Makes the record of an order that was not sent yet. */
export async function newOrder(
  { store, chance, now }: Context,
  { account, batchId, payer }: { account: Account; batchId: number; payer: PaymentOrder["payer"] },
): Promise<PaymentOrder> {
  return {
    account_id: account.id,
    id: await store.nextId("payment-order"),
    payer,
    payments_batch_id: batchId,
    currency: account.currency,
    reference: chance.uuid(),
    attempts: 0,
    first_asked_at: null,
    last_asked_at: null,
    asked_account: null,
    held_until: null,
    is_settled: false,
    silent_since: null,
    provider_id: null,
    next_ask_at: null,
    created_at: now.toISOString(),
  };
}

/** Writes a payment, which becomes the latest one of its payouts. */
export async function insertPayment(
  tx: Transaction,
  { store, chance, now }: Context,
  { account_id, id: orderId, payer, payments_batch_id, currency }: PaymentOrder,
  given: Pick<Payment, "promoter_id" | "payout_method_id" | "amount" | "payout_ids" | "state">,
): Promise<Payment> {
  const at = now.toISOString();
  const id = await store.nextId("payment");
  const payment: Payment = {
    account_id,
    id,
    order_id: orderId,
    payer,
    payments_batch_id,
    ...given,
    currency,
    reference: chance.uuid(),
    steps: [{ state: given.state, at }],
    provider_id: null,
    fee: null,
    error: null,
    review: null,
    created_at: at,
  };
  await tx.insert(payments, payment);
  for (const payoutId of given.payout_ids)
    await tx.put(payoutClaims, { account_id, payout_id: payoutId, payment_id: id });
  return payment;
}

async function planWithin(
  tx: Transaction,
  account: Account,
  { batchId, provider, now }: { batchId: number; provider: PaymentProviderName; now: Date },
): Promise<Plan> {
  const batch = await lockPaymentsBatch(tx, account.id, batchId);
  if (batch.method !== PAID_BY[provider].method) {
    const words = `${PROVIDER_WORDS[provider]} can't pay a batch of ${METHOD_WORDS[batch.method]} payments`;
    throw new Failure("refused", words);
  }
  const plan: Plan = { batch, currency: account.currency, toPay: [], leftOut: [] };
  const inBatch = await tx.view.list(payouts, "batch", account.id, [batchId]);
  for (const payout of inBatch.toSorted((one, other) => one.promoter_id - other.promoter_id)) {
    if (payout.status === "completed" || payout.status === "cancelled") continue;
    const checked = await check(tx, { payout, batch, provider, account, now });
    if (checked === null) continue;
    if (typeof checked === "string") plan.leftOut.push({ payout, reason: checked });
    else addTo(plan, payout, checked);
  }
  return withoutUnpayable(plan, provider);
}

/** Leaves out the amounts that a provider can't pay to the last unit, such as 10.50 forints. */
function withoutUnpayable(plan: Plan, provider: PaymentProviderName): Plan {
  const { currency } = plan;
  const step = smallestPayment(provider, currency);
  const [toPay, unpayable] = [true, false].map((isPayable) =>
    plan.toPay.filter(({ amount }) => (amount % step === 0) === isPayable),
  ) as [PlannedPayment[], PlannedPayment[]];
  const leftOut = unpayable.flatMap(({ amount, payouts: own }) => {
    const reason = `${PROVIDER_WORDS[provider]} ${stepWords(provider, amount, currency)}`;
    return own.map((payout) => ({ payout, reason }));
  });
  return { ...plan, toPay, leftOut: [...plan.leftOut, ...leftOut] };
}

type Payable = Pick<PlannedPayment, "name" | "payee" | "payout_method_id">;

interface Checked {
  payout: Payout;
  batch: PaymentsBatch;
  provider: PaymentProviderName;
  account: Account;
  now: Date;
}

/** The receiver of a payout, or the reason why it can't be sent. Null: it was already sent. */
async function check(
  tx: Transaction,
  { payout, batch, provider, account, now }: Checked,
): Promise<Payable | string | null> {
  const latest = await findPaymentOf(tx, payout);
  if (latest !== null && isLive(latest)) {
    if (latest.payer !== "file") return null;
    return `A file that pays it was downloaded on ${latest.created_at.slice(0, 10)}. Decide first whether it was used`;
  }
  if (payout.status === "processing") return "It was marked as processing, so a file may pay it";
  const promoter = await loadPromoter(tx, payout.account_id, payout.promoter_id);
  if (isErased(promoter)) return "The promoter was erased";
  if (await isHeld(tx, promoter.account_id, promoter.id)) return `${HELD}. Release the payouts first`;
  const payoutMethodId = await methodFor(tx, payout, "processing");
  const method =
    payoutMethodId === null ? null : await tx.get(payoutMethods, payout.account_id, payoutMethodId);
  if (method === null || method.method !== PAID_BY[provider].method)
    return "It has no matching payout method";
  // A user who marks the payout as pending again wants a retry with the same receiver.
  const isSameReceiver = payout.status === "failed" && latest?.payout_method_id === method.id;
  if (isSameReceiver && latest.is_payee_fault === true)
    return `${PROVIDER_WORDS[provider]} refused the receiver. The promoter must change the payout method`;
  if (isSameReceiver && latest.state === "returned")
    return "The money came back from this receiver. The promoter must change the payout method";
  const approvedAt = account.requires_second_person === true ? batch.approved_by?.at : undefined;
  // A failed payout goes to the method that the promoter has selected since.
  if (approvedAt !== undefined && payout.status === "failed" && (method.changed_at ?? "") >= approvedAt)
    return "The payout method was changed after the batch was approved. Approve it again";
  const restMs = (account.method_rest_days ?? 0) * DAY_MS;
  if (method.changed_at !== undefined && now.getTime() - Date.parse(method.changed_at) < restMs)
    return `The payout method was changed on ${method.changed_at.slice(0, 10)}, less than ${account.method_rest_days} days ago`;
  const { field, isPayee } = PAID_BY[provider];
  const payee = textOf(method.details[field]);
  if (payee === null) return `${field} is missing`;
  if (!isPayee.test(payee)) return `${field} is invalid`;
  const refusal = provider === "stripe" ? await whyNotPayable(tx, payout.account_id, payee) : null;
  if (refusal !== null) return refusal;
  return { name: nameOf(method, promoter), payee, payout_method_id: method.id };
}

/** A promoter gets one payment for all payouts, unless some go to a newer method. */
function addTo({ toPay }: Plan, payout: Payout, payable: Payable): void {
  const known = toPay.find(
    ({ promoter_id, payout_method_id }) =>
      promoter_id === payout.promoter_id && payout_method_id === payable.payout_method_id,
  );
  if (known === undefined) {
    const { promoter_id, total_incl_tax: amount } = payout;
    toPay.push({ promoter_id, ...payable, amount, payouts: [payout] });
    return;
  }
  known.amount += payout.total_incl_tax;
  known.payouts.push(payout);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

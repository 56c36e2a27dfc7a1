import { Failure } from "../../../failure.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import type { Commission } from "../commission/commission.ts";
import type { Context } from "../../context.ts";
import type { Lead } from "../../people/lead/lead.ts";
import { share } from "../../money.ts";
import { isMissing, toAccountCurrency, worthless, type MissingRate } from "../rate.ts";
import type { Promoter } from "../../people/promoter/promoter.ts";
import { ownTaking, salePayments, type SalePayment } from "./payment.ts";
import {
  loadPayer,
  loadRefunded,
  markRefunded,
  newRefund,
  takeBack,
  type NewRefund,
} from "./refunded-sale.ts";
import { alreadyRecorded, refunds, refuseRepeated, sales, type Refund, type Sale } from "./sale.ts";
import { keepCommissions, settle, type Settled } from "./settlement.ts";
import {
  leftOfWaiting,
  refuseWaiting,
  waitingEvents,
  waitingOf,
  type RateRefund,
  type ShownWaiting,
  type WaitingSale,
} from "./waiting.ts";

/** A refund with its lead, the lead's promoter, and the commissions that take others back. */
interface RecordedRefund {
  refund: Refund;
  lead: Lead;
  promoter: Promoter;
  commissions: Commission[];
}

/**
 * Records that a sale, or a part of it, was refunded. It takes back the same part of each commission of the
 * sale. Without an exchange rate for it or for its sale, the refund is stored: see `unlessWaiting`.
 *
 * @throws Failure `not_found` for an unknown customer, `already_registered` for a known event id, `invalid`
 * if the sale is unknown or less of it is left, `worthless`
 * @see docs/spec/money.md "Refunds, cancellations and moves"
 */
export async function recordRefund(
  tx: Transaction,
  context: Context,
  account: Account,
  input: NewRefund,
): Promise<RecordedRefund | ShownWaiting> {
  const { kept, event_id } = input;
  const id = kept?.id ?? (await tx.nextId("event"));
  const at = input.created_at ?? context.now;
  await Promise.all([
    refuseRepeated(tx, refunds, { kind: "refund", account_id: account.id, event_id }),
    refuseWaiting(tx, { kind: "refund", account_id: account.id, event_id }, kept),
  ]);
  const { lead: known, sale } = await loadRefunded(tx, account.id, input);
  const promoter = await loadPayer(tx, known, isWaiting(sale) ? null : sale);
  const currency = currencyOf(account, { input, sale });
  const keep = async (rate: MissingRate) => {
    const waiting = await keepRefund(tx, context, { id, input, lead: known, sale, rate, at, currency });
    return { waiting, lead: known, promoter };
  };
  if (isWaiting(sale)) return keep(await rateOf(tx, sale, { input, currency }));
  const money = await amountsOf(tx, account, { input, sale, at, currency });
  if (isMissing(money)) return keep(money);
  const refund = newRefund(sale, { id, event_id, created_at: at.toISOString(), ...money });
  const { saleAmount } = money;
  const payment = await tx.get(salePayments, account.id, sale.id);
  const taken =
    payment === null
      ? await takePart(tx, context, { sale, refund, saleAmount })
      : await takeFromPayment(tx, context, { account, sale, payment, refund, saleAmount });
  return { ...taken, refund: taken.refund ?? refund, promoter };
}

function isWaiting(sale: Sale | WaitingSale): sale is WaitingSale {
  return "rate" in sale;
}

/** The currency of a refund: its sale's, unless it names another. */
function currencyOf(
  { currency: own }: Account,
  { input: { currency }, sale }: { input: NewRefund; sale: Sale | WaitingSale },
): string {
  return currency ?? (isWaiting(sale) ? sale.facts.currency : sale.original_currency) ?? own;
}

/** Stores a refund until there is a rate for it and for its sale. It names its sale from now on. */
async function keepRefund(
  tx: Transaction,
  context: Context,
  {
    input: { amount, event_id, kept },
    lead,
    sale,
    currency,
    ...event
  }: {
    id: number;
    input: NewRefund;
    lead: Lead;
    sale: Sale | WaitingSale;
    rate: MissingRate;
    at: Date;
    currency: string;
  },
): Promise<RateRefund> {
  const { rate } = event;
  if (kept !== undefined) {
    // Its sale is recorded, and it may now wait for a rate of its own.
    const waiting = { ...kept, rate, fault: null };
    if (rate.from !== kept.rate.from || rate.day !== kept.rate.day) await tx.put(waitingEvents, waiting);
    return waiting;
  }
  const common = waitingOf(lead, context, { ...event, event_id });
  const waiting: RateRefund = { ...common, kind: "refund", sale_event_id: sale.event_id, amount, currency };
  await tx.insert(waitingEvents, waiting, { event: () => alreadyRecorded("refund", event_id) });
  return waiting;
}

/**
 * The rate that a sale waits for.
 * @throws Failure `invalid` if less of the sale is left
 */
async function rateOf(
  tx: Transaction,
  sale: WaitingSale,
  { input: { amount, kept }, currency }: { input: NewRefund; currency: string },
): Promise<MissingRate> {
  const isSame = currency === sale.facts.currency;
  if (isSame && kept === undefined && amount > (await leftOfWaiting(tx, sale))) throw tooMuch();
  return sale.rate;
}

function tooMuch(): Failure {
  return new Failure("invalid", "Error. Amount blank or invalid: it is more than what is left of the sale.");
}

/** A refund's amounts: in the account's currency, as given, and in the currency of its sale. */
interface Amounts {
  amount_cents: number;
  original_amount: number;
  original_currency: string | null;
  saleAmount: number;
}

/**
 * A refund in the sale's own currency is converted by the sale's rate, so that a refund of everything equals
 * the whole sale.
 *
 * @throws Failure `invalid` if less of the sale is left, `worthless`
 */
async function amountsOf(
  tx: Transaction,
  account: Account,
  { input: { amount }, sale, at, currency }: { input: NewRefund; sale: Sale; at: Date; currency: string },
): Promise<Amounts | MissingRate> {
  const { amount_cents, original_amount, refunded_cents, refunded_original_amount } = sale;
  if (currency === sale.original_currency) {
    const refunded = refunded_original_amount + amount;
    if (refunded > original_amount) throw tooMuch();
    // Sales of earlier releases may themselves be worth zero.
    if (amount_cents > 0 && share(amount_cents, amount, original_amount) === 0)
      throw worthless({ amount, currency }, account);
    const cents = share(amount_cents, refunded, original_amount) - refunded_cents;
    return { amount_cents: cents, original_amount: amount, original_currency: currency, saleAmount: amount };
  }
  const money = await toAccountCurrency(tx, account, { amount, currency, at });
  if (isMissing(money)) return money;
  const refunded = refunded_cents + money.cents;
  if (money.cents === 0) throw worthless({ amount, currency }, account);
  if (refunded > amount_cents || amount_cents === 0) throw tooMuch();
  const saleAmount = share(original_amount, refunded, amount_cents) - refunded_original_amount;
  const { original_currency } = money;
  return { amount_cents: money.cents, original_amount: money.original_amount, original_currency, saleAmount };
}

/** Takes back the refunded part of a sale that no provider reported. */
async function takePart(
  tx: Transaction,
  context: Context,
  { sale, refund, saleAmount }: { sale: Sale; refund: Refund; saleAmount: number },
): Promise<Settled> {
  const after: Sale = {
    ...sale,
    refunded_cents: sale.refunded_cents + refund.amount_cents,
    refunded_original_amount: sale.refunded_original_amount + saleAmount,
  };
  await tx.put(sales, after);
  await insertRefund(tx, refund);
  const lead = await markRefunded(tx, context, { before: sale, after, at: refund.created_at });
  const commissions = await takeBack(tx, context, { lead, sale, after, refund });
  return keepCommissions(tx, { sale: after, lead, refund, commissions });
}

/** Takes back the refunded part of a sale that a provider reported. */
async function takeFromPayment(
  tx: Transaction,
  context: Context,
  {
    account,
    sale,
    payment,
    refund,
    saleAmount,
  }: { account: Account; sale: Sale; payment: SalePayment; refund: Refund; saleAmount: number },
): Promise<Settled> {
  await insertRefund(tx, refund);
  const takings = [...payment.takings, ownTaking(refund, saleAmount)];
  return settle(tx, context, {
    account,
    sale,
    payment: { ...payment, takings },
    at: refund.created_at,
    refund,
  });
}

function insertRefund(tx: Transaction, refund: Refund): Promise<void> {
  return tx.insert(refunds, refund, { event: () => alreadyRecorded("refund", refund.event_id) });
}

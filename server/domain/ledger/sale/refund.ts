import { Failure } from "../../../failure.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import type { Commission } from "../commission/commission.ts";
import type { Context } from "../../context.ts";
import type { Lead } from "../../people/lead/lead.ts";
import { share } from "../../money.ts";
import { isMissing, missingRate, toAccountCurrency, worthless, type MissingRate } from "../rate.ts";
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
  type Shows,
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
 * sale. Without an exchange rate for it or for its sale, the refund is stored.
 *
 * @throws Failure `not_found` for an unknown customer, `already_registered` for a known event id, `invalid`
 * if the sale is unknown or less of it is left, `worthless`
 * @see docs/spec/money.md "Refunds, cancellations and moves"
 */
export async function recordRefund<T, W = never>(
  context: Context,
  account: Account,
  { show, showWaiting, ...input }: NewRefund & Shows<RecordedRefund, T, W>,
): Promise<T | W> {
  const { store, now } = context;
  const { kept } = input;
  const id = kept?.id ?? (await store.nextId("event"));
  const at = input.createdAt ?? now;
  return store.transact(async (tx): Promise<T | W> => {
    const { eventId } = input;
    await Promise.all([
      refuseRepeated(tx, refunds, { kind: "refund", accountId: account.id, eventId }),
      refuseWaiting(tx, { kind: "refund", accountId: account.id, eventId }, kept),
    ]);
    const { lead: known, sale } = await loadRefunded(tx, account.id, input);
    const promoter = await loadPayer(tx, known, isWaiting(sale) ? null : sale);
    const currency = currencyOf(account, { input, sale });
    const keep = async (rate: MissingRate) => {
      if (showWaiting === undefined) throw new Failure("rule_broken", missingRate(rate));
      const waiting = await keepRefund(tx, context, { id, input, lead: known, sale, rate, at, currency });
      return showWaiting(tx.view, { waiting, lead: known, promoter });
    };
    if (isWaiting(sale)) return keep(await rateOf(tx, sale, { input, currency }));
    const money = await amountsOf(tx, account, { input, sale, at, currency });
    if (isMissing(money)) return keep(money);
    const refund = newRefund(sale, { id, eventId, createdAt: at.toISOString(), ...money });
    const { saleAmount } = money;
    const payment = await tx.get(salePayments, account.id, sale.id);
    const taken =
      payment === null
        ? await takePart(tx, context, { sale, refund, saleAmount })
        : await takeFromPayment(tx, context, { account, sale, payment, refund, saleAmount });
    return show(tx.view, { ...taken, refund: taken.refund ?? refund, promoter });
  });
}

function isWaiting(sale: Sale | WaitingSale): sale is WaitingSale {
  return "rate" in sale;
}

/** The currency of a refund: its sale's, unless it names another. */
function currencyOf(
  { currency: own }: Account,
  { input: { currency }, sale }: { input: NewRefund; sale: Sale | WaitingSale },
): string {
  return currency ?? (isWaiting(sale) ? sale.facts.currency : sale.originalCurrency) ?? own;
}

/** Stores a refund until there is a rate for it and for its sale. It names its sale from now on. */
async function keepRefund(
  tx: Transaction,
  context: Context,
  {
    input: { amount, eventId, kept },
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
  const common = waitingOf(lead, context, { ...event, eventId });
  const waiting: RateRefund = { ...common, kind: "refund", saleEventId: sale.eventId, amount, currency };
  await tx.insert(waitingEvents, waiting, { event: () => alreadyRecorded("refund", eventId) });
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
  amountCents: number;
  originalAmount: number;
  originalCurrency: string | null;
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
  const { amountCents, originalAmount, refundedCents, refundedOriginalAmount } = sale;
  if (currency === sale.originalCurrency) {
    const refunded = refundedOriginalAmount + amount;
    if (refunded > originalAmount) throw tooMuch();
    // Sales of earlier releases may themselves be worth zero.
    if (amountCents > 0 && share(amountCents, amount, originalAmount) === 0)
      throw worthless({ amount, currency }, account);
    const cents = share(amountCents, refunded, originalAmount) - refundedCents;
    return { amountCents: cents, originalAmount: amount, originalCurrency: currency, saleAmount: amount };
  }
  const money = await toAccountCurrency(tx, account, { amount, currency, at });
  if (isMissing(money)) return money;
  const refunded = refundedCents + money.cents;
  if (money.cents === 0) throw worthless({ amount, currency }, account);
  if (refunded > amountCents || amountCents === 0) throw tooMuch();
  const saleAmount = share(originalAmount, refunded, amountCents) - refundedOriginalAmount;
  const { originalCurrency } = money;
  return { amountCents: money.cents, originalAmount: money.originalAmount, originalCurrency, saleAmount };
}

/** Takes back the refunded part of a sale that no provider reported. */
async function takePart(
  tx: Transaction,
  context: Context,
  { sale, refund, saleAmount }: { sale: Sale; refund: Refund; saleAmount: number },
): Promise<Settled> {
  const after: Sale = {
    ...sale,
    refundedCents: sale.refundedCents + refund.amountCents,
    refundedOriginalAmount: sale.refundedOriginalAmount + saleAmount,
  };
  await tx.put(sales, after);
  await insertRefund(tx, refund);
  const lead = await markRefunded(tx, context, { before: sale, after, at: refund.createdAt });
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
    at: refund.createdAt,
    refund,
  });
}

function insertRefund(tx: Transaction, refund: Refund): Promise<void> {
  return tx.insert(refunds, refund, { event: () => alreadyRecorded("refund", refund.eventId) });
}

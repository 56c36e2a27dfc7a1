import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import type { Lead } from "../lead/lead.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Commission } from "../commission/commission.ts";
import type { Context } from "../context.ts";
import { share } from "../money/money.ts";
import { isMissing, missingRate, toAccountCurrency, worthless, type MissingRate } from "../money/rate.ts";
import type { Promoter } from "../promoter/promoter.ts";
import type { CustomerNames } from "./customer.ts";
import type { Refund, Sale } from "./record.ts";
import { ownTaking, salePayments } from "./payment.ts";
import { loadPayer, loadRefundedLead, loadRefundedSale, markRefunded, newRefund } from "./refunded-sale.ts";
import { alreadyRecorded, refuseRepeated, refunds } from "./sales.ts";
import { keepCommissions, settle, type Settled } from "./settlement.ts";
import { takeBack } from "./take-back.ts";
import {
  leftOfWaiting,
  refuseWaiting,
  waitingEvents,
  waitingOf,
  type RateRefund,
  type Shows,
  type WaitingSale,
} from "./waiting.ts";

/** The input of a refund. null: not given. */
export interface NewRefund {
  customer: Pick<CustomerNames, "uid" | "email" | "leadId">;
  eventId: string;
  /** The event id of the sale. null: the lead's latest sale that is not refunded whole. */
  saleEventId: string | null;
  /** In the minor unit of its currency. Positive. */
  amount: number;
  /** ISO 4217 code. null: that of the sale which it names, otherwise the account's currency. */
  currency: string | null;
  createdAt: Date | null;
  /** The waiting event that is recorded now. Absent: the refund just came. */
  kept?: RateRefund;
}

/** A refund with its lead, the lead's promoter, and the commissions that take others back. */
export interface RecordedRefund {
  refund: Refund;
  lead: Lead;
  promoter: Promoter;
  commissions: Commission[];
}

/**
 * Records that a sale, or a part of it, was paid back. It takes back the same part of each commission of the
 * sale. Without an exchange rate for it or for its sale, the refund is kept.
 *
 * @throws Failure `not_found` for an unknown customer, `already_registered` for a known event id, `invalid`
 *   if the sale is unknown or less of it is left, `worthless`
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
    await refuseRepeated(tx, refunds, { kind: "refund", accountId: account.id, eventId });
    await refuseWaiting(tx, { kind: "refund", accountId: account.id, eventId }, kept);
    const known = await loadRefundedLead(tx, account.id, input);
    const sale = await loadRefundedSale(tx, known, input.saleEventId);
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
    await tx.insert(refunds, refund, { event: () => alreadyRecorded("refund", eventId) });
    const payment = await tx.get(salePayments, account.id, sale.id);
    const taken =
      payment === null
        ? await takePart(tx, context, { lead: known, sale, refund, saleAmount: money.saleAmount })
        : await settle(tx, context, {
            account,
            sale,
            payment: { ...payment, takings: [...payment.takings, ownTaking(refund, money.saleAmount)] },
            refund,
          });
    const lead =
      (await markRefunded(tx, context, { before: sale, after: taken.sale, at: refund.createdAt })) ?? known;
    return show(tx.view, { ...taken, refund: taken.refund ?? refund, lead, promoter });
  });
}

/** Takes back the refunded part of a sale that no provider reported. */
async function takePart(
  tx: Transaction,
  context: Context,
  { lead, sale, refund, saleAmount }: { lead: Lead; sale: Sale; refund: Refund; saleAmount: number },
): Promise<Settled> {
  const after: Sale = {
    ...sale,
    refundedCents: sale.refundedCents + refund.amountCents,
    refundedOriginalAmount: sale.refundedOriginalAmount + saleAmount,
  };
  const taken = await takeBack(tx, context, { lead, sale, after, refund });
  return keepCommissions(tx, { sale: after, refund, commissions: taken });
}

/** The currency of a refund. */
function currencyOf(
  { currency: own }: Account,
  { input: { currency, saleEventId }, sale }: { input: NewRefund; sale: Sale | WaitingSale },
): string {
  if (currency !== null || saleEventId === null) return currency ?? own;
  return (isWaiting(sale) ? sale.facts.currency : sale.originalCurrency) ?? own;
}

function isWaiting(sale: Sale | WaitingSale): sale is WaitingSale {
  return "rate" in sale;
}

/**
 * The rate that a sale waits for.
 *
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

/** Keeps a refund until there is a rate for it and for its sale. It names its sale from now on. */
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
    // Its sale is recorded, and it may wait for a rate of its own now.
    const waiting = { ...kept, rate, fault: null };
    if (rate.from !== kept.rate.from || rate.day !== kept.rate.day) await tx.put(waitingEvents, waiting);
    return waiting;
  }
  const common = waitingOf(lead, context, { ...event, eventId });
  const waiting: RateRefund = { ...common, kind: "refund", saleEventId: sale.eventId, amount, currency };
  await tx.insert(waitingEvents, waiting, { event: () => alreadyRecorded("refund", eventId) });
  return waiting;
}

/** A refund's amounts: in the account's currency, as given, and in the currency of its sale. */
interface Amounts {
  amountCents: number;
  originalAmount: number;
  originalCurrency: string | null;
  saleAmount: number;
}

/**
 * A refund in the sale's own currency is converted as the sale was, so that a refund of everything is the whole sale.
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
    // Sales of former releases may be worth nothing themselves.
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

function tooMuch(): Failure {
  return new Failure("invalid", "Error. Amount blank or invalid: it is more than what is left of the sale.");
}

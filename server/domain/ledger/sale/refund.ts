import { Failure } from "../../../failure.ts";
import { digest } from "../../../storage/digests.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import type { Commission } from "../commission/commission.ts";
import type { Context } from "../../context.ts";
import { announce } from "../../events/event.ts";
import { withHistory, withLateCancellation } from "../../people/lead/customer.ts";
import { leads, type Lead } from "../../people/lead/lead.ts";
import { share } from "../../money.ts";
import { isMissing, missingRate, toAccountCurrency, worthless, type MissingRate } from "../rate.ts";
import { promoters, type Promoter } from "../../people/promoter/promoter.ts";
import type { Show } from "../../show.ts";
import { findCustomer, unreferred } from "./customer.ts";
import { ownTaking, salePayments, type SalePayment } from "./payment.ts";
import {
  loadPayer,
  loadRefunded,
  markRefunded,
  newRefund,
  takeBack,
  type NewRefund,
} from "./refunded-sale.ts";
import {
  alreadyRecorded,
  cancellations,
  findNextSale,
  refunds,
  refuseRepeated,
  sales,
  type Cancellation,
  type Refund,
  type Sale,
} from "./sale.ts";
import { settle, withCommissions, type Settled } from "./settlement.ts";
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
        ? await takePart(tx, context, { lead: known, sale, refund, saleAmount })
        : await takeFromPayment(tx, context, { account, sale, payment, refund, saleAmount });
    const lead =
      (await markRefunded(tx, context, { before: sale, after: taken.sale, at: refund.createdAt })) ?? known;
    return show(tx.view, { ...taken, refund: taken.refund ?? refund, lead, promoter });
  });
}

/** The input of a cancellation. Null fields are not given. */
interface NewCancellation {
  customer: NewRefund["customer"];
  eventId: string | null;
  createdAt: Date | null;
}

/** A cancellation with its lead and the lead's promoter. */
interface RecordedCancellation {
  cancellation: Cancellation;
  lead: Lead;
  promoter: Promoter;
}

/**
 * Records that a customer has left. However often it is called, the lead is cancelled once. If the lead has
 * bought again since, its state stays, but the cancellation counts on its day.
 *
 * @throws Failure `not_found` for an unknown customer, `already_registered` for the event id of another lead
 * or of one that is gone
 * @see docs/spec/money.md "Refunds, cancellations and moves"
 */
export async function recordCancellation<T>(
  context: Context,
  account: Account,
  { show, ...input }: NewCancellation & { show: Show<RecordedCancellation, T> },
): Promise<T> {
  const { store, now } = context;
  const id = await store.nextId("event");
  return store.transact(async (tx) => {
    const sent = await findSent(tx, account.id, input.eventId);
    const { lead, promoter } = await loadKnown(tx, account.id, { names: input.customer, sent });
    const known = sent ?? (await findOwn(tx, lead));
    if (known !== null) return show(tx.view, { cancellation: known, lead, promoter });
    const createdAt = (input.createdAt ?? now).toISOString();
    const cancellation = { accountId: account.id, id, leadId: lead.id, eventId: input.eventId, createdAt };
    await tx.insert(cancellations, cancellation);
    const next = await findNextSale(tx.view, lead, createdAt);
    const after =
      next === null
        ? withHistory(lead, cancelled(lead, cancellation), createdAt)
        : withLateCancellation(lead, createdAt, next.createdAt);
    await tx.put(leads, after);
    await announce(tx, context, { entity: "referral", before: lead, after });
    return show(tx.view, { cancellation, lead: after, promoter });
  });
}

function isWaiting(sale: Sale | WaitingSale): sale is WaitingSale {
  return "rate" in sale;
}

/** The currency of a refund. */
function currencyOf(
  { currency: own }: Account,
  { input: { currency, saleEventId }, sale }: { input: NewRefund; sale: Sale | WaitingSale },
): string {
  if (currency !== null || saleEventId === null) return currency ?? own;
  return (isWaiting(sale) ? sale.facts.currency : sale.originalCurrency) ?? own;
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
  { lead, sale, refund, saleAmount }: { lead: Lead; sale: Sale; refund: Refund; saleAmount: number },
): Promise<Settled> {
  const after: Sale = {
    ...sale,
    refundedCents: sale.refundedCents + refund.amountCents,
    refundedOriginalAmount: sale.refundedOriginalAmount + saleAmount,
  };
  const commissions = await takeBack(tx, context, { lead, sale, after, refund });
  const taken = { sale: withCommissions(after, commissions), refund: withCommissions(refund, commissions) };
  await tx.put(sales, taken.sale);
  await insertRefund(tx, taken.refund);
  return { ...taken, commissions };
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
  return settle(tx, context, { account, sale, payment: { ...payment, takings }, refund });
}

function insertRefund(tx: Transaction, refund: Refund): Promise<void> {
  return tx.insert(refunds, refund, { event: () => alreadyRecorded("refund", refund.eventId) });
}

/** The cancellation with this event id, or null. */
async function findSent(
  tx: Transaction,
  accountId: number,
  eventId: string | null,
): Promise<Cancellation | null> {
  return eventId === null ? null : tx.find(cancellations, "event", accountId, [digest(eventId)]);
}

/**
 * The lead and its promoter.
 *
 * @throws Failure `not_found`; `already_registered` if the event was recorded for another lead or one that is
 * gone now
 */
async function loadKnown(
  tx: Transaction,
  accountId: number,
  { names, sent }: { names: NewCancellation["customer"]; sent: Cancellation | null },
): Promise<{ lead: Lead; promoter: Promoter }> {
  const lead = await findCustomer(tx, accountId, { ...names, tid: null });
  const promoter = lead && (await tx.get(promoters, accountId, lead.promoterId));
  const isOther = sent !== null && sent.leadId !== lead?.id;
  if (lead !== null && promoter !== null && !isOther) return { lead, promoter };
  throw sent?.eventId ? alreadyRecorded("cancellation", sent.eventId) : unreferred();
}

/** The cancellation of a cancelled lead. Null: none, or it was not tracked. */
async function findOwn(tx: Transaction, { accountId, cancellationId }: Lead): Promise<Cancellation | null> {
  return cancellationId === null ? null : tx.get(cancellations, accountId, cancellationId);
}

/** A denied lead stays denied. */
function cancelled(lead: Lead, { id, createdAt }: Cancellation): Lead {
  return {
    ...lead,
    state: lead.state === "denied" ? "denied" : "cancelled",
    cancelledAt: lead.cancelledAt ?? createdAt,
    cancellationId: id,
  };
}

import { commissionBase } from "../../domain/program/account/account.ts";
import { findObject, linkCustomer, namePayment } from "../../domain/ledger/billing/object.ts";
import {
  findWaitingCancellation,
  forgetCancellation,
  keepWaiting,
  waitingCancellations,
  forgetRefund,
  refundsWaitingFor,
  waitingRefunds,
  type WaitingRefund,
} from "../../domain/ledger/billing/waiting.ts";
import { isErased } from "../../domain/people/erased.ts";
import { leads, type Lead } from "../../domain/people/lead/lead.ts";
import { recordSignup, registered } from "../../domain/ledger/signup.ts";
import { recordCancellation } from "../../domain/ledger/sale/cancellation.ts";
import type { CustomerNames } from "../../domain/ledger/sale/customer.ts";
import { recordSale } from "../../domain/ledger/sale/new-sale.ts";
import { countedAmount, bestParts, type PaymentParts } from "../../domain/ledger/sale/payment.ts";
import {
  settlePayment,
  recordTaking,
  type Settling,
  type ReportedPayment,
  type ReportedTaking,
} from "../../domain/ledger/sale/settlement.ts";
import type {
  BillingEvent,
  CancellationEvent,
  CustomerEvent,
  Nothing,
  Payer,
  PaymentEvent,
  RefundEvent,
} from "../event.ts";
import {
  findLead,
  identify,
  namesOf,
  ownersOf,
  recordOnce,
  recordedAs,
  waits,
  type KnownPayer,
  type Source,
  type Subscriber,
  type Recorded,
} from "./source.ts";
import { worthless } from "../../domain/ledger/rate.ts";
import { findWaitingSale } from "../../domain/ledger/sale/waiting.ts";
import type { Reader, Transaction } from "../../storage/store.ts";

/**
 * Records a provider's report. However often and in whichever order its events arrive, each payment, refund
 * and cancellation counts once.
 *
 * @throws Failure the same as the operation that records it, for example `rule_broken` for an amount that is
 * too large
 */
export async function recordEvent(source: Source, reported: BillingEvent | Nothing): Promise<Recorded> {
  switch (reported.kind) {
    case "payment":
      return recordPayment(source, reported);
    case "refund":
    case "dispute":
    case "reversal":
      return recordRefundEvent(source, reported);
    case "cancellation":
      return recordCancellationEvent(source, reported);
    case "customer":
      return recordCustomer(source, reported);
    case "nothing":
      return recordedAs(reported.isOtherMode ? "other_mode" : "ignored", reported.reason);
  }
}

/** Records the cancellation that waited for a payment of its subscription. Null if none waited. */
export async function applyWaitingCancellation(
  source: Source,
  { subscription_id, payer }: Subscriber,
): Promise<Recorded | null> {
  if (subscription_id === null) return null;
  const { context, account, provider } = source;
  const waiting = await findWaitingCancellation(context.store, account.id, { provider, subscription_id });
  if (waiting === null) return null;
  // Without the e-mail address: a cancellation that comes last does not have it either, and must find the
  // same lead.
  const lead = await findLead(source, { ...payer, email: null }, ownersOf({ subscription_id, payer }));
  if (lead === null) return null;
  const result = await recordEnd(source, lead, { subscription_id, at: new Date(waiting.created_at) });
  await forgetCancellation(context.store, waiting);
  return result;
}

/** Records a payment as a sale. A payment of zero, such as a trial's, is a sign-up. */
async function recordPayment(source: Source, reported: PaymentEvent): Promise<Recorded> {
  const known = await withCompanysWord(
    source,
    reported,
    await identify(source, reported.payer, ownersOf(reported)),
  );
  const record = reported.parts.gross_amount <= 0 ? recordUnpaidSignup : recordPaidSale;
  const result = await record(source, reported, known);
  // A repeated event does it again, as in `recordPaidSale`.
  if (result.outcome !== "ignored") {
    await applyWaitingCancellation(source, { subscription_id: reported.subscription_id, payer: known.payer });
  }
  return result;
}

/**
 * Events of one payment may arrive at the same time, and each knows different parts of it. So our knowledge
 * of the payment is stored first, then a sale is recorded unless there is one, and then the sale is corrected
 * by the latest knowledge.
 */
async function recordPaidSale(source: Source, reported: PaymentEvent, payer: KnownPayer): Promise<Recorded> {
  const { context, account, provider } = source;
  const { objects, parts } = reported;
  const settled = async () => settlePayment(context, account, await reportedBy(source, objects));
  const names = await namesOf(source, payer);
  const isStranger = payer.lead === null && names.tid === null && names.promoCode === null;
  // Otherwise each payment of unreferred people would leave records.
  if (isStranger && (await settled()) === "unknown")
    return recordedAs("ignored", "This customer was not referred");
  const owners = ownersOf(reported);
  const payment = await context.store.transact((tx) =>
    namePayment(tx, account.id, { provider, objects, owners, parts }),
  );
  const best = payment.parts ?? parts;
  const first = await settled();
  let result = recordedAs("known", KNOWN[first]);
  if (first === "unknown") {
    if (countedAmount(best, commissionBase(account)) <= 0) return recordUnpaidSignup(source, reported, payer);
    const { sale_event_id } = payment;
    result = await recordSaleOf(source, { reported, payer, names, parts: best, sale_event_id });
    if (result.outcome === "ignored") return result;
    await settled();
  }
  // A repeated event does it again, because the process may have died in between.
  await applyWaiting(source, objects);
  return result;
}

const KNOWN: Record<Settling, string> = {
  unknown: "It was recorded before",
  repeated: "It was recorded before",
  unchanged: "It was recorded before",
  worthless: "It was recorded before",
  changed: "It was recorded before, and its amount is corrected",
};

interface SaleOf {
  reported: PaymentEvent;
  payer: KnownPayer;
  names: CustomerNames;
  parts: PaymentParts;
  sale_event_id: string;
}

function recordSaleOf(
  { context, account }: Source,
  { reported, payer, names, parts, sale_event_id }: SaleOf,
): Promise<Recorded> {
  const base = commissionBase(account);
  const sale = {
    customer: names,
    event_id: sale_event_id,
    amount: countedAmount(parts, base),
    currency: reported.currency,
    quantity: parts.quantity,
    plan_id: reported.plan_id,
    billing_period: reported.billing_period,
    mrr: null,
    subscription_id: payer.lead !== null && isErased(payer.lead) ? null : reported.subscription_id,
    created_at: reported.at,
    skip_email_notification: false,
    instalments: null,
    reported: { parts, base },
  };
  const record = async (tx: Transaction) => {
    const outcome = await recordSale(tx, context, account, sale);
    return "waiting" in outcome ? waits(outcome.waiting) : "sale";
  };
  return recordOnce(context.store.transact(record));
}

/** Records that the account's own code has named a customer, so that later payments find the lead. */
async function recordCustomer(source: Source, reported: CustomerEvent): Promise<Recorded> {
  const { payer } = reported;
  const lead = await findLead(source, payer, ownersOf(reported));
  return recordUnpaidSignup(source, reported, await withCompanysWord(source, reported, { payer, lead }));
}

async function recordUnpaidSignup(
  source: Source,
  reported: PaymentEvent | CustomerEvent,
  payer: KnownPayer,
): Promise<Recorded> {
  const result = await signUpUnpaid(source, reported, payer);
  // Otherwise a payment that names the customer alone would not find a lead with another uid.
  if (result.outcome !== "ignored") await keepCustomer(source, payer.payer);
  return result;
}

async function signUpUnpaid(
  source: Source,
  reported: PaymentEvent | CustomerEvent,
  payer: KnownPayer,
): Promise<Recorded> {
  if (payer.lead !== null) return recordedAs("known", "The customer is already a lead, and paid nothing");
  const names = await namesOf(source, payer);
  if (names.uid === null && names.email === null)
    return recordedAs("ignored", "The event does not identify the customer");
  return recordSignupOf(source, reported, names);
}

async function keepCustomer(source: Source, payer: Payer): Promise<void> {
  const { context, provider } = source;
  const { customerId: id } = payer;
  if (id === null) return;
  const lead = await findLead(source, payer, [id]);
  if (lead === null) return;
  await context.store.transact((tx) => linkCustomer(tx, lead, { provider, id }));
}

/**
 * Lets a signed event name the visitor of a lead that only a page has claimed, before anything is earned by
 * it. A promo code is what the customer typed, so it moves no lead.
 *
 * @see docs/spec/tracking.md "Whose word counts"
 */
async function withCompanysWord(
  source: Source,
  reported: PaymentEvent | CustomerEvent,
  known: KnownPayer,
): Promise<KnownPayer> {
  const { payer, lead } = known;
  if (!lead?.is_claim || payer.tids.length === 0) return known;
  const { tid, uid, email } = await namesOf(source, { payer, lead: null });
  if (uid === null && email === null) return known;
  await recordSignupOf(source, reported, { tid, uid, email });
  return { payer, lead: await source.context.store.get(leads, lead.account_id, lead.id) };
}

function recordSignupOf(
  { context, account }: Source,
  reported: PaymentEvent | CustomerEvent,
  { uid, email, tid }: Pick<CustomerNames, "uid" | "email" | "tid">,
): Promise<Recorded> {
  const nothing = { username: null, first_name: null, last_name: null, website: null, custom_fields: null };
  const signup = {
    details: { uid, email, ...nothing, sub_id: null },
    tid,
    ref_token: null,
    promoterEmail: null,
    address: null,
    created_at: reported.at,
    skip_email_notification: false,
    overridesExistingLead: false,
  };
  const record = async () => {
    registered(await context.store.transact((tx) => recordSignup(tx, context, account, signup)));
    return "signup" as const;
  };
  return recordOnce(record());
}

/**
 * Records the end of a customer's subscription. If the customer is not known yet, it waits for the first
 * payment of the subscription, because events come late and in any order.
 */
async function recordCancellationEvent(source: Source, reported: CancellationEvent): Promise<Recorded> {
  const { context, account, provider } = source;
  const { subscription_id, at } = reported;
  const { payer, lead } = await identify(source, reported.payer, ownersOf(reported));
  if (lead !== null) return recordEnd(source, lead, { subscription_id, at });
  const event = {
    account_id: account.id,
    provider,
    subscription_id,
    created_at: at.toISOString(),
    kept_at: context.now.toISOString(),
  };
  await context.store.transact((tx) => keepWaiting(tx, waitingCancellations, { event, now: context.now }));
  // The payment may have been recorded while the cancellation was stored.
  const late = await applyWaitingCancellation(source, { subscription_id, payer });
  return late ?? recordedAs("waiting", "Its first payment is not recorded, or not yet");
}

function recordEnd(
  { context, account }: Source,
  lead: Lead,
  { subscription_id, at }: Pick<CancellationEvent, "subscription_id" | "at">,
): Promise<Recorded> {
  const cancellation = {
    customer: { uid: lead.uid, email: lead.email, lead_id: lead.id },
    event_id: subscription_id,
    subscription_id,
    created_at: at,
  };
  const record = async (tx: Transaction) => {
    await recordCancellation(tx, context, account, cancellation);
    return "cancellation" as const;
  };
  return recordOnce(context.store.transact(record));
}

/** The outcome of a refund. One that arrives before its sale waits for it. */
const OUTCOME_OF: Record<Exclude<Settling, "worthless">, Recorded> = {
  unknown: recordedAs("waiting", "Its payment is not recorded, or not yet"),
  repeated: recordedAs("known", "It was recorded before"),
  unchanged: recordedAs("known", "The whole sale is refunded"),
  changed: recordedAs("refund"),
};

/**
 * Records money that went back, or was returned. A report that precedes its sale waits here, because the
 * provider would stop repeating it after a few days.
 *
 * @see docs/spec/money.md "Billing providers"
 */
async function recordRefundEvent(source: Source, reported: RefundEvent): Promise<Recorded> {
  const { context, account, provider } = source;
  const { objects } = reported;
  // It is stored before its sale is looked up, so it also finds a sale that is recorded meanwhile, or is
  // found by it.
  const refund = await context.store.transact(async (tx) => {
    const payment = await namePayment(tx, account.id, { provider, objects, owners: [], parts: null });
    const kept = waitingRefund(source, reported, payment.sale_event_id);
    const isNeeded = (each: WaitingRefund) => isSaleWaiting(tx, each);
    await keepWaiting(tx, waitingRefunds, { event: kept, now: context.now, isNeeded });
    return kept;
  });
  const settling = await apply(source, refund, objects);
  // Others may have waited for this report that their payment is the same.
  if (settling !== "unknown") await applyWaiting(source, objects);
  if (settling !== "worthless") return OUTCOME_OF[settling];
  const amount = reported.gross_to - reported.gross_from;
  return recordedAs("ignored", worthless({ amount, currency: reported.currency }, account).message);
}

/** Records the refunds that waited for the sale of these objects. */
export async function applyWaiting(source: Source, objects: string[]): Promise<void> {
  const { context, account, provider } = source;
  for (const name of (await reportedBy(source, objects)).eventIds) {
    const payment = { provider, sale_event_id: name };
    for (const refund of await refundsWaitingFor(context.store, account.id, payment)) {
      await apply(source, refund, objects);
    }
  }
}

/** Whether a refund's sale waits for an exchange rate, under any name of the payment. */
async function isSaleWaiting(
  reader: Reader,
  { account_id, provider, sale_event_id }: WaitingRefund,
): Promise<boolean> {
  const payment = await findObject(reader, account_id, { provider, id: sale_event_id });
  const names = payment === null ? [] : [payment.sale_event_id ?? [], payment.former_names ?? []].flat();
  for (const name of [sale_event_id, ...names])
    if ((await findWaitingSale(reader, account_id, name)) !== null) return true;
  return false;
}

/**
 * The payment of some objects, by all of its names, past and present. The account may have sent the sale
 * itself, under the id of one of the objects.
 */
export async function reportedBy(
  { context, account, provider }: Source,
  objects: string[],
): Promise<ReportedPayment> {
  const eventIds = new Set<string>();
  let parts: ReportedPayment["parts"] = null;
  for (const id of objects) {
    const object = await findObject(context.store, account.id, { provider, id });
    const name = object?.sale_event_id ?? null;
    const payment =
      name === null ? null : await findObject(context.store, account.id, { provider, id: name });
    parts = bestParts([parts, payment?.parts ?? null]);
    for (const each of [payment?.sale_event_id, ...(payment?.former_names ?? [])]) {
      if (each) eventIds.add(each);
    }
  }
  return { eventIds: [...new Set([...eventIds, ...objects])], parts };
}

function waitingRefund(
  { context, account, provider }: Source,
  { kind, id: eventId, gross_from, gross_to, net_amount, paid_amount, currency, at }: RefundEvent,
  saleEventId: string,
): WaitingRefund {
  const amounts = { gross_from, gross_to, net_amount, paid_amount, currency };
  const times = { created_at: at.toISOString(), kept_at: context.now.toISOString() };
  const names = { account_id: account.id, provider, sale_event_id: saleEventId, event_id: eventId };
  return { ...names, ...amounts, ...times, kind };
}

async function apply(source: Source, refund: WaitingRefund, objects: string[]): Promise<Settling> {
  const { context, account } = source;
  const payment = await reportedBy(source, [refund.sale_event_id, ...objects]);
  const settling = await recordTaking(context, account, { ...payment, taking: takingOf(refund) });
  if (settling !== "unknown") await forgetRefund(context.store, refund);
  return settling;
}

function takingOf(refund: WaitingRefund): ReportedTaking {
  const { event_id, kind, gross_from, gross_to, net_amount, paid_amount, currency, created_at } = refund;
  const grossAmount = Math.max(0, gross_to - gross_from);
  return {
    id: event_id,
    kind,
    gross_amount: grossAmount,
    net_amount,
    paid_amount,
    currency,
    at: new Date(created_at),
  };
}

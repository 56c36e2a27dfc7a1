import { commissionBase } from "../../domain/program/account/account.ts";
import { namePayment } from "../../domain/ledger/billing/object.ts";
import {
  findWaitingCancellation,
  forgetCancellation,
  keepWaiting,
  waitingCancellations,
} from "../../domain/ledger/billing/waiting.ts";
import { isErased } from "../../domain/people/erased.ts";
import type { Lead } from "../../domain/people/lead/lead.ts";
import { recordSignup } from "../../domain/people/lead/signup.ts";
import { recordCancellation } from "../../domain/ledger/sale/refund.ts";
import type { CustomerNames } from "../../domain/ledger/sale/customer.ts";
import { recordSale } from "../../domain/ledger/sale/new-sale.ts";
import { countedAmount, type PaymentParts } from "../../domain/ledger/sale/payment.ts";
import { settlePayment, type Settling } from "../../domain/ledger/sale/settlement.ts";
import type { CancellationEvent, Nothing, PaymentEvent, BillingEvent } from "../event.ts";
import { applyWaiting, reportedBy, recordRefundEvent } from "./refund.ts";
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
    case "nothing":
      return recordedAs("ignored", reported.reason);
  }
}

/** Records the cancellation that waited for a payment of its subscription. Null if none waited. */
export async function applyWaitingCancellation(
  source: Source,
  { subscriptionId, payer }: Subscriber,
): Promise<Recorded | null> {
  if (subscriptionId === null) return null;
  const { context, account, provider } = source;
  const waiting = await findWaitingCancellation(context.store, account.id, { provider, subscriptionId });
  if (waiting === null) return null;
  // Without the e-mail address: a cancellation that comes last does not have it either, and must find the
  // same lead.
  const lead = await findLead(source, { ...payer, email: null }, ownersOf({ subscriptionId, payer }));
  if (lead === null) return null;
  const result = await recordEnd(source, lead, { subscriptionId, at: new Date(waiting.createdAt) });
  await forgetCancellation(context.store, waiting);
  return result;
}

/** Records a payment as a sale. A payment of zero, such as a trial's, is a sign-up. */
async function recordPayment(source: Source, reported: PaymentEvent): Promise<Recorded> {
  const known = await identify(source, reported.payer, ownersOf(reported));
  const record = reported.parts.grossAmount <= 0 ? recordUnpaidSignup : recordPaidSale;
  const result = await record(source, reported, known);
  // A repeated event does it again, as in `recordPaidSale`.
  if (result.outcome !== "ignored") {
    await applyWaitingCancellation(source, { subscriptionId: reported.subscriptionId, payer: known.payer });
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
    const { saleEventId } = payment;
    result = await recordSaleOf(source, { reported, payer, names, parts: best, saleEventId });
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
  saleEventId: string;
}

function recordSaleOf(
  { context, account }: Source,
  { reported, payer, names, parts, saleEventId }: SaleOf,
): Promise<Recorded> {
  const base = commissionBase(account);
  return recordOnce(
    recordSale(context, account, {
      customer: names,
      eventId: saleEventId,
      amount: countedAmount(parts, base),
      currency: reported.currency,
      quantity: parts.quantity,
      planId: reported.planId,
      billingPeriod: reported.billingPeriod,
      mrr: null,
      subscriptionId: payer.lead !== null && isErased(payer.lead) ? null : reported.subscriptionId,
      createdAt: reported.at,
      skipEmailNotification: false,
      instalments: null,
      reported: { parts, base },
      show: async () => "sale" as const,
      showWaiting: async (_, { waiting }) => waits(waiting),
    }),
  );
}

async function recordUnpaidSignup(
  source: Source,
  reported: PaymentEvent,
  payer: KnownPayer,
): Promise<Recorded> {
  if (payer.lead !== null) return recordedAs("known", "The customer is already a lead, and paid nothing");
  const { uid, email, tid } = await namesOf(source, payer);
  if (uid === null && email === null)
    return recordedAs("ignored", "The event does not identify the customer");
  const nothing = { username: null, firstName: null, lastName: null, website: null, customFields: null };
  return recordOnce(
    recordSignup(source.context, source.account, {
      details: { uid, email, ...nothing, subId: null },
      tid,
      refToken: null,
      promoterEmail: null,
      address: null,
      createdAt: reported.at,
      skipEmailNotification: false,
      overridesExistingLead: false,
      show: async () => "signup" as const,
    }),
  );
}

/**
 * Records the end of a customer's subscription. If the customer is not known yet, it waits for the first
 * payment of the subscription, because events come late and in any order.
 */
async function recordCancellationEvent(source: Source, reported: CancellationEvent): Promise<Recorded> {
  const { context, account, provider } = source;
  const { subscriptionId, at } = reported;
  const { payer, lead } = await identify(source, reported.payer, ownersOf(reported));
  if (lead !== null) return recordEnd(source, lead, { subscriptionId, at });
  const event = {
    accountId: account.id,
    provider,
    subscriptionId,
    createdAt: at.toISOString(),
    keptAt: context.now.toISOString(),
  };
  await context.store.transact((tx) => keepWaiting(tx, waitingCancellations, { event, now: context.now }));
  // The payment may have been recorded while the cancellation was stored.
  const late = await applyWaitingCancellation(source, { subscriptionId, payer });
  return late ?? recordedAs("waiting", "Its first payment is not recorded, or not yet");
}

function recordEnd(
  { context, account }: Source,
  lead: Lead,
  { subscriptionId, at }: Pick<CancellationEvent, "subscriptionId" | "at">,
): Promise<Recorded> {
  return recordOnce(
    recordCancellation(context, account, {
      customer: { uid: lead.uid, email: lead.email, leadId: lead.id },
      eventId: subscriptionId,
      createdAt: at,
      show: async () => "cancellation" as const,
    }),
  );
}

import { commissionBase } from "../../domain/account/account.ts";
import { namePayment } from "../../domain/billing/object.ts";
import {
  findWaitingCancellation,
  forgetCancellation,
  keepWaiting,
  waitingCancellations,
} from "../../domain/billing/waiting.ts";
import { isErased } from "../../domain/erasure/erased.ts";
import type { Lead } from "../../domain/lead/lead.ts";
import { recordSignup } from "../../domain/lead/signup.ts";
import { recordCancellation } from "../../domain/sale/refund.ts";
import type { CustomerNames } from "../../domain/sale/customer.ts";
import { recordSale } from "../../domain/sale/new-sale.ts";
import { countedAmount, type PaymentParts } from "../../domain/sale/payment.ts";
import { settlePayment, type Settling } from "../../domain/sale/settlement.ts";
import type { CancellationTold, Nothing, PaymentTold, Told } from "../told.ts";
import { applyWaiting, reportedBy, takeRefund } from "./refund.ts";
import {
  findLead,
  identify,
  namesOf,
  ownersOf,
  recordOnce,
  taken,
  waits,
  type KnownPayer,
  type Source,
  type Subscriber,
  type Taken,
} from "./source.ts";

/**
 * Records what a provider reported. However often and in whichever order its events come, each payment, refund and
 * cancellation counts once.
 *
 * @throws Failure the same as the operation that records it, for example `rule_broken` for an amount that is too large
 */
export async function take(source: Source, told: Told | Nothing): Promise<Taken> {
  switch (told.kind) {
    case "payment":
      return takePayment(source, told);
    case "refund":
    case "dispute":
    case "reversal":
      return takeRefund(source, told);
    case "cancellation":
      return takeCancellation(source, told);
    case "nothing":
      return taken("ignored", told.reason);
  }
}

/** Records the cancellation that waited for a payment of its subscription. null: none waited. */
export async function applyWaitingCancellation(
  source: Source,
  { subscriptionId, payer }: Subscriber,
): Promise<Taken | null> {
  if (subscriptionId === null) return null;
  const { context, account, provider } = source;
  const waiting = await findWaitingCancellation(context.store, account.id, { provider, subscriptionId });
  if (waiting === null) return null;
  // Without the e-mail address: a cancellation that comes last does not have it either, and must find the same lead.
  const lead = await findLead(source, { ...payer, email: null }, ownersOf({ subscriptionId, payer }));
  if (lead === null) return null;
  const result = await recordEnd(source, lead, { subscriptionId, at: new Date(waiting.createdAt) });
  await forgetCancellation(context.store, waiting);
  return result;
}

/** Records a payment as a sale. A payment of nothing, such as a trial's, is a sign-up. */
async function takePayment(source: Source, told: PaymentTold): Promise<Taken> {
  const known = await identify(source, told.payer, ownersOf(told));
  const record = told.parts.grossAmount <= 0 ? takeSignup : takeSale;
  const result = await record(source, told, known);
  // A repetition does it again, as in `takeSale`.
  if (result.outcome !== "ignored") {
    await applyWaitingCancellation(source, { subscriptionId: told.subscriptionId, payer: known.payer });
  }
  return result;
}

/**
 * Events of one payment may come at the same time, and each knows other parts of it. So what is known of the payment is
 * kept first, then a sale is recorded unless there is one, and then the sale is made to agree with what is known by then.
 */
async function takeSale(source: Source, told: PaymentTold, payer: KnownPayer): Promise<Taken> {
  const { context, account, provider } = source;
  const { objects, parts } = told;
  const settled = async () => settlePayment(context, account, await reportedBy(source, objects));
  const names = await namesOf(source, payer);
  const isStranger = payer.lead === null && names.tid === null && names.promoCode === null;
  // Without this, each payment of people whom nobody referred would leave records.
  if (isStranger && (await settled()) === "unknown") return taken("ignored", "Nobody referred this customer");
  const owners = ownersOf(told);
  const payment = await context.store.transact((tx) =>
    namePayment(tx, account.id, { provider, objects, owners, parts }),
  );
  const best = payment.parts ?? parts;
  const first = await settled();
  let result = taken("known", KNOWN[first]);
  if (first === "unknown") {
    if (countedAmount(best, commissionBase(account)) <= 0) return takeSignup(source, told, payer);
    const { saleEventId } = payment;
    result = await recordSaleOf(source, { told, payer, names, parts: best, saleEventId });
    if (result.outcome === "ignored") return result;
    await settled();
  }
  // A repetition does it again, because the process may have died in between.
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
  told: PaymentTold;
  payer: KnownPayer;
  names: CustomerNames;
  parts: PaymentParts;
  saleEventId: string;
}

function recordSaleOf(
  { context, account }: Source,
  { told, payer, names, parts, saleEventId }: SaleOf,
): Promise<Taken> {
  const base = commissionBase(account);
  return recordOnce(
    recordSale(context, account, {
      customer: names,
      eventId: saleEventId,
      amount: countedAmount(parts, base),
      currency: told.currency,
      quantity: parts.quantity,
      planId: told.planId,
      billingPeriod: told.billingPeriod,
      mrr: null,
      subscriptionId: payer.lead !== null && isErased(payer.lead) ? null : told.subscriptionId,
      createdAt: told.at,
      skipEmailNotification: false,
      instalments: null,
      reported: { parts, base },
      show: async () => "sale" as const,
      showWaiting: async (_, { waiting }) => waits(waiting),
    }),
  );
}

async function takeSignup(source: Source, told: PaymentTold, payer: KnownPayer): Promise<Taken> {
  if (payer.lead !== null) return taken("known", "The customer is a lead already, and paid nothing");
  const { uid, email, tid } = await namesOf(source, payer);
  if (uid === null && email === null) return taken("ignored", "Nothing names the customer");
  const nothing = { username: null, firstName: null, lastName: null, website: null, customFields: null };
  return recordOnce(
    recordSignup(source.context, source.account, {
      details: { uid, email, ...nothing, subId: null },
      tid,
      refToken: null,
      promoterEmail: null,
      address: null,
      createdAt: told.at,
      skipEmailNotification: false,
      overridesExistingLead: false,
      show: async () => "signup" as const,
    }),
  );
}

/**
 * Records that a customer's subscription has ended. If the customer is not known yet, it waits for the first payment of
 * the subscription, because events come late and in any order.
 */
async function takeCancellation(source: Source, told: CancellationTold): Promise<Taken> {
  const { context, account, provider } = source;
  const { subscriptionId, at } = told;
  const { payer, lead } = await identify(source, told.payer, ownersOf(told));
  if (lead !== null) return recordEnd(source, lead, { subscriptionId, at });
  const event = {
    accountId: account.id,
    provider,
    subscriptionId,
    createdAt: at.toISOString(),
    keptAt: context.now.toISOString(),
  };
  await context.store.transact((tx) => keepWaiting(tx, waitingCancellations, { event, now: context.now }));
  // The payment may have been recorded while the cancellation was put aside.
  const late = await applyWaitingCancellation(source, { subscriptionId, payer });
  return late ?? taken("waiting", "Its first payment is not recorded, or not yet");
}

function recordEnd(
  { context, account }: Source,
  lead: Lead,
  { subscriptionId, at }: Pick<CancellationTold, "subscriptionId" | "at">,
): Promise<Taken> {
  return recordOnce(
    recordCancellation(context, account, {
      customer: { uid: lead.uid, email: lead.email, leadId: lead.id },
      eventId: subscriptionId,
      createdAt: at,
      show: async () => "cancellation" as const,
    }),
  );
}

import { commissionBase } from "../../domain/account/account.ts";
import { namePayment } from "../../domain/billing/object.ts";
import { isErased } from "../../domain/erasure/erased.ts";
import { recordSignup } from "../../domain/lead/signup.ts";
import type { CustomerNames } from "../../domain/sale/customer.ts";
import { recordSale } from "../../domain/sale/new-sale.ts";
import { countedAmount, type PaymentParts } from "../../domain/sale/payment.ts";
import { settlePayment, type Settling } from "../../domain/sale/settlement.ts";
import type { PaymentTold } from "../told.ts";
import { applyWaitingCancellation } from "./cancellation.ts";
import { identify, namesOf, ownersOf, type KnownPayer } from "./payer.ts";
import { applyWaiting, reportedBy } from "./refund.ts";
import { recordOnce, taken, waits, type Source, type Taken } from "./taker.ts";

/** Records a payment as a sale. A payment of nothing, such as a trial's, is a sign-up. */
export async function takePayment(source: Source, told: PaymentTold): Promise<Taken> {
  const known = await identify(source, told.payer, ownersOf(told));
  const take = told.parts.grossAmount <= 0 ? takeSignup : takeSale;
  const result = await take(source, told, known);
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

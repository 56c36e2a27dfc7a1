import { namePayment } from "../../domain/billing/object.ts";
import { isErased } from "../../domain/erasure/values.ts";
import { recordSignup } from "../../domain/lead/signup.ts";
import { recordSale } from "../../domain/sale/new-sale.ts";
import type { PaymentTold } from "../told.ts";
import { applyWaitingCancellation } from "./cancellation.ts";
import { identify, namesOf, ownersOf, type KnownPayer } from "./payer.ts";
import { applyWaiting } from "./refund.ts";
import { recordOnce, taken, waits, type Source, type Taken } from "./taker.ts";

/** As in `track/sale`. It keeps every sum exact. */
const MAX_QUANTITY = 999_999;

/** Records a payment as a sale. A payment of nothing, such as a trial's, is a sign-up. */
export async function takePayment(source: Source, told: PaymentTold): Promise<Taken> {
  // Its own objects lead to its sale, so a repetition finds the lead again, even if it was erased.
  const known = await identify(source, told.payer, [...told.objects, ...ownersOf(told)]);
  const take = told.netAmount <= 0 ? takeSignup : takeSale;
  const result = await take(source, told, known);
  // A repetition does it again, as in `takeSale`.
  if (result.outcome !== "ignored") {
    await applyWaitingCancellation(source, { subscriptionId: told.subscriptionId, payer: known.payer });
  }
  return result;
}

async function takeSale(source: Source, told: PaymentTold, payer: KnownPayer): Promise<Taken> {
  const owners = ownersOf(told);
  const names = await namesOf(source, payer);
  // Without this, each payment of people whom nobody referred would leave records.
  if (payer.lead === null && names.tid === null && names.promoCode === null) {
    return taken("ignored", "Nobody referred this customer");
  }
  const { context, account, provider } = source;
  const { saleEventId } = await context.store.transact((tx) =>
    namePayment(tx, account.id, { provider, objects: told.objects, owners, amounts: told }),
  );
  const result = await recordOnce(
    recordSale(context, account, {
      customer: names,
      eventId: saleEventId,
      amount: told.netAmount,
      currency: told.currency,
      quantity: Math.min(told.quantity, MAX_QUANTITY),
      planId: told.planId,
      billingPeriod: told.billingPeriod,
      mrr: null,
      subscriptionId: payer.lead !== null && isErased(payer.lead) ? null : told.subscriptionId,
      createdAt: told.at,
      skipEmailNotification: false,
      instalments: null,
      show: async () => "sale" as const,
      showWaiting: async (_, { waiting }) => waits(waiting),
    }),
  );
  // A repetition does it again, because the process may have died in between.
  if (result.outcome !== "ignored") await applyWaiting(source, saleEventId);
  return result;
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

import { findObject, namePayment } from "../../domain/billing/object.ts";
import type { BillingObject, WaitingRefund } from "../../domain/billing/record.ts";
import { keepWaiting } from "../../domain/billing/waiting-time.ts";
import { forgetRefund, refundsWaitingFor, waitingRefunds } from "../../domain/billing/waiting-refund.ts";
import { leads } from "../../domain/lead/lead.ts";
import { share } from "../../domain/money/amount.ts";
import { recordRefund } from "../../domain/sale/refund.ts";
import { sales } from "../../domain/sale/sales.ts";
import { findWaitingSale } from "../../domain/sale/waiting.ts";
import type { Reader } from "../../storage/store.ts";
import type { Sale } from "../../domain/sale/record.ts";
import type { RefundTold } from "../told.ts";
import { recordOnce, taken, waits, type Source, type Taken } from "./taker.ts";

/**
 * Records a refund of a payment. One that comes before its sale waits for it.
 *
 * Choice: we keep it ourselves. If we let the provider send it again, it would be lost after a few days.
 */
export async function takeRefund(source: Source, told: RefundTold): Promise<Taken> {
  const { context, account, provider } = source;
  const { objects } = told;
  // It is kept before we look for its sale, so a sale that is recorded meanwhile finds it, or is found.
  const refund = await context.store.transact(async (tx) => {
    const payment = await namePayment(tx, account.id, { provider, objects, owners: [], amounts: null });
    const kept = waitingRefund(source, told, payment.saleEventId);
    const isNeeded = (each: WaitingRefund) => isSaleWaiting(tx, each);
    await keepWaiting(tx, waitingRefunds, { event: kept, now: context.now, isNeeded });
    return kept;
  });
  const sale = await findSale(source, [...(await namesOf(source, refund.saleEventId)), ...objects]);
  if (sale === null) return taken("waiting", "Its payment is not recorded, or not yet");
  const result = await apply(source, refund, sale);
  await forgetRefund(context.store, refund);
  // Others may have waited until this one reported that their payment is the same.
  await applyWaiting(source, refund.saleEventId);
  return result;
}

/** Records the refunds that waited for a sale. */
export async function applyWaiting(source: Source, saleEventId: string): Promise<void> {
  const { context, account, provider } = source;
  const names = await namesOf(source, saleEventId);
  const sale = await findSale(source, names);
  if (sale === null) return;
  for (const name of names) {
    const payment = { provider, saleEventId: name };
    for (const refund of await refundsWaitingFor(context.store, account.id, payment)) {
      await apply(source, refund, sale);
      await forgetRefund(context.store, refund);
    }
  }
}

/** Whether a refund's sale waits for an exchange rate, under whichever name of the payment. */
async function isSaleWaiting(
  reader: Reader,
  { accountId, provider, saleEventId }: WaitingRefund,
): Promise<boolean> {
  const payment = await findObject(reader, accountId, { provider, id: saleEventId });
  const names = payment === null ? [] : [payment.saleEventId, ...(payment.formerNames ?? [])];
  for (const name of [saleEventId, ...names])
    if ((await findWaitingSale(reader, accountId, name)) !== null) return true;
  return false;
}

/** Every name of a payment: the one that it has now, and its former ones. */
async function namesOf({ context, account, provider }: Source, name: string): Promise<string[]> {
  const payment = await findObject(context.store, account.id, { provider, id: name });
  return payment === null ? [name] : [payment.saleEventId, ...(payment.formerNames ?? [])];
}

function waitingRefund(
  { context, account, provider }: Source,
  { id: eventId, grossFrom, grossTo, netAmount, currency, at }: RefundTold,
  saleEventId: string,
): WaitingRefund {
  const amounts = { grossFrom, grossTo, netAmount, currency };
  const times = { createdAt: at.toISOString(), keptAt: context.now.toISOString() };
  return { accountId: account.id, provider, saleEventId, eventId, ...amounts, ...times };
}

/** The sale under one of these event ids. The account may have sent it itself, under the provider's id. */
async function findSale({ context, account }: Source, eventIds: string[]): Promise<Sale | null> {
  for (const eventId of eventIds) {
    const sale = await context.store.find(sales, "event", account.id, [eventId]);
    if (sale !== null) return sale;
  }
  return null;
}

async function apply(source: Source, refund: WaitingRefund, given: Sale): Promise<Taken> {
  const { context, account } = source;
  // Read again, because other refunds may have been applied since.
  const sale = (await context.store.get(sales, account.id, given.id)) ?? given;
  const lead = await context.store.get(leads, account.id, sale.leadId);
  if (lead === null) return taken("ignored", "The customer was deleted");
  const left = sale.originalAmount - sale.refundedOriginalAmount;
  // Choice: a dispute of a payment that was partly refunded takes back what is left.
  const amount = Math.min(left, netOf(refund, await paymentOf(source, refund)));
  if (amount <= 0) return taken("known", "The whole sale is refunded");
  const recorded = recordOnce(
    recordRefund(context, account, {
      // A lead that only its visit names has neither uid nor e-mail address.
      customer: { uid: lead.uid, email: lead.email, leadId: lead.id },
      eventId: refund.eventId,
      saleEventId: sale.eventId,
      amount,
      currency: refund.currency,
      createdAt: new Date(refund.createdAt),
      show: async () => "refund" as const,
      showWaiting: async (_, { waiting }) => waits(waiting),
    }),
  );
  return recorded.catch(async (error: unknown) => {
    const current = await context.store.get(sales, account.id, sale.id);
    // Another refund took a part meanwhile, so less is left than was asked for.
    if (current !== null && current.refundedOriginalAmount !== sale.refundedOriginalAmount)
      return apply(source, refund, current);
    throw error;
  });
}

function paymentOf({ context, account, provider }: Source, { saleEventId }: WaitingRefund) {
  return findObject(context.store, account.id, { provider, id: saleEventId });
}

/**
 * The refunded amount without tax. It is the difference of two sums, so that the parts of a payment that is refunded
 * step by step add up to the whole.
 */
function netOf({ grossFrom, grossTo, netAmount }: WaitingRefund, payment: BillingObject | null): number {
  if (netAmount !== null) return netAmount;
  if (!payment?.grossAmount || payment.netAmount === null) return grossTo - grossFrom;
  const net = (gross: number) => share(payment.netAmount ?? 0, gross, payment.grossAmount ?? 1);
  return net(grossTo) - net(grossFrom);
}

import { findObject, namePayment } from "../../domain/billing/object.ts";
import type { BillingObject, WaitingRefund } from "../../domain/billing/record.ts";
import { forgetRefund, keepRefund, refundsWaitingFor } from "../../domain/billing/waiting-refund.ts";
import { leads } from "../../domain/lead/lead.ts";
import { share } from "../../domain/money/amount.ts";
import { recordRefund } from "../../domain/sale/refund.ts";
import { sales } from "../../domain/sale/sales.ts";
import type { Sale } from "../../domain/sale/record.ts";
import type { RefundTold } from "../told.ts";
import { recordOnce, taken, type Source, type Taken } from "./taker.ts";

/**
 * Records a refund of a payment. One that comes before its sale waits for it.
 *
 * Choice: we keep it ourselves. If we let the provider send it again, it would be lost after a few days.
 */
export async function takeRefund(source: Source, told: RefundTold): Promise<Taken> {
  const refund = await waitingRefund(source, told);
  const known = await findSale(source, [refund.saleEventId, ...told.objects]);
  if (known !== null) return apply(source, refund, known);
  const { context, account, provider } = source;
  await context.store.transact(async (tx) => {
    const { objects } = told;
    await namePayment(tx, account.id, { provider, objects, owners: [], amounts: null });
    await keepRefund(tx, refund, context.now);
  });
  // Its sale may have been recorded while it was put aside.
  if ((await findSale(source, [refund.saleEventId])) === null) {
    return taken("waiting", "Its payment is not recorded, or not yet");
  }
  await applyWaiting(source, refund.saleEventId);
  return taken("refund");
}

/** Records the refunds that waited for a sale. */
export async function applyWaiting(source: Source, saleEventId: string): Promise<void> {
  const { context, account, provider } = source;
  const sale = await findSale(source, [saleEventId]);
  if (sale === null) return;
  for (const refund of await refundsWaitingFor(context.store, account.id, { provider, saleEventId })) {
    await apply(source, refund, sale);
    await forgetRefund(context.store, refund);
  }
}

async function waitingRefund(
  { context, account, provider }: Source,
  told: RefundTold,
): Promise<WaitingRefund> {
  const { objects, id: eventId, grossFrom, grossTo, netAmount, currency } = told;
  const read = objects.map((id) => findObject(context.store, account.id, { provider, id }));
  const known = (await Promise.all(read)).find((object) => object !== null);
  const amounts = { grossFrom, grossTo, netAmount, currency };
  const at = { createdAt: told.at.toISOString(), keptAt: context.now.toISOString() };
  const saleEventId = known?.saleEventId ?? objects[0] ?? eventId;
  return { accountId: account.id, provider, saleEventId, eventId, ...amounts, ...at };
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
  return recordOnce(
    recordRefund(context, account, {
      // A lead that only its visit names has neither uid nor e-mail address.
      customer: { uid: lead.uid, email: lead.email, leadId: lead.id },
      eventId: refund.eventId,
      saleEventId: sale.eventId,
      amount,
      currency: refund.currency,
      createdAt: new Date(refund.createdAt),
      show: async () => "refund" as const,
    }),
  );
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

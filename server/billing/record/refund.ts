import { findObject, namePayment } from "../../domain/ledger/billing/object.ts";
import {
  forgetRefund,
  keepWaiting,
  refundsWaitingFor,
  waitingRefunds,
  type WaitingRefund,
} from "../../domain/ledger/billing/waiting.ts";
import { worthless } from "../../domain/ledger/rate.ts";
import { bestParts } from "../../domain/ledger/sale/payment.ts";
import {
  recordTaking,
  type ReportedPayment,
  type ReportedTaking,
  type Settling,
} from "../../domain/ledger/sale/settlement.ts";
import { findWaitingSale } from "../../domain/ledger/sale/waiting.ts";
import type { Reader } from "../../storage/store.ts";
import type { RefundEvent } from "../event.ts";
import { recordedAs, type Source, type Recorded } from "./source.ts";

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
export async function recordRefundEvent(source: Source, reported: RefundEvent): Promise<Recorded> {
  const { context, account, provider } = source;
  const { objects } = reported;
  // It is stored before its sale is looked up, so it also finds a sale that is recorded meanwhile, or is
  // found by it.
  const refund = await context.store.transact(async (tx) => {
    const payment = await namePayment(tx, account.id, { provider, objects, owners: [], parts: null });
    const kept = waitingRefund(source, reported, payment.saleEventId);
    const isNeeded = (each: WaitingRefund) => isSaleWaiting(tx, each);
    await keepWaiting(tx, waitingRefunds, { event: kept, now: context.now, isNeeded });
    return kept;
  });
  const settling = await apply(source, refund, objects);
  // Others may have waited for this report that their payment is the same.
  if (settling !== "unknown") await applyWaiting(source, objects);
  if (settling !== "worthless") return OUTCOME_OF[settling];
  const amount = reported.grossTo - reported.grossFrom;
  return recordedAs("ignored", worthless({ amount, currency: reported.currency }, account).message);
}

/** Records the refunds that waited for the sale of these objects. */
export async function applyWaiting(source: Source, objects: string[]): Promise<void> {
  const { context, account, provider } = source;
  for (const name of (await reportedBy(source, objects)).eventIds) {
    const payment = { provider, saleEventId: name };
    for (const refund of await refundsWaitingFor(context.store, account.id, payment)) {
      await apply(source, refund, objects);
    }
  }
}

/** Whether a refund's sale waits for an exchange rate, under any name of the payment. */
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
    const payment =
      object && (await findObject(context.store, account.id, { provider, id: object.saleEventId }));
    parts = bestParts([parts, payment?.parts ?? null]);
    for (const name of [payment?.saleEventId, ...(payment?.formerNames ?? [])]) {
      if (name !== undefined) eventIds.add(name);
    }
  }
  return { eventIds: [...new Set([...eventIds, ...objects])], parts };
}

function waitingRefund(
  { context, account, provider }: Source,
  { kind, id: eventId, grossFrom, grossTo, netAmount, currency, at }: RefundEvent,
  saleEventId: string,
): WaitingRefund {
  const amounts = { grossFrom, grossTo, netAmount, currency };
  const times = { createdAt: at.toISOString(), keptAt: context.now.toISOString() };
  const names = { accountId: account.id, provider, saleEventId, eventId };
  return { ...names, ...amounts, ...times, kind };
}

async function apply(source: Source, refund: WaitingRefund, objects: string[]): Promise<Settling> {
  const { context, account } = source;
  const payment = await reportedBy(source, [refund.saleEventId, ...objects]);
  const settling = await recordTaking(context, account, { ...payment, taking: takingOf(refund) });
  if (settling !== "unknown") await forgetRefund(context.store, refund);
  return settling;
}

function takingOf({
  eventId,
  kind = "refund",
  grossFrom,
  grossTo,
  ...refund
}: WaitingRefund): ReportedTaking {
  const { netAmount, currency, createdAt } = refund;
  const grossAmount = Math.max(0, grossTo - grossFrom);
  return { id: eventId, kind, grossAmount, netAmount, currency, at: new Date(createdAt) };
}

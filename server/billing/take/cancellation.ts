import {
  findWaitingCancellation,
  forgetCancellation,
  keepWaiting,
  waitingCancellations,
} from "../../domain/billing/waiting.ts";
import type { Lead } from "../../domain/lead/lead.ts";
import { recordCancellation } from "../../domain/sale/refund.ts";
import type { CancellationTold } from "../told.ts";
import { findLead, identify, ownersOf, type Subscriber } from "./payer.ts";
import { recordOnce, taken, type Source, type Taken } from "./taker.ts";

/**
 * Records that a customer's subscription has ended. If the customer is not known yet, it waits for the first payment of
 * the subscription, because events come late and in any order.
 */
export async function takeCancellation(source: Source, told: CancellationTold): Promise<Taken> {
  const { context, account, provider } = source;
  const { subscriptionId, at } = told;
  const { payer, lead } = await identify(source, told.payer, ownersOf(told));
  if (lead !== null) return record(source, lead, { subscriptionId, at });
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
  const result = await record(source, lead, { subscriptionId, at: new Date(waiting.createdAt) });
  await forgetCancellation(context.store, waiting);
  return result;
}

function record(
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

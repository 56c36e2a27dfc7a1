import type { Account } from "../account/record.ts";
import type { Lead } from "../lead/record.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { leads } from "../lead/lead.ts";
import type { Promoter } from "../promoter/record.ts";
import { promoters } from "../promoter/promoter.ts";
import type { Show } from "../show.ts";
import { findCustomer, nobody } from "./customer.ts";
import type { NewRefund } from "./refund.ts";
import type { Cancellation } from "./record.ts";
import { alreadyRecorded, cancellations, findLatestSale } from "./sales.ts";

/** The input of a cancellation. null: not given. */
export interface NewCancellation {
  customer: NewRefund["customer"];
  eventId: string | null;
  createdAt: Date | null;
}

/** A cancellation with its lead and the lead's promoter. */
export interface RecordedCancellation {
  cancellation: Cancellation;
  lead: Lead;
  promoter: Promoter;
}

/**
 * Records that a customer has left. However often it is called, the lead is cancelled once. A lead that has bought
 * something since then stays as it is.
 *
 * @throws Failure `not_found` for an unknown customer, `already_registered` for the event id of another lead
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
    const { lead, promoter } = await loadKnown(tx, account.id, input.customer);
    const known = await findCancellation(tx, lead, input.eventId);
    if (known !== null) return show(tx.view, { cancellation: known, lead, promoter });
    const createdAt = (input.createdAt ?? now).toISOString();
    const cancellation = { accountId: account.id, id, leadId: lead.id, eventId: input.eventId, createdAt };
    await tx.insert(cancellations, cancellation);
    const last = await findLatestSale(tx.view, lead);
    const hasBoughtSince = last !== null && last.createdAt > createdAt;
    const after = hasBoughtSince ? lead : cancelled(lead, cancellation);
    await tx.put(leads, after);
    await announce(tx, context, { entity: "referral", before: lead, after });
    return show(tx.view, { cancellation, lead: after, promoter });
  });
}

/** The lead and its promoter. @throws Failure `not_found` */
async function loadKnown(
  tx: Transaction,
  accountId: number,
  names: NewCancellation["customer"],
): Promise<{ lead: Lead; promoter: Promoter }> {
  const lead = await findCustomer(tx, accountId, { ...names, tid: null });
  const promoter = lead && (await tx.get(promoters, accountId, lead.promoterId));
  if (lead === null || promoter === null) throw nobody();
  return { lead, promoter };
}

/** The cancellation that is repeated. null: it is a new one. */
async function findCancellation(
  tx: Transaction,
  { accountId, id, cancellationId }: Lead,
  eventId: string | null,
): Promise<Cancellation | null> {
  const sent = eventId === null ? null : await tx.find(cancellations, "event", accountId, [eventId]);
  if (eventId !== null && sent !== null && sent.leadId !== id) throw alreadyRecorded("cancellation", eventId);
  return sent ?? (cancellationId === null ? null : tx.get(cancellations, accountId, cancellationId));
}

/** Choice: a denied lead stays denied. */
function cancelled(lead: Lead, { id, createdAt }: Cancellation): Lead {
  return {
    ...lead,
    state: lead.state === "denied" ? "denied" : "cancelled",
    cancelledAt: lead.cancelledAt ?? createdAt,
    cancellationId: id,
  };
}

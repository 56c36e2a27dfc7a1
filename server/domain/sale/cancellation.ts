import type { Account } from "../account/account.ts";
import { leads, type Lead } from "../lead/lead.ts";
import { digest } from "../../storage/digests.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { withHistory, withLateCancellation } from "../lead/customer.ts";
import { promoters, type Promoter } from "../promoter/promoter.ts";
import type { Show } from "../show.ts";
import { findCustomer, nobody } from "./customer.ts";
import type { NewRefund } from "./refund.ts";
import type { Cancellation } from "./record.ts";
import { alreadyRecorded, cancellations, findNextSale } from "./sales.ts";

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
 * something since then stays as it is, but the cancellation counts on its day.
 *
 * @throws Failure `not_found` for an unknown customer, `already_registered` for the event id of another lead or of one that is gone
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
    const sent = await findSent(tx, account.id, input.eventId);
    const { lead, promoter } = await loadKnown(tx, account.id, { names: input.customer, sent });
    const known = sent ?? (await findOwn(tx, lead));
    if (known !== null) return show(tx.view, { cancellation: known, lead, promoter });
    const createdAt = (input.createdAt ?? now).toISOString();
    const cancellation = { accountId: account.id, id, leadId: lead.id, eventId: input.eventId, createdAt };
    await tx.insert(cancellations, cancellation);
    const next = await findNextSale(tx.view, lead, createdAt);
    const after =
      next === null
        ? withHistory(lead, cancelled(lead, cancellation), createdAt)
        : withLateCancellation(lead, createdAt, next.createdAt);
    await tx.put(leads, after);
    await announce(tx, context, { entity: "referral", before: lead, after });
    return show(tx.view, { cancellation, lead: after, promoter });
  });
}

/** The cancellation with this event id. null: there is none. */
async function findSent(
  tx: Transaction,
  accountId: number,
  eventId: string | null,
): Promise<Cancellation | null> {
  return eventId === null ? null : tx.find(cancellations, "event", accountId, [digest(eventId)]);
}

/**
 * The lead and its promoter.
 *
 * @throws Failure `not_found`; `already_registered` if the event was recorded, for another lead or one that is gone now
 */
async function loadKnown(
  tx: Transaction,
  accountId: number,
  { names, sent }: { names: NewCancellation["customer"]; sent: Cancellation | null },
): Promise<{ lead: Lead; promoter: Promoter }> {
  const lead = await findCustomer(tx, accountId, { ...names, tid: null });
  const promoter = lead && (await tx.get(promoters, accountId, lead.promoterId));
  const isOther = sent !== null && sent.leadId !== lead?.id;
  if (lead !== null && promoter !== null && !isOther) return { lead, promoter };
  throw sent?.eventId ? alreadyRecorded("cancellation", sent.eventId) : nobody();
}

/** The cancellation of a cancelled lead. null: none, or it was not tracked. */
async function findOwn(tx: Transaction, { accountId, cancellationId }: Lead): Promise<Cancellation | null> {
  return cancellationId === null ? null : tx.get(cancellations, accountId, cancellationId);
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

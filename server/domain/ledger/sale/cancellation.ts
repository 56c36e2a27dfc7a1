import { digest } from "../../../storage/digests.ts";
import type { Transaction, View } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import type { Context } from "../../context.ts";
import { announce } from "../../events/event.ts";
import { withHistory, withLateCancellation } from "../../people/lead/customer.ts";
import { leads, type Lead } from "../../people/lead/lead.ts";
import { hasSubscription, lastEndsOf, withEnd } from "../../people/lead/subscription.ts";
import { promoters, type Promoter } from "../../people/promoter/promoter.ts";
import { findCustomer, unreferred, type CustomerNames } from "./customer.ts";
import { alreadyRecorded, cancellations, findNextSale, type Cancellation } from "./sale.ts";

/** The input of a cancellation. Null fields are not given. */
interface NewCancellation {
  customer: Pick<CustomerNames, "uid" | "email" | "lead_id">;
  event_id: string | null;
  /** The subscription that has ended. Null: the one with the event id if there is one, otherwise all. */
  subscription_id: string | null;
  created_at: Date | null;
}

/** A cancellation with its lead and the lead's promoter. */
interface RecordedCancellation {
  cancellation: Cancellation;
  lead: Lead;
  promoter: Promoter;
}

/**
 * Records that a subscription has ended, or that a customer has left. The lead is cancelled when its last subscription has
 * ended, once, however often it is called. If the lead has bought again since, its state stays, but the cancellation counts
 * on its day.
 *
 * @throws Failure `not_found` for an unknown customer, `already_registered` for the event id of another lead
 * or of one that is gone
 * @see docs/spec/money.md "Refunds, cancellations and moves", 4
 */
export async function recordCancellation(
  tx: Transaction,
  context: Context,
  account: Account,
  input: NewCancellation,
): Promise<RecordedCancellation> {
  const id = await tx.nextId("event");
  const { event_id } = input;
  const sent = await findSent(tx, account.id, event_id);
  const { lead, promoter } = await loadKnown(tx, account.id, { names: input.customer, sent });
  if (sent !== null) return { cancellation: sent, lead, promoter };
  const subscriptionId = input.subscription_id ?? (hasSubscription(lead, event_id) ? event_id : null);
  // Without a subscription's id it ends all, so a cancelled lead has no other.
  const known = subscriptionId === null ? await findOwn(tx, lead) : null;
  const createdAt = (input.created_at ?? context.now).toISOString();
  const cancellation = known ?? {
    account_id: account.id,
    id,
    lead_id: lead.id,
    event_id,
    created_at: createdAt,
  };
  if (known === null) await tx.insert(cancellations, cancellation);
  const ended = withEnd(lead, {
    subscription_id: subscriptionId,
    created_at: createdAt,
    id: cancellation.id,
  });
  const after = await withLastEnds(tx.view, ended, id);
  await tx.put(leads, after);
  await announce(tx, context, { entity: "referral", before: lead, after });
  return { cancellation, lead: after, promoter };
}

/**
 * The lead, cancelled by the ends of its subscriptions after which none went on. Those that are known already change
 * nothing.
 *
 * @param newId the id of a cancellation that is recorded now. It counts even if the company has made the lead active again in
 * the same moment
 */
export async function withLastEnds(view: View, lead: Lead, newId: number | null = null): Promise<Lead> {
  let after = lead;
  for (const end of lastEndsOf(lead)) {
    if (end.cancellation_id === newId || isUncounted(after, end.at))
      after = await withLastEnd(view, after, end);
  }
  return after;
}

/** Whether an end of the past counts from now on. What ended before the person was a customer never does. */
function isUncounted({ customer_since, customer_history = [] }: Lead, at: string): boolean {
  const isOfCustomer = customer_since !== null && customer_since <= at;
  return isOfCustomer && !customer_history.some((change) => change.kind === "cancelled" && change.at === at);
}

type LastEnd = ReturnType<typeof lastEndsOf>[number];

async function withLastEnd(view: View, lead: Lead, end: LastEnd): Promise<Lead> {
  const { cancelled_at, cancellation_id } = lead;
  if (cancelled_at === end.at) return lead;
  if (hasLeft(lead, end.at)) {
    const isUnnamed = cancelled_at !== null && cancellation_id === null;
    return isUnnamed ? { ...lead, cancellation_id: end.cancellation_id } : lead;
  }
  const next = await findNextSale(view, lead, end.at);
  return next === null
    ? withHistory(lead, cancelled(lead, end), end.at)
    : withLateCancellation(lead, end.at, next.created_at);
}

/** Whether the lead was cancelled before an instant, and had not returned by then. */
function hasLeft({ cancelled_at, customer_history = [] }: Lead, at: string): boolean {
  const before = customer_history.filter((change) => change.at <= at);
  const last = before
    .filter(({ kind }) => kind === "cancelled")
    .map((change) => change.at)
    .toSorted()
    .at(-1);
  if (last === undefined) return cancelled_at !== null && cancelled_at <= at;
  return !before.some((change) => change.kind === "returned" && change.at >= last);
}

/** The cancellation with this event id, or null. */
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
 * @throws Failure `not_found`; `already_registered` if the event was recorded for another lead or one that is
 * gone now
 */
async function loadKnown(
  tx: Transaction,
  accountId: number,
  { names, sent }: { names: NewCancellation["customer"]; sent: Cancellation | null },
): Promise<{ lead: Lead; promoter: Promoter }> {
  const lead = await findCustomer(tx, accountId, { ...names, tid: null });
  const promoter = lead && (await tx.get(promoters, accountId, lead.promoter_id));
  const isOther = sent !== null && sent.lead_id !== lead?.id;
  if (lead !== null && promoter !== null && !isOther) return { lead, promoter };
  throw sent?.event_id ? alreadyRecorded("cancellation", sent.event_id) : unreferred();
}

/** The cancellation of a cancelled lead. Null: none, or it was not tracked. */
async function findOwn(tx: Transaction, { account_id, cancellation_id }: Lead): Promise<Cancellation | null> {
  return cancellation_id === null ? null : tx.get(cancellations, account_id, cancellation_id);
}

/** A denied lead stays denied. */
function cancelled(lead: Lead, { at, cancellation_id }: LastEnd): Lead {
  const state = lead.state === "denied" ? "denied" : "cancelled";
  const isEarlier = lead.cancelled_at !== null && at < lead.cancelled_at;
  return { ...lead, state, cancelled_at: isEarlier ? lead.cancelled_at : at, cancellation_id };
}

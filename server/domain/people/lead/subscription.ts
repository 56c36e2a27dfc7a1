import { withoutCancellation } from "./customer.ts";
import type { Lead, Subscription } from "./lead.ts";

/** More subscriptions than customers have. A client that names each order one would fill the record. */
const MOST = 100;

/**
 * The lead with a payment of a subscription. It takes back cancellations that turn out not to be the customer's last, because
 * this subscription went on.
 *
 * @param id null if the payment belongs to no subscription
 * @see docs/spec/money.md "Refunds, cancellations and moves", 4
 */
export function withPayment(lead: Lead, id: string | null, at: string): Lead {
  if (id === null) return lead;
  const known = subscriptionsOf(lead);
  const paid = known.find((each) => each.id === id) ?? newSubscription(id);
  const firstPaidAt = paid.first_paid_at === null || at < paid.first_paid_at ? at : paid.first_paid_at;
  const lastPaidAt = paid.last_paid_at === null || at > paid.last_paid_at ? at : paid.last_paid_at;
  const subscriptions = withOne(known, paid, {
    ...paid,
    first_paid_at: firstPaidAt,
    last_paid_at: lastPaidAt,
  });
  const noLonger = subscriptions.filter((each) => each.id !== null && isOtherOpen(subscriptions, each));
  return noLonger.reduce<Lead>((after, { ended_at }) => withoutCancellation(after, ended_at!), {
    ...lead,
    subscriptions,
  });
}

/** The lead with the end of a subscription, or of all. */
export function withEnd(
  lead: Lead,
  { subscription_id: id, created_at: at, ...cancellation }: EndOfSubscription,
): Lead {
  const known = subscriptionsOf(lead);
  const ended =
    known.find((each) => each.id === id && (id !== null || isSame(lead, each))) ?? newSubscription(id);
  if (ended.ended_at !== null && ended.ended_at <= at) return { ...lead, subscriptions: known };
  const end = { ended_at: at, cancellation_id: cancellation.id };
  return { ...lead, subscriptions: withOne(known, ended, { ...ended, ...end }) };
}

interface EndOfSubscription {
  /** Null: of all. */
  subscription_id: string | null;
  created_at: string;
  /** The id of the cancellation. */
  id: number;
}

/** Whether a sale of the lead has named this subscription. */
export function hasSubscription(lead: Lead, id: string | null): boolean {
  return id !== null && subscriptionsOf(lead).some((each) => each.id === id && each.first_paid_at !== null);
}

/** The ends by which the customer left, because no other subscription went on, in the order of time. */
export function lastEndsOf(lead: Lead): { at: string; cancellation_id: number | null }[] {
  const all = lead.subscriptions ?? [];
  const isAnyPaid = all.some(({ first_paid_at }) => first_paid_at !== null);
  return all
    .filter((each) => {
      if (each.ended_at === null || each.id === null) return each.ended_at !== null;
      // If sales name no subscriptions, any end is the customer's. Otherwise only that of a paid one is.
      return (isPaidAt(all, each, each.ended_at) || !isAnyPaid) && !isOtherOpen(all, each);
    })
    .map(({ ended_at, cancellation_id }) => ({ at: ended_at!, cancellation_id }))
    .toSorted((one, other) => one.at.localeCompare(other.at));
}

/** Those of the lead. One that was imported has only the last one's id. */
function subscriptionsOf(lead: Lead): Subscription[] {
  const { subscriptions, subscription_id: id, customer_since, cancelled_at } = lead;
  if (subscriptions !== null) return subscriptions;
  if (id === null || customer_since === null) return [];
  const paid = { first_paid_at: customer_since, last_paid_at: customer_since };
  return [{ id, ...paid, ended_at: cancelled_at, cancellation_id: lead.cancellation_id }];
}

function newSubscription(id: string | null): Subscription {
  return { id, first_paid_at: null, last_paid_at: null, ended_at: null, cancellation_id: null };
}

function withOne(all: Subscription[], before: Subscription, after: Subscription): Subscription[] {
  return [...all.filter((each) => each !== before), after].slice(-MOST);
}

/** Whether an end of all is why the lead is cancelled, so that a further one is no news. */
function isSame({ cancelled_at }: Lead, { ended_at }: Subscription): boolean {
  return cancelled_at !== null && ended_at !== null && ended_at >= cancelled_at;
}

/** Whether another subscription went on when this one ended. */
function isOtherOpen(all: Subscription[], { id, ended_at }: Subscription): boolean {
  return ended_at !== null && all.some((each) => each.id !== id && isOpenAt(all, each, ended_at));
}

function isOpenAt(all: Subscription[], each: Subscription, at: string): boolean {
  return (each.ended_at === null || each.ended_at > at) && isPaidAt(all, each, at);
}

/** Whether a subscription was paid by an instant, and no end of all has followed by then. */
function isPaidAt(all: Subscription[], { first_paid_at, last_paid_at }: Subscription, at: string): boolean {
  if (first_paid_at === null || last_paid_at === null || first_paid_at > at) return false;
  const paidAt = last_paid_at <= at ? last_paid_at : first_paid_at;
  return !all.some((end) => end.id === null && end.ended_at! >= paidAt && end.ended_at! <= at);
}

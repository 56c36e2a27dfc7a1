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
  const firstPaidAt = paid.firstPaidAt === null || at < paid.firstPaidAt ? at : paid.firstPaidAt;
  const lastPaidAt = paid.lastPaidAt === null || at > paid.lastPaidAt ? at : paid.lastPaidAt;
  const subscriptions = withOne(known, paid, { ...paid, firstPaidAt, lastPaidAt });
  const noLonger = subscriptions.filter((each) => each.id !== null && isOtherOpen(subscriptions, each));
  return noLonger.reduce<Lead>((after, { endedAt }) => withoutCancellation(after, endedAt!), {
    ...lead,
    subscriptions,
  });
}

/** The lead with the end of a subscription, or of all. */
export function withEnd(
  lead: Lead,
  { subscriptionId: id, createdAt: at, ...cancellation }: EndOfSubscription,
): Lead {
  const known = subscriptionsOf(lead);
  const ended =
    known.find((each) => each.id === id && (id !== null || isSame(lead, each))) ?? newSubscription(id);
  if (ended.endedAt !== null && ended.endedAt <= at) return { ...lead, subscriptions: known };
  const end = { endedAt: at, cancellationId: cancellation.id };
  return { ...lead, subscriptions: withOne(known, ended, { ...ended, ...end }) };
}

interface EndOfSubscription {
  /** Null: of all. */
  subscriptionId: string | null;
  createdAt: string;
  /** The id of the cancellation. */
  id: number;
}

/** Whether a sale of the lead has named this subscription. */
export function hasSubscription(lead: Lead, id: string | null): boolean {
  return id !== null && subscriptionsOf(lead).some((each) => each.id === id && each.firstPaidAt !== null);
}

/** The ends by which the customer left, because no other subscription went on, in the order of time. */
export function lastEndsOf(lead: Lead): { at: string; cancellationId: number | null }[] {
  const all = lead.subscriptions ?? [];
  const isAnyPaid = all.some(({ firstPaidAt }) => firstPaidAt !== null);
  return all
    .filter((each) => {
      if (each.endedAt === null || each.id === null) return each.endedAt !== null;
      // If sales name no subscriptions, any end is the customer's. Otherwise only that of a paid one is.
      return (isPaidAt(all, each, each.endedAt) || !isAnyPaid) && !isOtherOpen(all, each);
    })
    .map(({ endedAt, cancellationId }) => ({ at: endedAt!, cancellationId }))
    .toSorted((one, other) => one.at.localeCompare(other.at));
}

/** Those of the lead. One that was imported has only the last one's id. */
function subscriptionsOf(lead: Lead): Subscription[] {
  const { subscriptions, subscriptionId: id, customerSince, cancelledAt } = lead;
  if (subscriptions !== undefined) return subscriptions;
  if (id === null || customerSince === null) return [];
  const paid = { firstPaidAt: customerSince, lastPaidAt: customerSince };
  return [{ id, ...paid, endedAt: cancelledAt, cancellationId: lead.cancellationId }];
}

function newSubscription(id: string | null): Subscription {
  return { id, firstPaidAt: null, lastPaidAt: null, endedAt: null, cancellationId: null };
}

function withOne(all: Subscription[], before: Subscription, after: Subscription): Subscription[] {
  return [...all.filter((each) => each !== before), after].slice(-MOST);
}

/** Whether an end of all is why the lead is cancelled, so that a further one is no news. */
function isSame({ cancelledAt }: Lead, { endedAt }: Subscription): boolean {
  return cancelledAt !== null && endedAt !== null && endedAt >= cancelledAt;
}

/** Whether another subscription went on when this one ended. */
function isOtherOpen(all: Subscription[], { id, endedAt }: Subscription): boolean {
  return endedAt !== null && all.some((each) => each.id !== id && isOpenAt(all, each, endedAt));
}

function isOpenAt(all: Subscription[], each: Subscription, at: string): boolean {
  return (each.endedAt === null || each.endedAt > at) && isPaidAt(all, each, at);
}

/** Whether a subscription was paid by an instant, and no end of all has followed by then. */
function isPaidAt(all: Subscription[], { firstPaidAt, lastPaidAt }: Subscription, at: string): boolean {
  if (firstPaidAt === null || lastPaidAt === null || firstPaidAt > at) return false;
  const paidAt = lastPaidAt <= at ? lastPaidAt : firstPaidAt;
  return !all.some((end) => end.id === null && end.endedAt! >= paidAt && end.endedAt! <= at);
}

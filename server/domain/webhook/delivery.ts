import { Failure } from "../../failure.ts";
import { SYSTEM } from "../account/record.ts";
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus, type Lane } from "./record.ts";
import { collection, type Count } from "../../storage/collection.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { findPage, type Found, type Window } from "../../storage/listing/page-search.ts";
import { loadWebhook } from "./webhooks.ts";

/** The counter of e-mails by account and status. */
const EMAILS = "email";

/** The deliveries of all accounts, because one process sends them all. */
export const deliveries = collection<Delivery>()({
  name: "delivery",
  id: ({ id }) => [id],
  claims: {},
  indexes: {
    due: (delivery) => (delivery.dueAt === null ? null : [destinationOf(delivery), delivery.dueAt]),
    lane: (delivery) => (isOpen(delivery) ? [destinationOf(delivery), delivery.lane, delivery.place] : null),
    webhook: ({ webhookId, createdAt }) => (webhookId === null ? null : [webhookId, -Date.parse(createdAt)]),
    held: ({ status, createdAt }) => (status === "held" ? [Date.parse(createdAt)] : null),
    finished: ({ finishedAt }) => (finishedAt === null ? null : [Date.parse(finishedAt)]),
  },
  counts: (delivery) => [
    [["delivery/webhook", delivery.webhookId ?? 0], 1],
    ...emailCounts(delivery),
    // Counts the first delivery of each lane. A destination without any has nothing to send.
    [["delivery.due", destinationOf(delivery)], delivery.dueAt === null ? 0 : 1],
  ],
  owner: ({ ownerId }) => ownerId,
});

/** Counts an e-mail by its status. */
function emailCounts({ webhookId, ownerId, status }: Delivery): Count[] {
  return webhookId === null ? [[[EMAILS, ownerId, status], 1]] : [];
}

/** How many of an account's e-mails have each status. Finished ones are kept for 30 days. */
export async function countEmails(
  { sum }: Pick<Store, "sum">,
  ownerId: number,
): Promise<Record<DeliveryStatus, number>> {
  const counts = DELIVERY_STATUSES.map(
    async (status) => [status, await sum(SYSTEM, [EMAILS, ownerId, status])] as const,
  );
  return Object.fromEntries(await Promise.all(counts)) as Record<DeliveryStatus, number>;
}

export const lanes = collection<Lane>()({
  name: "lane",
  id: ({ destination, lane }) => [destination, lane],
  claims: {},
  indexes: {},
});

/** The name of a delivery's destination. All e-mails of an account share one. */
export function destinationOf({ webhookId, ownerId }: Pick<Delivery, "webhookId" | "ownerId">): string {
  return webhookId === null ? `mail/${ownerId}` : `webhook/${webhookId}`;
}

/** A delivery that has not been tried yet. */
export function newDelivery(
  given: Pick<Delivery, "id" | "ownerId" | "lane" | "createdAt"> &
    Partial<Pick<Delivery, "webhookId" | "message" | "email" | "status">>,
): Delivery {
  return {
    accountId: SYSTEM,
    webhookId: null,
    place: 0,
    message: null,
    email: null,
    status: "pending",
    attempts: 0,
    dueAt: null,
    responseCode: null,
    responseBody: null,
    lastError: null,
    deliveredAt: null,
    finishedAt: null,
    ...given,
  };
}

/** Puts a delivery at the end of its lane. It is due at once if the lane is empty. */
export async function enqueue(tx: Transaction, delivery: Delivery, now: Date): Promise<Delivery> {
  const destination = destinationOf(delivery);
  const lane = await tx.get(lanes, SYSTEM, destination, delivery.lane);
  const place = (lane?.lastPlace ?? 0) + 1;
  const queued = { ...delivery, place, dueAt: lane === null ? now.getTime() : null };
  await tx.put(deliveries, queued);
  const count = (lane?.count ?? 0) + 1;
  await tx.put(lanes, { accountId: SYSTEM, destination, lane: delivery.lane, count, lastPlace: place });
  return queued;
}

/** Writes a finished delivery and makes the next one in its lane due. */
export async function finish(
  tx: Transaction,
  { store, now }: Pick<Context, "store" | "now">,
  delivery: Delivery,
): Promise<void> {
  const destination = destinationOf(delivery);
  await tx.put(deliveries, { ...delivery, dueAt: null, finishedAt: now.toISOString() });
  const lane = await tx.get(lanes, SYSTEM, destination, delivery.lane);
  if (lane === null) return;
  if (lane.count <= 1) return tx.remove(lanes, SYSTEM, destination, delivery.lane);
  await tx.put(lanes, { ...lane, count: lane.count - 1 });
  const next = await firstOpen(tx, store, delivery);
  if (next !== null) await tx.put(deliveries, { ...next, dueAt: now.getTime() });
}

/** The new first delivery of a lane that `left` has just left. */
async function firstOpen(tx: Transaction, store: Store, left: Delivery): Promise<Delivery | null> {
  const start = [destinationOf(left), left.lane];
  for (let limit = 2; ; limit *= 2) {
    // A delivery that joins the lane also writes the lane's record, so this listing can't miss one.
    const listed = await store.page(deliveries, "lane", SYSTEM, start, { limit });
    for (const { id } of listed) {
      // Deliveries that this transaction has finished are still in the listing.
      const current = id === left.id ? null : await tx.get(deliveries, SYSTEM, id);
      if (current !== null && isOpen(current)) return current;
    }
    if (listed.length < limit) return null;
  }
}

/** Removes a delivery, sent or not. The next one in its lane becomes due. */
export async function dropDelivery(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  delivery: Delivery,
): Promise<void> {
  if (isOpen(delivery)) await finish(tx, context, delivery);
  await tx.remove(deliveries, SYSTEM, delivery.id);
}

/** A page of the deliveries to a webhook, newest first. @throws Failure `not_found` for the webhook */
export async function findDeliveries(
  store: Store,
  accountId: number,
  { webhookId, ...window }: { webhookId: number } & Window,
): Promise<Found<Delivery>> {
  const { id } = await loadWebhook(store, accountId, webhookId);
  return findPage(store, deliveries, { accountId: SYSTEM, index: "webhook", start: [id], ...window });
}

/** A delivery to a webhook. @throws Failure `not_found` for either */
export async function loadDelivery(
  reader: Pick<Transaction, "get">,
  accountId: number,
  { webhookId, id }: { webhookId: number; id: number },
): Promise<Delivery> {
  const delivery = await reader.get(deliveries, SYSTEM, id);
  if (delivery === null || delivery.ownerId !== accountId || delivery.webhookId !== webhookId) {
    throw new Failure("not_found", "Delivery not found.");
  }
  return delivery;
}

/**
 * Restarts a delivery at once: one that waits for its next attempt, was given up, or has arrived.
 *
 * @throws Failure `not_found`, or `refused` if its attempts are used up or the webhook is switched off
 * @see docs/spec/events.md
 */
export async function retryDelivery(
  context: Context,
  accountId: number,
  { webhookId, id }: { webhookId: number; id: number },
): Promise<Delivery> {
  const { store, now } = context;
  return store.transact(async (tx) => {
    const webhook = await loadWebhook(tx, accountId, webhookId);
    const delivery = await loadDelivery(tx, accountId, { webhookId, id });
    // Choice: refused, because the delivery might otherwise wait for ever.
    if (!webhook.isActive) throw new Failure("refused", "The webhook is switched off; make it active first");
    if (delivery.attempts > 0 && delivery.attempts >= webhook.maxRetries) {
      throw new Failure("refused", "The delivery has used up its retries; allow the webhook more of them");
    }
    const restarted: Delivery = {
      ...delivery,
      status: "pending",
      attempts: 0,
      finishedAt: null,
      deliveredAt: null,
    };
    if (delivery.finishedAt !== null) return enqueue(tx, restarted, now);
    // A delivery that is not first in its lane keeps waiting.
    const next = { ...restarted, dueAt: delivery.dueAt === null ? null : now.getTime() };
    await tx.put(deliveries, next);
    return next;
  });
}

/** Whether a delivery is still in its lane. */
export function isOpen({ status, finishedAt }: Delivery): boolean {
  return finishedAt === null && status !== "held";
}

import { SYSTEM } from "../account/record.ts";
import type { Delivery, DeliveryStatus } from "./record.ts";
import type { Store } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { countEmails, deliveries, enqueue } from "./delivery.ts";
import { loadWebhook } from "./webhooks.ts";

/** Deliveries restarted in one commit. Each commit costs a disk write, but large ones conflict more often. */
const ANEW_AT_ONCE = 50;

/** The deliveries of one webhook. Without a webhook: the account's e-mails. */
export interface DeliverySet {
  accountId: number;
  webhookId: number | null;
}

/** How the deliveries of a set stand. */
export interface DeliveryState {
  counts: Record<DeliveryStatus, number>;
  /** When the oldest that waits was made. null: none waits. */
  oldestWaitingAt: string | null;
  /** Why the newest that was tried without success failed. null: none is failing. */
  lastError: string | null;
}

/** How deliveries stand: what waits, since when, and why they fail. */
export async function loadDeliveryState(store: Store, set: DeliverySet): Promise<DeliveryState> {
  await checkWebhook(store, set);
  const state: DeliveryState = {
    counts: { pending: 0, retrying: 0, held: 0, delivered: 0, failed: 0 },
    oldestWaitingAt: null,
    lastError: null,
  };
  let failedAt = "";
  for await (const chunk of deliveriesOf(store, set)) {
    for (const { status, createdAt, lastError } of chunk) {
      state.counts[status] += 1;
      const isWaiting = status === "pending" || status === "retrying" || status === "held";
      if (isWaiting && (state.oldestWaitingAt === null || createdAt < state.oldestWaitingAt)) {
        state.oldestWaitingAt = createdAt;
      }
      if ((status === "retrying" || status === "failed") && createdAt >= failedAt) {
        failedAt = createdAt;
        state.lastError = lastError;
      }
    }
  }
  return state;
}

/** How many deliveries have each status. Finished ones are kept for 30 days. */
export async function countDeliveries(
  store: Store,
  set: DeliverySet,
): Promise<Record<DeliveryStatus, number>> {
  if (set.webhookId === null) return countEmails(store, set.accountId);
  await checkWebhook(store, set);
  const counts = { pending: 0, retrying: 0, held: 0, delivered: 0, failed: 0 };
  for await (const chunk of deliveriesOf(store, set)) {
    for (const { status } of chunk) counts[status] += 1;
  }
  return counts;
}

/**
 * Restarts all deliveries that were given up, in their order, and returns how many.
 *
 * Choice: the operator may do so however often they have failed.
 *
 * @throws Failure `not_found` for the webhook
 */
export async function retryFailed(context: Context, set: DeliverySet): Promise<number> {
  await checkWebhook(context.store, set);
  const failed: Pick<Delivery, "id" | "createdAt">[] = [];
  for await (const chunk of deliveriesOf(context.store, set)) {
    for (const { id, createdAt, status } of chunk) if (status === "failed") failed.push({ id, createdAt });
  }
  // Ids alone don't give the order: each process that makes deliveries takes its ids from a range of its own.
  failed.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || a.id - b.id);
  let count = 0;
  for (let at = 0; at < failed.length; at += ANEW_AT_ONCE) {
    count += await beginAnew(context, failed.slice(at, at + ANEW_AT_ONCE));
  }
  return count;
}

async function beginAnew({ store, now }: Context, failed: Pick<Delivery, "id">[]): Promise<number> {
  return store.transact(async (tx) => {
    let count = 0;
    for (const { id } of failed) {
      const delivery = await tx.get(deliveries, SYSTEM, id);
      if (delivery?.status !== "failed") continue;
      await enqueue(tx, { ...delivery, status: "pending", attempts: 0, finishedAt: null }, now);
      count += 1;
    }
    return count;
  });
}

async function* deliveriesOf(
  store: Store,
  { accountId, webhookId }: DeliverySet,
): AsyncGenerator<Delivery[]> {
  const found =
    webhookId === null
      ? store.scan(deliveries, "id", SYSTEM, [])
      : store.scan(deliveries, "webhook", SYSTEM, [webhookId]);
  for await (const chunk of found) {
    yield chunk.filter((each) => each.ownerId === accountId && each.webhookId === webhookId);
  }
}

async function checkWebhook(store: Store, { accountId, webhookId }: DeliverySet): Promise<void> {
  if (webhookId !== null) await loadWebhook(store, accountId, webhookId);
}

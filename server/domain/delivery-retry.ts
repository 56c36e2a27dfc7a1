import { SYSTEM, type Delivery, type DeliveryStatus } from "../records.ts";
import type { Store } from "../storage/store.ts";
import type { Context } from "./context.ts";
import { deliveries, enqueue } from "./delivery.ts";
import { loadWebhook } from "./webhook-list.ts";

/** Begun anew in one commit: each takes as long as the disk, while many at once are more often in another's way. */
const ANEW_AT_ONCE = 50;

/** Which deliveries of an account; without a webhook its letters. */
export interface DeliverySet {
  accountId: number;
  webhookId: number | null;
}

/** How many deliveries stand where. Those that are finished are known for 30 days. */
export async function countDeliveries(
  store: Store,
  set: DeliverySet,
): Promise<Record<DeliveryStatus, number>> {
  await checkWebhook(store, set);
  const counts = { pending: 0, retrying: 0, held: 0, delivered: 0, failed: 0 };
  for await (const chunk of deliveriesOf(store, set)) {
    for (const { status } of chunk) counts[status] += 1;
  }
  return counts;
}

/**
 * Begins all deliveries anew that were given up, in their order, and gives how many there were. Choice:
 * whoever runs the server may do so however often they were tried.
 *
 * @throws Failure `not_found` for the webhook
 */
export async function retryFailed(context: Context, set: DeliverySet): Promise<number> {
  await checkWebhook(context.store, set);
  const failed: Pick<Delivery, "id" | "createdAt">[] = [];
  for await (const chunk of deliveriesOf(context.store, set)) {
    for (const { id, createdAt, status } of chunk) if (status === "failed") failed.push({ id, createdAt });
  }
  // Ids alone are in no order where processes took turns in making deliveries, each from its own ids.
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

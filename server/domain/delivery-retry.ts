import { SYSTEM, type Delivery, type DeliveryStatus } from "../records.ts";
import type { Store } from "../storage/store.ts";
import type { Context } from "./context.ts";
import { deliveries, enqueue } from "./delivery.ts";
import { loadWebhook } from "./webhook-list.ts";

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
export async function retryFailed({ store, now }: Context, set: DeliverySet): Promise<number> {
  await checkWebhook(store, set);
  let count = 0;
  for await (const chunk of deliveriesOf(store, set)) {
    for (const { id } of chunk.filter(({ status }) => status === "failed")) {
      const isAnew = await store.transact(async (tx) => {
        const delivery = await tx.get(deliveries, SYSTEM, id);
        if (delivery?.status !== "failed") return false;
        await enqueue(tx, { ...delivery, status: "pending", attempts: 0, finishedAt: null }, now);
        return true;
      });
      if (isAnew) count += 1;
    }
  }
  return count;
}

async function* deliveriesOf(
  store: Store,
  { accountId, webhookId }: DeliverySet,
): AsyncGenerator<Delivery[]> {
  for await (const chunk of store.scan(deliveries, "id", SYSTEM, [])) {
    yield chunk.filter((each) => each.ownerId === accountId && each.webhookId === webhookId);
  }
}

async function checkWebhook(store: Store, { accountId, webhookId }: DeliverySet): Promise<void> {
  if (webhookId !== null) await loadWebhook(store, accountId, webhookId);
}

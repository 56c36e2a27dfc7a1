import { SYSTEM } from "../account/account.ts";
import type { SelectQueryBuilder } from "kysely";
import { parse } from "../../storage/documents.ts";
import { among } from "../../storage/query.ts";
import type { Store, View } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { deliveries, destinationOf, enqueue, type DeliverySchema } from "./delivery.ts";
import { DELIVERY_STATUSES, type DeliveryStatus } from "./record.ts";
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
  const counts = await countDeliveries(store, set);
  const waiting = deliveriesWith(store, set, ["pending", "retrying", "held"]);
  const [oldest] = await store.rows(waiting.select(({ fn }) => fn.min("created_at").as("at")));
  const failing = deliveriesWith(store, set, ["retrying", "failed"]);
  const [newest] = await store.rows(
    failing.select("doc").orderBy("created_at", "desc").orderBy("id", "desc").limit(1),
  );
  return {
    counts,
    oldestWaitingAt: oldest?.at ?? null,
    lastError: newest === undefined ? null : parse(deliveries, newest.doc).lastError,
  };
}

/** How many deliveries have each status. Finished ones are kept for 30 days. */
export async function countDeliveries(
  store: Store,
  set: DeliverySet,
): Promise<Record<DeliveryStatus, number>> {
  await checkWebhook(store, set);
  const found = await store.rows(
    deliveriesWith(store, set, DELIVERY_STATUSES)
      .groupBy("status")
      .select(({ fn }) => ["status", fn.countAll().as("count")]),
  );
  const counts = { pending: 0, retrying: 0, held: 0, delivered: 0, failed: 0 };
  for (const { status, count } of found) counts[status as DeliveryStatus] = Number(count);
  return counts;
}

/** How many e-mails of an account wait until the server can send any. */
export function countHeld(store: Store, accountId: number): Promise<number> {
  const destination = destinationOf({ webhookId: null, ownerId: accountId });
  return store.count(deliveries, "status", SYSTEM, [destination, "held"]);
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
  // Ids alone don't give the order: each process that makes deliveries takes its ids from a range of its own.
  const failed = await context.store.rows(
    deliveriesWith(context.store, set, ["failed"]).select("id").orderBy("created_at").orderBy("id"),
  );
  const ids = failed.map(({ id }) => Number(id));
  let count = 0;
  for (let at = 0; at < ids.length; at += ANEW_AT_ONCE) {
    count += await beginAnew(context, ids.slice(at, at + ANEW_AT_ONCE));
  }
  return count;
}

async function beginAnew({ store, now }: Context, failed: number[]): Promise<number> {
  return store.transact(async (tx) => {
    let count = 0;
    for (const id of failed) {
      const delivery = await tx.get(deliveries, SYSTEM, id);
      if (delivery?.status !== "failed") continue;
      await enqueue(tx, { ...delivery, status: "pending", attempts: 0, finishedAt: null }, now);
      count += 1;
    }
    return count;
  });
}

/** A question about the deliveries of a set that have one of these statuses. */
function deliveriesWith(
  view: View,
  { accountId, webhookId }: DeliverySet,
  statuses: readonly DeliveryStatus[],
): SelectQueryBuilder<DeliverySchema, "deliveries", object> {
  return view
    .question<DeliverySchema>()
    .selectFrom("deliveries")
    .where("account_id", "=", SYSTEM)
    .where("destination", "=", destinationOf({ webhookId, ownerId: accountId }))
    .where(among("status", statuses));
}

async function checkWebhook(store: Store, { accountId, webhookId }: DeliverySet): Promise<void> {
  if (webhookId !== null) await loadWebhook(store, accountId, webhookId);
}

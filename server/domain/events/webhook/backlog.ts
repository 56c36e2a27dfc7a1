import { sql, type SelectQueryBuilder, type SqlBool } from "kysely";
import { among, type Schema } from "../../../storage/query.ts";
import type { Store, View } from "../../../storage/store.ts";
import { SYSTEM, type Context } from "../../context.ts";
import { facts } from "../event.ts";
import {
  deliveries,
  DELIVERY_STATUSES,
  destinationOf,
  enqueue,
  type DeliverySchema,
  type DeliveryStatus,
} from "./delivery.ts";
import { loadWebhook, webhooks } from "./webhook.ts";

/** The deliveries of one webhook, or the account's e-mails if there is no webhook. */
export interface DeliverySet {
  account_id: number;
  webhook_id: number | null;
}

/** The state of a set of deliveries. */
interface DeliveryState {
  counts: Record<DeliveryStatus, number>;
  /** When the oldest waiting one was made, or null if none waits. */
  oldestWaitingAt: string | null;
  /** The error of the newest failing one, or null if none fails. */
  last_error: string | null;
}

/** The state of deliveries: how many wait, since when, and why they fail. */
export async function loadDeliveryState(store: Store, set: DeliverySet): Promise<DeliveryState> {
  const counts = await countDeliveries(store, set);
  const waiting = deliveriesWith(store, set, ["pending", "retrying", "held"]);
  const [oldest] = await store.rows(waiting.select(({ fn }) => fn.min("created_at").as("at")));
  const failing = deliveriesWith(store, set, ["retrying", "failed"]);
  const [newest] = await store.rows(
    failing.select("last_error").orderBy("created_at", "desc").orderBy("id", "desc").limit(1),
  );
  return {
    counts,
    oldestWaitingAt: oldest?.at ?? null,
    last_error: newest?.last_error ?? null,
  };
}

/** The number of deliveries in each status. Finished ones are kept for 30 days. */
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

/** The number of an account's e-mails that are held until mail is set up. */
export function countHeld(store: Store, accountId: number): Promise<number> {
  const destination = destinationOf({ webhook_id: null, owner_id: accountId });
  return store.count(deliveries, "status", SYSTEM, [destination, "held"]);
}

/** Deliveries restarted in one commit. Each commit costs a disk write, but large ones conflict more often. */
const ANEW_AT_ONCE = 50;

/**
 * Restarts all failed deliveries, in order, and returns how many. There is no limit on repeated restarts.
 *
 * @throws Failure `not_found` for the webhook
 */
export async function retryFailed(context: Context, set: DeliverySet): Promise<number> {
  await checkWebhook(context.store, set);
  // Ids alone don't give the order: each process that makes deliveries has its own range of ids.
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

/** Unsent events and e-mails. Held e-mails and events for an inactive webhook are not counted. */
export interface Backlog {
  /** At most `MOST_COUNTED`. */
  count: number;
  /** When the oldest one counted was made, or null if none waits. */
  oldestAt: string | null;
}

/** The backlog of an account, or of all accounts with null. */
export function loadBacklog(view: View, accountId: number | null): Promise<Backlog> {
  return tally(view, { account_id: accountId, before: null });
}

/** Sending takes seconds. Anything older than this is late. */
const LATE_MS = 5 * 60_000;

/** The part of an account's backlog that is late. */
export function loadLate(view: View, accountId: number, now: Date): Promise<Backlog> {
  return tally(view, { account_id: accountId, before: new Date(now.getTime() - LATE_MS).toISOString() });
}

/** A query for the deliveries of a set with one of these statuses. */
function deliveriesWith(
  view: View,
  { account_id, webhook_id }: DeliverySet,
  statuses: readonly DeliveryStatus[],
): SelectQueryBuilder<DeliverySchema, "deliveries", object> {
  return view
    .query<DeliverySchema>()
    .selectFrom("deliveries")
    .where("account_id", "=", SYSTEM)
    .where("destination", "=", destinationOf({ webhook_id, owner_id: account_id }))
    .where(among("status", statuses));
}

async function checkWebhook(store: Store, { account_id, webhook_id }: DeliverySet): Promise<void> {
  if (webhook_id !== null) await loadWebhook(store, account_id, webhook_id);
}

async function beginAnew({ store, now }: Context, failed: number[]): Promise<number> {
  return store.transact(async (tx) => {
    let count = 0;
    for (const id of failed) {
      const delivery = await tx.get(deliveries, SYSTEM, id);
      if (delivery?.status !== "failed") continue;
      await enqueue(tx, { ...delivery, status: "pending", attempts: 0, finished_at: null }, now);
      count += 1;
    }
    return count;
  });
}

type WaitingSchema = Schema<{
  facts: typeof facts;
  deliveries: typeof deliveries;
  webhooks: typeof webhooks;
}>;

/** Counting stops here, because operators need no exact number beyond it. */
const MOST_COUNTED = 10_000;

/** With `before`, counts only those made before this instant. */
async function tally(
  view: View,
  { account_id, before }: { account_id: number | null; before: string | null },
): Promise<Backlog> {
  const db = view.query<WaitingSchema>();
  let events = db.selectFrom("facts").select("at").where("account_id", "=", SYSTEM);
  let sendings = db
    .selectFrom("deliveries")
    .select("created_at as at")
    .where("account_id", "=", SYSTEM)
    .where("finished_at", "is", null)
    // The same condition as the index, so that it is used.
    .where(sql<SqlBool>`status <> 'held'`)
    .where(({ or, exists, selectFrom, eb }) =>
      or([
        eb("webhook_id", "is", null),
        exists(
          selectFrom("webhooks")
            .select("webhooks.id")
            .whereRef("webhooks.account_id", "=", "deliveries.owner_id")
            .whereRef("webhooks.id", "=", "deliveries.webhook_id")
            .where("webhooks.is_active", "=", 1),
        ),
      ]),
    );
  if (account_id !== null) {
    events = events.where("owner_id", "=", account_id);
    sendings = sendings.where("owner_id", "=", account_id);
  }
  if (before !== null) {
    events = events.where("at", "<", before);
    sendings = sendings.where("created_at", "<", before);
  }
  const waiting = events.unionAll(sendings).limit(MOST_COUNTED).as("waiting");
  const [found] = await view.rows(
    db.selectFrom(waiting).select(({ fn }) => [fn.countAll().as("count"), fn.min("at").as("oldest")]),
  );
  return { count: Number(found?.count ?? 0), oldestAt: found?.oldest ?? null };
}

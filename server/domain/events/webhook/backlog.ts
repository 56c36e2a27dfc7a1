import { sql, type SelectQueryBuilder, type SqlBool } from "kysely";
import { parse } from "../../../storage/documents.ts";
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

/** The deliveries of one webhook. Without a webhook: the account's e-mails. */
export interface DeliverySet {
  accountId: number;
  webhookId: number | null;
}

/** How the deliveries of a set stand. */
interface DeliveryState {
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

/** Deliveries restarted in one commit. Each commit costs a disk write, but large ones conflict more often. */
const ANEW_AT_ONCE = 50;

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

/** Events and e-mails that wait to be sent. Held e-mails and events for a webhook that is switched off are not among them. */
export interface Backlog {
  /** At most `MOST_COUNTED`. */
  count: number;
  /** When the oldest of those counted was made. null: none waits. */
  oldestAt: string | null;
}

/** What waits in an account. null: in all accounts. */
export function loadBacklog(view: View, accountId: number | null): Promise<Backlog> {
  return tally(view, { accountId, before: null });
}

/** Sending takes seconds. What waits longer than this is late. */
const LATE_MS = 5 * 60_000;

/** What has waited in an account for longer than usual. */
export function loadLate(view: View, accountId: number, now: Date): Promise<Backlog> {
  return tally(view, { accountId, before: new Date(now.getTime() - LATE_MS).toISOString() });
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

type WaitingSchema = Schema<{
  facts: typeof facts;
  deliveries: typeof deliveries;
  webhooks: typeof webhooks;
}>;

/** Counting stops here: an operator who has this many waiting needs no exact number. */
const MOST_COUNTED = 10_000;

/** `before`: only what was made before this instant. null: everything. */
async function tally(
  view: View,
  { accountId, before }: { accountId: number | null; before: string | null },
): Promise<Backlog> {
  const db = view.question<WaitingSchema>();
  let events = db.selectFrom("facts").select("at").where("account_id", "=", SYSTEM);
  let sendings = db
    .selectFrom("deliveries")
    .select("created_at as at")
    .where("account_id", "=", SYSTEM)
    .where("finished_at", "is", null)
    // As the index has it, so that it is used.
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
  if (accountId !== null) {
    events = events.where("owner_id", "=", accountId);
    sendings = sendings.where("owner_id", "=", accountId);
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

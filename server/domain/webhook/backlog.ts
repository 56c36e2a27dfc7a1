import { sql, type SqlBool } from "kysely";
import type { Schema } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import { SYSTEM } from "../account/account.ts";
import { facts } from "../event/event.ts";
import { deliveries } from "./delivery.ts";
import { webhooks } from "./webhooks.ts";

/** Counting stops here: an operator who has this many waiting needs no exact number. */
const MOST_COUNTED = 10_000;

/** Sending takes seconds. What waits longer than this is late. */
const LATE_MS = 5 * 60_000;

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

/** What has waited in an account for longer than usual. */
export function loadLate(view: View, accountId: number, now: Date): Promise<Backlog> {
  return tally(view, { accountId, before: new Date(now.getTime() - LATE_MS).toISOString() });
}

type WaitingSchema = Schema<{
  facts: typeof facts;
  deliveries: typeof deliveries;
  webhooks: typeof webhooks;
}>;

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

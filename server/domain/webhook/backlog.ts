import type { Store } from "../../storage/store.ts";
import { SYSTEM } from "../account/record.ts";
import { facts } from "../event/event.ts";
import { deliveries, destinationOf } from "./delivery.ts";
import { webhooks } from "./webhooks.ts";

/** Counting stops here: an operator who has this many waiting needs no exact number. */
export const MOST_COUNTED = 10_000;

/** Sending takes seconds. What waits longer than this is late. */
const LATE_MS = 5 * 60_000;

/** Events and e-mails that wait to be sent. Held e-mails are not among them. */
export interface Backlog {
  /** At most `MOST_COUNTED`. */
  count: number;
  /** When the oldest of those counted was made. null: none waits. */
  oldestAt: string | null;
}

/** What waits in an account. null: in all accounts. */
export async function loadBacklog(store: Store, accountId: number | null): Promise<Backlog> {
  return tally(waitingOf(store, accountId));
}

/** What has waited in an account for longer than usual. */
export async function loadLate(store: Store, accountId: number, now: Date): Promise<Backlog> {
  const latest = now.getTime() - LATE_MS;
  return tally(filtered(waitingOf(store, accountId), (at) => Date.parse(at) < latest));
}

/** When each waiting event and e-mail was made. */
async function* waitingOf(store: Store, accountId: number | null): AsyncGenerator<string> {
  for await (const chunk of store.scan(facts, "id", SYSTEM, accountId === null ? [] : [accountId])) {
    for (const { at } of chunk) yield at;
  }
  for (const start of await lanesOf(store, accountId)) {
    for await (const chunk of store.scan(deliveries, "lane", SYSTEM, start)) {
      for (const { createdAt } of chunk) yield createdAt;
    }
  }
}

/** Where the index of open deliveries begins, for each destination. */
async function lanesOf(store: Store, accountId: number | null): Promise<string[][]> {
  if (accountId === null) return [[]];
  const found = [[destinationOf({ webhookId: null, ownerId: accountId })]];
  for await (const chunk of store.scan(webhooks, "id", accountId, [])) {
    found.push(...chunk.map(({ id }) => [destinationOf({ webhookId: id, ownerId: accountId })]));
  }
  return found;
}

async function* filtered(
  instants: AsyncGenerator<string>,
  keeps: (at: string) => boolean,
): AsyncGenerator<string> {
  for await (const at of instants) if (keeps(at)) yield at;
}

async function tally(instants: AsyncGenerator<string>): Promise<Backlog> {
  const backlog: Backlog = { count: 0, oldestAt: null };
  for await (const at of instants) {
    backlog.count += 1;
    if (backlog.oldestAt === null || at < backlog.oldestAt) backlog.oldestAt = at;
    if (backlog.count === MOST_COUNTED) break;
  }
  return backlog;
}

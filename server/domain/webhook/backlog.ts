import type { Store } from "../../storage/store.ts";
import { listAccounts } from "../account/account.ts";
import { SYSTEM } from "../account/record.ts";
import { facts } from "../event/event.ts";
import { deliveries, destinationOf } from "./delivery.ts";
import { webhooks } from "./webhooks.ts";

/** Counting stops here: an operator who has this many waiting needs no exact number. */
export const MOST_COUNTED = 10_000;

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
export async function loadBacklog(store: Store, accountId: number | null): Promise<Backlog> {
  return tally(waitingOf(store, accountId));
}

/** What has waited in an account for longer than usual, of the first `MOST_COUNTED` that wait. */
export async function loadLate(store: Store, accountId: number, now: Date): Promise<Backlog> {
  const latest = now.getTime() - LATE_MS;
  return tally(waitingOf(store, accountId), (at) => Date.parse(at) < latest);
}

/** When each waiting event and e-mail was made. */
async function* waitingOf(store: Store, accountId: number | null): AsyncGenerator<string> {
  for await (const chunk of store.scan(facts, "id", SYSTEM, accountId === null ? [] : [accountId])) {
    for (const { at } of chunk) yield at;
  }
  const accountIds = accountId === null ? (await listAccounts(store)).map(({ id }) => id) : [accountId];
  for (const ownerId of accountIds) {
    for (const destination of await destinationsOf(store, ownerId)) {
      for await (const chunk of store.scan(deliveries, "lane", SYSTEM, [destination])) {
        for (const { createdAt } of chunk) yield createdAt;
      }
    }
  }
}

/** Where an account's deliveries go. */
async function destinationsOf(store: Store, ownerId: number): Promise<string[]> {
  const found = [destinationOf({ webhookId: null, ownerId })];
  for await (const chunk of store.scan(webhooks, "id", ownerId, [])) {
    const active = chunk.filter(({ isActive }) => isActive);
    found.push(...active.map(({ id }) => destinationOf({ webhookId: id, ownerId })));
  }
  return found;
}

async function tally(instants: AsyncGenerator<string>, counts: (at: string) => boolean = () => true) {
  const backlog: Backlog = { count: 0, oldestAt: null };
  let seen = 0;
  for await (const at of instants) {
    if (counts(at)) {
      backlog.count += 1;
      if (backlog.oldestAt === null || at < backlog.oldestAt) backlog.oldestAt = at;
    }
    seen += 1;
    if (seen === MOST_COUNTED) break;
  }
  return backlog;
}

import { listAccounts } from "../domain/account/account.ts";
import { countFailingWebhooks } from "../domain/home/home.ts";
import { countHeld, loadBacklog } from "../domain/webhook/backlog.ts";
import type { Store } from "../storage/store.ts";
import type { Stock } from "./metrics.ts";

/** What waits in a store, and how large it is. null: the store does not answer. */
export async function takeStock(store: Store, now: Date): Promise<Stock | null> {
  try {
    const accountIds = (await listAccounts(store)).map(({ id }) => id);
    const { count, oldestAt } = await loadBacklog(store, null);
    const size = await store.size();
    const held = await Promise.all(accountIds.map((id) => countHeld(store, id)));
    const failing = await Promise.all(accountIds.map((id) => countFailingWebhooks(store, id)));
    return {
      waitingCount: count,
      oldestSeconds: oldestAt === null ? 0 : Math.max(0, (now.getTime() - Date.parse(oldestAt)) / 1_000),
      heldEmailsCount: sum(held),
      failingWebhooksCount: sum(failing),
      storeBytes: size?.bytes ?? null,
      logBytes: size?.logBytes ?? null,
    };
  } catch {
    return null; // `tidemark_store_ready` tells that the store is away
  }
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

import { listAccounts } from "../domain/program/account/account.ts";
import { countFailingWebhooks } from "../domain/home.ts";
import { countHeld, loadBacklog } from "../domain/events/webhook/backlog.ts";
import type { Store } from "../storage/store.ts";
import type { Stock } from "./metrics.ts";

/**
 * How long the store may take to answer. Load balancers get their answer within a second, even from a slow
 * process.
 */
const WAIT_MS = 700;

/** Whether a server should get requests. */
export interface Readiness {
  isReady: boolean;
  /** Sentences on why commits are less durable than promised. */
  warnings: string[];
}

const NOT_READY: Readiness = { isReady: false, warnings: [] };

/** Asks the store whether it is available. One that answers too late is not ready. */
export async function loadReadiness(store: Pick<Store, "isReady" | "weaknesses">): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Readiness>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, NOT_READY);
  });
  const readiness = await Promise.race([ask(store), late]);
  clearTimeout(timer);
  return readiness;
}

/** The store's backlog and size, or null if the store does not answer. */
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
    return null; // `tidemark_store_ready` reports it
  }
}

async function ask(store: Pick<Store, "isReady" | "weaknesses">): Promise<Readiness> {
  if (!(await store.isReady())) return NOT_READY;
  return { isReady: true, warnings: await store.weaknesses() };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

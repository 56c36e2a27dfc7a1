import type { Store } from "../storage/store.ts";

/** How long the store may take to answer. Load balancers get their answer within a second, even from a slow process. */
const WAIT_MS = 700;

/** Whether a server should get requests. */
export interface Readiness {
  isReady: boolean;
  /** Why commits are less durable than promised, in sentences. */
  warnings: string[];
}

const NOT_READY: Readiness = { isReady: false, warnings: [] };

/** Asks the store whether it serves. A store that answers too late is not ready. */
export async function loadReadiness(store: Pick<Store, "isReady" | "weaknesses">): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Readiness>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, NOT_READY);
  });
  const readiness = await Promise.race([ask(store), late]);
  clearTimeout(timer);
  return readiness;
}

async function ask(store: Pick<Store, "isReady" | "weaknesses">): Promise<Readiness> {
  if (!(await store.isReady())) return NOT_READY;
  return { isReady: true, warnings: await store.weaknesses() };
}

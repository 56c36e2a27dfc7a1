import { Failure } from "../failure.ts";
import type { BatchProcess } from "../records.ts";
import type { Store } from "../storage/store.ts";
import { batchProcesses } from "./batch-process.ts";
import { findPage, type Found, type Window } from "./listing.ts";

/** A page of what batches did, newest first. */
export function findBatchProcesses(
  store: Store,
  accountId: number,
  window: Window,
): Promise<Found<BatchProcess>> {
  return findPage(store, batchProcesses, { accountId, index: "id", start: [], reverse: true, ...window });
}

/** What one batch did; any text may be asked for. @throws Failure `not_found` */
export async function loadBatchProcess(store: Store, accountId: number, id: string): Promise<BatchProcess> {
  const batch = /^\d{1,15}$/.test(id) ? await store.get(batchProcesses, accountId, Number(id)) : null;
  if (batch === null) throw new Failure("not_found", "Batch process not found.");
  return batch;
}

import { Failure } from "../../failure.ts";
import type { BatchProcess } from "./record.ts";
import type { Store } from "../../storage/store.ts";
import { batchProcesses } from "./batch.ts";
import { findPage, type Found, type Window } from "../../storage/listing/page-search.ts";

/** A page of finished batches, newest first. */
export function findBatchProcesses(
  store: Store,
  accountId: number,
  window: Window,
): Promise<Found<BatchProcess>> {
  return findPage(store, batchProcesses, { accountId, index: "id", start: [], reverse: true, ...window });
}

/** The result of one batch. `id` may be any text. @throws Failure `not_found` */
export async function loadBatchProcess(store: Store, accountId: number, id: string): Promise<BatchProcess> {
  const batch = /^\d{1,15}$/.test(id) ? await store.get(batchProcesses, accountId, Number(id)) : null;
  if (batch === null) throw new Failure("not_found", "Batch process not found.");
  return batch;
}

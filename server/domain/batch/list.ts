import { Failure } from "../../failure.ts";
import type { BatchProcess } from "./record.ts";
import type { Store } from "../../storage/store.ts";
import { batchProcesses } from "./batch.ts";
import { findPage, type Found, type Schema, type Window } from "../../storage/query.ts";

/** A page of finished batches, newest first. */
export function findBatchProcesses(
  store: Store,
  accountId: number,
  window: Window,
): Promise<Found<BatchProcess>> {
  const question = store
    .question<Schema<{ batch_process: typeof batchProcesses }>>()
    .selectFrom("batch_process")
    .where("account_id", "=", accountId)
    .orderBy("id", "desc");
  return findPage(store, batchProcesses, { question, ...window });
}

/** The result of one batch. `id` may be any text. @throws Failure `not_found` */
export async function loadBatchProcess(store: Store, accountId: number, id: string): Promise<BatchProcess> {
  const batch = /^\d{1,15}$/.test(id) ? await store.get(batchProcesses, accountId, Number(id)) : null;
  if (batch === null) throw new Failure("not_found", "Batch process not found.");
  return batch;
}

import { Failure } from "../failure.ts";
import type { BatchProcess } from "../records.ts";
import type { Page, Store } from "../storage/store.ts";
import { batchProcesses } from "./batch-process.ts";

/** A page of what batches did, newest first, and how many there were. */
export async function listBatchProcesses(
  store: Store,
  accountId: number,
  { limit, offset }: Required<Pick<Page, "limit" | "offset">>,
): Promise<{ batches: BatchProcess[]; total: number }> {
  const total = await store.tally(batchProcesses, accountId, ["all"]);
  const page = { limit, offset, total, reverse: true };
  return { batches: await store.page(batchProcesses, "id", accountId, [], page), total };
}

/** What one batch did; any text may be asked for. @throws Failure `not_found` */
export async function loadBatchProcess(store: Store, accountId: number, id: string): Promise<BatchProcess> {
  const batch = /^\d{1,15}$/.test(id) ? await store.get(batchProcesses, accountId, Number(id)) : null;
  if (batch === null) throw new Failure("not_found", "Batch process not found.");
  return batch;
}

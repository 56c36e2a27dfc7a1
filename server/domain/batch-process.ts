import { Failure, isOutage } from "../failure.ts";
import type { BatchProcess } from "../records.ts";
import { collection, listCounts } from "../storage/collection.ts";
import type { Context } from "./context.ts";

export const batchProcesses = collection<BatchProcess>()({
  name: "batch-process",
  id: (batchProcess) => [batchProcess.id],
  claims: {},
  indexes: {},
  counts: () => listCounts("batch-process", {}),
});

/**
 * Does something to each of many records, one commit for each: a record that refuses is left as it
 * was and named in the result, and the others go on.
 */
export async function runBatch(
  context: Context,
  accountId: number,
  { label, ids, work }: { label: string; ids: number[]; work: (id: number) => Promise<unknown> },
): Promise<BatchProcess> {
  const { store, now } = context;
  const errors: string[] = [];
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      // An outage says nothing about this record: the batch may be sent again as a whole.
      if (!(error instanceof Failure) || isOutage(error)) throw error;
      errors.push(`${id}: ${error.message}`);
    }
  }
  const batchProcess: BatchProcess = {
    accountId,
    id: await store.nextId("batch-process"),
    label,
    total: ids.length,
    processedCount: ids.length - errors.length,
    errors,
    meta: {},
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  };
  await store.transact((tx) => tx.put(batchProcesses, batchProcess));
  return batchProcess;
}

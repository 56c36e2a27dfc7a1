import { sql, type SqlBool } from "kysely";
import { Failure, isOutage } from "../failure.ts";
import { findPage, type Found, type Schema, type Window } from "../storage/query.ts";
import type { Store } from "../storage/store.ts";
import { table } from "../storage/table.ts";
import type { Context } from "./context.ts";

/** The result of an operation on many records. */
export interface BatchProcess {
  account_id: number;
  id: number;
  /** The operation, in words for people. */
  label: string;
  total: number;
  processed_count: number;
  /** One sentence for each unchanged record. Only the first ones if there are very many. */
  errors: string[];
  /** The number of unchanged records. Absent: the number of sentences. */
  failed_count?: number;
  /** Whether it is still running. Absent: it is completed. */
  is_under_way?: true;
  meta: Record<string, unknown>;
  created_at: string;
  updated_at: string;
}

export const batchProcesses = table<BatchProcess>()({
  name: "batch-process",
  columns: { id: "integer", label: "text", created_at: "text" },
});

/**
 * Runs the same work on many records, each in its own commit. A record that refuses stays unchanged and is
 * named in the result. The others continue.
 */
export async function runBatch(
  context: Context,
  accountId: number,
  { label, ids, work }: { label: string; ids: number[]; work: (id: number) => Promise<unknown> },
): Promise<BatchProcess> {
  const errors: string[] = [];
  for (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      // An outage is not this record's fault. The client may send the whole batch again.
      if (!(error instanceof Failure) || isOutage(error)) throw error;
      errors.push(`${id}: ${error.message}`);
    }
  }
  return recordBatch(context, accountId, { label, total: ids.length, errors });
}

/** Records the result of work on many records. `errors` has one sentence for each unchanged one. */
export async function recordBatch(
  { store, now }: Context,
  accountId: number,
  { label, total, errors }: Pick<BatchProcess, "label" | "total" | "errors">,
): Promise<BatchProcess> {
  const batchProcess: BatchProcess = {
    account_id: accountId,
    id: await store.nextId("batch-process"),
    label,
    total,
    processed_count: total - errors.length,
    errors,
    meta: {},
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
  await store.transact((tx) => tx.put(batchProcesses, batchProcess));
  return batchProcess;
}

/** A page of batches that are completed, running, or both, newest first. */
export function findBatchProcesses(
  store: Store,
  accountId: number,
  { is_under_way, ...window }: Window & { is_under_way: boolean | null },
): Promise<Found<BatchProcess>> {
  const all = store
    .query<
      Schema<{
        batch_process: typeof batchProcesses;
        csv_imports: typeof csvImports;
        email_runs: typeof emailRuns;
      }>
    >()
    .selectFrom("batch_process")
    .where("batch_process.account_id", "=", accountId)
    .orderBy("batch_process.id", "desc");
  const isRunning = sql<SqlBool>`(exists (select 1 from csv_imports where csv_imports.account_id = batch_process.account_id
    and csv_imports.id = batch_process.id) or exists (select 1 from email_runs where email_runs.account_id = batch_process.account_id
    and email_runs.id = batch_process.id))`;
  const query =
    is_under_way === null ? all : all.where(is_under_way ? isRunning : sql<SqlBool>`not ${isRunning}`);
  return findPage(store, batchProcesses, { query, ...window });
}

/** The result of one batch. `id` may be any text. @throws Failure `not_found` */
export async function loadBatchProcess(store: Store, accountId: number, id: string): Promise<BatchProcess> {
  const batch = /^\d{1,15}$/.test(id) ? await store.get(batchProcesses, accountId, Number(id)) : null;
  if (batch === null) throw new Failure("not_found", "Batch process not found.");
  return batch;
}

/** A long CSV file that is imported piece by piece, and removed when the import is complete. */
export interface CsvImport {
  account_id: number;
  /** The id of its batch. */
  id: number;
  /** Such as `promoters`. */
  kind: string;
  /** Whether nothing is written. */
  is_dry_run: boolean;
  /** The import's mapping from lines to values. */
  plan: object;
  /** The last line known to be imported. Later ones may have been imported, too. */
  last_line: number;
  part_count: number;
  created_at: string;
}

export const csvImports = table<CsvImport>()({
  name: "csv-import",
  columns: { id: "integer" },
});

/** A piece of such a file. */
export interface CsvPart {
  account_id: number;
  import_id: number;
  /** From 0. */
  number: number;
  text: string;
}

export const csvParts = table<CsvPart>()({
  name: "csv-part",
  key: ["import_id", "number"],
  columns: { import_id: "integer", number: "integer" },
});

/** An e-mail that is being sent to all promoters of its campaigns. It is removed when all have got it. */
export interface EmailRun {
  account_id: number;
  /** The id of its batch. */
  id: number;
  email_id: number;
  /** All promoters up to this id have got it, or are left out. */
  after_promoter_id: number;
  created_at: string;
}

export const emailRuns = table<EmailRun>()({
  name: "email-run",
  columns: { id: "integer", email_id: "integer" },
  unique: { email: ["email_id"] },
});

import { sql, type RawBuilder, type SqlBool } from "kysely";
import { Failure, isOutage } from "../failure.ts";
import type { Reader } from "../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../storage/table.ts";
import type { Context } from "./context.ts";

const batchProcessFields = {
  id: integer(),
  /** The operation, in words for people. */
  label: text(),
  total: integer(),
  processed_count: integer(),
  /** One sentence for each unchanged record. Only the first ones if there are very many. */
  errors: json<string[]>(),
  /** The number of unchanged records. Absent: the number of sentences. */
  failed_count: integer().optional(),
  /** Whether it is still running. Absent: it is completed. */
  is_under_way: flag().optional(),
  meta: json<Record<string, unknown>>(),
  created_at: time(),
  updated_at: time(),
};

/** The result of an operation on many records. */
export type BatchProcess = RowOf<typeof batchProcessFields>;

export const batchProcesses = table("batch-process", batchProcessFields);

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

/** Whether a batch is still running. */
export const IS_UNDER_WAY: RawBuilder<SqlBool> = sql`(exists (select 1 from csv_imports
    where csv_imports.account_id = batch_process.account_id and csv_imports.id = batch_process.id)
  or exists (select 1 from email_runs
    where email_runs.account_id = batch_process.account_id and email_runs.id = batch_process.id))`;

/** @throws Failure `not_found` */
export async function loadBatchProcess(reader: Reader, accountId: number, id: number): Promise<BatchProcess> {
  const batch = await reader.get(batchProcesses, accountId, id);
  if (batch === null) throw new Failure("not_found", "Batch process not found.");
  return batch;
}

const csvImportFields = {
  /** The id of its batch. */
  id: integer(),
  /** Such as `promoters`. */
  kind: text(),
  /** Whether nothing is written. */
  is_dry_run: flag(),
  /** The import's mapping from lines to values. */
  plan: json<object>(),
  /** The last line known to be imported. Later ones may have been imported, too. */
  last_line: integer(),
  part_count: integer(),
  created_at: time(),
};

/** A long CSV file that is imported piece by piece, and removed when the import is complete. */
export type CsvImport = RowOf<typeof csvImportFields>;

export const csvImports = table("csv-import", csvImportFields);

const csvPartFields = {
  import_id: integer(),
  /** From 0. */
  number: integer(),
  text: text(),
};

/** A piece of such a file. */
export type CsvPart = RowOf<typeof csvPartFields>;

export const csvParts = table("csv-part", csvPartFields, {
  key: ["import_id", "number"],
});

const emailRunFields = {
  /** The id of its batch. */
  id: integer(),
  email_id: integer(),
  /** All promoters up to this id have got it, or are left out. */
  after_promoter_id: integer(),
  created_at: time(),
};

/** An e-mail that is being sent to all promoters of its campaigns. It is removed when all have got it. */
export type EmailRun = RowOf<typeof emailRunFields>;

export const emailRuns = table("email-run", emailRunFields, {
  unique: { email: ["email_id"] },
});

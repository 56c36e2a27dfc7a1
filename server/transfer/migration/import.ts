import { setImmediate as othersTurn } from "node:timers/promises";
import type { Account } from "../../domain/program/account/account.ts";
import type { Context } from "../../domain/context.ts";
import type { Program } from "../../domain/program/migration/source-id.ts";
import { Failure, isOutage } from "../../failure.ts";
import { counting, type Progress } from "../progress.ts";
import { importCampaign } from "./campaigns.ts";
import { importCommission } from "./commissions.ts";
import { importCustomer, importSale } from "./customers.ts";
import { OUTCOMES, type Outcome, type Result, type Step } from "./keep.ts";
import type { SourceKind, SourceRecord } from "./model.ts";
import { importPayout } from "./payouts.ts";
import { importCode, importPlace } from "./places.ts";
import { makePlan } from "./plan.ts";
import { importParent, importPromoter } from "./promoters.ts";
import { proof, type Proof } from "./proof.ts";

/** A former program's records, which are read several times in the same order. */
export interface Migration {
  program: Program;
  records: () => AsyncIterable<SourceRecord>;
  onProgress: Progress;
  /** Called between two commits. It may throw to stop. */
  onBatch?: () => Promise<void> | void;
}

/** The result of an import, and whether both programs agree now. */
export interface Migrated {
  counts: Record<MigratedKind, Record<Outcome, number>>;
  /** What differs from the source, in sentences. */
  remarks: string[];
  proof: Proof;
}

/** Kinds of records that are counted: all but remarks. */
type MigratedKind = Exclude<SourceKind, "remark">;

const COUNTED: MigratedKind[] = [
  "campaign",
  "promoter",
  "promoter_campaign",
  "code",
  "customer",
  "sale",
  "commission",
  "payout",
];

/** Records per commit: many enough to be fast, few enough to let a running server write. */
const BATCH = 50;

/** More would only repeat the same fault. */
const MOST_REMARKS = 10_000;

/**
 * Imports the records of a former program, each once, even after repeated or interrupted runs, because a record and its
 * source id are one commit. No notifications are sent for history.
 *
 * @throws Failure `rule_broken` if exchange rates are missing; then nothing was written
 */
export async function importMigration(
  given: Context,
  account: Account,
  migration: Migration,
): Promise<Migrated> {
  const context = { ...given, isHistory: true };
  const plan = await makePlan(context.store, account, migration.records());
  const progress = counting("imported", migration.onProgress, plan.count);
  const importing = { context, account, program: migration.program, plan };
  const migrated = newTally();
  const parents: Parent[] = [];
  for await (const batch of inBatches(migration.records())) {
    for (const record of batch) if (record.kind === "promoter") parents.push(...parentOf(record));
    const wanted = batch.filter((record): record is Importable => record.kind !== "remark");
    const results = await inOneCommit(importing, wanted, importRecord);
    for (const [at, result] of results.entries()) migrated.count(wanted[at]!.kind, result);
    for (const record of batch) if (record.kind === "remark") migrated.remark(record.text);
    progress(batch.length);
    await othersTurn();
    await migration.onBatch?.();
    // All promoters are imported now, so every parent exists.
    if (parents.length > 0 && batch.at(-1)?.kind !== "promoter")
      await importParents(importing, parents.splice(0), migrated);
  }
  await importParents(importing, parents, migrated);
  const compared = counting("compared", migration.onProgress, plan.count);
  const proven = await proof(importing, migration.records(), compared);
  return { counts: migrated.counts, remarks: migrated.remarks, proof: proven };
}

type Importable = Exclude<SourceRecord, { kind: "remark" }>;
type Parent = { id: string; parentId: string };
type Importing = Omit<Step, "tx">;
type Tally = ReturnType<typeof newTally>;

function newTally() {
  const none = () => Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  const counts = Object.fromEntries(COUNTED.map((kind) => [kind, none()])) as Migrated["counts"];
  const remarks: string[] = [];
  const remark = (text: string) => void (remarks.length < MOST_REMARKS && remarks.push(text));
  return {
    counts,
    remarks,
    remark,
    count(kind: MigratedKind, result: Result) {
      counts[kind][result.outcome]++;
      if (result.remark !== undefined) remark(result.remark);
    },
  };
}

function importRecord(step: Step, record: Importable): Promise<Result> {
  switch (record.kind) {
    case "campaign":
      return importCampaign(step, record);
    case "promoter":
      return importPromoter(step, record);
    case "promoter_campaign":
      return importPlace(step, record);
    case "code":
      return importCode(step, record);
    case "customer":
      return importCustomer(step, record);
    case "sale":
      return importSale(step, record);
    case "commission":
      return importCommission(step, record);
    case "payout":
      return importPayout(step, record);
  }
}

async function importParents(importing: Importing, parents: Parent[], tally: Tally): Promise<void> {
  for (let at = 0; at < parents.length; at += BATCH) {
    const batch = parents.slice(at, at + BATCH);
    for (const { remark } of await inOneCommit(importing, batch, importParent))
      if (remark !== undefined) tally.remark(remark);
  }
}

/** If one of several records can't be written, each gets its own commit, so that the others are not lost. */
async function inOneCommit<T extends { id: string }>(
  importing: Importing,
  records: T[],
  importOne: (step: Step, record: T) => Promise<Result>,
): Promise<Result[]> {
  const { store } = importing.context;
  const all = (some: T[]) =>
    store.transact(async (tx) => {
      const results: Result[] = [];
      for (const record of some) results.push(await importOne({ ...importing, tx }, record));
      return results;
    });
  try {
    return records.length === 0 ? [] : await all(records);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  const results: Result[] = [];
  for (const record of records) {
    try {
      results.push(...(await all([record])));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      results.push({ outcome: "left_out", remark: `${record.id}: ${error.message}` });
    }
  }
  return results;
}

function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && !isOutage(error);
}

function parentOf({ id, parentId }: { id: string; parentId: string | null }): Parent[] {
  return parentId === null ? [] : [{ id, parentId }];
}

async function* inBatches(records: AsyncIterable<SourceRecord>): AsyncGenerator<SourceRecord[]> {
  let batch: SourceRecord[] = [];
  for await (const record of records) {
    batch.push(record);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

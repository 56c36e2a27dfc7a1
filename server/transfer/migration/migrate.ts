import { randomUUID } from "node:crypto";
import { setTimeout as sleep, setImmediate as othersTurn } from "node:timers/promises";
import type { Account } from "../../domain/program/account/account.ts";
import type { Context } from "../../domain/context.ts";
import { Failure, isOutage } from "../../failure.ts";
import { newLease, type Lease } from "../../process/lease.ts";
import { onCopy } from "../copy.ts";
import { counting, type Progress } from "../progress.ts";
import { newGet, systemReach, type Reach } from "./api.ts";
import type { Archive } from "./archive.ts";
import type { ArchivedRows, Source, SourceName, SourceKind, SourceRecord } from "./model.ts";
import { pictureOf, type Program } from "../../domain/program/migration/source-id.ts";
import { dub } from "./sources/dub.ts";
import { firstpromoter } from "./sources/firstpromoter.ts";
import { partnerstack } from "./sources/partnerstack.ts";
import { rewardful } from "./sources/rewardful.ts";
import { tolt } from "./sources/tolt.ts";
import { importCampaign } from "./campaigns.ts";
import { importCommission } from "./commissions.ts";
import { importCustomer, importSale } from "./customers.ts";
import { OUTCOMES, type Outcome, type Result, type Step } from "./keep.ts";
import { importPayout } from "./payouts.ts";
import { importCode, importPlace } from "./places.ts";
import { CLOSED } from "./paging.ts";
import { makePlan } from "./plan.ts";
import { importParent, importPromoter } from "./promoters.ts";
import { proof, type Proof } from "./proof.ts";

/** The parameters of a migration. */
export interface Migrating {
  source: Source;
  archive: Archive;
  /** Null to import the latest archive again without asking the source. */
  key: string | null;
  baseUrl?: string | undefined;
  /** Whether it works on a copy, so that nothing is written. */
  is_dry_run: boolean;
  onProgress: Progress;
  reach?: Reach;
}

/**
 * Reads a former program into the archive, imports the archive, and compares both programs. It may run beside a server, and
 * continues where it was interrupted.
 *
 * @throws Failure `conflict` if another process migrates the account, `not_found` without a complete archive, and like
 * `readProgram` and `importMigration`
 */
export async function migrate(context: Context, account: Account, migrating: Migrating): Promise<Migrated> {
  const { source, archive, is_dry_run, onProgress } = migrating;
  const hold = await holdAccount(context, account);
  try {
    const runId = await archivedRun(migrating);
    const migration = {
      program: source.name,
      records: () => source.records(archive.read(runId)),
      onProgress,
      onBatch: hold.check,
    };
    if (!is_dry_run) return await importMigration(context, account, migration);
    return await onCopy(context.store, account, (store) =>
      importMigration({ ...context, store }, account, migration),
    );
  } finally {
    await hold.release();
  }
}

/** The latest complete run in the archive. */
async function archivedRun({ source, archive, key, baseUrl, onProgress, reach }: Migrating): Promise<number> {
  if (key !== null) {
    const count = counting("fetched", onProgress);
    const access = { key, ...(baseUrl !== undefined && { baseUrl }), ...(reach && { reach }) };
    return readProgram({ source, archive, ...access, onKept: (_list, rowCount) => count(rowCount) });
  }
  const last = (await archive.runs()).findLast(({ ended_at }) => ended_at !== null);
  if (last === undefined)
    throw new Failure("not_found", `Nothing is archived of ${source.title} yet: run it once with its key`);
  return last.id;
}

const LEASE_MS = 4_000;
const PATIENCE_MS = 2 * LEASE_MS;
const BEAT_MS = 1_000;

/** Locks the account against other migrations. If a process is killed, its lease expires after some seconds. */
async function holdAccount({ store }: Context, { id }: Account) {
  const elapsedMs = () => performance.now();
  const names = { name: `migration ${id}`, holder: randomUUID(), durationMs: LEASE_MS };
  const lease = newLease({ store, elapsedMs }, names);
  const until = elapsedMs() + PATIENCE_MS;
  while (!(await lease.take())) {
    if (elapsedMs() > until)
      throw new Failure("conflict", "Another process migrates the account already: wait until it has ended");
    await sleep(LEASE_MS / 8);
  }
  return kept(lease);
}

function kept(lease: Lease) {
  // Reading the source may take hours. If the store is unreachable meanwhile, the next commit fails.
  const beat = setInterval(() => void lease.take().catch(() => {}), BEAT_MS);
  beat.unref();
  return {
    async check(): Promise<void> {
      if (!(await lease.take())) throw new Failure("conflict", "Another process migrates the account by now");
    },
    async release(): Promise<void> {
      clearInterval(beat);
      await lease.release();
    },
  };
}

/** Every former program that can be read. */
export const SOURCES: Record<SourceName, Source> = { rewardful, firstpromoter, tolt, partnerstack, dub };

/** The parameters of reading a program. */
export interface Reading {
  source: Source;
  archive: Archive;
  key: string;
  /** Default: the source's own address. */
  baseUrl?: string;
  reach?: Reach;
  /** Called whenever rows were archived. */
  onKept?: (list: string, rowCount: number) => void;
}

/**
 * Reads a whole program into its archive, and returns the number of the run. An interrupted run is continued.
 *
 * @throws Failure like `newGet`
 */
export async function readProgram({
  source,
  archive,
  key,
  baseUrl = source.baseUrl,
  reach = systemReach,
  onKept,
}: Reading): Promise<number> {
  const get = newGet(source, { key, baseUrl, reach });
  // Enough to tell keys apart, and too little to find one out.
  const access = pictureOf([baseUrl, key]).slice(0, 8);
  const run = await archive.begin(() => new Date(reach.now()), access);
  let closed: string | null = null;
  await source.fetch({
    get,
    mark: run.mark,
    kept: archive.read(run.id),
    async keep(list, rows, mark) {
      await run.keep(list, rows, mark);
      if (list === CLOSED) closed ??= (rows[0] as { text: string }).text;
      else onKept?.(list, rows.length);
    },
  });
  // A source that refuses everything is probably not at this address.
  if (closed !== null && (await isEmpty(archive.read(run.id), source))) throw new Failure("refused", closed);
  await run.end();
  return run.id;
}

async function isEmpty(archive: ArchivedRows, { records }: Source): Promise<boolean> {
  for await (const { kind } of records(archive)) if (kind !== "remark") return false;
  return true;
}

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

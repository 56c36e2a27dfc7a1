import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Account } from "../../domain/program/account/account.ts";
import type { Context } from "../../domain/context.ts";
import { Failure } from "../../failure.ts";
import { newLease, type Lease } from "../../process/lease.ts";
import { onCopy } from "../copy.ts";
import { counting, type Progress } from "../progress.ts";
import { newGet, systemReach, type Reach } from "./api.ts";
import type { Archive } from "./archive.ts";
import { importMigration, type Migrated } from "./import.ts";
import type { Source, SourceName } from "./model.ts";
import { pictureOf } from "../../domain/program/migration/source-id.ts";
import { dub } from "./sources/dub.ts";
import { firstpromoter } from "./sources/firstpromoter.ts";
import { partnerstack } from "./sources/partnerstack.ts";
import { rewardful } from "./sources/rewardful.ts";
import { tolt } from "./sources/tolt.ts";

/** The parameters of a migration. */
export interface Migrating {
  source: Source;
  archive: Archive;
  /** Null to import the latest archive again without asking the source. */
  key: string | null;
  baseUrl?: string | undefined;
  /** Whether it works on a copy, so that nothing is written. */
  isDryRun: boolean;
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
  const { source, archive, isDryRun, onProgress } = migrating;
  const hold = await holdAccount(context, account);
  try {
    const runId = await archivedRun(migrating);
    const migration = {
      program: source.name,
      records: () => source.records(archive.read(runId)),
      onProgress,
      onBatch: hold.check,
    };
    if (!isDryRun) return await importMigration(context, account, migration);
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
  const last = (await archive.runs()).findLast(({ endedAt }) => endedAt !== null);
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
  await source.fetch({
    get,
    mark: run.mark,
    kept: archive.read(run.id),
    async keep(list, rows, mark) {
      await run.keep(list, rows, mark);
      onKept?.(list, rows.length);
    },
  });
  await run.end();
  return run.id;
}

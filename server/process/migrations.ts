import type { Logger } from "pino";
import type { Storage } from "unstorage";
import type { JobContext } from "../domain/context.ts";
import { servedAccounts, type Account } from "../domain/program/account/account.ts";
import { systemChance } from "../domain/context.ts";
import {
  migrations,
  noteProgress,
  putMigration,
  type MigrationResult,
  type ProgramMigration,
} from "../domain/program/migration/migration.ts";
import { Failure, isOutage, reasonOf } from "../failure.ts";
import type { Store } from "../storage/store.ts";
import { openArchive } from "../transfer/migration/archive.ts";
import type { Reach } from "../transfer/migration/api.ts";
import { migrate, SOURCES, type Migrated } from "../transfer/migration/migrate.ts";
import { proofCsv } from "../transfer/migration/proof.ts";
import type { Progress } from "../transfer/progress.ts";

/** What the migrations of a server need. */
export interface MigrationRun extends JobContext {
  log: Logger;
  /** Where former programs' answers are kept. */
  archives: Storage;
  /** The address of every program's API. Absent: its own. */
  baseUrl?: string;
  reach?: Reach;
}

/** The maximum of remarks and differences in an answer. The report has all. */
const MOST_SHOWN = 1_000;
/** Progress that is written more often would only wear the disk. */
const NOTE_MS = 1_000;

/**
 * Runs the waiting migrations, and those of a process that died, one after another. Each step only checks
 * whether the running one has ended, so that other jobs continue meanwhile.
 */
export async function* runMigrations(run: MigrationRun): AsyncGenerator<void> {
  for await (const account of servedAccounts(run.store)) {
    for (const migration of await run.store.list(migrations, "open", account.id, [])) {
      const isOver = carryOut(run, account, migration).then(() => true);
      while (!(await Promise.race([isOver, nextLook()]))) yield;
    }
  }
}

function nextLook(): Promise<boolean> {
  return new Promise((resolve) => setTimeout(() => resolve(false), NOTE_MS / 10).unref());
}

async function carryOut(run: MigrationRun, account: Account, migration: ProgramMigration): Promise<void> {
  const { store, clock, log } = run;
  const over = (change: Partial<ProgramMigration>, csv: string | null = null) =>
    putMigration(
      store,
      { ...migration, ...change, key: null, progress: null, finished_at: clock().toISOString() },
      csv,
    );
  try {
    const migrated = await attempt(run, account, migration);
    await over(
      { status: "done", error: null, result: resultOf(migrated) },
      proofCsv(migrated.proof, account.currency),
    );
  } catch (error) {
    // The next process continues it.
    if (isOutage(error) || (error instanceof Failure && error.kind === "conflict")) return;
    if (!(error instanceof Failure)) log.error({ err: error }, "a migration failed");
    const reason =
      error instanceof Failure
        ? reasonOf(error)
        : "It failed because of a bug; the server's log has the details.";
    await over({ status: "failed", error: reason }).catch((late: unknown) =>
      log.error({ err: late }, "a migration failed"),
    );
  }
}

async function attempt(
  { store, clock, archives, baseUrl, reach }: MigrationRun,
  account: Account,
  migration: ProgramMigration,
): Promise<Migrated> {
  const { program, key, is_dry_run } = migration;
  const source = SOURCES[program];
  if (source === undefined) throw new Failure("invalid", `${program} can't be read by this release`);
  await putMigration(store, { ...migration, status: "running" });
  const archive = openArchive(archives, account.id, source.name);
  const context = { store, now: clock(), chance: systemChance };
  const onProgress = newNotes(store, migration);
  return migrate(context, account, {
    source,
    archive,
    key,
    baseUrl,
    is_dry_run,
    onProgress,
    ...(reach && { reach }),
  });
}

/** Records the progress of a migration periodically. */
function newNotes(store: Store, migration: ProgramMigration): Progress {
  let notedAt = -Infinity;
  return ({ what, entries: count, total }) => {
    if (performance.now() - notedAt < NOTE_MS) return;
    notedAt = performance.now();
    noteProgress(store, migration, { what, count, total }).catch(() => {}); // progress is no reason to fail
  };
}

function resultOf({ counts, remarks, proof }: Migrated): MigrationResult {
  const differing = proof.rows.filter(({ differences }) => differences.length > 0);
  return {
    counts,
    remarks: remarks.slice(0, MOST_SHOWN),
    remarks_count: remarks.length,
    compared_count: proof.rows.length,
    differing_count: proof.differing_count,
    differences: differing
      .slice(0, MOST_SHOWN)
      .map(({ email, promoter_id, differences: texts }) => ({ email, promoter_id, texts })),
  };
}

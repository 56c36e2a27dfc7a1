import { Failure } from "../../../failure.ts";
import { withoutPersonal } from "../../../storage/marks.ts";
import type { Reader, Store, Transaction } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";
import type { Program } from "./source-id.ts";

export const MIGRATION_STATUSES = ["waiting", "running", "done", "failed"] as const;

export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];

const programMigrationFields = {
  id: integer(),
  program: text<Program>(),
  /** Whether nothing is written. */
  is_dry_run: flag(),
  /**
   * The program's API key while it is needed. Null: the run is over, or it imports from the latest archive.
   */
  key: text().nullable().secret(),
  /** Whether to read the archive instead of the program's API. */
  is_from_archive: flag(),
  status: text<MigrationStatus>(),
  /** The progress of a running migration, otherwise null. */
  progress: json<{ what: string; count: number; total: number | null }>().nullable(),
  /** The reason of a failure, for people, or null. */
  error: text().nullable(),
  /** Null until it is done. */
  result: json<MigrationResult>()
    .nullable()
    .personal((result) => ({ ...result, remarks: [], differences: [] })),
  created_at: time(),
  finished_at: time().nullable(),
};

/** A background run that imports a company's former program. */
export type ProgramMigration = RowOf<typeof programMigrationFields>;

/** The result of a run. */
export interface MigrationResult {
  /** By kind and outcome. */
  counts: Record<string, Record<string, number>>;
  /** Only the first ones. */
  remarks: string[];
  remarks_count: number;
  compared_count: number;
  differing_count: number;
  /** The first promoters who differ. */
  differences: { email: string; promoter_id: number | null; texts: string[] }[];
}

/** A run's comparison of all promoters, as a CSV file. It may be long, so lists never read it. */
const migrationReportFields = {
  migration_id: integer(),
  csv: text().personal(),
};

export const migrations = table("migration", programMigrationFields, {
  indexes: { open: { on: ["id"], where: "status in ('waiting', 'running')" } },
});

export const migrationReports = table("migration-report", migrationReportFields, {
  key: ["migration_id"],
});

/**
 * Requests a migration, which a job begins within seconds.
 *
 * @throws Failure `refused` while another one of the account is running
 */
export async function orderMigration(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  input: Pick<ProgramMigration, "program" | "is_dry_run" | "key" | "is_from_archive">,
): Promise<ProgramMigration> {
  const id = await tx.nextId("migration");
  const [open] = await tx.view.page(migrations, "open", accountId, [], { limit: 1 });
  if (open !== undefined)
    throw new Failure("refused", "A migration is already running; wait until it has finished.");
  const migration: ProgramMigration = {
    account_id: accountId,
    id,
    ...input,
    status: "waiting",
    progress: null,
    error: null,
    result: null,
    created_at: now.toISOString(),
    finished_at: null,
  };
  await tx.insert(migrations, migration);
  return migration;
}

/** @throws Failure `not_found` */
export async function loadMigration(
  reader: Reader,
  accountId: number,
  id: number,
): Promise<ProgramMigration> {
  const migration = await reader.get(migrations, accountId, id);
  if (migration === null) throw new Failure("not_found", "Migration not found.");
  return migration;
}

/**
 * The comparison of a finished migration.
 *
 * @throws Failure `not_found`
 */
export async function loadMigrationReport(reader: Reader, accountId: number, id: number): Promise<string> {
  const report = await reader.get(migrationReports, accountId, id);
  if (report === null) throw new Failure("not_found", "The migration has no report yet.");
  return report.csv;
}

/** Records the progress of a running migration. A finished one stays unchanged. */
export function noteProgress(
  store: Store,
  { account_id, id }: Pick<ProgramMigration, "account_id" | "id">,
  progress: NonNullable<ProgramMigration["progress"]>,
): Promise<void> {
  return store.transact(async (tx) => {
    const current = await tx.get(migrations, account_id, id);
    if (current?.status === "running") await tx.put(migrations, { ...current, progress });
  });
}

/** Writes the state of a migration. A finished one drops its key. */
export function putMigration(
  store: Store,
  after: ProgramMigration,
  csv: string | null = null,
): Promise<void> {
  return store.transact(async (tx) => {
    const { account_id, id } = after;
    // The account may have been removed meanwhile.
    if ((await tx.get(migrations, account_id, id)) === null) return;
    await tx.put(migrations, after);
    if (csv !== null) await tx.put(migrationReports, { account_id, migration_id: id, csv });
  });
}

/** Removes personal texts from finished runs, because reports contain e-mail addresses. */
export async function forgetMigrationTexts(tx: Transaction, accountId: number): Promise<void> {
  for (const migration of await tx.view.list(migrations, "id", accountId, [])) {
    if (migration.result === null) continue;
    await tx.put(migrations, withoutPersonal(migrations, migration));
    await tx.remove(migrationReports, accountId, migration.id);
  }
}

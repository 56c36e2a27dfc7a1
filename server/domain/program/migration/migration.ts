import { Failure } from "../../../failure.ts";
import { findPage, type Found, type Schema, type Window } from "../../../storage/query.ts";
import type { Reader, Store, Transaction } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";
import type { Program } from "./source-id.ts";

export const MIGRATION_STATUSES = ["waiting", "running", "done", "failed"] as const;

export type MigrationStatus = (typeof MIGRATION_STATUSES)[number];

/** One run that takes over a former program, in the background. */
export interface ProgramMigration {
  accountId: number;
  id: number;
  program: Program;
  /** Whether nothing is written. */
  isDryRun: boolean;
  /** The program's API key, while it is needed. null: it is over, or what was archived last is imported. */
  key: string | null;
  /** Whether the program is not asked. */
  isFromArchive: boolean;
  status: MigrationStatus;
  /** How far it is. null: it has not begun, or it is over. */
  progress: { what: string; count: number; total: number | null } | null;
  /** Why it failed, for people. null: it did not. */
  error: string | null;
  /** null: it is not done. */
  result: MigrationResult | null;
  createdAt: string;
  finishedAt: string | null;
}

/** What a run has done. */
export interface MigrationResult {
  /** By kind and outcome. */
  counts: Record<string, Record<string, number>>;
  /** The first ones. */
  remarks: string[];
  remarksCount: number;
  comparedCount: number;
  differingCount: number;
  /** The first promoters who differ. */
  differences: { email: string; promoterId: number | null; texts: string[] }[];
}

/** A run's comparison of all promoters, as a CSV file. It may be long, so no list reads it. */
interface MigrationReport {
  accountId: number;
  migrationId: number;
  csv: string;
}

export const migrations = table<ProgramMigration>()({
  name: "migration",
  columns: { id: "integer", status: "text", created_at: "text" },
  indexes: { open: { on: ["id"], where: "status in ('waiting', 'running')" } },
});

export const migrationReports = table<MigrationReport>()({
  name: "migration-report",
  key: ["migration_id"],
  columns: { migration_id: "integer" },
});

/**
 * Orders a migration, which a job begins within seconds.
 *
 * @throws Failure `refused` while another one of the account is under way
 */
export async function orderMigration(
  { store, now }: Context,
  accountId: number,
  input: Pick<ProgramMigration, "program" | "isDryRun" | "key" | "isFromArchive">,
): Promise<ProgramMigration> {
  const id = await store.nextId("migration");
  return store.transact(async (tx) => {
    const [open] = await tx.view.page(migrations, "open", accountId, [], { limit: 1 });
    if (open !== undefined)
      throw new Failure("refused", "A migration is under way already; wait until it has ended.");
    const migration: ProgramMigration = {
      accountId,
      id,
      ...input,
      status: "waiting",
      progress: null,
      error: null,
      result: null,
      createdAt: now.toISOString(),
      finishedAt: null,
    };
    await tx.insert(migrations, migration);
    return migration;
  });
}

/** Migrations, newest first. */
export function findMigrations(
  store: Store,
  accountId: number,
  window: Window,
): Promise<Found<ProgramMigration>> {
  const question = store
    .question<Schema<{ migrations: typeof migrations }>>()
    .selectFrom("migrations")
    .where("account_id", "=", accountId)
    .orderBy("id", "desc");
  return findPage(store, migrations, { question, ...window });
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

/** The comparison of a migration that is done. @throws Failure `not_found` */
export async function loadMigrationReport(reader: Reader, accountId: number, id: number): Promise<string> {
  const report = await reader.get(migrationReports, accountId, id);
  if (report === null) throw new Failure("not_found", "The migration has no report yet.");
  return report.csv;
}

/** Notes how far a running migration is. One that is over stays as it is. */
export function noteProgress(
  store: Store,
  { accountId, id }: Pick<ProgramMigration, "accountId" | "id">,
  progress: NonNullable<ProgramMigration["progress"]>,
): Promise<void> {
  return store.transact(async (tx) => {
    const current = await tx.get(migrations, accountId, id);
    if (current?.status === "running") await tx.put(migrations, { ...current, progress });
  });
}

/** Writes how a migration stands. One that is over needs no key any more. */
export function putMigration(
  store: Store,
  after: ProgramMigration,
  csv: string | null = null,
): Promise<void> {
  return store.transact(async (tx) => {
    const { accountId, id } = after;
    // The account may be removed meanwhile.
    if ((await tx.get(migrations, accountId, id)) === null) return;
    await tx.put(migrations, after);
    if (csv !== null) await tx.put(migrationReports, { accountId, migrationId: id, csv });
  });
}

/** Forgets what finished runs say of people, because reports name them by their e-mail addresses. */
export async function forgetMigrationTexts(tx: Transaction, accountId: number): Promise<void> {
  for (const migration of await tx.view.list(migrations, "id", accountId, [])) {
    const { result } = migration;
    if (result === null) continue;
    await tx.put(migrations, { ...migration, result: { ...result, remarks: [], differences: [] } });
    await tx.remove(migrationReports, accountId, migration.id);
  }
}

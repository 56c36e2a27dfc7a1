import { loadBalance } from "../../server/domain/ledger/commission/balance.ts";
import type { Program } from "../../server/domain/program/migration/source-id.ts";
import { storeRates } from "../../server/domain/ledger/rate.ts";
import { findPromoterByEmail } from "../../server/domain/people/promoter/promoter.ts";
import { loadPromoterTotals } from "../../server/domain/people/daily.ts";
import { accounts } from "../../server/domain/program/account/account.ts";
import { SYSTEM } from "../../server/domain/context.ts";
import { runMigrations } from "../../server/process/migrations.ts";
import { openFiles } from "../../server/storage/files.ts";
import { openStore } from "../../server/storage/open.ts";
import type { Store } from "../../server/storage/store.ts";
import { TABLES } from "../../server/tables.ts";
import { importMigration, readProgram, type Migrated } from "../../server/transfer/migration/migrate.ts";
import { OUTCOMES, type Outcome } from "../../server/transfer/migration/keep.ts";
import { openArchive } from "../../server/transfer/migration/archive.ts";
import { rewardful } from "../../server/transfer/migration/sources/rewardful.ts";
import type { SourceRecord } from "../../server/transfer/migration/model.ts";
import { countedChance, NOW, type TestApp } from "./app.ts";
import { recordsOf } from "./former-program.ts";
import type { Entry } from "./entries.ts";
import type { StandIn } from "./sources/stand-in.ts";
import { quickReach } from "./sources/reading.ts";
import type { Sums, Truth } from "./sources/program.ts";
import { TEST_SEAL } from "./memory-engine.ts";

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;
/** One unit of each minor unit in cents, so that every conversion is exact. */
const CENTS: Record<string, number> = { USD: 1, EUR: 2, JPY: 1, "the program's": 1 };

/** Stores rates of a year and more, which never change and convert without rounding. */
export async function fillRates(store: Store, accountId: number): Promise<void> {
  const days = Array.from({ length: 70 }, (_, week) =>
    new Date(Date.UTC(2024, 11, 28) + week * WEEK_MS).toISOString().slice(0, 10),
  );
  const rates = { EUR: "0.5", JPY: "100" };
  await putRates(
    store,
    accountId,
    days.map((day) => ({ day, base: "USD", rates })),
  );
}

/** Stores rates of some days. */
export async function putRates(
  store: Store,
  accountId: number,
  days: Parameters<typeof storeRates>[2],
): Promise<void> {
  await storeRates({ store, now: new Date(NOW), chance: countedChance() }, accountId, days);
}

/** Imports records of a former program into the account of an app. */
export async function importInto(
  app: TestApp,
  records: readonly SourceRecord[],
  program: Program = "rewardful",
): Promise<Migrated> {
  const { context, account_id } = app;
  const account = (await context.store.get(accounts, SYSTEM, account_id))!;
  const migration = { program, records: recordsOf(records), onProgress: () => {} };
  return importMigration(context, account, migration);
}

/** The number of records with each outcome, without those that no record has. */
export function outcomesOf({ counts }: Migrated): Partial<Record<Outcome, number>> {
  const all = OUTCOMES.map((outcome) => {
    const count = Object.values(counts).reduce((sum, each) => sum + each[outcome], 0);
    return [outcome, count] as const;
  });
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}

/** Works on the store in a folder. */
export async function withStoreIn<T>(folder: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(`sqlite:${folder}`, { tables: TABLES, seal: TEST_SEAL });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** What a promoter has in both programs, in cents. */
interface Standing {
  email: string;
  clicks: number | null;
  leads: number;
  customers: number;
  earned: number;
  paid: number;
}

/** What the stand-in says of each promoter. */
export function standingsThere(truths: readonly Truth[]): Standing[] {
  return truths
    .map(({ email, clicks, leads, customers, approved, paid }) => {
      return { email, clicks, leads, customers, earned: inCents(approved), paid: inCents(paid) };
    })
    .sort((one, other) => (one.email < other.email ? -1 : 1));
}

/** What the store says of the same promoters, as the dashboard shows it. */
export async function standingsHere(store: Store, truths: readonly Truth[]): Promise<Standing[]> {
  const standings: Standing[] = [];
  for (const { email, clicks } of truths) {
    const promoter = await findPromoterByEmail(store, 1, email);
    if (promoter === null) continue;
    const totals = await loadPromoterTotals(store, 1, promoter.id);
    const cash = (await loadBalance(store, 1, promoter.id)).units.cash;
    standings.push({
      email,
      clicks: clicks === null ? null : totals.clicks,
      leads: totals.referrals,
      customers: totals.customers,
      earned: cash?.earnings ?? 0,
      paid: cash?.paid ?? 0,
    });
  }
  return standings.sort((one, other) => (one.email < other.email ? -1 : 1));
}

/** The records of a store without what no two stores share: ids, tokens, and what processes agree on. */
export function contentOf(entries: readonly Entry[]): string[] {
  return entries
    .filter(({ table }) => table !== "lease" && table !== "source-id")
    .map(({ table, doc }) => `${table} ${JSON.stringify(JSON.parse(doc), withoutIds)}`)
    .sort();
}

function withoutIds(name: string, value: unknown): unknown {
  return /^id$|_ids?$|^(auth_token|address_key|key_hash|picture)$/.test(name) ? undefined : value;
}

function inCents(sums: Sums): number {
  return Object.entries(sums).reduce(
    (sum, [currency, amount]) => sum + amount * (CENTS[currency] ?? Number.NaN),
    0,
  );
}

/** Runs the migrations that were ordered of an app, until all have ended. Waits for the source pass at once. */
export async function runOrdered(
  { services: { store, clock, log } }: TestApp,
  { folder, baseUrl }: { folder: string; baseUrl: string },
): Promise<void> {
  const archives = openFiles(folder).migrations;
  for await (const _ of runMigrations({ store, clock, log, archives, baseUrl, reach: quickReach() }));
}

/** Reads a stand-in of Rewardful into an archive below a folder of files, without waiting for its limits. */
export async function archiveStandIn({ url, key }: StandIn, folder: string): Promise<void> {
  const archive = openArchive(openFiles(folder).migrations, 1, rewardful.name);
  await readProgram({ source: rewardful, archive, key, baseUrl: url, reach: quickReach() });
}

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { countedDriver, type CommitCounts } from "./counted.ts";
import type { AtomicDriver } from "./driver.ts";
import { memoryDriver } from "./drivers/memory.ts";
import { sqliteDriver } from "./drivers/sqlite.ts";
import { fileIn } from "./drivers/sqlite/database.ts";
import { checkLayout } from "./layout.ts";
import { watchLayout } from "./layout-watch.ts";
import { makeFolder } from "./owner.ts";
import { newStore, type Store } from "./store.ts";

/** How a driver is opened. */
export interface DriverOptions {
  connections?: number;
  /** Whether the operator asks for a synchronous standby. */
  requiresStandby?: boolean;
  /** Standbys for reads that may be a moment old. */
  standbys?: { url: string; maxAgeSeconds: number } | null;
  /** Gets sentences that the operator should read, for example that another host is written to. */
  notify?: (notice: string) => void;
}

export interface OpenOptions extends DriverOptions {
  /** Collects how often the store commits. */
  counts?: CommitCounts;
  /** Runs first, for example to upgrade an earlier layout. */
  prepare?: (driver: AtomicDriver) => Promise<void>;
}

/**
 * Opens the store that a `STORAGE_URL` names: `memory:`, `sqlite:` with a folder, or a `postgres:` address. A
 * missing folder is created, and so are missing tables.
 *
 * @throws Error for any other scheme, for a database that can't be reached, and for a store that another
 *   release made
 */
export async function openStore(
  url: string,
  { counts, prepare, ...options }: OpenOptions = {},
): Promise<Store> {
  const driver = await openDriver(url, options);
  try {
    await prepare?.(driver);
    return await storeOn(counts === undefined ? driver : countedDriver(driver, counts));
  } catch (error) {
    await driver.dispose?.();
    throw error;
  }
}

/** Makes a store over an open driver. @throws Failure `refused` if another release made it */
export async function storeOn(driver: AtomicDriver, elapsedMs?: () => number): Promise<Store> {
  await checkLayout(driver);
  const watched = watchLayout(driver);
  await watched.look();
  return newStore(watched, elapsedMs);
}

/**
 * Opens the driver that a `STORAGE_URL` names, for tools that work on plain items.
 *
 * @throws Error like `openStore`
 */
export async function openDriver(url: string, options: DriverOptions = {}): Promise<AtomicDriver> {
  if (url === "memory:") return memoryDriver();
  if (isPostgres(url)) {
    // Loaded only where it is used: it would add an eighth to the start of every other process.
    const { postgresDriver } = await import("./drivers/postgres.ts");
    return postgresDriver(url, options);
  }
  const folder = folderOf(url);
  if (folder === undefined) throw new Error(whyUnknown(url));
  const path = resolve(folder);
  refuseLmdb(path);
  makeFolder(path);
  return sqliteDriver(path, options);
}

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/**
 * Refuses a folder that no server ever wrote to, because a typo would look like an empty store.
 *
 * @throws Error naming the folder
 */
export function requireStore(url: string): void {
  const folder = folderOf(url);
  if (folder === undefined || existsSync(fileIn(folder))) return;
  refuseLmdb(folder);
  throw new Error(`there is no store in ${resolve(folder)}`);
}

/** The folder that a store is kept in. undefined: in a database, or nowhere. */
export function folderOf(url: string): string | undefined {
  return /^sqlite:(.+)$/.exec(url)?.[1];
}

/** A new store beside an old one would look like the old one, emptied. @throws Error */
function refuseLmdb(folder: string): void {
  if (existsSync(join(folder, "data.mdb")) && !existsSync(fileIn(folder))) throw new Error(whyLmdb(folder));
}

function whyLmdb(folder: string): string {
  return (
    `Only Tidemark 0.1 opens LMDB stores. With it, run STORAGE_URL=lmdb:${folder} tidemark export all.ndjson. ` +
    'With this release, run tidemark import all.ndjson into an empty store. See "From 0.1 to 0.2" in docs/operators.md'
  );
}

function whyUnknown(url: string): string {
  const [scheme, ...rest] = url.split(":");
  if (scheme === "lmdb") return whyLmdb(rest.join(":"));
  return `STORAGE_URL ${scheme}: is unknown; use sqlite:./folder, postgres://… or memory:`;
}

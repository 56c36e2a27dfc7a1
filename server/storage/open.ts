import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Seal } from "../seal.ts";
import { sqliteEngine } from "./engines/sqlite/engine.ts";
import { freezes } from "./freeze.ts";
import { checkLayout, watchLayout } from "./layout.ts";
import { makeFolder } from "./owner.ts";
import { requireKey } from "./sealed.ts";
import type { Engine } from "./session.ts";
import { newStore, type Store } from "./store.ts";
import type { Table } from "./table.ts";

/**
 * What a process may make: a store if there is none, only the tables that a store of an earlier release lacks, or nothing. A
 * table that is missing otherwise is damage.
 */
export type Makes = "store" | "tables" | "nothing";

/** How an engine is opened. */
export interface EngineOptions {
  /** Every table of the store. */
  tables: readonly Table<never>[];
  /** What the process may make. The default is `store`. */
  makes?: Makes;
  /** Opens and seals secrets. Absent: the process has no keys. */
  seal?: Seal;
  connections?: number;
  /** Whether the operator requires a synchronous standby. `always`: nothing is committed without one. */
  requiresStandby?: boolean | "always";
  /** Receives notices for the operator, for example that another host is now written to. */
  notify?: (notice: string) => void;
}

export interface OpenOptions extends EngineOptions {
  /** Runs first, for example to upgrade an earlier layout. */
  prepare?: (engine: Engine) => Promise<void>;
}

/**
 * Opens the store that a `STORAGE_URL` names: `memory:`, `sqlite:` with a folder, or a `postgres:` address.
 * Missing folders and tables are created, unless `makes` says otherwise.
 *
 * @throws Error for any other scheme, for a database that can't be reached, and for a store that another
 * release made
 */
export async function openStore(url: string, { prepare, ...options }: OpenOptions): Promise<Store> {
  const engine = await openEngine(url, options);
  try {
    await prepare?.(engine);
    return await storeOn(engine);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Makes a store over an open engine. @throws Failure `refused` if another release made it, or without its key */
export async function storeOn(engine: Engine, elapsedMs?: () => number): Promise<Store> {
  await checkLayout(engine);
  await requireKey(engine);
  const watched = watchLayout(engine, elapsedMs);
  await watched.look();
  return newStore(watched);
}

/**
 * Opens the engine that a `STORAGE_URL` names, for tools that work on a whole store.
 *
 * @throws Error like `openStore`
 */
export async function openEngine(url: string, { seal, ...given }: EngineOptions): Promise<Engine> {
  const engine = await openWithoutKeys(url, given);
  return seal === undefined ? engine : { ...engine, seal };
}

async function openWithoutKeys(url: string, given: Omit<EngineOptions, "seal">): Promise<Engine> {
  // Every transaction checks for freezes, so every store needs their table.
  const options = { ...given, tables: [...new Set([freezes, ...given.tables])] };
  if (url === "memory:") return openInMemory(options);
  if (isPostgres(url)) {
    // Loaded on demand: it would add an eighth to the start-up time of every other process.
    const { postgresEngine } = await import("./engines/postgres/engine.ts");
    return postgresEngine(url, options);
  }
  const folder = folderOf(url);
  if (folder === undefined) throw new Error(whyUnknown(url));
  const path = resolve(folder);
  if (given.makes === undefined || given.makes === "store") makeFolder(path);
  return sqliteEngine(path, options);
}

/** A store that ends with the process, in a file that is never synced. */
function openInMemory(options: Omit<EngineOptions, "seal">): Engine {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-memory-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  // Its files are removed with the process, so there is nothing to back up.
  const { backup: _backup, ...engine } = sqliteEngine(folder, {
    ...options,
    makes: "store",
    isDurable: false,
  });
  return {
    ...engine,
    size: async () => null,
    async close() {
      await engine.close();
      process.off("exit", remove);
      remove();
    },
  };
}

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/** The folder of a store, or undefined if it is in a database or in memory. */
export function folderOf(url: string): string | undefined {
  return /^sqlite:(.+)$/.exec(url)?.[1];
}

function whyUnknown(url: string): string {
  return `STORAGE_URL ${url.split(":", 1)[0]}: is unknown; use sqlite:./folder, postgres://… or memory:`;
}

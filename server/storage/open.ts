import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { lmdbDriver } from "./drivers/lmdb.ts";
import { memoryDriver } from "./drivers/memory.ts";
import { postgresDriver } from "./drivers/postgres.ts";
import { newStore, type Store } from "./store.ts";

const DEFAULT_CONNECTIONS = 10;

/**
 * Opens the store that a `STORAGE_URL` names: `memory:`, `lmdb:` with a folder, which is made when it
 * does not exist, or a `postgres:` address, in whose database the tables are made.
 *
 * @throws Error for any other scheme, and for a database that can't be reached
 */
export async function openStore(
  url: string,
  { connections = DEFAULT_CONNECTIONS }: { connections?: number } = {},
): Promise<Store> {
  if (url === "memory:") return newStore(memoryDriver());
  if (/^postgres(ql)?:\/\//.test(url)) return newStore(await postgresDriver(url, { connections }));
  const folder = /^lmdb:(.+)$/.exec(url)?.[1];
  if (folder === undefined) {
    throw new Error(
      `STORAGE_URL ${url.split(":")[0]}: is unknown; use lmdb:./folder, postgres://… or memory:`,
    );
  }
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  return newStore(lmdbDriver(path));
}

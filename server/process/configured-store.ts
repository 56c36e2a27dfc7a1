import type { Config } from "../config.ts";
import { reasonOf } from "../failure.ts";
import {
  openEngine,
  openStore,
  requireStore,
  type EngineOptions,
  type OpenOptions,
} from "../storage/open.ts";
import type { Engine } from "../storage/session.ts";
import type { Store } from "../storage/store.ts";
import { TABLES } from "../tables.ts";

/** Opens the store that the environment names. @throws Error with the reason in one line */
export function openConfiguredStore(
  { storageUrl, storageConnections, requiresStandby, standbys }: Config,
  options: Pick<OpenOptions, "notify" | "prepare"> = {},
): Promise<Store> {
  const connections = storageConnections;
  return named(openStore(storageUrl, { tables: TABLES, connections, requiresStandby, standbys, ...options }));
}

/** Opens only the engine, for work on a whole store. @throws Error with the reason in one line */
export function openConfiguredEngine(
  { storageUrl, storageConnections }: Config,
  options: Pick<EngineOptions, "notify"> = {},
): Promise<Engine> {
  return named(openEngine(storageUrl, { tables: TABLES, connections: storageConnections, ...options }));
}

/**
 * Refuses to continue if the environment names no existing store.
 *
 * @throws Error with the reason in one line
 */
export function requireConfiguredStore({ storageUrl }: Config): Promise<void> {
  return named(Promise.resolve(storageUrl).then(requireStore));
}

async function named<T>(opened: Promise<T>): Promise<T> {
  try {
    return await opened;
  } catch (error) {
    // The error alone names no setting, for example "unable to open database file".
    throw new Error(`The store of STORAGE_URL can't be opened: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

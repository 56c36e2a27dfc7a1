import type { Config } from "../config.ts";
import { reasonOf } from "../failure.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import {
  openDriver,
  openStore,
  requireStore,
  type DriverOptions,
  type OpenOptions,
} from "../storage/open.ts";
import type { Store } from "../storage/store.ts";

/** Opens the store that the environment names. @throws Error with the reason in one line */
export function openConfiguredStore(
  { storageUrl, storageConnections, requiresStandby, standbys }: Config,
  options: Omit<OpenOptions, "connections" | "requiresStandby" | "standbys"> = {},
): Promise<Store> {
  return named(
    openStore(storageUrl, { connections: storageConnections, requiresStandby, standbys, ...options }),
  );
}

/** Opens only the driver, for work on raw items. @throws Error with the reason in one line */
export function openConfiguredDriver(
  { storageUrl, storageConnections }: Config,
  options: Omit<DriverOptions, "connections"> = {},
): Promise<AtomicDriver> {
  return named(openDriver(storageUrl, { connections: storageConnections, ...options }));
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

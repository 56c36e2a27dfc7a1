import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { reasonOf } from "../failure.ts";
import { resolve } from "node:path";
import { isOlder, LAYOUT, readMark } from "../storage/layout.ts";
import {
  folderOf,
  openEngine,
  requireStore,
  storeOn,
  type EngineOptions,
  type OpenOptions,
} from "../storage/open.ts";
import type { Engine } from "../storage/session.ts";
import type { Store } from "../storage/store.ts";
import { TABLES } from "../tables.ts";
import type { Progress, Step } from "../transfer/progress.ts";
import { refuseShared, upgradeStore } from "../transfer/upgrade/upgrade.ts";
import { sealOf } from "./key-file.ts";

/** Opens the store that the environment names. @throws Error with the reason in one line */
export function openConfiguredStore(
  config: Config,
  { prepare, notify = () => {} }: Pick<OpenOptions, "notify" | "prepare"> = {},
): Promise<Store> {
  const { requiresStandby, standbys } = config;
  return named(
    openKeyed(config, { requiresStandby, standbys, notify }).then(async (engine) => {
      try {
        await prepare?.(engine);
        return await storeOn(engine);
      } catch (error) {
        await engine.close();
        throw error;
      }
    }),
  );
}

/** Opens only the engine, for work on a whole store. @throws Error with the reason in one line */
export function openConfiguredEngine(
  config: Config,
  { notify = () => {} }: Pick<EngineOptions, "notify"> = {},
): Promise<Engine> {
  return named(openKeyed(config, { notify }));
}

/** Opens an engine with the keys of its secrets. @throws Error */
export async function openKeyed(
  config: Pick<Config, "storageUrl" | "storageConnections" | "secretKeys" | "secretFile">,
  options: Pick<EngineOptions, "requiresStandby" | "standbys"> & { notify: (notice: string) => void },
): Promise<Engine> {
  const { storageUrl, storageConnections: connections } = config;
  const engine = await openEngine(storageUrl, { tables: TABLES, connections, ...options });
  try {
    return { ...engine, seal: await sealOf(engine, config, options.notify) };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Refuses to continue if the environment names no existing store.
 *
 * @throws Error with the reason in one line
 */
export function requireConfiguredStore({ storageUrl }: Config): Promise<void> {
  return named(Promise.resolve(storageUrl).then(requireStore));
}

/** The folder for former programs' answers: the configured one, otherwise one beside the data folder. */
export function archiveFolder({
  storageUrl,
  migrationArchive,
}: Pick<Config, "storageUrl" | "migrationArchive">): string {
  return resolve(migrationArchive ?? `${folderOf(storageUrl) ?? "tidemark"}-archive`);
}

/** How often a server checks whether it may still use the store. */
const LOOK_MS = 1_000;
/** The pause between two lines about a long conversion. */
const LINE_MS = 10_000;

/** Upgrades a store from an earlier release. It writes a backup first. */
export async function upgradeStoreAtStart(
  engine: Engine,
  { storageUrl }: Config,
  log: Logger,
): Promise<void> {
  const { mark } = await readMark(engine.reads);
  // An unfinished upgrade may be running in another server, so an operator decides who continues it.
  if (!isOlder(mark)) return;
  await refuseShared(engine, { stopsOthers: false });
  log.info("the store is being upgraded to this release");
  const backup = await upgradeStore(engine, {
    url: storageUrl,
    now: new Date(),
    onProgress: logNowAndThen(log),
  });
  log.info({ backup }, "the store was upgraded");
}

/**
 * Calls `onOutdated` when the process may no longer use the store, for example because a later release takes
 * it over.
 */
export function watchStore(store: Store, log: Logger, onOutdated: () => void): void {
  if (store.layout() < LAYOUT) {
    log.warn("run `tidemark upgrade` when all servers of this store have this release");
  }
  setInterval(async () => {
    // During an outage this is unknown. Requests report the outage.
    const obstacle = await store.look().catch(() => null);
    if (obstacle === null) return;
    log.error(`${obstacle}; this process stops`);
    onOutdated();
  }, LOOK_MS).unref();
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

/** Logs a line when a step begins, and then one every ten seconds. */
function logNowAndThen(log: Logger): Progress {
  let last: Step["what"] | null = null;
  let loggedAt = 0;
  return ({ what, entries }) => {
    const now = performance.now();
    if (what === last && now - loggedAt < LINE_MS) return;
    last = what;
    loggedAt = now;
    log.info({ entries }, `${what} so far`);
  };
}

import { resolve } from "node:path";
import { randomBytes } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { reasonOf } from "../failure.ts";
import { openFiles, type Files } from "../storage/files.ts";
import { isOlder, readMark, PROOF_KEY } from "../storage/layout.ts";
import { folderOf, openEngine, storeOn, type EngineOptions, type OpenOptions } from "../storage/open.ts";
import type { Engine } from "../storage/session.ts";
import type { Store } from "../storage/store.ts";
import { TABLES } from "../tables.ts";
import type { Progress, Step } from "../transfer/progress.ts";
import { upgradeStore } from "../transfer/upgrade.ts";
import { KEY_BYTES, newSeal, readKeys, type Seal } from "../seal.ts";
import { readItem } from "../storage/items.ts";
import { makeWholeSync } from "../storage/whole-file.ts";

/** The settings that open a store. */
type StoreConfig = Pick<Config, "storageUrl" | "storageConnections" | "secretKeys" | "secretFile">;

/** Opens the store that the environment names. @throws Error with the reason in one line */
export function openConfiguredStore(
  config: StoreConfig & Pick<Config, "requiresStandby">,
  { prepare, makes = "store", notify = () => {} }: Pick<OpenOptions, "notify" | "prepare" | "makes"> = {},
): Promise<Store> {
  const { requiresStandby } = config;
  return named(
    openKeyed(config, { requiresStandby, makes, notify }).then(async (engine) => {
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
  { makes = "store", notify = () => {} }: Pick<EngineOptions, "notify" | "makes"> = {},
): Promise<Engine> {
  return named(openKeyed(config, { makes, notify }));
}

/** Opens an engine with the keys of its secrets. @throws Error */
export async function openKeyed(
  config: StoreConfig,
  options: Pick<EngineOptions, "requiresStandby" | "makes"> & {
    notify: (notice: string) => void;
  },
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

/** Opens the files. They lie beside a SQLite store, so that both are moved and backed up together. */
export function openConfiguredFiles({
  storageUrl,
  filesUrl,
}: Pick<Config, "storageUrl" | "filesUrl">): Files {
  if (filesUrl !== null || storageUrl === "memory:") return openFiles(filesUrl ?? "memory:");
  return openFiles(resolve(folderOf(storageUrl) ?? "", "files"));
}

/** How often a server checks how durable commits are. */
export const WEAKNESS_MS = 2_000;
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
  if (!isOlder(mark)) return;
  log.info("the store is being upgraded to this release");
  const backup = await upgradeStore(engine, {
    url: storageUrl,
    now: new Date(),
    onProgress: logNowAndThen(log),
  });
  log.info({ backup }, "the store was upgraded");
}

/** Calls `onOutdated` when the process may no longer use the store, for example because an import fills it anew. */
export function watchStore(store: Store, log: Logger, onOutdated: () => void): void {
  setInterval(async () => {
    // During an outage this is unknown. Requests report the outage.
    const obstacle = await store.look().catch(() => null);
    if (obstacle === null) return;
    log.error(`${obstacle}; this process stops`);
    onOutdated();
  }, LOOK_MS).unref();
}

/**
 * Makes a function that logs the store's weaknesses when they begin and when they end. During an outage they are
 * unknown.
 */
export function newWeaknessLog(store: Pick<Store, "weaknesses">, log: Logger): () => Promise<void> {
  let known: string[] = [];
  let isLooking = false;
  return async () => {
    if (isLooking) return;
    isLooking = true;
    const found = (await store.weaknesses()) ?? known;
    isLooking = false;
    for (const weakness of found)
      if (!known.includes(weakness)) log.warn(`The store is not as durable as promised: ${weakness}`);
    for (const weakness of known)
      if (!found.includes(weakness)) log.warn(`The store is more durable again, this is over: ${weakness}`);
    known = found;
  };
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

type Keys = Pick<Config, "secretKeys" | "secretFile" | "storageUrl">;

/**
 * The seal of a store. If no key is configured and no process has used the store with one, a key is made, beside the
 * store but never in it, so that a copy of the store does not have it.
 *
 * @throws Error if the file of the key is missing, malformed, or can't be written
 */
async function sealOf(
  engine: Engine,
  { secretKeys, secretFile, storageUrl }: Keys,
  notify: (notice: string) => void,
): Promise<Seal> {
  if (secretKeys.length > 0) {
    if (secretFile !== null) warnOfReaders(secretFile, notify);
    return newSeal(secretKeys, notify);
  }
  // Such a store ends with the process.
  if (storageUrl === "memory:") return newSeal([randomBytes(KEY_BYTES)]);
  const file = resolve(secretFile ?? usualFile(storageUrl));
  const known = keysIn(file);
  if (known !== null) {
    warnOfReaders(file, notify);
    return newSeal(known, notify);
  }
  if ((await readItem(engine.reads, PROOF_KEY)) !== null)
    throw new Error(
      `the key of its secrets is missing: put ${file} back, or name it with TIDEMARK_SECRET_FILE`,
    );
  const keys = makeKeys(file);
  notify(
    `The key of the store's secrets was written to ${file}. Keep a copy apart from backups of the store: payout methods can't be read without it`,
  );
  return newSeal(keys, notify);
}

/** The bits of a file's mode that let others than its owner and group read it. Groups are how containers share one. */
const OTHERS_READ = 0o004;

/** Warns of a key that everyone on the machine can read. Windows has no such bits. */
function warnOfReaders(file: string, notify: (notice: string) => void): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform === "win32" || (mode & OTHERS_READ) === 0) return;
  notify(`Every user of this machine can read the key of the store's secrets: run chmod 600 ${file}`);
}

/** The file of the key beside a store's folder, or for a database in the current folder. */
function usualFile(storageUrl: string): string {
  const folder = folderOf(storageUrl);
  return folder === undefined ? "tidemark.key" : `${resolve(folder)}.key`;
}

/** The keys in a file, or null if there is no file. @throws Error */
function keysIn(file: string): Buffer[] | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Error(`the key of its secrets can't be read: ${reasonOf(error)}`, { cause: error });
  }
  const keys = readKeys(text);
  if (keys === null) throw new Error(`${file} must be keys of ${KEY_BYTES} bytes in base64, one a line`);
  return keys;
}

/** Makes a file with a new key, unless another process was faster. @throws Error */
function makeKeys(file: string): Buffer[] {
  try {
    makeWholeSync(file, (path) => writeFileSync(path, `${randomBytes(KEY_BYTES).toString("base64")}\n`));
  } catch (error) {
    throw new Error(
      `the key of its secrets can't be written (${reasonOf(error)}): name a file outside the store with TIDEMARK_SECRET_FILE`,
      { cause: error },
    );
  }
  return keysIn(file)!;
}

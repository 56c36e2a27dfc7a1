import { createRequire } from "node:module";
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { builtinDrivers, createStorage, prefixStorage, type Driver, type Storage } from "unstorage";
import { giveToFolderOwner, makeFolder } from "./owner.ts";

/**
 * All files, in one unstorage that `FILES_URL` names, under a prefix for each kind. In a folder, the prefixes are its
 * subfolders.
 *
 * Nothing else is kept: PDF and ZIP files of invoices and contracts, and CSV files, are made of the tables whenever they are asked
 * for. Backups and exports of a whole store are streams of any length, which unstorage can't write, so they go to files of the
 * machine that a command names.
 *
 * The drivers of some services list only the first thousand keys. So nothing here is found by listing.
 */
export interface Files {
  /** Banners for promoters, logos and icons: `NAME.png`. The server writes them. Back them up with the store. */
  uploads: Storage;
  /** The operator's e-mail texts, such as `accepted.subject.txt`. The operator writes them. Back them up. */
  mail: Storage;
  /** Exchange rates to import, such as `eurofxref-daily.xml`. The operator writes them. The store has what was imported. */
  rates: Storage;
  /**
   * The answers of former programs, with personal data: `ACCOUNT/PROGRAM/RUN/LIST/000001.jsonl.gz`. Migrations write them. They
   * can be read again, so leave them out of backups, and delete them after the switch.
   */
  migrations: Storage;
  /** Whether they are in a folder of the machine. */
  isFolder: boolean;
  close(): Promise<void>;
}

/** Not `import()`: the compiler would rewrite a path that it does not know. */
const loadModule = createRequire(import.meta.url);
/** A scheme has two characters or more, so that `C:\files` stays a folder. */
const DRIVER_ADDRESS = /^([a-z][a-z\d-]+):(.*)$/is;

/**
 * Opens the files below an address: a folder, which is made on demand, or any driver of unstorage as `NAME:BASE?option=value`.
 * BASE becomes the option `base`. Options are texts, so drivers that need lists or functions are not supported.
 *
 * @throws Error in one sentence for a driver that is unknown or can't be used
 */
export function openFiles(address: string): Files {
  const driver = openDriver(address);
  const storage = createStorage({ driver });
  return {
    uploads: prefixStorage(storage, "uploads"),
    mail: prefixStorage(storage, "mail"),
    rates: prefixStorage(storage, "rates"),
    migrations: prefixStorage(storage, "migrations"),
    isFolder: driver.name === "fs",
    close: () => storage.dispose(),
  };
}

function openDriver(address: string): Driver {
  const { name, options } = parseAddress(address);
  // Options may be secrets, so they are left out.
  const place = `FILES_URL ${address.replace(/\?.*$/s, "")}`;
  const module = Object.hasOwn(builtinDrivers, name)
    ? builtinDrivers[name as keyof typeof builtinDrivers]
    : undefined;
  if (module === undefined)
    throw new Error(`${place} names no driver of unstorage; use a folder, or a driver such as s3:`);
  try {
    const driver = (loadModule(module) as (given: object) => Driver)(options);
    if (name !== "fs") return driver;
    const folder = resolve(options["base"] ?? "");
    requirePlace(folder);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
      throw new Error("it is not a folder");
    return owned(driver, folder);
  } catch (error) {
    // Some drivers need a package that the operator installs, and some an option.
    throw new Error(`${place} can't be used: ${firstLine(error)}`, { cause: error });
  }
}

function parseAddress(address: string): { name: string; options: Record<string, string> } {
  const [, scheme, rest = ""] = DRIVER_ADDRESS.exec(address) ?? [];
  if (scheme === undefined) return { name: "fs", options: { base: address } };
  // An address of unstorage's own server.
  const isWeb = /^https?$/i.test(scheme);
  const [base = "", query = ""] = (isWeb ? address : rest).split(/\?(.*)/s);
  const options = Object.fromEntries(new URLSearchParams(query));
  return { name: isWeb ? "http" : scheme, options: base === "" ? options : { base, ...options } };
}

/** Files that only the owner of the folder can read, also if a command of root writes them. */
function owned(driver: Driver, folder: string): Driver {
  return {
    ...driver,
    async setItemRaw(key, value, options) {
      const path = join(folder, ...key.split(":"));
      requirePlace(folder);
      makeFolder(dirname(path));
      await driver.setItemRaw!(key, value, options);
      giveToFolderOwner(path);
    },
    async removeItem(key, options) {
      // unstorage's fs driver returns its errors.
      const failed = (await driver.removeItem!(key, options)) as unknown;
      if (failed instanceof Error) throw failed;
    },
  };
}

/** If the place is not mounted, a new folder there would hide the files. */
function requirePlace(folder: string): void {
  if (!existsSync(dirname(folder))) throw new Error(`there is no folder ${dirname(folder)}`);
}

/** How long a start or a command waits for an answer. */
const READ_MS = 10_000;

/**
 * The text of a file, or null if it does not exist.
 *
 * @throws Error in one sentence for one that can't be read
 */
export async function readText(files: Files, kind: "mail" | "rates", name: string): Promise<string | null> {
  const isOver = new AbortController();
  const late = sleep(READ_MS, null, { signal: isOver.signal }).then(() => new Error("it does not answer"));
  late.catch(() => {}); // it is aborted if the answer came in time
  const found = await Promise.race([readRaw(files[kind], name).catch((error: unknown) => error), late]);
  isOver.abort();
  if (found === null || typeof found === "string") return found;
  if (found instanceof ArrayBuffer || found instanceof Uint8Array) return new TextDecoder().decode(found);
  // unstorage's fs driver returns its errors, and null for a folder.
  const reason = found instanceof Error ? firstLine(found) : "it is not a text";
  throw new Error(`${kind}/${name} of FILES_URL can't be read: ${reason}`, { cause: found });
}

/**
 * Checks first whether the file exists, because some drivers fail on a missing one. It reads the raw item, because `getItem`
 * guesses its type.
 */
async function readRaw(storage: Storage, name: string): Promise<unknown> {
  if (!(await storage.hasItem(name))) return null;
  return (await storage.getItemRaw(name)) ?? undefined;
}

function firstLine(error: unknown): string {
  return (error as Error).message.split("\n")[0] ?? "";
}

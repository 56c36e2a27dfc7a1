import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { builtinDrivers, createStorage, type Driver, type Storage } from "unstorage";

/** Not `import()`: the compiler would rewrite a path that it does not know. */
const loadModule = createRequire(import.meta.url);
/** How long a start or a command waits for an answer. */
const READ_MS = 10_000;
/** A scheme has two characters or more, so that `C:\mail` stays a folder. */
const DRIVER_ADDRESS = /^([a-z][a-z\d-]+):(.*)$/is;

/** A place for an operator's own files. */
export interface Place {
  /**
   * The text of a file, or null if it does not exist.
   *
   * @throws Error in one sentence for a file that can't be read
   */
  read(file: string): Promise<string | null>;
  close(): Promise<void>;
}

/**
 * Opens a place that an operator names: a folder, an `http(s)://` address, or any driver of unstorage as
 * `NAME:BASE?option=value`. BASE becomes the option `base`. Options are texts, so drivers that need lists or
 * functions are not supported. Errors begin with the name of the setting.
 *
 * @throws Error in one sentence for a folder that does not exist, and for a driver that is unknown or can't
 * be used
 */
export function openPlace(address: string, setting: string): Place {
  const place = placeName(address, setting);
  const { name, options } = parseAddress(address);
  if (name === "fs" && !existsSync(options["base"] ?? "")) throw new Error(`${place} does not exist`);
  const storage = openStorage(address, setting);
  return { read: (file) => inTime(readText(storage, file, place), place), close: () => storage.dispose() };
}

/**
 * Opens a place as a writable storage. A missing folder is made on demand.
 *
 * @throws Error like `openPlace`
 */
export function openStorage(address: string, setting: string): Storage {
  const place = placeName(address, setting);
  const { name, options } = parseAddress(address);
  const module = Object.hasOwn(builtinDrivers, name)
    ? builtinDrivers[name as keyof typeof builtinDrivers]
    : undefined;
  if (module === undefined) {
    throw new Error(`${place} names no driver of unstorage; use a folder, https://… or a driver such as s3:`);
  }
  return createStorage({ driver: openDriver(module, options, place) });
}

/** A place's name in messages. Its options may be secrets, so they are left out. */
function placeName(address: string, setting: string): string {
  return `${setting} ${address.replace(/\?.*$/s, "")}`;
}

function parseAddress(address: string): { name: string; options: Record<string, string> } {
  const [, scheme, rest = ""] = DRIVER_ADDRESS.exec(address) ?? [];
  if (scheme === undefined) return { name: "fs", options: { base: address } };
  const isWeb = /^https?$/i.test(scheme);
  const [base = "", query = ""] = (isWeb ? address : rest).split(/\?(.*)/s);
  const options = Object.fromEntries(new URLSearchParams(query));
  return { name: isWeb ? "http" : scheme, options: base === "" ? options : { base, ...options } };
}

function openDriver(module: string, options: Record<string, string>, place: string): Driver {
  try {
    const newDriver = loadModule(module) as (given: object) => Driver;
    return newDriver(options);
  } catch (error) {
    // Some drivers need a package that the operator installs, and some an option.
    throw new Error(`${place} can't be used: ${firstLine(error)}`, { cause: error });
  }
}

/**
 * Checks first whether the file exists, because some drivers fail on a missing one. It reads the raw item,
 * because `getItem` guesses its type.
 */
async function readText(storage: Storage, file: string, place: string): Promise<string | null> {
  let found: unknown;
  try {
    if (!(await storage.hasItem(file))) return null;
    found = await storage.getItemRaw(file);
  } catch (error) {
    found = error;
  }
  if (typeof found === "string") return found;
  if (found instanceof ArrayBuffer || found instanceof Uint8Array) return new TextDecoder().decode(found);
  // unstorage's fs driver returns its errors, and null for a folder.
  const reason = found instanceof Error ? firstLine(found) : "it is not a text";
  throw new Error(`${place} has ${file}, which can't be read: ${reason}`, { cause: found });
}

async function inTime<T>(work: Promise<T>, place: string): Promise<T> {
  const isOver = new AbortController();
  const late = sleep(READ_MS, null, { signal: isOver.signal }).then(() => {
    throw new Error(`${place} does not answer`);
  });
  late.catch(() => {}); // it is aborted if the answer came in time
  try {
    return await Promise.race([work, late]);
  } finally {
    isOver.abort();
  }
}

function firstLine(error: unknown): string {
  return (error as Error).message.split("\n")[0] ?? "";
}

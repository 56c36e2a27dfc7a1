import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { NO_SEAL, type Seal } from "../seal.ts";
import { parseStored } from "../storage/table.ts";
import { LAYOUT, readMark } from "../storage/layout.ts";
import { giveToFolderOwner } from "../storage/owner.ts";
import { openRecord, withoutSecrets } from "../storage/sealed.ts";
import type { Engine, Reads } from "../storage/session.ts";
import { tableNamed, type AnyRecord } from "../tables.ts";
import { itemLine, newTally, type Item, type Totals } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { atOneMoment, itemsIn, proofIn } from "./stored-items.ts";
import { entriesIn } from "./upgrade/former-items.ts";

export const FORMAT = "tidemark-export";
/** Version 1 has all entries of a key-value store, version 2 only records. */
export const FORMAT_VERSIONS = { entries: 1, records: 2 };

/** The first line of an export. */
export interface Header {
  format: typeof FORMAT;
  version: number;
  /** The layout of the records. Absent in version 1. */
  layout?: number;
  createdAt: string;
}

/** The last line of an export. Its counts and checksum reveal a truncated or changed file. */
export interface Trailer {
  entries: number;
  sha256: string;
}

interface Exporting {
  now: Date;
  onProgress: Progress;
}

/**
 * How an export has the details of payout methods. `sealed`: as in the store, for backups that need its key. The default is
 * `left out`.
 */
export type Secrets = "left out" | "plain" | "sealed";

interface Choosing {
  secrets?: Secrets;
  onEnd: (totals: Totals) => void;
  /** Whether to export an item. All, if absent. */
  isWanted?: (item: Item) => boolean;
}

/** Yields the lines of an export. Only a part of the store is in memory at a time. */
export async function* exportLines(
  engine: Engine,
  { now, onProgress, onEnd, secrets = "left out", isWanted = () => true }: Exporting & Choosing,
): AsyncGenerator<string> {
  const layout = (await readMark(engine.reads)).mark?.version ?? LAYOUT;
  yield headerLine({ version: FORMAT_VERSIONS.records, layout, createdAt: now.toISOString() });
  const tally = newTally();
  const progress = counting("exported", onProgress);
  const shown = showing(secrets, engine.seal ?? NO_SEAL);
  const read = async function* (reads: Reads) {
    yield* itemsIn(reads);
    // Plain records may fill a store with another key.
    if (secrets === "sealed") yield await proofIn(reads);
  };
  for await (const items of atOneMoment(engine, read)) {
    const wanted = shown(items.filter(isWanted));
    tally.add(wanted);
    progress(items.length);
    yield wanted.map(itemLine).join("");
  }
  const totals = tally.totals();
  onEnd(totals);
  yield `${JSON.stringify(totals)}\n`;
}

/** Makes a function that shows items with or without their secrets. */
export function showing(secrets: Secrets, seal: Seal): (items: Item[]) => Item[] {
  if (secrets === "sealed") return (items) => items;
  const show = secrets === "plain" ? openRecord : withoutSecrets;
  return (items) =>
    items.map((item) => {
      const table = tableNamed(item.collection);
      if (table?.sealed === undefined) return item;
      const record = parseStored<AnyRecord>(table.name, item.text);
      const shown = show(table, record, seal);
      return shown === record ? item : { ...item, text: JSON.stringify(shown) };
    });
}

/** Yields the same for a store of an earlier release, with all its entries unchanged. */
export async function* exportEntries(engine: Engine, { now, onProgress }: Exporting): AsyncGenerator<string> {
  yield headerLine({ version: FORMAT_VERSIONS.entries, createdAt: now.toISOString() });
  const hash = createHash("sha256");
  const progress = counting("exported", onProgress);
  let count = 0;
  for await (const entries of atOneMoment(engine, entriesIn)) {
    const lines = entries.map(([key, value]) => `{"key":${JSON.stringify(key)},"value":${value}}\n`).join("");
    hash.update(lines);
    count += entries.length;
    progress(entries.length);
    yield lines;
  }
  const trailer: Trailer = { entries: count, sha256: hash.digest("hex") };
  yield `${JSON.stringify(trailer)}\n`;
}

/** Exports hold personal data, so only the owner may read them. */
const OWNER_ONLY = 0o600;

/** Writes lines to a new file; `-` is standard output. @throws Error if the file exists */
export async function writeNewFile(lines: AsyncIterable<string>, file: string): Promise<void> {
  const isPiped = file === "-";
  const target = isPiped ? process.stdout : createWriteStream(file, { flags: "wx", mode: OWNER_ONLY });
  try {
    await pipeline(Readable.from(lines), target);
    if (!isPiped) giveToFolderOwner(resolve(file));
  } catch (error) {
    // Only a file that this call created may be deleted.
    const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST";
    if (isTaken) throw new Error(`${file} already exists`, { cause: error });
    if (!isPiped) await rm(file, { force: true });
    throw error;
  }
}

function headerLine(header: Omit<Header, "format">): string {
  return `${JSON.stringify({ format: FORMAT, ...header } satisfies Header)}\n`;
}

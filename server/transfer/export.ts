import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { NO_SEAL, type Seal } from "../seal.ts";
import { parseStored } from "../storage/table.ts";
import { recordJson } from "../storage/record.ts";
import { LAYOUT, readMark } from "../storage/layout.ts";
import { openRecord, withoutSecrets } from "../storage/sealed.ts";
import type { Engine, Reads } from "../storage/session.ts";
import { makeWhole } from "../storage/whole-file.ts";
import { tableNamed, type AnyRecord } from "../tables.ts";
import { itemLine, newTally, type Item, type Totals } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { atOneMoment, itemsIn, proofIn } from "./stored-items.ts";

export const FORMAT = "tidemark-export";

/** The first line of an export. */
export interface Header {
  format: typeof FORMAT;
  /** The layout of the records. */
  layout: number;
  created_at: string;
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
  const { mark } = await readMark(engine.reads);
  const layout = mark?.version ?? LAYOUT;
  const header: Header = { format: FORMAT, layout, created_at: now.toISOString() };
  yield `${JSON.stringify(header)}\n`;
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
      return shown === record ? item : { ...item, text: recordJson(table, shown) };
    });
}

/** Writes lines to a new file; `-` is standard output. @throws Error if the file exists */
export function writeNewFile(lines: AsyncIterable<string>, file: string): Promise<void> {
  const readable = Readable.from(lines);
  if (file === "-") return pipeline(readable, process.stdout);
  return makeWhole(file, (path) => pipeline(readable, createWriteStream(path)));
}

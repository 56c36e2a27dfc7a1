import { createHash } from "node:crypto";
import type { AtomicDriver } from "../storage/driver.ts";
import { LAYOUT, readMark } from "../storage/layout.ts";
import { snapshot } from "../storage/listing/snapshot.ts";
import { itemLine, itemOf, type Item } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { newTally, type Totals } from "./tally.ts";

export const FORMAT = "tidemark-export";
/** 1: all entries of a store with layout 5. 2: only its records. */
export const FORMAT_VERSIONS = { entries: 1, records: 2 };

/** The first line of an export. */
export interface Header {
  format: typeof FORMAT;
  version: number;
  /** The layout of the records. Absent in version 1. */
  layout?: number;
  createdAt: string;
}

interface Exporting {
  now: Date;
  onProgress: Progress;
}

interface Choosing {
  onEnd: (totals: Totals) => void;
  /** Whether to export an item. Absent: all are exported. */
  isWanted?: (item: Item) => boolean;
}

/**
 * Yields the lines of an export: a header, each record, and a trailer. The trailer's counts and checksum
 * reveal a file that was cut off or changed. Only a part of the store is in memory at a time.
 */
export async function* exportLines(
  driver: AtomicDriver,
  { now, onProgress, onEnd, isWanted = () => true }: Exporting & Choosing,
): AsyncGenerator<string> {
  const version = FORMAT_VERSIONS.records;
  const layout = (await readMark(driver)).mark?.version ?? LAYOUT;
  const header: Header = { format: FORMAT, version, layout, createdAt: now.toISOString() };
  yield `${JSON.stringify(header)}\n`;
  const tally = newTally();
  const progress = counting("exported", onProgress);
  for await (const entries of snapshot(driver)) {
    const items = entries.map(itemOf).filter((item) => item !== null && isWanted(item)) as Item[];
    for (const item of items) tally.add(item);
    progress(entries.length);
    yield items.map(itemLine).join("");
  }
  const totals = tally.totals();
  onEnd(totals);
  yield `${JSON.stringify(totals)}\n`;
}

/** Yields the same for a store of an earlier release, with all its entries unchanged. */
export async function* exportEntries(
  driver: AtomicDriver,
  { now, onProgress }: Exporting,
): AsyncGenerator<string> {
  const header: Header = {
    format: FORMAT,
    version: FORMAT_VERSIONS.entries,
    createdAt: now.toISOString(),
  };
  yield `${JSON.stringify(header)}\n`;
  const hash = createHash("sha256");
  const progress = counting("exported", onProgress);
  let count = 0;
  for await (const entries of snapshot(driver)) {
    const lines = entries.map(([key, value]) => `{"key":${JSON.stringify(key)},"value":${value}}\n`).join("");
    hash.update(lines);
    count += entries.length;
    progress(entries.length);
    yield lines;
  }
  yield `${JSON.stringify({ entries: count, sha256: hash.digest("hex") })}\n`;
}

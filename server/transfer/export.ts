import type { AtomicDriver } from "../storage/driver.ts";
import { snapshot } from "../storage/snapshot.ts";
import { counting, type Progress } from "./progress.ts";
import { entryLine, newTally, type Totals } from "./tally.ts";

export const FORMAT = "tidemark-export";
/** Grows when a new release could misread what an old one wrote. */
export const FORMAT_VERSION = 1;

/** First line of an export. */
export interface Header {
  format: typeof FORMAT;
  version: number;
  createdAt: string;
}

/**
 * The lines of an export: a header, each entry, and a trailer with counts and a checksum, by which a
 * file that was cut off or changed is known. What the store holds is never in memory as a whole.
 */
export async function* exportLines(
  driver: AtomicDriver,
  { now, onProgress, onEnd }: { now: Date; onProgress: Progress; onEnd: (totals: Totals) => void },
): AsyncGenerator<string> {
  const header: Header = { format: FORMAT, version: FORMAT_VERSION, createdAt: now.toISOString() };
  yield `${JSON.stringify(header)}\n`;
  const tally = newTally();
  const progress = counting("exported", onProgress);
  for await (const entries of snapshot(driver)) {
    for (const entry of entries) tally.add(entry);
    progress(entries.length);
    yield entries.map(entryLine).join("");
  }
  const totals = tally.totals();
  onEnd(totals);
  yield `${JSON.stringify(totals)}\n`;
}

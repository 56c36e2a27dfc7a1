import { createReadStream } from "node:fs";
import { Failure } from "../failure.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { checkMark } from "../storage/layout.ts";
import { inChunks, isEmpty, putEntries, type Entry } from "../storage/snapshot.ts";
import { FORMAT, FORMAT_VERSION, type Header } from "./export.ts";
import { counting, type Progress } from "./progress.ts";
import { newTally, type Totals } from "./tally.ts";

/**
 * Fills an empty store with an export. The file is read twice: nothing is written before all of it was
 * found to be as it was made.
 *
 * @throws Failure `in_use` for a store that isn't empty, `malformed` for a file that is not whole, `refused` for
 *   the export of a release that lays stores out otherwise
 */
export async function importFile(driver: AtomicDriver, file: string, onProgress: Progress): Promise<Totals> {
  await refuseFull(driver);
  const tally = newTally();
  const read = { trailer: null as Totals | null };
  const check = counting("checked", onProgress);
  for await (const entries of inChunks(readEntries(file, read))) {
    for (const entry of entries) {
      checkMark(...entry);
      tally.add(entry);
    }
    check(entries.length);
  }
  const totals = tally.totals();
  if (totals.sha256 !== read.trailer?.sha256 || totals.entries !== read.trailer.entries) {
    throw new Failure("malformed", "The file is not as it was exported: its checksum does not match");
  }
  const progress = counting("imported", onProgress, totals.entries);
  for await (const entries of inChunks(readEntries(file, read))) {
    await putEntries(driver, entries);
    progress(entries.length);
  }
  return totals;
}

/** @throws Failure `in_use` for a store that isn't empty */
export async function refuseFull(driver: AtomicDriver): Promise<void> {
  if (!(await isEmpty(driver))) throw new Failure("in_use", "The store to be filled is not empty");
}

/** The entries between header and trailer; the trailer is left in `read`. */
async function* readEntries(file: string, read: { trailer: Totals | null }): AsyncGenerator<Entry> {
  let number = 0;
  read.trailer = null;
  for await (const line of linesOf(file)) {
    number++;
    const value = parseLine(line, number);
    if (number === 1) checkHeader(value);
    else if (read.trailer !== null) throw new Failure("malformed", `Line ${number} follows the last one`);
    else if (isTrailer(value)) read.trailer = value;
    else yield readEntry(value, number);
  }
  if (read.trailer === null) throw new Failure("malformed", "The file is cut off: its last line is missing");
}

/** Not by `readline`: from Node 24 on it ends lines at U+2028 and U+2029 too, which JSON leaves as they are. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(file, "utf8")) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function parseLine(line: string, number: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // No JSON is told as any other line that is none of ours.
  }
  throw new Failure("malformed", `Line ${number} is not a line of an export`);
}

function checkHeader({ format, version }: Partial<Header>): void {
  if (format !== FORMAT) throw new Failure("malformed", "The file is no export of Tidemark");
  if (version === FORMAT_VERSION) return;
  throw new Failure("malformed", `The export is of version ${version}; this release reads ${FORMAT_VERSION}`);
}

function isTrailer(value: Record<string, unknown>): value is Record<string, unknown> & Totals {
  return typeof value["sha256"] === "string" && typeof value["entries"] === "number";
}

/** As values are written without blanks, and their fields keep their order, the text comes back to the letter. */
function readEntry({ key, value }: Record<string, unknown>, number: number): Entry {
  if (typeof key === "string" && typeof value === "object" && value !== null)
    return [key, JSON.stringify(value)];
  throw new Failure("malformed", `Line ${number} is not a line of an export`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Failure } from "../failure.ts";
import { OLDEST_LAYOUT, LAYOUT, MARK_KEY, type Mark } from "../storage/layout.ts";
import type { Engine } from "../storage/session.ts";
import { NO_SEAL } from "../seal.ts";
import { requireKey } from "../storage/sealed.ts";
import { sourceOf } from "./account.ts";
import { FORMAT, FORMAT_VERSIONS, showing, type Header, type Trailer } from "./export.ts";
import { fillStore, type Interrupted, type Source } from "./fill.ts";
import { IDS, inChunks, PLAIN, totalsOf, type Item, type Totals } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { itemsIn, tableOf } from "./stored-items.ts";
import { converted, entryReader, FORMER_KINDS } from "./upgrade/former-items.ts";

interface Importing extends Interrupted {
  file: string;
  /** The public ids of the accounts to import. All, if empty. */
  accounts?: readonly string[];
  onProgress: Progress;
}

/**
 * Fills an empty store with an export of this or an earlier release. It checks the whole file first. The totals are those
 * of an export with all details.
 *
 * @throws Failure `in_use` for a store that isn't empty, `refused` for one with other unfinished work,
 *   `malformed` for a file that is incomplete or changed
 */
export async function importFile(
  engine: Engine,
  { file, accounts = [], onProgress, ...interrupted }: Importing,
): Promise<Totals> {
  const whole = await openExport(file, onProgress);
  const source = accounts.length === 0 ? whole : await sourceOf(whole, accounts);
  await fillStore(engine, { work: "import", source, onProgress, ...interrupted });
  await requireKey(engine);
  return totalsOf(shownItems(engine));
}

async function* shownItems({ reads, seal = NO_SEAL }: Engine): AsyncGenerator<Item[]> {
  const show = showing("plain", seal);
  for await (const items of itemsIn(reads)) yield show(items);
}

type Json = Record<string, unknown>;

/**
 * Opens an export of this or an earlier release. It reads and checks the whole file before anything is written.
 *
 * @throws Failure `malformed` for a file that is incomplete or changed, or that a later release made
 */
async function openExport(file: string, onProgress: Progress): Promise<Source> {
  const checked = counting("checked", onProgress);
  const hash = createHash("sha256");
  let count = 0;
  let layout: number | null = null;
  const found: { trailer: Trailer | null } = { trailer: null };
  for await (const lines of inChunks(bodyOf(file, found))) {
    for (const line of lines) {
      hash.update(`${line.text}\n`);
      layout ??= line.header.layout ?? layoutOf(line.value);
      const item = readItem(line, layout ?? OLDEST_LAYOUT);
      // A record that this release can't store must be refused before anything is written.
      if (item !== null) refuseUnknown(item);
    }
    count += lines.length;
    checked(lines.length);
  }
  const sha256 = hash.digest("hex");
  if (found.trailer?.sha256 !== sha256 || found.trailer.entries !== count) {
    throw new Failure("malformed", "The file was changed since it was exported: its checksum does not match");
  }
  const readable = readableLayout(layout);
  const items = () => inChunks(itemsOf(file, readable));
  return { id: sha256, layout: readable, count, items: converted(readable, items) };
}

async function* itemsOf(file: string, layout: number): AsyncGenerator<Item> {
  for await (const line of bodyOf(file, { trailer: null })) {
    const item = readItem(line, layout);
    if (item !== null) yield item;
  }
}

function refuseUnknown(item: Item): void {
  if (![IDS, PLAIN, ...FORMER_KINDS].includes(item.collection)) tableOf(item);
}

function readItem({ value, header, number }: Line, layout: number): Item | null {
  if (header.version === FORMAT_VERSIONS.records) return recordItem(value, number);
  const { key, value: held } = value;
  if (typeof key !== "string" || typeof held !== "object" || held === null) throw notOurs(number);
  return entryReader(layout)([key, JSON.stringify(held)]);
}

/** A line between header and trailer. */
interface Line {
  text: string;
  value: Json;
  number: number;
  header: Header;
}

/** Yields the lines between header and trailer, and sets `found.trailer`. */
async function* bodyOf(file: string, found: { trailer: Trailer | null }): AsyncGenerator<Line> {
  let number = 0;
  let header: Header | null = null;
  found.trailer = null;
  for await (const text of linesOf(file)) {
    number++;
    const value = parseLine(text, number);
    if (header === null) header = readHeader(value);
    else if (found.trailer !== null) throw new Failure("malformed", `Line ${number} follows the last one`);
    else if (isTrailer(value)) found.trailer = value;
    else yield { text, value, number, header };
  }
  if (found.trailer === null) throw new Failure("malformed", "The file is cut off: its last line is missing");
}

/** Since Node 24, `readline` also splits at U+2028 and U+2029, which JSON may contain unescaped. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(file, "utf8")) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function parseLine(line: string, number: number): Json {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // A line that is not JSON is refused below.
  }
  throw notOurs(number);
}

function readHeader(value: Json): Header {
  const { format, version } = value as Partial<Header>;
  if (format !== FORMAT) throw new Failure("malformed", "The file is not a Tidemark export");
  if (Object.values(FORMAT_VERSIONS).includes(Number(version))) return value as unknown as Header;
  throw new Failure(
    "malformed",
    `The export has version ${version}, which only a later release can read: import it with that one`,
  );
}

/** The layout in a line of a version 1 export, or null for any other line. */
function layoutOf({ key, value }: Json): number | null {
  return key === MARK_KEY ? (value as Mark).version : null;
}

function readableLayout(layout: number | null): number {
  if (layout !== null && layout >= OLDEST_LAYOUT && layout <= LAYOUT) return layout;
  const maker =
    layout !== null && layout > LAYOUT ? "only a later release can read" : "only a build before 0.1 can read";
  throw new Failure("malformed", `The export has layout ${layout}, which ${maker}: import it with that one`);
}

function isTrailer(value: Json): value is Json & Trailer {
  return typeof value["sha256"] === "string" && typeof value["entries"] === "number";
}

function recordItem({ collection, record }: Json, number: number): Item {
  if (typeof collection === "string" && isObject(record)) return { collection, text: JSON.stringify(record) };
  throw notOurs(number);
}

function notOurs(number: number): Failure {
  return new Failure("malformed", `Line ${number} is not a line of an export`);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

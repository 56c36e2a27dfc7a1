import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Failure } from "../failure.ts";
import { LAYOUT } from "../storage/layout.ts";
import type { Engine } from "../storage/session.ts";
import { NO_SEAL, type Seal } from "../seal.ts";
import { wrongFields } from "../storage/record.ts";
import { refuseOtherKey, requireKey } from "../storage/sealed.ts";
import type { AnyRecord } from "../tables.ts";
import { sourceOf } from "./account.ts";
import { FORMAT, showing, type Header, type Trailer } from "./export.ts";
import { fillStore, type Interrupted, type Source } from "./fill.ts";
import { IDS, inChunks, OWN, totalsOf, type Item, type Totals } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { isProof, itemsIn, tableOf } from "./stored-items.ts";

interface Importing extends Interrupted {
  file: string;
  /** The public ids of the accounts to import. All, if empty. */
  accounts?: readonly string[];
  onProgress: Progress;
}

/**
 * Fills an empty store with an export of a store of this layout. It checks the whole file first. The totals are those
 * of an export with all details.
 *
 * @throws Failure `in_use` for a store that isn't empty, `refused` for one with other unfinished work,
 *   or for a file whose secrets have another key, `malformed` for one that is incomplete or changed
 */
export async function importFile(
  engine: Engine,
  { file, accounts = [], onProgress, ...interrupted }: Importing,
): Promise<Totals> {
  const whole = await openExport(file, engine.seal ?? NO_SEAL, onProgress);
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
 * Opens an export. It reads and checks the whole file before anything is written.
 *
 * @throws Failure `malformed` for a file that is incomplete or changed, or that another release made, and `refused` for one
 *   whose secrets have another key
 */
async function openExport(file: string, seal: Seal, onProgress: Progress): Promise<Source> {
  const checked = counting("checked", onProgress);
  const hash = createHash("sha256");
  let count = 0;
  const found: Ends = { header: null, trailer: null };
  for await (const lines of inChunks(bodyOf(file, found))) {
    for (const line of lines) {
      hash.update(`${line.text}\n`);
      // What can't be stored, or not be opened later, must be refused before anything is written.
      const item = itemIn(line);
      refuseUnknown(item, line.number);
      if (isProof(item)) refuseOtherKey((JSON.parse(item.text) as { value: string }).value, seal);
    }
    count += lines.length;
    checked(lines.length);
  }
  const sha256 = hash.digest("hex");
  if (found.trailer?.sha256 !== sha256 || found.trailer.entries !== count) {
    throw new Failure("malformed", "The file was changed since it was exported: its checksum does not match");
  }
  return { id: sha256, count, items: () => inChunks(itemsOf(file)) };
}

async function* itemsOf(file: string): AsyncGenerator<Item> {
  for await (const line of bodyOf(file, { header: null, trailer: null })) yield itemIn(line);
}

function refuseUnknown({ collection, text }: Item, number: number): void {
  // The proof of the key goes along with sealed records. The mark would end the import.
  if (collection === IDS || isProof({ collection, text })) return;
  if (collection === OWN) throw notOurs(number);
  refuseWrong({ collection, text }, number);
}

function refuseWrong(item: Item, number: number): void {
  const wrong = wrongFields(tableOf(item), JSON.parse(item.text) as AnyRecord);
  if (wrong.length === 0) return;
  const sentence = `Line ${number} has a ${item.collection} with values that it can't have: ${wrong.join(", ")}`;
  throw new Failure("malformed", sentence);
}

function itemIn({ value: { collection, record }, number }: Line): Item {
  if (typeof collection === "string" && isObject(record)) return { collection, text: JSON.stringify(record) };
  throw notOurs(number);
}

/** A line between header and trailer. */
interface Line {
  text: string;
  value: Json;
  number: number;
}

/** The first and the last line. */
interface Ends {
  header: Header | null;
  trailer: Trailer | null;
}

/** Yields the lines between header and trailer, and sets the two. */
async function* bodyOf(file: string, found: Ends): AsyncGenerator<Line> {
  let number = 0;
  for await (const { text, isLast } of linesOf(file)) {
    number++;
    const value = parseLine(text);
    // A line that ends with the file is the last one, or a part of any.
    if (value === null) throw isLast ? new Failure("malformed", CUT_OFF) : notOurs(number);
    if (found.header === null) found.header = readHeader(value);
    else if (found.trailer !== null) throw new Failure("malformed", `Line ${number} follows the last one`);
    else if (isTrailer(value)) found.trailer = value;
    else yield { text, value, number };
  }
  if (found.trailer === null) throw new Failure("malformed", CUT_OFF);
}

const CUT_OFF = "The file is cut off: its last line is missing";

/** Since Node 24, `readline` also splits at U+2028 and U+2029, which JSON may contain unescaped. */
async function* linesOf(file: string): AsyncGenerator<{ text: string; isLast: boolean }> {
  let rest = "";
  for await (const chunk of createReadStream(file, "utf8")) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) yield { text, isLast: false };
  }
  if (rest !== "") yield { text: rest, isLast: true };
}

function parseLine(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** @throws Failure `malformed` */
function readHeader(value: Json): Header {
  const { format, layout } = value as Partial<Header>;
  if (format !== FORMAT) throw new Failure("malformed", "The file is not a Tidemark export");
  if (layout === LAYOUT) return value as unknown as Header;
  if (typeof layout !== "number")
    throw new Failure(
      "malformed",
      "The export names no layout: a release before 1.0 made it, or it was changed",
    );
  throw new Failure(
    "malformed",
    `The export has layout ${layout}, and this release reads only layout ${LAYOUT}: import it with the release that made it`,
  );
}

function isTrailer(value: Json): value is Json & Trailer {
  return typeof value["sha256"] === "string" && typeof value["entries"] === "number";
}

function notOurs(number: number): Failure {
  return new Failure("malformed", `Line ${number} is not a line of an export`);
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

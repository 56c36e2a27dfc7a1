import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { LAYOUT } from "../storage/layout.ts";
import type { Engine } from "../storage/session.ts";
import { NO_SEAL, type Seal } from "../seal.ts";
import { wrongFields } from "../storage/record.ts";
import { refuseOtherKey, requireKey } from "../storage/sealed.ts";
import { sqlName } from "../storage/sql.ts";
import { PROOF_KEY } from "../storage/layout.ts";
import type { AnyRecord, AnyTable } from "../tables.ts";
import { FORMAT, MANIFEST, showing, type Manifest } from "./export.ts";
import { fillStore, type Interrupted, type Source } from "./fill.ts";
import { IDS, inChunks, OWN, totalsOf, type Item, type Totals } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { IN_ORDER, itemsIn } from "./stored-items.ts";

interface Importing extends Interrupted {
  folder: string;
  /** Copies the uploaded files before the store can be used. */
  copyUploads?: (() => Promise<void>) | undefined;
  onProgress: Progress;
}

/**
 * Fills an empty store with an export of a store of this layout. It checks all files first. The totals are those of an export
 * with all secrets.
 *
 * @throws Failure `in_use` for a store that isn't empty, `refused` for one with other unfinished work,
 *   or for an export whose secrets have another key, `malformed` for one that is incomplete or changed
 */
export async function importFolder(
  engine: Engine,
  { folder, onProgress, copyUploads, ...interrupted }: Importing,
): Promise<Totals> {
  const source = await openFolder(folder, engine.seal ?? NO_SEAL, onProgress);
  await fillStore(engine, { source, onProgress, prepare: copyUploads, ...interrupted });
  await requireKey(engine);
  return totalsOf(shownItems(engine));
}

async function* shownItems({ reads, seal = NO_SEAL }: Engine): AsyncGenerator<Item[]> {
  const show = showing("plain", seal);
  for await (const items of itemsIn(reads)) yield show(items);
}

/**
 * Opens an export. It reads and checks all files before anything is written.
 *
 * @throws Failure `malformed` for an export that is incomplete or changed, or that another release made, and `refused` for one
 *   whose secrets have another key
 */
async function openFolder(folder: string, seal: Seal, onProgress: Progress): Promise<Source> {
  const { text, manifest } = await readManifest(folder);
  const files = filesOf(manifest);
  if (manifest.key_proof !== undefined) refuseOtherKey(manifest.key_proof, seal);
  const recordCount = files.reduce((sum, { records }) => sum + records, 0);
  const checked = counting("checked", onProgress, recordCount);
  for (const file of files) await check(folder, file, checked);
  const count = recordCount + sharedOf(manifest).length;
  return { id: digestOf(text), count, items: () => itemsOf(folder, manifest, files) };
}

/** The file of a table. */
interface TableFile {
  name: string;
  table: AnyTable;
  records: number;
  sha256: string;
}

/**
 * Reads what an export consists of. A command does it first, so that a mistyped folder makes no store.
 *
 * @throws Failure `malformed` for anything but an export of this layout
 */
export async function readManifest(folder: string): Promise<{ text: string; manifest: Manifest }> {
  const text = await manifestText(folder);
  return { text, manifest: parseManifest(text) };
}

async function manifestText(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null);
  if (found === null) throw new Failure("malformed", `There is no folder ${folder}`);
  if (!found.isDirectory()) throw new Failure("malformed", `${folder} is a file, and an export is a folder`);
  const text = await readFile(join(folder, MANIFEST), "utf8").catch(() => null);
  if (text !== null) return text;
  const isCsv = (await readdir(folder)).some((name) => name.endsWith(".csv"));
  const reason = isCsv
    ? "it has CSV files, which are for people: export again without --csv"
    : `it has no ${MANIFEST}, so it is no export, or an unfinished one`;
  throw new Failure("malformed", `${folder} can't be imported: ${reason}`);
}

function parseManifest(text: string): Manifest {
  const value = parsed(text) as Partial<Manifest> | null;
  if (value === null || value.format !== FORMAT)
    throw new Failure("malformed", `${MANIFEST} does not describe an export of Tidemark`);
  if (value.layout !== LAYOUT) {
    throw new Failure(
      "malformed",
      `The export has layout ${JSON.stringify(value.layout)}, and this release reads only layout ${LAYOUT}: import it with the release that made it`,
    );
  }
  const { files, next_ids } = value;
  if (isObject(files) && isObject(next_ids) && Object.values(next_ids).every(Number.isSafeInteger))
    return value as Manifest;
  throw changed(MANIFEST);
}

/** The files in the order of their tables, so that records come after those that they belong to. */
function filesOf({ files }: Manifest): TableFile[] {
  const named = new Map(IN_ORDER.map((table) => [`${sqlName(table)}.jsonl`, table]));
  for (const name of Object.keys(files)) {
    if (!named.has(name)) throw new Failure("malformed", `This release does not know ${name}`);
  }
  return [...named].flatMap(([name, table]) => {
    const file = files[name];
    return file === undefined ? [] : [{ ...file, name, table }];
  });
}

async function check(
  folder: string,
  { name, table, records, sha256 }: TableFile,
  onLines: (count: number) => void,
): Promise<void> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const lines of inChunks(linesOf(join(folder, name)))) {
    for (const { text, isLast } of lines) {
      hash.update(isLast ? text : `${text}\n`);
      // What can't be stored, or not be opened later, must be refused before anything is written.
      refuseWrong(table, { text, place: `${name}, line ${++count}` });
    }
    onLines(lines.length);
  }
  if (count !== records || hash.digest("hex") !== sha256) throw changed(name);
}

function refuseWrong(table: AnyTable, { text, place }: { text: string; place: string }): void {
  const record = parsed(text);
  if (record === null) throw new Failure("malformed", `${place} is not a record`);
  const wrong = wrongFields(table, record as unknown as AnyRecord);
  if (wrong.length > 0)
    throw new Failure("malformed", `${place} has values that it can't have: ${wrong.join(", ")}`);
}

async function* itemsOf(folder: string, manifest: Manifest, files: TableFile[]): AsyncGenerator<Item[]> {
  for (const { name, table } of files) {
    for await (const lines of inChunks(linesOf(join(folder, name))))
      yield lines.map(({ text }) => ({ collection: table.name, text }));
  }
  yield sharedOf(manifest);
}

/** What a store has beside records. */
function sharedOf({ next_ids, key_proof }: Manifest): Item[] {
  const ids = Object.entries(next_ids).map(([kind, next]) => ({ kind, next }));
  const proofs = key_proof === undefined ? [] : [{ key: PROOF_KEY, value: key_proof }];
  const item = (collection: string) => (value: object) => ({ collection, text: JSON.stringify(value) });
  return [...ids.map(item(IDS)), ...proofs.map(item(OWN))];
}

/** The lines of a file. Since Node 24, `readline` also splits at U+2028 and U+2029, which JSON may contain unescaped. */
export async function* linesOf(file: string): AsyncGenerator<{ text: string; isLast: boolean }> {
  let rest = "";
  try {
    for await (const chunk of createReadStream(file, "utf8")) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) yield { text, isLast: false };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Failure("malformed", `${file} is missing`);
  }
  if (rest !== "") yield { text: rest, isLast: true };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function changed(name: string): Failure {
  return new Failure("malformed", `${name} was changed, or is not complete: its checksum does not match`);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

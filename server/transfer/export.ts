import { createHash, type Hash } from "node:crypto";
import { open, readdir, rename, rm, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { csvForPeople, type Line } from "../csv.ts";
import { NO_SEAL, type Seal } from "../seal.ts";
import { orderedJson } from "../storage/digests.ts";
import { LAYOUT, readMark } from "../storage/layout.ts";
import { recordJson } from "../storage/record.ts";
import { openRecord, withoutSecrets } from "../storage/sealed.ts";
import { giveToFolderOwner, makeFolder } from "../storage/owner.ts";
import type { Engine, Reads } from "../storage/session.ts";
import { sqlName } from "../storage/sql.ts";
import { parseStored } from "../storage/table.ts";
import { finish } from "../storage/whole-file.ts";
import { tableNamed, TABLES, type AnyRecord, type AnyTable } from "../tables.ts";
import { csvColumns } from "./csv/own-exports.ts";
import { IDS, OWN, type Item } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { atOneMoment, itemsIn, proofIn, tableOf } from "./stored-items.ts";

/** The file that describes the others. An export without it is not complete. */
export const MANIFEST = "tidemark.json";
export const FORMAT = "tidemark-export";

/** What an export consists of. It has no time in it, so that two exports of the same records are the same. */
export interface Manifest {
  format: typeof FORMAT;
  /** The layout of the records. */
  layout: number;
  /** The file of each table: how many lines it has, and its SHA-256. */
  files: Record<string, { records: number; sha256: string }>;
  /** The next id of each kind, so that no id is given twice. */
  next_ids: Record<string, number>;
  /** Only for sealed secrets: the text that proves their key. */
  key_proof?: string;
}

/**
 * How an export has what is stored encrypted. `sealed`: as in the store, for backups that need its key. The default is
 * `left out`.
 */
export type Secrets = "left out" | "plain" | "sealed";

interface Exporting {
  /** A new or empty folder. */
  folder: string;
  secrets?: Secrets;
  /** Whether to export an item. All, if absent. */
  isWanted?: (item: Item) => boolean;
  /** Writes CSV files for people, which can't be imported. */
  isCsv?: boolean;
  /** Adds the uploaded files that the records in a folder name. */
  addUploads?: ((folder: string) => Promise<void>) | undefined;
  onProgress: Progress;
}

/** The files contain personal data, so only their owner may read them. */
const OWNER_ONLY = 0o600;

/** Files are written in this folder, and get their place when all of them are written. */
const UNFINISHED = "unfinished";

/** The subfolder with the uploaded files that the records name. */
export const UPLOADS = "files";

/** The names of all files that an export may have, besides the manifest. */
const FILE_NAMES = new Set(TABLES.flatMap((table) => [`${sqlName(table)}.jsonl`, `${sqlName(table)}.csv`]));

/**
 * Writes the records of a store as they are at one moment: a file of JSON lines for each table. Servers may keep running. Only a
 * part of the store is in memory at a time. Resolves to the number of records by table.
 *
 * @throws Error in one sentence for a folder that is not empty
 */
export async function exportFolder(
  engine: Engine,
  { folder, secrets = "left out", isWanted = () => true, isCsv = false, addUploads, onProgress }: Exporting,
): Promise<Record<string, number>> {
  makeFolder(folder);
  await removeLeft(folder);
  const unfinished = join(folder, UNFINISHED);
  makeFolder(unfinished);
  try {
    const { mark } = await readMark(engine.reads);
    const progress = counting("exported", onProgress);
    const shown = showing(secrets, engine.seal ?? NO_SEAL);
    const manifest = newManifest(mark?.version ?? LAYOUT);
    const writer = newWriter(unfinished, isCsv ? CSV : JSON_LINES);
    const read = async function* (reads: Reads) {
      yield* itemsIn(reads);
      // Plain records may fill a store with another key.
      if (secrets === "sealed") yield await proofIn(reads);
    };
    for await (const items of atOneMoment(engine, read)) {
      const wanted = items.filter(isWanted);
      if (!noteShared(manifest, wanted)) await writer.write(shown(wanted));
      progress(items.length);
    }
    manifest.files = await writer.end();
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    if (!isCsv) await writeFile(join(unfinished, MANIFEST), text, { mode: OWNER_ONLY });
    await addUploads?.(unfinished);
    for (const name of inPlaceOrder(await readdir(unfinished))) {
      giveToFolderOwner(join(unfinished, name));
      if (name === UPLOADS) await rename(join(unfinished, name), join(folder, name));
      else finish(join(unfinished, name), join(folder, name));
    }
    return Object.fromEntries(Object.entries(manifest.files).map(([name, { records }]) => [name, records]));
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * Removes what a killed export has left in its folder.
 *
 * @throws Error in one sentence if the folder has anything else
 */
async function removeLeft(folder: string): Promise<void> {
  const names = await readdir(folder);
  const isOurs = (name: string) => [UNFINISHED, UPLOADS].includes(name) || FILE_NAMES.has(name);
  const isUnfinished = names.includes(UNFINISHED) && !names.includes(MANIFEST);
  if (names.length > 0 && !(isUnfinished && names.every(isOurs))) throw new Error(`${folder} is not empty`);
  // Their mark goes last.
  for (const name of [...names.filter((each) => each !== UNFINISHED), UNFINISHED])
    await rm(join(folder, name), { recursive: true, force: true });
}

function newManifest(layout: number): Manifest {
  return { format: FORMAT, layout, files: {}, next_ids: {} };
}

/** The manifest gets its place last. */
function inPlaceOrder(names: string[]): string[] {
  return [...names.filter((name) => name !== MANIFEST), ...names.filter((name) => name === MANIFEST)];
}

/** Adds next ids and the proof of the key to the manifest. False: they are records. */
function noteShared(manifest: Manifest, items: Item[]): boolean {
  if (items.length === 0) return true;
  for (const { collection, text } of items) {
    const given = JSON.parse(text) as { kind: string; next: number; value: string };
    if (collection === IDS) manifest.next_ids[given.kind] = given.next;
    else if (collection === OWN) manifest.key_proof = given.value;
    else return false;
  }
  return true;
}

/** A form of files: the end of their names, and their lines. */
interface Format {
  ending: string;
  linesOf(from: AnyTable, texts: string[], isFirst: boolean): string;
}

const JSON_LINES: Format = {
  ending: "jsonl",
  linesOf: (_, texts) => texts.map((text) => `${text}\n`).join(""),
};

/** Documents are JSON within a cell. */
const CSV: Format = {
  ending: "csv",
  linesOf: (from, texts, isFirst) =>
    csvForPeople(
      texts.map((text) => cells(JSON.parse(text) as Record<string, unknown>)),
      { header: isFirst, columns: csvColumns(from) },
    ),
};

function cells(record: Record<string, unknown>): Line {
  const isDocument = (value: unknown) => typeof value === "object" && value !== null;
  const cell = (value: unknown) => (isDocument(value) ? orderedJson(value) : value) as Line[string];
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, cell(value)]));
}

interface Written {
  file: FileHandle;
  records: number;
  hash: Hash;
}

/** Writes records to the file of their table. The records of a table come one after another. */
function newWriter(folder: string, { ending, linesOf }: Format) {
  const files: Record<string, Written> = {};
  let latest: Written | null = null;

  async function fileOf(from: AnyTable): Promise<Written> {
    const name = `${sqlName(from)}.${ending}`;
    if (latest !== null && files[name] === latest) return latest;
    await latest?.file.close();
    const file = await open(join(folder, name), "wx", OWNER_ONLY);
    return (files[name] = latest = { file, records: 0, hash: createHash("sha256") });
  }

  return {
    async write(items: Item[]): Promise<void> {
      const from = tableOf(items[0]!);
      const written = await fileOf(from);
      const texts = items.map(({ text }) => text);
      const lines = linesOf(from, texts, written.records === 0);
      await written.file.write(lines);
      written.hash.update(lines);
      written.records += items.length;
    },
    async end(): Promise<Manifest["files"]> {
      await latest?.file.close();
      return Object.fromEntries(
        Object.entries(files).map(([name, { records, hash }]) => [
          name,
          { records, sha256: hash.digest("hex") },
        ]),
      );
    },
  };
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

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { createStorage, prefixStorage, type Storage } from "unstorage";
import { makeFolder } from "../../storage/owner.ts";
import type { ArchivedRows, SourceName } from "./model.ts";

const pack = promisify(gzip);
const unpack = promisify(gunzip);
/** The list with the start and end of a run. */
const COURSE = "run";

/** The unchanged answers of a former program. */
export interface Archive {
  /** Oldest first. */
  runs(): Promise<Run[]>;
  /**
   * Continues the last run if it was interrupted, or begins another one. What was read by another access, or more than a day
   * ago, may not fit to what is read now, so such a run is not continued.
   */
  begin(clock: () => Date, access?: string): Promise<OpenRun>;
  read(runId: number): ArchivedRows;
}

/** One reading of the whole program. */
export interface Run {
  id: number;
  started_at: string;
  /** Null if it was interrupted or is under way. */
  ended_at: string | null;
}

/** A run that rows can be added to, by one process only. */
export interface OpenRun {
  id: number;
  started_at: string;
  /** The mark of the rows that a list got last, or null. */
  mark(list: string): unknown;
  keep(list: string, rows: unknown[], mark?: unknown): Promise<void>;
  end(): Promise<void>;
}

/** Plain files below a folder, for the archives of all accounts. */
export async function archiveFiles(folder: string): Promise<Storage> {
  const { default: files } = await import("unstorage/drivers/fs");
  // Answers contain personal data, so only the owner may read them.
  makeFolder(folder);
  return createStorage({ driver: files({ base: folder, ignore: [] }) });
}

/**
 * The archive of a source in an account. Each answer is an item, `1:affiliates:000001.jsonl.gz`: a line about the answer,
 * then a line for each row. A truncated item fails gzip's checksum, and is ignored.
 */
export function openArchive(all: Storage, accountId: number, source: SourceName): Archive {
  const storage = prefixStorage(all, `${accountId}:${source}`);
  const runs = async () => {
    const found: Run[] = [];
    for (const id of await runIds(storage)) {
      const times: string[] = [];
      for await (const { kept_at } of pieces(storage, id, COURSE)) times.push(kept_at);
      const [startedAt, endedAt = null] = times;
      if (startedAt !== undefined) found.push({ id, started_at: startedAt, ended_at: endedAt });
    }
    return found;
  };
  return {
    runs,
    async begin(clock, access = "") {
      const last = (await runs()).at(-1);
      if (last && last.ended_at === null && (await goesOn(storage, last.id, { access, now: clock() })))
        return openRun(storage, last, clock);
      const opened = await openRun(
        storage,
        { id: (last?.id ?? 0) + 1, started_at: clock().toISOString() },
        clock,
      );
      await opened.keep(COURSE, [], { access });
      return opened;
    },
    read: (runId) => ({ rows: (list) => distinctRows(storage, runId, list) }),
  };
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Whether a run was interrupted during the last day, and read by the same access. */
async function goesOn(
  storage: Storage,
  run: number,
  { access, now }: { access: string; now: Date },
): Promise<boolean> {
  const [course = ""] = await pieceKeys(storage, run, COURSE);
  const mark = (await readPiece(storage, course))?.mark as { access?: string } | null;
  let lastAt = "";
  for (const list of await listsOf(storage, run)) {
    const keptAt =
      (await readPiece(storage, (await pieceKeys(storage, run, list)).at(-1) ?? ""))?.kept_at ?? "";
    if (keptAt > lastAt) lastAt = keptAt;
  }
  return (mark?.access ?? access) === access && now.getTime() - Date.parse(lastAt) < DAY_MS;
}

async function openRun(
  storage: Storage,
  { id, started_at }: Omit<Run, "ended_at">,
  clock: () => Date,
): Promise<OpenRun> {
  const marks = new Map<string, unknown>();
  const counts = new Map<string, number>();
  for (const list of await listsOf(storage, id)) {
    const { mark, count } = await repaired(storage, id, list);
    marks.set(list, mark);
    counts.set(list, count);
  }
  const keep = async (list: string, rows: unknown[], mark: unknown = null) => {
    const number = (counts.get(list) ?? 0) + 1;
    const head = JSON.stringify({ kept_at: clock().toISOString(), list, mark });
    const lines = [head, ...rows.map((row) => JSON.stringify(row))];
    await storage.setItemRaw(pieceKey(id, list, number), await pack(`${lines.join("\n")}\n`));
    counts.set(list, number);
    marks.set(list, mark);
  };
  return {
    id,
    started_at,
    mark: (list) => marks.get(list) ?? null,
    keep,
    end: () => keep(COURSE, []),
  };
}

/** Removes a truncated item and everything after it, so that the list continues after its last complete item. */
async function repaired(storage: Storage, run: number, list: string) {
  let [count, mark, isWhole]: [number, unknown, boolean] = [0, null, true];
  for (const key of await pieceKeys(storage, run, list)) {
    const piece: Piece | null = isWhole ? await readPiece(storage, key) : null;
    isWhole = piece !== null;
    if (piece === null) await storage.removeItem(key);
    else [count, mark] = [numberOf(key), piece.mark];
  }
  return { count, mark };
}

/** A row's identity within its list: its id, or its text. */
export function identityOf(row: unknown): string {
  const { id, key } = (row ?? {}) as { id?: unknown; key?: unknown };
  const own = id ?? key;
  if (typeof own === "string" || typeof own === "number") return String(own);
  return createHash("sha256").update(JSON.stringify(row)).digest("base64");
}

/** Rows that were asked for different records are different: only their reader can tell to which one they belong. */
function placeOf(row: unknown): string {
  const { of = null } = (row ?? {}) as { of?: unknown };
  return JSON.stringify([identityOf(row), of]);
}

/** Reads twice, so that only the rows' identities are in memory. */
async function* distinctRows(storage: Storage, run: number, list: string) {
  const lastPlaces = new Map<string, number>();
  let place = 0;
  for await (const { rows } of pieces(storage, run, list)) {
    for (const row of rows) lastPlaces.set(placeOf(row), place++);
  }
  place = 0;
  for await (const { rows } of pieces(storage, run, list)) {
    for (const row of rows) {
      const isLast = lastPlaces.get(placeOf(row)) === place++;
      if (isLast && isRecord(row)) yield row;
    }
  }
}

interface Piece {
  kept_at: string;
  mark: unknown;
  rows: unknown[];
}

async function* pieces(storage: Storage, run: number, list: string): AsyncGenerator<Piece> {
  for (const key of await pieceKeys(storage, run, list)) {
    const piece = await readPiece(storage, key);
    if (piece !== null) yield piece;
  }
}

/** Null if it is truncated. */
async function readPiece(storage: Storage, key: string): Promise<Piece | null> {
  const bytes = await storage.getItemRaw<Uint8Array>(key);
  if (bytes === null) return null;
  let text: string;
  try {
    text = String(await unpack(bytes));
  } catch {
    return null;
  }
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const { kept_at, mark } = JSON.parse(head) as { kept_at: string; mark: unknown };
  return { kept_at, mark, rows: lines.map((line) => JSON.parse(line) as unknown) };
}

function pieceKey(run: number, list: string, number: number): string {
  return `${run}:${list}:${String(number).padStart(6, "0")}.jsonl.gz`;
}

function numberOf(key: string): number {
  return Number.parseInt(key.split(":").at(-1) ?? "", 10);
}

async function pieceKeys(storage: Storage, run: number, list: string): Promise<string[]> {
  const keys = await storage.getKeys(`${run}:${list}`);
  return keys.sort((one, other) => numberOf(one) - numberOf(other));
}

async function runIds(storage: Storage): Promise<number[]> {
  const ids = (await storage.getKeys()).map((key) => Number(key.split(":")[0]));
  return [...new Set(ids)].sort((one, other) => one - other);
}

async function listsOf(storage: Storage, run: number): Promise<string[]> {
  return [...new Set((await storage.getKeys(String(run))).map((key) => key.split(":")[1] ?? ""))];
}

function isRecord(row: unknown): row is Record<string, unknown> {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { prefixStorage, type Storage } from "unstorage";
import type { ArchivedRows, SourceName } from "./model.ts";
import { DAY_MS } from "../../domain/span.ts";

const pack = promisify(gzip);
const unpack = promisify(gunzip);
/** The list with the start and end of a run. */
const COURSE = "run";
/** The list with the names of a run's other lists, because some drivers of unstorage list only their first thousand keys. */
const NAMES = "lists";

/** Deleted runs leave gaps. A longer gap than this is the end. */
const LONGEST_GAP = 50;

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

/**
 * The archive of a source in an account. Each answer is an item, `1:affiliates:000001.jsonl.gz`: a line about the answer,
 * then a line for each row. A truncated item fails gzip's checksum, and is ignored.
 */
export function openArchive(all: Storage, accountId: number, source: SourceName): Archive {
  const storage = prefixStorage(all, `${accountId}:${source}`);
  const runs = async () => {
    const found: Run[] = [];
    for (let id = 1, missing = 0; missing < LONGEST_GAP; id++) {
      if (!(await storage.hasItem(pieceKey(id, COURSE, 1)))) {
        missing++;
        continue;
      }
      missing = 0;
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
      if (last?.ended_at === null) {
        const { run, access: former, keptAt } = await openRun(storage, last, clock);
        if (former === access && clock().getTime() - Date.parse(keptAt) < DAY_MS) return run;
      }
      const next = { id: (last?.id ?? 0) + 1, started_at: clock().toISOString() };
      const { run } = await openRun(storage, next, clock);
      await run.keep(COURSE, [], { access });
      return run;
    },
    read: (runId) => ({ rows: (list) => distinctRows(storage, runId, list) }),
  };
}

/** Opens a run that was interrupted, or a new one. */
async function openRun(
  storage: Storage,
  { id, started_at }: Omit<Run, "ended_at">,
  clock: () => Date,
): Promise<{ run: OpenRun; access: unknown; keptAt: string }> {
  const marks = new Map<string, unknown>();
  const counts = new Map<string, number>();
  let keptAt = "";
  const reopen = async (list: string) => {
    const whole = await repaired(storage, id, list);
    marks.set(list, whole.at(-1)?.mark ?? null);
    counts.set(list, whole.length);
    for (const piece of whole) if (piece.kept_at > keptAt) keptAt = piece.kept_at;
    return whole;
  };
  const [begun] = await reopen(COURSE);
  const names = await reopen(NAMES);
  for (const { rows } of names) for (const list of rows) await reopen(String(list));

  const keep = async (list: string, rows: unknown[], mark: unknown = null) => {
    if (!counts.has(list)) await keep(NAMES, [list]);
    const number = (counts.get(list) ?? 0) + 1;
    const head = JSON.stringify({ kept_at: clock().toISOString(), list, mark });
    const lines = [head, ...rows.map((row) => JSON.stringify(row))];
    await storage.setItemRaw(pieceKey(id, list, number), await pack(`${lines.join("\n")}\n`));
    counts.set(list, number);
    marks.set(list, mark);
  };
  const run: OpenRun = {
    id,
    started_at,
    mark: (list) => marks.get(list) ?? null,
    keep,
    end: () => keep(COURSE, []),
  };
  return { run, access: (begun?.mark as { access?: string } | undefined)?.access, keptAt };
}

/**
 * The complete items of a list, without their rows except for names. A truncated item and everything after it are removed, so
 * that the list continues after its last complete item.
 */
async function repaired(storage: Storage, run: number, list: string): Promise<Piece[]> {
  const whole: Piece[] = [];
  const broken: string[] = [];
  for await (const { key, piece } of items(storage, run, list)) {
    if (piece === null || broken.length > 0) broken.push(key);
    else whole.push(list === NAMES ? piece : { ...piece, rows: [] });
  }
  // The last one first: a process that is killed leaves no item behind a gap.
  for (const key of broken.toReversed()) await storage.removeItem(key);
  return whole;
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
  for await (const { piece } of items(storage, run, list)) if (piece !== null) yield piece;
}

/** The items of a list, in their order. Truncated ones have no piece. */
async function* items(storage: Storage, run: number, list: string) {
  for (let number = 1; ; number++) {
    const key = pieceKey(run, list, number);
    if (!(await storage.hasItem(key))) return;
    const bytes = await storage.getItemRaw<Uint8Array | Error>(key);
    // unstorage's fs driver returns its errors.
    if (bytes instanceof Error) throw bytes;
    yield { key, piece: bytes === null ? null : await unpacked(bytes) };
  }
}

/** Null if it is truncated. */
async function unpacked(bytes: Uint8Array): Promise<Piece | null> {
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

function isRecord(row: unknown): row is Record<string, unknown> {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

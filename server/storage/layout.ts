import { Failure } from "../failure.ts";
import { parseStored } from "./table.ts";
import type { Engine, Reads, Session } from "./session.ts";
import { SQLITE } from "./sql.ts";

/** Raise it with every change to tables or to the shape of records. */
export const LAYOUT = 15;
/**
 * The oldest layout that this release can serve without an upgrade. It reads that layout and all later ones,
 * and writes the one in the store's mark.
 *
 * @see docs/storage.md "Changing the layout"
 */
export const OLDEST_SERVED = 15;
/** The first layout with tables. Earlier stores keep texts under keys. */
export const FIRST_WITH_TABLES = 13;
/** The layout of the first release. Stores and exports of every layout since then can be upgraded. */
export const OLDEST_LAYOUT = 5;
/** The key of the layout mark, in the format that keys had before there were tables. */
export const MARK_KEY = "c0:slayout!";
/**
 * After a commit failed for lack of disk space, the process writes an item here and removes it, to find out
 * whether there is space again.
 */
export const ROOM_KEY = "c0:slayout!:sroom!";
/** The text that only the key of the store's secrets opens. Copies of the store have it, exports don't. */
export const PROOF_KEY = "c0:slayout!:sseal!";

/** The steps of work on a whole store, in their order. */
export const STAGES = ["clear", "fill", "drop"] as const;
/** Unfinished work on a whole store. */
export interface UnderWay {
  work: "import" | "move" | "upgrade";
  /** Identifies the process that does the work, since several may do so in turn. */
  by: string;
  stage: (typeof STAGES)[number];
  /**
   * The digest of the records being filled in, so that two sources are never mixed, or null if it is not
   * being filled.
   */
  source: string | null;
  /** The layout of its records before the work began. */
  layout: number;
  /** How many items have been filled in. */
  filledCount: number;
}

/** A store's layout mark. */
export interface Mark {
  /** The layout that is written. */
  version: number;
  /**
   * The layout that is about to be written; processes that don't know it stop. Absent: no change is planned.
   */
  next?: number;
  /** Absent: the store may be used. */
  underWay?: UnderWay;
}

const REFUSALS: Record<UnderWay["work"], string> = {
  import:
    "An import into the store is unfinished: run `tidemark import` again with --resume to continue it, or with --force to start over",
  move: "A move into the store is unfinished: run `tidemark move` again with --resume to continue it, or with --force to start over",
  upgrade:
    "An upgrade of the store is running or was interrupted: if nothing runs it any more, `tidemark upgrade` continues it",
};

/**
 * Marks an empty store with this release's layout. Refuses a store with another layout or with unfinished
 * work.
 *
 * @throws Failure `refused`
 */
export async function checkLayout(engine: Engine): Promise<void> {
  await engine.transact(async (session) => {
    if (await isEmpty(session)) await replaceMark(session, NONE, { version: LAYOUT });
  });
  const { mark } = await readMark(engine.reads);
  if (mark?.underWay !== undefined) throw refusalOf(mark.underWay);
  if (mark !== null && isKnown(mark)) return;
  if (isOlder(mark)) {
    throw new Failure(
      "refused",
      "The store was made by an earlier release of Tidemark: `tidemark upgrade` upgrades it, and so does starting the server",
    );
  }
  const maker =
    mark !== null && (mark.next ?? mark.version) > LAYOUT ? "a later release" : "a build before 0.1";
  throw new Failure("refused", `The store was made by ${maker} of Tidemark: use that one, or an empty store`);
}

/** The layout mark as it was read, or null if there is none. */
export interface ReadMark {
  text: string | null;
  mark: Mark | null;
  /** The table that holds it. */
  table: string;
}

const NONE: ReadMark = { text: null, mark: null, table: "items" };

export async function readMark(reads: Reads): Promise<ReadMark> {
  const found = await markIn(reads, "items");
  if (found !== null) return found;
  const former = (await formerItems(reads)) ?? "items";
  return (former !== "items" ? await markIn(reads, former) : null) ?? NONE;
}

/**
 * The table in which stores before `FIRST_WITH_TABLES` keep everything as texts under keys, or null if there
 * is none. On Postgres its name differs from the table of items, and only the mark stays there, which keeps
 * earlier releases away.
 */
export async function formerItems(reads: Reads): Promise<string | null> {
  if (reads.dialect === SQLITE) return "items";
  const [row] = await reads.all({ text: "select to_regclass('tidemark_items')::text", values: [] });
  return row?.[0] ? "tidemark_items" : null;
}

/** Replaces the mark that was read. Resolves to false if another process was faster. */
export async function replaceMark(session: Session, seen: ReadMark, mark: Mark): Promise<boolean> {
  const [one, two, three] = [1, 2, 3].map(session.dialect.value);
  const value = JSON.stringify(mark);
  const put = (table: string, otherwise: string) =>
    session.run({
      text: `insert into ${table} (key, value) values (${one}, ${two}) on conflict (key) do ${otherwise}`,
      values: [MARK_KEY, value],
    });
  const changedCount = await (seen.text === null
    ? put("items", "nothing")
    : session.run({
        text: `update ${seen.table} set value = ${one} where key = ${two} and value = ${three}`,
        values: [value, MARK_KEY, seen.text],
      }));
  if (changedCount === 0) return false;
  if (mark.version >= FIRST_WITH_TABLES) {
    for (const table of await markTables(session)) await put(table, "update set value = excluded.value");
  }
  return true;
}

async function markTables(reads: Reads): Promise<Set<string>> {
  return new Set(["items", (await formerItems(reads)) ?? "items"]);
}

async function markIn(reads: Reads, table: string): Promise<ReadMark | null> {
  const text = `select value from ${table} where key = ${reads.dialect.value(1)}`;
  const [row] = await reads.all({ text, values: [MARK_KEY] });
  const value = row?.[0] as string | undefined;
  return value === undefined ? null : { text: value, mark: parseStored<Mark>(MARK_KEY, value), table };
}

async function isEmpty(reads: Reads): Promise<boolean> {
  for (const table of await markTables(reads)) {
    const rows = await reads.all({ text: `select key from ${table} limit 1`, values: [] });
    if (rows.length > 0) return false;
  }
  return true;
}

/** Whether this release can use a store as it is. */
function isKnown({ version, next = version, underWay }: Mark): boolean {
  return underWay === undefined && version >= OLDEST_SERVED && next <= LAYOUT;
}

/** Whether an earlier release made a store that this one must upgrade before it can use it. */
export function isOlder(mark: Mark | null): boolean {
  return mark !== null && mark.version >= OLDEST_LAYOUT && mark.version < OLDEST_SERVED;
}

/** The refusal of a store with unfinished work. */
export function refusalOf({ work }: UnderWay): Failure {
  return new Failure("refused", REFUSALS[work]);
}

/** How old a process's knowledge of the mark may be when it commits. */
const TRUST_MS = 2_000;

/**
 * An engine that knows its store's layout, and stops committing once a later release takes the store over.
 */
export interface WatchedEngine extends Engine {
  /** The layout to write. It rises when `tidemark upgrade` runs after all servers were replaced. */
  layout(): number;
  /** Reads the mark. Resolves to the reason why this process may no longer use the store, or null. */
  look(): Promise<string | null>;
}

/**
 * Makes an engine that watches the layout mark. If each commit checked the mark, all accounts would wait for
 * each other. Instead, each process checks it periodically, and an upgrade waits longer than that before it
 * changes anything.
 */
export function watchLayout(
  engine: Engine,
  elapsedMs: () => number = () => performance.now(),
): WatchedEngine {
  let layout = LAYOUT;
  let lookedAt = -Infinity;
  let obstacle: string | null = null;

  async function look(): Promise<string | null> {
    const at = elapsedMs();
    const { mark } = await readMark(engine.reads);
    lookedAt = at;
    obstacle = mark === null ? null : obstacleIn(mark);
    if (mark !== null && obstacle === null) layout = mark.version;
    return obstacle;
  }

  return {
    ...engine,
    layout: () => layout,
    look,
    async transact(work) {
      if (elapsedMs() - lookedAt > TRUST_MS) await look();
      if (obstacle === null) return engine.transact(work);
      throw new Failure("unavailable", `${obstacle}: this process stops`);
    },
  };
}

function obstacleIn(mark: Mark): string | null {
  if (isKnown(mark)) return null;
  const work = mark.underWay?.work ?? "upgrade";
  if (work === "upgrade") return "A later release of Tidemark takes the store over";
  return `Another process works on the whole store (${work})`;
}

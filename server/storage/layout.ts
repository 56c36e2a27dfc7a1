import { Failure } from "../failure.ts";
import { readItem } from "./items.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { Engine, Reads, Session } from "./session.ts";
import { parseStored } from "./table.ts";

/** The number of the form that this release's tables have, and that its servers need. */
export const LAYOUT = 1 + MIGRATIONS.length;
/** The item that holds the mark. */
export const MARK_KEY = "tidemark:mark";
/**
 * After a commit failed for lack of disk space, the process writes an item here and removes it, to find out
 * whether there is space again.
 */
export const ROOM_KEY = "tidemark:room";
/** The text that only the key of the store's secrets opens. Copies of the store have it, exports don't. */
export const PROOF_KEY = "tidemark:seal";

/** The steps of work on a whole store, in their order. */
export const STAGES = ["clear", "fill"] as const;
/** An unfinished import into a store. */
export interface UnderWay {
  /** Identifies the process that does the work, since several may do so in turn. */
  by: string;
  stage: (typeof STAGES)[number];
  /** The digest of the records being filled in, so that two sources are never mixed. */
  source: string;
  /** How many items have been filled in. */
  filledCount: number;
}

/** A store's layout mark. */
export interface Mark {
  version: number;
  /** Absent: the store may be used. */
  underWay?: UnderWay;
}

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
  if (mark?.underWay !== undefined) throw unfinished();
  if (mark?.version === LAYOUT) return;
  if (mark === null)
    throw new Failure(
      "refused",
      "A release before 1.0 of Tidemark made the store, which this release can't read: use an empty one",
    );
  throw new Failure(
    "refused",
    mark.version > LAYOUT
      ? "A later release of Tidemark made the store: use that one, or an empty store"
      : "An earlier release of Tidemark made the store: `tidemark upgrade` upgrades it, and so does starting the server",
  );
}

/** The layout mark as it was read, or null if there is none. */
export interface ReadMark {
  text: string | null;
  mark: Mark | null;
}

const NONE: ReadMark = { text: null, mark: null };

export async function readMark(reads: Reads): Promise<ReadMark> {
  const text = await readItem(reads, MARK_KEY);
  return text === null ? NONE : { text, mark: markIn(text) };
}

/** @throws Failure `unavailable` if it is damaged */
function markIn(text: string): Mark {
  const mark = parseStored<Partial<Mark> | null>(MARK_KEY, text);
  const { version, underWay } = mark ?? {};
  if (Number.isInteger(version) && (underWay === undefined || isUnderWay(underWay))) return mark as Mark;
  throw new Failure("unavailable", "The store's mark is damaged: restore a backup");
}

function isUnderWay(value: unknown): boolean {
  return typeof value === "object" && value !== null && STAGES.includes((value as UnderWay).stage);
}

/** The query that `mayMakeTables` needs: the mark, and whether there is any item. */
export const MARK_QUERY = `select (select value from items where key = '${MARK_KEY}') as mark, exists (select key from items)`;

/**
 * Whether a process may make the tables that a store lacks. Stores of a later release, or of one before 1.0, are refused
 * later and must stay as they are.
 */
export function mayMakeTables([mark, hasItems]: readonly unknown[]): boolean {
  return mark === null ? !hasItems : markIn(String(mark)).version <= LAYOUT;
}

/** Replaces the mark that was read. Resolves to false if another process was faster. */
export async function replaceMark(session: Session, seen: ReadMark, mark: Mark): Promise<boolean> {
  const [one, two, three] = [1, 2, 3].map(session.dialect.value);
  const value = JSON.stringify(mark);
  const changedCount = await session.run(
    seen.text === null
      ? {
          text: `insert into items (key, value) values (${one}, ${two}) on conflict (key) do nothing`,
          values: [MARK_KEY, value],
        }
      : {
          text: `update items set value = ${one} where key = ${two} and value = ${three}`,
          values: [value, MARK_KEY, seen.text],
        },
  );
  return changedCount > 0;
}

async function isEmpty(reads: Reads): Promise<boolean> {
  const rows = await reads.all({ text: "select key from items limit 1", values: [] });
  return rows.length === 0;
}

/** Whether an earlier release made a store, so that it must be upgraded before this one can use it. */
export function isOlder(mark: Mark | null): mark is Mark {
  return mark !== null && mark.version < LAYOUT;
}

/** The refusal of a store with an unfinished import. */
export function unfinished(): Failure {
  return new Failure(
    "refused",
    "An import into the store is unfinished: run `tidemark import` again with --resume to continue it, or with --force to start over",
  );
}

/** How old a process's knowledge of the mark may be when it commits. */
const TRUST_MS = 2_000;

/** An engine that stops committing once another process takes the whole store over. */
export interface WatchedEngine extends Engine {
  /** Reads the mark. Resolves to the reason why this process may no longer use the store, or null. */
  look(): Promise<string | null>;
}

/**
 * Makes an engine that watches the mark. If each commit checked the mark, all accounts would wait for each other. Instead, each
 * process checks it periodically.
 */
export function watchLayout(
  engine: Engine,
  elapsedMs: () => number = () => performance.now(),
): WatchedEngine {
  let lookedAt = -Infinity;
  let obstacle: string | null = null;

  async function look(): Promise<string | null> {
    const at = elapsedMs();
    const { mark } = await readMark(engine.reads);
    lookedAt = at;
    obstacle = mark === null ? null : obstacleIn(mark);
    return obstacle;
  }

  return {
    ...engine,
    look,
    async transact(work) {
      if (elapsedMs() - lookedAt > TRUST_MS) await look();
      if (obstacle === null) return engine.transact(work);
      throw new Failure("unavailable", `${obstacle}: this process stops`);
    },
  };
}

function obstacleIn({ version, underWay }: Mark): string | null {
  if (underWay !== undefined) return "Another process imports into the whole store";
  return version === LAYOUT ? null : "Another release of Tidemark has taken the store over";
}

import type { Range } from "../../driver.ts";
import type { Entry } from "../../listing/snapshot.ts";
import type { Database } from "./database.ts";
import { refusalOf } from "./faults.ts";

/** The reads of a process. */
export interface View {
  read(key: string): string | null;
  list(range: Range): Entry[];
  count(range: Pick<Range, "from" | "before">): number;
  keys(): string[];
  /** Ends the snapshot: later reads see everything that is committed by then. */
  refresh(): void;
}

const MAX_TEXTS = 4_000;
/** Entries that are cheaper to fetch together. */
const MANY = 100;

/**
 * Reads from one snapshot per turn of the event loop, because a transaction for each read would cost more
 * than the read. Texts are remembered until somebody commits.
 */
export function newView(db: Database, file: string): View {
  const begin = db.prepare("begin");
  const end = db.prepare("commit");
  const version = db.prepare("pragma data_version");
  const get = db.prepare("select value from items where key = ?");
  const list = newList(db);
  const counted = db.prepare("select count(*) from items where key >= ? and key < ?");
  const allKeys = db.prepare("select key from items order by key");
  const texts = new Map<string, string | null>();
  let textsVersion = 0;
  let isFresh = false;

  return {
    read: (key) =>
      now(() => {
        let text = texts.get(key);
        if (text !== undefined) return text;
        text = (get.get(key) as [string] | undefined)?.[0] ?? null;
        texts.set(key, text);
        return text;
      }),
    list: (range) => inNewSnapshot(() => list(range)),
    count: ({ from, before }) => inNewSnapshot(() => counted.get(from, before) as [number])[0],
    keys: () => inNewSnapshot(() => allKeys.all() as [string][]).map(([key]) => key),
    refresh,
  };

  /**
   * Reads from a new snapshot. One that begins in an immediate lasts into the next turn, and lists are slow
   * anyway.
   */
  function inNewSnapshot<T>(work: () => T): T {
    refresh();
    return now(work);
  }

  function now<T>(work: () => T): T {
    try {
      if (!isFresh) freshen();
      return work();
    } catch (error) {
      throw refusalOf(error, { file, what: "read" });
    }
  }

  function freshen(): void {
    // A fault may have kept the last snapshot from beginning in full.
    if (!db.isTransaction) begin.run();
    const [current] = version.get() as [number];
    if (current !== textsVersion || texts.size > MAX_TEXTS) texts.clear();
    textsVersion = current;
    isFresh = true;
    setImmediate(refresh);
  }

  function refresh(): void {
    if (!isFresh) return;
    isFresh = false;
    try {
      // A fault of the disk may have ended it already.
      if (db.isTransaction) end.run();
    } catch {
      // A read has met damage and reported it. This runs in a later turn, where nobody waits for an error.
      if (db.isTransaction) db.exec("rollback");
    }
  }
}

/** Returns a function that lists the entries of a range as a connection sees them. */
export function newList(db: Database): (range: Range) => Entry[] {
  const entries = "select key, value from items where key >= ? and key < ? order by key";
  const forward = db.prepare(`${entries} limit ? offset ?`);
  const backward = db.prepare(`${entries} desc limit ? offset ?`);
  const inTexts = db.prepare(
    `select json_group_array(key), json_group_array(value) from (${entries} limit ? offset ?)`,
  );
  return ({ from, before, limit, offset = 0, reverse = false, isOfShort = false }) => {
    if (isOfShort && !reverse && limit >= MANY) return together(inTexts.get(from, before, limit, offset));
    return (reverse ? backward : forward).all(from, before, limit, offset) as Entry[];
  };
}

/** Two long texts take half as long to fetch as the many short ones in them. */
function together(row: unknown): Entry[] {
  const [keys, values] = (row as [string, string]).map((text) => JSON.parse(text) as string[]);
  return (keys ?? []).map((key, at): Entry => [key, values?.[at] ?? ""]);
}

import type { Database } from "lmdb";
import { EVERYTHING } from "../../snapshot.ts";
import { loggedIn, newLayer, type Logged } from "./layers.ts";
import type { Item } from "./merged.ts";

/** A log beside a tree, as the present read transaction has it. */
export interface Log extends Logged {
  /** Reads what is new; to be called before anything is read from a new transaction. */
  catchUp(): void;
  /** What it tells by now, whatever comes later. */
  hold(): Logged;
  /** Begins a record, within a write transaction. */
  begin(): LogRecord;
  /** The last record by now. */
  last(): number;
  /** Merges some more without a record, within a write transaction. Tells whether no record up to `until` is left. */
  settle(until: number): boolean;
}

/** A record that is being written. */
export interface LogRecord {
  /** As the write transaction has it, but for what is set. */
  get(key: string): Item[1] | undefined;
  set(key: string, text: Item[1]): void;
  /** Writes it down, and merges some of what was logged before. */
  end(): void;
}

/** What a layer has when it is sealed, or a commit's worth more. */
export interface LayerLimits {
  keys: number;
  records: number;
}

/** How far a log is. Each record leaves it anew. */
interface Progress {
  /** The oldest record; what those before it told is in the tree. */
  first: number;
  /** The last record of the older layer. */
  sealed: number;
  last: number;
  /** The key that the older layer is merged from; null: all of it is in the tree. */
  next: string | null;
}

/** Where the progress stands; before all encoded keys, as the records are. */
const PROGRESS = "\u001e";
const EMPTY: Progress = { first: 1, sealed: 0, last: 0, next: null };
/** Enough keys for some to share their pages; few enough of both to be read at each start. */
const LIMITS: LayerLimits = { keys: 32_768, records: 4_096 };
/** Keys, and layers, merged while one is logged, so that the older layer is in the tree before the newer is full. */
const MERGED_PER_LOGGED = 2;
/** Keys merged at once where nothing is logged: a few milliseconds' worth. */
const SETTLED_AT_ONCE = 1_000;

/**
 * Changes that wait beside the tree, and in memory, until they are merged into it in the order of their keys.
 * A copy-on-write tree writes a whole path of pages for a key that is changed alone, and paths grow with the
 * tree; keys that follow each other share theirs, and a counter that changes all the time is written once.
 *
 * Two layers take turns. While the keys of the older one are merged, some with each commit, the newer one fills;
 * then that is sealed in turn, and the records of the older one are deleted. All this is part of the commits to
 * the tree, so that each process knows the log from what it reads there.
 */
export function newLog(db: Database<string, string>, limits = LIMITS): Log {
  const layers = { newer: newLayer(), older: newLayer() };
  const present = loggedIn(layers);
  const leastMerged = Math.ceil((limits.keys * MERGED_PER_LOGGED) / limits.records);
  let seen = EMPTY;
  let seenText: string | undefined;
  return {
    ...present,
    catchUp,
    hold: () => loggedIn({ ...layers, newer: layers.newer.clone() }),
    begin,
    last: () => seen.last,
    settle,
  };

  function catchUp(): void {
    const text = db.get(PROGRESS);
    if (text === seenText) return;
    const now = parse(text);
    if (now.sealed !== seen.sealed) {
      // What was the newer layer is the older one by now, unless yet another was sealed since.
      layers.older = now.first === seen.sealed + 1 ? layers.newer : newLayer();
      if (now.next !== null) readInto(layers.older, Math.max(now.first, seen.last + 1), now.sealed);
      layers.newer = newLayer();
    }
    // All of it is in the tree.
    if (now.next === null && layers.older.size > 0) layers.older = newLayer();
    readInto(layers.newer, Math.max(now.sealed, seen.last) + 1, now.last);
    seen = now;
    seenText = text;
  }

  function begin(): LogRecord {
    const now = parse(db.get(PROGRESS));
    // Logged since this process caught up, also by own commits that are still under way.
    const unseen = new Map<string, Item[1]>();
    readInto(unseen, Math.max(now.first, seen.last + 1), now.last);
    // Else all that is remembered has been merged, and may have been changed since.
    const isRemembered = now.first <= seen.last + 1;
    const record = new Map<string, Item[1]>();
    return {
      get(key) {
        const text = unseen.get(key);
        return text === undefined && isRemembered ? present.get(key) : text;
      },
      set: (key, text) => void record.set(key, text),
      end() {
        if (record.size === 0) return;
        const last = now.last + 1;
        void db.put(recordKey(last), JSON.stringify([...record]));
        const isFull = layers.newer.size >= limits.keys || now.last - now.sealed >= limits.records;
        moveOn({ ...now, last }, Math.max(leastMerged, record.size * MERGED_PER_LOGGED), isFull);
      },
    };
  }

  function settle(until: number): boolean {
    const now = parse(db.get(PROGRESS));
    if (now.first > until) return true;
    moveOn(now, SETTLED_AT_ONCE, true);
    return false;
  }

  function readInto(target: { set(key: string, text: Item[1]): unknown }, from: number, to: number): void {
    for (let at = from; at <= to; at++) {
      const items = JSON.parse(db.get(recordKey(at)) as string) as Item[];
      for (const [key, text] of items) target.set(key, text);
    }
  }

  /** Merges some of the older layer. Where that is done, and the newer one full, it is the latter's turn. */
  function moveOn(now: Progress, count: number, isFull: boolean): void {
    let { first, sealed, next } = now;
    // Where another layer was sealed since this process caught up, it does not have the one that is to be merged.
    const isKnown = sealed === seen.sealed;
    if (isKnown && next !== null) {
      next = merge(next, count);
    } else if (isKnown && isFull) {
      for (let at = first; at <= sealed; at++) void db.remove(recordKey(at));
      [first, sealed, next] = [sealed + 1, now.last, EVERYTHING.from];
    }
    void db.put(PROGRESS, JSON.stringify({ ...now, first, sealed, next } satisfies Progress));
  }

  /** Writes some keys of the older layer into the tree. Gives the key to go on from. */
  function merge(from: string, count: number): string | null {
    let left = count;
    for (const [key, text] of layers.older.entries(from)) {
      if (left-- === 0) return key;
      // It was logged again: its turn is with the newer layer.
      if (layers.newer.has(key)) continue;
      if (text === null) void db.remove(key);
      else void db.put(key, text);
    }
    return null;
  }
}

function recordKey(at: number): string {
  return `${PROGRESS}${String(at).padStart(16, "0")}`;
}

function parse(text: string | undefined): Progress {
  return text === undefined ? EMPTY : (JSON.parse(text) as Progress);
}

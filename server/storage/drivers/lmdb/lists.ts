import type { Database, Transaction } from "lmdb";
import type { Range } from "../../driver.ts";
import { successor } from "../../keys.ts";
import type { Entry } from "../../snapshot.ts";
import type { Logged } from "./layers.ts";
import { merged, type Stretch } from "./merged.ts";

/** What entries are listed from: a tree, and what its log tells of it. */
export interface Source {
  db: Database<string, string>;
  logged: Logged;
  /** The moment that both are of, where that is not the present one. */
  transaction?: Transaction;
}

/** The entries of a range. */
export function list(source: Source, range: Range): Entry[] {
  const { offset = 0, ...stretch } = range;
  const first = source.logged.first(stretch);
  if (first === undefined) return [...inTree(source, range)];
  if (offset === 0) return joined(source, stretch, 0);
  // Up to there LMDB passes over entries much faster than they can be merged.
  const { head, rest } = parted(stretch, first);
  const entries = [...inTree(source, { ...head, offset })];
  const toPassOver = entries.length > 0 ? 0 : offset - countInTree(source, head);
  return [...entries, ...joined(source, { ...rest, limit: range.limit - entries.length }, toPassOver)];
}

/** What the tree and the log have of a range. */
function joined(source: Source, { limit, ...stretch }: Range, toPassOver: number): Entry[] {
  const entries: Entry[] = [];
  if (limit === 0) return entries;
  for (const [key, text] of merged(source.logged.items(stretch), inTree(source, stretch), stretch)) {
    if (text === null || toPassOver-- > 0) continue;
    if (entries.push([key, text]) === limit) break;
  }
  return entries;
}

/** How many entries a stretch has. */
export function count(source: Source, stretch: Stretch): number {
  let total = countInTree(source, stretch);
  for (const [key, text] of source.logged.items(stretch)) {
    total += Number(text !== null) - Number(source.db.doesExist(key));
  }
  return total;
}

/** What comes before a key in the direction of a stretch, and what begins with it. */
function parted<S extends Stretch>(stretch: S, key: string): { head: S; rest: S } {
  if (!stretch.reverse) return { head: { ...stretch, before: key }, rest: { ...stretch, from: key } };
  const behind = successor(key);
  return { head: { ...stretch, from: behind }, rest: { ...stretch, before: behind } };
}

function countInTree({ db, transaction }: Source, { from, before }: Stretch): number {
  return db.getKeysCount({ start: from, end: before, ...(transaction && { transaction }) });
}

function* inTree({ db, transaction }: Source, range: Stretch & Partial<Range>): Generator<Entry> {
  const { from, before, reverse = false, limit = Infinity, offset = 0 } = range;
  const options = { limit, ...(transaction && { transaction }) };
  if (!reverse) {
    for (const { key, value } of db.getRange({ ...options, start: from, end: before, offset })) {
      yield [key, value];
    }
    return;
  }
  // LMDB's backward ranges begin at their start, included, while ours leave `before` out.
  const skipped = offset + (db.doesExist(before) ? 1 : 0);
  for (const { key, value } of db.getRange({ ...options, start: before, reverse, offset: skipped })) {
    if (key < from) return;
    yield [key, value];
  }
}

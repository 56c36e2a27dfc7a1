import { counterKey, indexPrefix, recordKey, type Collection, type Pointer } from "../collection.ts";
import { parseStored, readSum, type AtomicDriver } from "../driver.ts";
import { decodeKey, encodeKey, prefixRange, type Key, type KeyPart } from "../keys.ts";
import { passOver, scan } from "../listing/scan.ts";
import { newReader, type Read, type Reader } from "./reader.ts";

/** A page of an ordered listing. */
export interface Page {
  limit: number;
  offset?: number;
  reverse?: boolean;
  /** The length of the whole listing, if known: a page near its end is then read from the end. */
  total?: number;
  between?: Between | undefined;
}

/** A part of a listing: the entries whose next part of the key is in this range. */
export interface Between {
  from: KeyPart;
  before: KeyPart;
}

/** A counter: the rest of its name after the prefix, and its value. */
export type NamedSum = [rest: KeyPart[], sum: number];

/** Reads records, lists and counters. A store is a view; a transaction has one for answers. */
export interface View extends Reader {
  /** A page of the records whose entry begins with `start`, in the order of an index or by id. */
  page<R, Index extends string>(
    from: Collection<R, string, Index>,
    index: Index | "id",
    accountId: number,
    start: Key,
    page: Page,
  ): Promise<R[]>;
  /** All records of a listing, as `page` orders them, in chunks that leave the event loop free for others. */
  scan<R, I extends string>(
    from: Collection<R, string, I>,
    ...listing: [index: I | "id", accountId: number, start: Key, between?: Between]
  ): AsyncGenerator<R[]>;
  /**
   * The entries of a listing in chunks, without reading the records: the rest of each index value, followed by the
   * record's id.
   */
  scanKeys<R, I extends string>(
    from: Collection<R, string, I>,
    ...listing: [index: I | "id", accountId: number, start: Key, between?: Between]
  ): AsyncGenerator<KeyPart[][]>;
  /** The number of records in a listing. It walks the whole listing. */
  count<R, Index extends string>(
    from: Collection<R, string, Index>,
    index: Index | "id",
    accountId: number,
    start: Key,
    between?: Between,
  ): Promise<number>;
  /** A counter's value; 0 if no record adds to it. */
  sum(accountId: number, counter: Key): Promise<number>;
  /**
   * The counters whose keys begin so, with the rest of their keys, in chunks, without those of zero.
   * `between`: only those whose next part is in this range.
   */
  sums(accountId: number, start: Key, between?: Between): AsyncGenerator<NamedSum[]>;
}

/** The items that a view reads: those of a driver, or those that a transaction would leave. */
export interface Items extends Pick<AtomicDriver, "list" | "count"> {
  read: Read;
}

/** Makes a view of items. */
export function newView(items: Items): View {
  /** Leaves out records that were removed since they were listed. */
  async function recordsOf<R>(
    from: Collection<R>,
    index: string,
    accountId: number,
    entries: [string, string][],
  ): Promise<R[]> {
    if (index === "id") return entries.map(([key, text]) => parseStored(key, text));
    // All at once, because a remote store answers them in one round trip.
    const keys = entries.map(([key, text]) => recordKey(from, accountId, parseStored<Pointer>(key, text)));
    const texts = await Promise.all(keys.map((key) => items.read(key)));
    return texts.flatMap((text, at) => (text === null ? [] : [parseStored<R>(keys[at]!, text)]));
  }

  // Named one by one: an object literal with a spread takes twenty times as long, and each sign-up makes one.
  const { get, find } = newReader(items.read);
  return {
    get,
    find,
    async page(from, index, accountId, start, page) {
      const range = partRange(listPrefix(from, index, accountId, start), page.between);
      const { isTurned, ...stretch } = nearest(page);
      const entries = await items.list(await passOver(items, { ...range, ...stretch }));
      return recordsOf(from, index, accountId, isTurned ? entries.toReversed() : entries);
    },
    async *scan(from, index, accountId, start, between) {
      const range = partRange(listPrefix(from, index, accountId, start), between);
      for await (const entries of scan(items, range)) yield recordsOf(from, index, accountId, entries);
    },
    async *scanKeys(from, index, accountId, start, between) {
      const prefix = listPrefix(from, index, accountId, start);
      const range = { ...partRange(prefix, between), isOfShort: index !== "id" };
      for await (const entries of scan(items, range)) {
        yield entries.map(([key]) => decodeKey(key).slice(prefix.length));
      }
    },
    async sum(accountId, counter) {
      return readSum(await items.read(encodeKey(counterKey(accountId, counter))));
    },
    sums(accountId, start, between) {
      return scanSums(items, counterKey(accountId, start), between);
    },
    count(from, index, accountId, start, between) {
      return items.count(partRange(listPrefix(from, index, accountId, start), between));
    },
  };
}

async function* scanSums(items: Items, prefix: Key, between?: Between): AsyncGenerator<NamedSum[]> {
  const start = encodeKey(prefix).length + 1;
  for await (const entries of scan(items, { ...partRange(prefix, between), isOfShort: true })) {
    const sums: NamedSum[] = [];
    for (const [key, text] of entries) {
      const sum = readSum(text);
      if (sum !== 0) sums.push([decodeKey(key.slice(start)), sum]);
    }
    yield sums;
  }
}

function partRange(prefix: Key, between: Between | undefined): { from: string; before: string } {
  if (between === undefined) return prefixRange(prefix);
  return { from: encodeKey([...prefix, between.from]), before: encodeKey([...prefix, between.before]) };
}

/** The same page, counted from the nearer end. */
function nearest({ limit, offset = 0, reverse = false, total = Infinity }: Page) {
  if (offset <= total / 2) return { limit, offset, reverse, isTurned: false };
  const end = Math.min(total, offset + limit);
  return { limit: Math.max(0, end - offset), offset: total - end, reverse: !reverse, isTurned: true };
}

function listPrefix(from: { name: string }, index: string, accountId: number, start: Key): Key {
  return index === "id" ? [accountId, from.name, ...start] : indexPrefix(from, index, accountId, start);
}

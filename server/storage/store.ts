import { createStorage } from "unstorage";
import { claimKey, counterKey, indexPrefix, recordKey, type Collection, type Pointer } from "./collection.ts";
import { readSum, type AtomicDriver, type PassingCount } from "./driver.ts";
import { idSource } from "./ids.ts";
import { encodeKey, fingerprint, prefixRange, type Key, type KeyPart } from "./keys.ts";
import { passOver, scan } from "./scan.ts";
import { scanSums, type NamedSum } from "./sums.ts";
import { parse } from "./parsed.ts";
import type { Reader, Transaction } from "./transaction.ts";
import { transactor } from "./transactor.ts";

export type { Reader, Transaction } from "./transaction.ts";

/** A page of an ordered listing. */
export interface Page {
  limit: number;
  offset?: number;
  reverse?: boolean;
  /** The length of the whole listing, where known: a page near its end is then read from there. */
  total?: number;
}

/** Records over an atomic driver. */
export interface Store extends Reader {
  /** A page of records in the order of an index, or by id, of those whose entry begins with `start`. */
  page<R, Index extends string>(
    from: Collection<R, string, Index>,
    index: Index | "id",
    accountId: number,
    start: Key,
    page: Page,
  ): Promise<R[]>;
  /** All records of such a listing, in chunks that leave the event loop free for others. */
  scan<R, I extends string>(
    from: Collection<R, string, I>,
    ...listing: [index: I | "id", accountId: number, start: Key]
  ): AsyncGenerator<R[]>;
  /** How many records such a listing has; all of it is walked. */
  count<R, Index extends string>(
    from: Collection<R, string, Index>,
    index: Index | "id",
    accountId: number,
    start: Key,
  ): Promise<number>;
  /** What records count for; 0 where none does. */
  sum(accountId: number, counter: Key): Promise<number>;
  /**
   * The counters that begin so, with the rest of their keys, in chunks; those of zero are left out.
   * `between`: only those whose next part lies there.
   */
  sums(
    accountId: number,
    start: Key,
    between?: { from: KeyPart; before: KeyPart },
  ): AsyncGenerator<NamedSum[]>;
  /**
   * Runs `work` and commits what it wrote, if all that it read by key still stands; else runs it again.
   *
   * @throws Failure whatever `work` refuses with, and `conflict` when others kept getting in between
   */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** An id that was never given before, for a kind of record. Ids grow, with gaps. */
  nextId(kind: string): Promise<number>;
  /**
   * Adds to a count that all processes on the store share, and that is forgotten so long after it began.
   * Of its name only a hash is kept. null: they are all on this machine, and can share it otherwise.
   */
  countPassing: ((name: Key, addition: { amount: number; windowMs: number }) => Promise<PassingCount>) | null;
  isReady(): Promise<boolean>;
  close(): Promise<void>;
}

/** Makes a store of a driver. */
export function newStore(driver: AtomicDriver): Store {
  const storage = createStorage({ driver });
  // Encoded keys are as unstorage would make them, so its own folding of each (a third of a read) is spared.
  const read = (key: string) => driver.getItemRaw(key);
  const transact = transactor(driver, read);

  async function load<R>(key: string): Promise<R | null> {
    const stored = read(key);
    return parse<R>(stored instanceof Promise ? await stored : stored);
  }

  function get<R>(from: Collection<R>, accountId: number, ...id: Key): Promise<R | null> {
    return load(recordKey(from, accountId, id));
  }

  async function recordsOf<R>(
    from: Collection<R>,
    index: string,
    accountId: number,
    entries: [string, string][],
  ): Promise<R[]> {
    if (index === "id") return entries.map(([, text]) => JSON.parse(text));
    // All at once, as a remote store answers such in one.
    const texts = await Promise.all(
      entries.map(([, text]) => read(recordKey(from, accountId, JSON.parse(text) as Pointer))),
    );
    return texts.filter((text) => text !== null).map((text) => JSON.parse(text));
  }

  return {
    get,
    async find(from, claim, accountId, value) {
      const pointer = await load<Pointer>(claimKey(from, claim, accountId, value));
      return pointer && get(from, accountId, ...pointer);
    },
    async page(from, index, accountId, start, page) {
      const range = prefixRange(listPrefix(from, index, accountId, start));
      const { isTurned, ...stretch } = nearest(page);
      const entries = await driver.list(await passOver(driver, { ...range, ...stretch }));
      return recordsOf(from, index, accountId, isTurned ? entries.toReversed() : entries);
    },
    async *scan(from, index, accountId, start) {
      const range = prefixRange(listPrefix(from, index, accountId, start));
      for await (const entries of scan(driver, range)) yield recordsOf(from, index, accountId, entries);
    },
    async sum(accountId, counter) {
      return readSum(await read(encodeKey(counterKey(accountId, counter))));
    },
    sums(accountId, start, between) {
      const prefix = counterKey(accountId, start);
      if (between === undefined) return scanSums(driver, prefix, prefixRange(prefix));
      const from = encodeKey([...prefix, between.from]);
      return scanSums(driver, prefix, { from, before: encodeKey([...prefix, between.before]) });
    },
    count(from, index, accountId, start) {
      return driver.count(prefixRange(listPrefix(from, index, accountId, start)));
    },
    transact,
    nextId: idSource(driver),
    countPassing: driver.countPassing
      ? (name, addition) => driver.countPassing!({ key: fingerprint(name), ...addition })
      : null,
    async isReady() {
      try {
        await read(encodeKey([0, "ready"]));
        return true;
      } catch {
        return false; // whatever keeps the store from answering, it is not ready
      }
    },
    close: () => storage.dispose(),
  };
}

/** The same page from the end that it is nearer to. */
function nearest({ limit, offset = 0, reverse = false, total = Infinity }: Page) {
  if (offset <= total / 2) return { limit, offset, reverse, isTurned: false };
  const end = Math.min(total, offset + limit);
  return { limit: Math.max(0, end - offset), offset: total - end, reverse: !reverse, isTurned: true };
}

function listPrefix(from: { name: string }, index: string, accountId: number, start: Key): Key {
  return index === "id" ? [accountId, from.name, ...start] : indexPrefix(from, index, accountId, start);
}

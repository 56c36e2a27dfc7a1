import { setTimeout as sleep } from "node:timers/promises";
import { createStorage } from "unstorage";
import { Failure } from "../failure.ts";
import { claimKey, indexPrefix, recordKey, type Collection, type Pointer } from "./collection.ts";
import { readSum, type AtomicDriver, type MaybePromise } from "./driver.ts";
import { idSource } from "./ids.ts";
import { encodeKey, prefixRange, type Key } from "./keys.ts";
import { parse } from "./parsed.ts";
import { beginTransaction, type Reader, type Transaction } from "./transaction.ts";

export type { Reader, Transaction } from "./transaction.ts";

const MAX_TRIES = 20;
const MAX_DELAY_MS = 50;

/** A page of an ordered listing. */
export interface Page {
  limit: number;
  offset?: number;
  reverse?: boolean;
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
  /** How many records such a listing has. */
  count<R, Index extends string>(
    from: Collection<R, string, Index>,
    index: Index | "id",
    accountId: number,
    start: Key,
  ): Promise<number>;
  /** Counters under one key, by name; 0 where nothing was counted. */
  sums(under: Key, names: readonly string[]): Promise<number[]>;
  /**
   * Runs `work` and commits what it wrote, if all that it read by key still stands; else runs it again.
   *
   * @throws Failure whatever `work` refuses with, and `conflict` when others kept getting in between
   */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** An id that was never given before, for a kind of record. Ids grow, with gaps. */
  nextId(kind: string): Promise<number>;
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

  return {
    get,
    async find(from, claim, accountId, value) {
      const pointer = await load<Pointer>(claimKey(from, claim, accountId, value));
      return pointer && get(from, accountId, ...pointer.id);
    },
    async page(from, index, accountId, start, { limit, offset = 0, reverse = false }) {
      const range = prefixRange(listPrefix(from, index, accountId, start));
      const entries = await driver.list({ ...range, limit: offset + limit, reverse });
      const texts = entries.slice(offset).map(([, text]) => text);
      if (index === "id") return texts.map((text) => JSON.parse(text));
      const pointers = texts.map((text) => JSON.parse(text) as Pointer);
      const records = await Promise.all(pointers.map(({ id }) => get(from, accountId, ...id)));
      return records.filter((record) => record !== null);
    },
    count(from, index, accountId, start) {
      return driver.count(prefixRange(listPrefix(from, index, accountId, start)));
    },
    async sums(under, names) {
      const entries = await driver.list({ ...prefixRange(under), limit: Number.MAX_SAFE_INTEGER });
      const found = new Map(entries);
      return names.map((name) => readSum(found.get(encodeKey([...under, name]))));
    },
    transact,
    nextId: idSource(driver),
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

function listPrefix(from: { name: string }, index: string, accountId: number, start: Key): Key {
  return index === "id" ? [accountId, from.name, ...start] : indexPrefix(from, index, accountId, start);
}

function transactor(
  driver: AtomicDriver,
  read: (key: string) => MaybePromise<string | null>,
): Store["transact"] {
  /** Second tries go one at a time, so that those of one process cannot keep failing each other. */
  let line: Promise<unknown> = Promise.resolve();

  return async function transact(work) {
    const first = await attempt(work);
    if (first.isDone) return first.result;
    const turn = line.then(() => retry(work));
    line = turn.catch(() => {}); // each caller sees its own failure; the next in line starts all the same
    return turn;
  };

  async function retry<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let tries = 1; tries < MAX_TRIES; tries++) {
      const next = await attempt(work);
      if (next.isDone) return next.result;
      await sleep(Math.random() * Math.min(2 ** tries, MAX_DELAY_MS));
    }
    throw new Failure("conflict", "Others kept changing the same records; try again");
  }

  async function attempt<T>(work: (tx: Transaction) => Promise<T>): Promise<Attempt<T>> {
    driver.refresh?.();
    const tx = beginTransaction(read);
    let result: T;
    try {
      result = await work(tx);
    } catch (error) {
      // A refusal that was decided on what has changed since must be decided again.
      if (error instanceof Failure && !(await stillStands(tx.changes().checks))) return { isDone: false };
      throw error;
    }
    const changes = tx.changes();
    const isReadOnly = changes.puts.length + changes.removes.length + changes.sums.length === 0;
    const isDone = isReadOnly ? await stillStands(changes.checks) : await driver.commit(changes);
    return isDone ? { isDone, result } : { isDone };
  }

  async function stillStands(checks: [string, string | null][]): Promise<boolean> {
    driver.refresh?.();
    for (const [key, seen] of checks) if ((await read(key)) !== seen) return false;
    return true;
  }
}

type Attempt<T> = { isDone: true; result: T } | { isDone: false };

import { createStorage } from "unstorage";
import { NOTHING, type AtomicDriver, type LimitsDatabase, type StoreSize } from "./driver.ts";
import { idSource } from "./ids.ts";
import { LAYOUT, MARK_KEY, ROOM_KEY } from "./layout.ts";
import type { WatchedDriver } from "./layout-watch.ts";
import type { Transaction } from "./transaction/transaction.ts";
import { transactor } from "./transaction/transactor.ts";
import { newView, type View } from "./transaction/view.ts";

export type { Transaction } from "./transaction/transaction.ts";
export type { Reader } from "./transaction/reader.ts";
export type { Between, Page, View } from "./transaction/view.ts";

/** Records over an atomic driver. */
export interface Store extends View {
  /**
   * Runs `work` and commits its writes if everything that it read by key is unchanged; otherwise runs it
   * again.
   *
   * @throws Failure any refusal by `work`, and `unavailable` if others keep changing the same records for eight seconds
   */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** A new id for a kind of record. Ids grow, with gaps. */
  nextId(kind: string): Promise<number>;
  /**
   * A store over a standby, for figures that nothing is decided by. Resolves to null if no standby is fresh enough.
   * null: there is none.
   */
  aged: (() => Promise<AgedStore | null>) | null;
  /** Whether it answers, and takes writes as far as this process knows. */
  isReady(): Promise<boolean>;
  /** Why commits are less durable than promised, in sentences. None are known while the store is away. */
  weaknesses(): Promise<string[]>;
  /** How large the store is. null: it is in memory, or its engine does not tell. */
  size(): Promise<StoreSize | null>;
  /** The layout to write. */
  layout(): number;
  /** Why this process may not use the store any more, for example because a later release takes it over. null: it may. */
  look(): Promise<string | null>;
  /** Where servers on several machines count limits together. null: all servers of the store are on one machine. */
  limits: LimitsDatabase | null;
  close(): Promise<void>;
}

/** A store over data that may be a moment old. */
export interface AgedStore {
  /** It refuses to write. */
  store: Store;
  /** The data has everything that was committed before this time. */
  ageSeconds: number;
}

/** Makes a store of a driver. `elapsedMs` never goes back. */
export function newStore(driver: AtomicDriver & Partial<WatchedDriver>, elapsedMs?: () => number): Store {
  const storage = createStorage({ driver });
  // Encoded keys are already in unstorage's form, so its normalising (a third of a read) is skipped.
  const read = (key: string) => driver.getItem(key);
  const transact = transactor(driver, read, elapsedMs);
  // Work on a whole store uses a plain driver, because it has the store to itself.
  const look = async () => (await driver.look?.()) ?? null;

  const store: Store = {
    ...newView({ read, list: driver.list, count: driver.count }),
    transact,
    aged: driver.aged === undefined ? null : aged,
    nextId: idSource(driver),
    async isReady() {
      try {
        await read(MARK_KEY);
        // A server that is not ready gets no requests, so no commit of theirs would notice that there is room again.
        if (driver.lacksRoom?.()) await findRoom();
        return (await look()) === null;
      } catch {
        return false; // whatever keeps the store from answering, it is not ready
      }
    },
    size: async () => (await driver.size?.()) ?? null,
    async weaknesses() {
      try {
        return (await driver.weaknesses?.()) ?? [];
      } catch {
        return []; // `isReady` tells that the store is away
      }
    },
    layout: () => driver.layout?.() ?? LAYOUT,
    look,
    limits: driver.limits ?? null,
    close: () => storage.dispose(),
  };
  return store;

  /** SQLite writes nothing if a value stays the same, so an item comes and goes. @throws Failure `unavailable` */
  async function findRoom(): Promise<void> {
    await driver.commit({ ...NOTHING, puts: [[ROOM_KEY, "{}"]] });
    await driver.commit({ ...NOTHING, removes: [ROOM_KEY] });
  }

  async function aged(): Promise<AgedStore | null> {
    const found = await driver.aged!();
    if (found === null) return null;
    const { reads, ageSeconds } = found;
    const view = newView({ read: reads.getItem, list: reads.list, count: reads.count });
    return { store: { ...store, ...view, transact: refuseToWrite, nextId: refuseToWrite }, ageSeconds };
  }
}

async function refuseToWrite(): Promise<never> {
  throw new Error("A store over a standby was written to");
}

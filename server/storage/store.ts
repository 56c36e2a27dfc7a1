import { refuseFrozen } from "./freeze.ts";
import { LAYOUT, MARK_KEY, ROOM_KEY } from "./layout.ts";
import { readItem, writeItem } from "./items.ts";
import type { WatchedEngine } from "./layout-watch.ts";
import type { Engine, LimitsDatabase, StoreSize } from "./session.ts";
import { runOn, type OpenTransaction, type Transaction } from "./transaction.ts";
import { newView, type View } from "./view.ts";

export type { Transaction } from "./transaction.ts";
export type { Page, Reader, View } from "./view.ts";
export type { Between } from "./sql.ts";

/** Records over an engine. */
export interface Store extends View {
  /**
   * Runs `work` and commits its writes.
   *
   * @throws Failure any refusal by `work`, and `unavailable` if the store can't be written to
   */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** A new id for a kind of record. Ids grow, with gaps. */
  nextId(kind: string): Promise<number>;
  /**
   * A store over a standby, for figures that nothing is decided by. Resolves to null if no standby is fresh enough.
   * null: there is none.
   */
  aged: (() => Promise<AgedStore | null>) | null;
  /** Whether it answers, and whether it accepts writes, as far as this process knows. */
  isReady(): Promise<boolean>;
  /** Why commits are less durable than promised, in sentences. None are known while the store is away. */
  weaknesses(): Promise<string[]>;
  /** How large the store is. null: it is in memory, or its size is not known. */
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
interface AgedStore {
  /** It refuses to write. */
  store: Store;
  /** The data has everything that was committed before this time. */
  ageSeconds: number;
}

/** Makes a store of an engine. */
export function newStore(engine: Engine & Partial<WatchedEngine>): Store {
  // An import or upgrade has the store to itself, so its engine does not watch the layout.
  const look = async () => (await engine.look?.()) ?? null;
  const store: Store = {
    ...newView(engine.reads),
    transact: (work) =>
      engine.transact((session) =>
        runOn(session, async (tx) => {
          const result = await work(tx);
          await refuseFrozen(tx, thawed(tx));
          return result;
        }),
      ),
    aged: engine.aged === undefined ? null : aged,
    nextId: engine.nextId,
    async isReady() {
      try {
        await readItem(engine.reads, MARK_KEY);
        // A server that is not ready gets no requests, so no commit of theirs would notice that there is room again.
        if (engine.lacksRoom()) await findRoom(engine);
        return (await look()) === null;
      } catch {
        return false; // not ready, for whatever reason
      }
    },
    size: engine.size,
    async weaknesses() {
      try {
        return (await engine.weaknesses?.()) ?? [];
      } catch {
        return []; // `isReady` tells that the store is away
      }
    },
    layout: () => engine.layout?.() ?? LAYOUT,
    look,
    limits: engine.limits ?? null,
    close: engine.close,
  };
  return store;

  async function aged(): Promise<AgedStore | null> {
    const found = await engine.aged!();
    if (found === null) return null;
    const { reads, ageSeconds } = found;
    const readOnly = { ...store, ...newView(reads), transact: refuseToWrite, nextId: refuseToWrite };
    return { store: readOnly, ageSeconds };
  }
}

/** The accounts that a transaction has changed, except those that it freezes or thaws itself. */
function thawed({ touched, frozen }: OpenTransaction): number[] {
  return [...touched].filter((accountId) => accountId !== 0 && !frozen.has(accountId));
}

/** SQLite writes nothing if a value stays the same, so an item comes and goes. @throws Failure `unavailable` */
async function findRoom(engine: Engine): Promise<void> {
  await engine.transact((session) => writeItem(session, ROOM_KEY, "{}"));
  await engine.transact((session) => writeItem(session, ROOM_KEY, null));
}

async function refuseToWrite(): Promise<never> {
  throw new Error("A store over a standby was written to");
}

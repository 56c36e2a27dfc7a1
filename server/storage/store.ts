import { NO_SEAL, type Seal } from "../seal.ts";
import { refuseFrozen } from "./freeze.ts";
import { MARK_KEY, ROOM_KEY, type WatchedEngine } from "./layout.ts";
import { readItem, writeItem } from "./items.ts";
import { newKeptTexts, type KeptTexts } from "./kept-texts.ts";
import type { Engine, LimitsDatabase, StoreSize } from "./session.ts";
import { runOn, type OpenTransaction, type Transaction } from "./transaction.ts";
import { newView, type View } from "./view.ts";
import { Failure, type FieldErrors } from "../failure.ts";
import type { Table } from "./table.ts";

export type { Transaction } from "./transaction.ts";
export type { Page, Reader, View } from "./view.ts";
export type { Between } from "./sql.ts";

/** Records over an engine. */
export interface Store extends View {
  /**
   * Runs `work` and commits its writes.
   * @throws Failure any refusal by `work`, and `unavailable` if the store can't be written to
   */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** A new id for a kind of record. Ids grow, with gaps. */
  nextId(kind: string): Promise<number>;
  /**
   * Why the store does not answer or accept writes, as far as this process knows, or null. If a standby is required, also why commits
   * are less durable.
   */
  whyUnready(): Promise<string | null>;
  /** Sentences on why commits are less durable than promised, or null while the store can't be reached. */
  weaknesses(): Promise<string[] | null>;
  /** Why hosts of the store that accept writes are not written to, in sentences. */
  refusedHosts(): string[];
  /** Handles a request that has just arrived. On a database, its changes get a deadline. */
  handleInTime<T>(handle: () => T | Promise<T>): T | Promise<T>;
  /** The store's size, or null if it is in memory or unknown. */
  size(): Promise<StoreSize | null>;
  /** The reason why this process may no longer use the store, for example that it is being filled anew, or null. */
  look(): Promise<string | null>;
  /** Where servers on several machines share their rate limits, or null if all servers are on one machine. */
  limits: LimitsDatabase | null;
  /** Small texts that all servers of the store share. */
  kept: KeptTexts;
  /** Encrypts what is not a field of a table, such as the secrets of payment providers. */
  seal: Seal;
  close(): Promise<void>;
}

/** Makes a store of an engine. */
export function newStore(engine: Engine & Partial<WatchedEngine>): Store {
  // An import has the store to itself, so its engine does not watch the mark.
  const look = async () => (await engine.look?.()) ?? null;
  const { seal = NO_SEAL } = engine;
  const store: Store = {
    ...newView(engine.reads, seal),
    transact: (work) =>
      engine.transact((session) =>
        runOn(session, engine, async (tx) => {
          const result = await work(tx);
          await refuseFrozen(tx, thawed(tx));
          return result;
        }),
      ),
    nextId: engine.nextId,
    async whyUnready() {
      try {
        await readItem(engine.reads, MARK_KEY);
        // A server that is not ready gets no requests, so it would never commit and notice that there is
        // space again.
        if (engine.lacksRoom()) await findRoom(engine);
        const [weakness] = engine.needsStandby ? await engine.weaknesses!() : [];
        return weakness ?? (await look());
      } catch (error) {
        return error instanceof Failure ? error.message : "The store does not answer";
      }
    },
    size: engine.size,
    async weaknesses() {
      try {
        return (await engine.weaknesses?.()) ?? [];
      } catch {
        return null; // `whyUnready` reports it
      }
    },
    handleInTime: (handle) => engine.handleInTime?.(handle) ?? handle(),
    refusedHosts: () => engine.refusedHosts?.() ?? [],
    look,
    limits: engine.limits ?? null,
    kept: newKeptTexts(engine),
    seal,
    close: engine.close,
  };
  return store;
}

/** The same store with another source of ids. */
export function withIds(store: Store, nextId: Store["nextId"]): Store {
  return { ...store, nextId, transact: (work) => store.transact((tx) => work({ ...tx, nextId })) };
}

/** The accounts that a transaction has changed, except those that it freezes or unfreezes itself. */
function thawed({ touched, frozen }: OpenTransaction): number[] {
  return [...touched].filter((accountId) => accountId !== 0 && !frozen.has(accountId));
}

/**
 * SQLite skips the write if a value stays the same, so an item is added and removed.
 *
 * @throws Failure `unavailable`
 */
async function findRoom(engine: Engine): Promise<void> {
  await engine.transact((session) => writeItem(session, ROOM_KEY, "{}"));
  await engine.transact((session) => writeItem(session, ROOM_KEY, null));
}

/** The message for a unique value that another record has. */
export const TAKEN = "has already been taken";

/**
 * Names all of these unique values that another record has. The table's constraints would name only the
 * first.
 */
export async function findTaken<R extends { account_id: number }, Unique extends string>(
  tx: Transaction,
  from: Table<R, Unique>,
  { record, unique }: { record: R; unique: readonly NoInfer<Unique>[] },
): Promise<FieldErrors> {
  const fields: FieldErrors = {};
  for (const each of unique) if (await tx.isTaken(from, each, record)) fields[each] = [TAKEN];
  return fields;
}

/** @throws Failure `taken` if any field is named */
export function refuseTaken(fields: FieldErrors): void {
  if (Object.keys(fields).length > 0) throw new Failure("taken", "The record breaks a rule", fields);
}

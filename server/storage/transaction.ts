import { Failure } from "../failure.ts";
import { NO_SEAL } from "../seal.ts";
import { freezes } from "./freeze.ts";
import { rowOf } from "./sealed.ts";
import type { Engine, Session } from "./session.ts";
import { columnOf, keyOf } from "./record.ts";
import { fillStatement, type Listing } from "./sql.ts";
import { newAdditions, newCalendars } from "./sums.ts";
import { ownerOf, type ColumnType, type Key, type Table } from "./table.ts";
import { newView, opened, type Reader, type View } from "./view.ts";

/** The refusals for unique values that another record has. The default is Failure `taken`. */
export type Refusals<Unique extends string> = Partial<Record<Unique, () => Failure>>;

/** Reads and writes that are committed together. */
export interface Transaction extends Reader {
  /**
   * Reads a record that a decision depends on. No other transaction commits to its account before this one
   * has ended, so its lists and counts stay true from then on.
   */
  lock<R>(from: Table<R>, accountId: number, ...id: Key): Promise<R | null>;
  /** Whether another record has a unique value of this one. */
  isTaken<R extends { account_id: number }, Unique extends string>(
    from: Table<R, Unique>,
    unique: Unique,
    record: NoInfer<R>,
  ): Promise<boolean>;
  /**
   * Writes a record.
   * @throws the refusal given for a unique value that another record has, or Failure `taken`
   */
  put<R extends { account_id: number }, Unique extends string>(
    into: Table<R, Unique>,
    record: NoInfer<R>,
    refusals?: Refusals<NoInfer<Unique>>,
  ): Promise<void>;
  /** Like `put`, for a record that is known to be new. */
  insert<R extends { account_id: number }, Unique extends string>(
    into: Table<R, Unique>,
    record: NoInfer<R>,
    refusals?: Refusals<NoInfer<Unique>>,
  ): Promise<void>;
  remove<R>(from: Table<R>, accountId: number, ...id: Key): Promise<void>;
  /**
   * Sets an integer field of all records of a listing where it is null. It reads none of them, so it is fast
   * even for very many. Only for fields that no column is derived from. Resolves to the number of
   * changed records.
   */
  fill<R extends { account_id: number }, Listed extends string, C extends string>(
    into: Table<R, string, Listed, Record<C, ColumnType>>,
    listing: Listing & { index: NoInfer<Listed> },
    filling: { column: NoInfer<C>; value: number },
  ): Promise<number>;
  /** A new id for a kind of record. Ids grow, with gaps. */
  nextId(kind: string): Promise<number>;
  /** The store as the transaction sees it. */
  view: View;
}

/** A transaction, and the accounts that it has changed. */
export interface OpenTransaction extends Transaction {
  touched: ReadonlySet<number>;
  /** The accounts that it freezes or thaws. */
  frozen: ReadonlySet<number>;
}

/** What a transaction needs of its engine: the seal for secrets, if there is one, and new ids. */
type Source = Pick<Engine, "seal" | "nextId">;

/** Runs work in a transaction on an engine's session. */
export async function runOn<T>(
  session: Session,
  engine: Source,
  work: (tx: OpenTransaction) => Promise<T>,
): Promise<T> {
  const { tx, addUp } = newTransaction(session, engine);
  const result = await work(tx);
  await addUp();
  return result;
}

/**
 * Makes a transaction. `addUp` writes the sums: before each query, and at the end, so that each row is
 * written once.
 */
function newTransaction(
  session: Session,
  { seal = NO_SEAL, nextId }: Source,
): { tx: OpenTransaction; addUp: () => Promise<void> } {
  const additions = newAdditions();
  const addUp = async () => {
    const taken = additions.take();
    if (taken.length > 0) await session.addUp(taken);
  };
  const view = askingAfter(addUp, newView(session, seal));
  const calendars = newCalendars(view);
  const touched = new Set<number>();
  const frozen = new Set<number>();
  const touch = (into: { name: string }, accountId: number) =>
    (into.name === freezes.name ? frozen : touched).add(accountId);

  async function write<R extends { account_id: number }>(
    into: Table<R>,
    after: R,
    { refusals, isNew }: { refusals: Record<string, (() => Failure) | undefined>; isNew: boolean },
  ): Promise<void> {
    const key = keyOf(into, after);
    const before = into.sums !== undefined && !isNew ? await view.get(into, after.account_id, ...key) : null;
    touch(into, ownerOf(into, after));
    const refusal = (unique: string | null) =>
      refusals[unique ?? ""]?.() ?? new Failure("taken", `${unique ?? "id"} has already been taken`);
    const writing = session.write(into, rowOf(into, after, seal), { key, isNew, refusal });
    if (writing instanceof Promise) await writing;
    const calendar = await calendars.of(into, after.account_id);
    additions.note(into, { before, after, calendar });
  }

  const tx: OpenTransaction = {
    view,
    touched,
    frozen,
    nextId,
    get: view.get,
    find: view.find,
    async lock<R>(from: Table<R>, accountId: number, ...id: Key) {
      return opened<R>(from, session.lock(from, accountId, id), seal);
    },
    async isTaken(from, unique, record) {
      const values = uniqueValues(from, unique, record);
      const holder = values && (await view.find(from, unique, record.account_id, values));
      return holder !== null && keyOf(from, holder).join() !== keyOf(from, record).join();
    },
    put: (into, record, refusals = {}) => write(into, record, { refusals, isNew: false }),
    insert: (into, record, refusals = {}) => write(into, record, { refusals, isNew: true }),
    async remove<R>(from: Table<R>, accountId: number, ...id: Key) {
      const before = (await view.get(from, accountId, ...id)) as (R & { account_id: number }) | null;
      if (before === null) return;
      touch(from, ownerOf(from as Table<typeof before>, before));
      await session.remove(from, accountId, id);
      const calendar = await calendars.of(from, accountId);
      additions.note(from as Table<typeof before>, { before, after: null, calendar });
    },
    async fill(into, listing, filling) {
      touch(into, listing.account_id);
      return session.run(fillStatement(into, listing, filling, session.dialect));
    },
  };
  return { tx, addUp };
}

/** A view that runs `first` before each query. */
function askingAfter(first: () => Promise<void>, view: View): View {
  return {
    ...view,
    async rows(query) {
      await first();
      return view.rows(query);
    },
    async total(...given) {
      await first();
      return view.total(...given);
    },
  };
}

/**
 * A record's values for a unique constraint, or null if one of them is null, which makes duplicates legal.
 */
function uniqueValues<R>(from: Table<R>, unique: string, record: R): Key | null {
  const names = (from.unique as Record<string, readonly string[]>)[unique]!;
  const values = names.map((name) => columnOf(from, name, record));
  return values.includes(null) ? null : (values as Key);
}

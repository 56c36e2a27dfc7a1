import { openEngine, storeOn } from "../../server/storage/open.ts";
import { recordOf } from "../../server/storage/record.ts";
import type { Engine, MaybePromise, Reads, Session } from "../../server/storage/session.ts";
import type { Store } from "../../server/storage/store.ts";
import type { Key } from "../../server/storage/table.ts";
import { TABLES } from "../../server/tables.ts";
import { TEST_SEAL } from "./memory-engine.ts";

/** A record that a transaction has written. */
export interface Change {
  table: string;
  key: Key;
  /** The record as JSON. null: the record was removed. */
  doc: string | null;
}

/** What happens around the reads and transactions of a store. A test puts something of its own in their place. */
export interface Edge {
  /** Reads outside of transactions. `from` is a table, or a question's text. */
  read<T>(from: string, read: () => MaybePromise<T>): MaybePromise<T>;
  /** Happens before a transaction begins. */
  begin(): Promise<void>;
  /** The work of a transaction. */
  transact<T>(work: () => Promise<T>): Promise<T>;
  /** Happens at the end of a transaction that has written something. An error undoes it. */
  commit(changes: Change[]): Promise<void>;
}

/** An edge where nothing happens. */
export function newEdge(): Edge {
  return {
    read: (_, read) => read(),
    begin: async () => {},
    transact: (work) => work(),
    commit: async () => {},
  };
}

/** What a transaction throws to be undone and run again. */
const AGAIN = new Error("again");

/** Wraps an engine so that its reads and transactions go through an edge. */
export function edgedEngine(engine: Engine, edge: Edge): Engine {
  const edged = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    await edge.begin();
    let isAgain = false;
    try {
      return await engine.transact(async (session) => {
        // Postgres' engine runs work again after an error that may come from a lost race.
        if (isAgain) throw AGAIN;
        const changes: Change[] = [];
        const result = await edge.transact(() => work(noting(session, changes)));
        try {
          if (changes.length > 0) await edge.commit(changes);
        } catch (error) {
          isAgain = error === AGAIN;
          throw error;
        }
        return result;
      });
    } catch (error) {
      if (error !== AGAIN) throw error;
      return edged(work);
    }
  };
  return { ...engine, reads: edgedReads(engine.reads, edge), transact: edged };
}

/** Opens a store on Postgres with an edge. */
export async function edgedStoreAt(url: string): Promise<OnEdge["stored"] & { store: Store }> {
  const edge = newEdge();
  return {
    edge,
    store: await storeOn(edgedEngine(await openEngine(url, { tables: TABLES, seal: TEST_SEAL }), edge)),
  };
}

function edgedReads(reads: Reads, edge: Edge): Reads {
  return {
    dialect: reads.dialect,
    get: (from, ...rest) => edge.read(from.name, () => reads.get(from, ...rest)),
    find: (from, ...rest) => edge.read(from.name, () => reads.find(from, ...rest)),
    all: (statement) => edge.read(statement.text, () => reads.all(statement)),
    total: (of, ...rest) => edge.read(of.name, () => reads.total(of, ...rest)),
    ask: (question) => edge.read(question.text, () => reads.ask(question)),
  };
}

function noting(session: Session, changes: Change[]): Session {
  return {
    ...session,
    write(into, row, written) {
      changes.push({ table: into.name, key: written.key, doc: JSON.stringify(recordOf(into, row)) });
      return session.write(into, row, written);
    },
    remove(from, accountId, key) {
      changes.push({ table: from.name, key, doc: null });
      return session.remove(from, accountId, key);
    },
  };
}

/** An app over a store with an edge. */
interface OnEdge {
  stored: { edge: Edge };
}

/** Undoes the next transaction that is meant, runs work, and lets the transaction run again: as if others were quicker. */
export function beforeCommit(
  { stored: { edge } }: OnEdge,
  work: () => Promise<unknown>,
  isMeant: (changes: Change[]) => boolean = () => true,
): void {
  const { commit, begin } = edge;
  edge.commit = async (changes) => {
    if (!isMeant(changes)) return commit(changes);
    edge.commit = commit;
    edge.begin = async () => {
      edge.begin = begin;
      await work();
      return begin();
    };
    throw AGAIN;
  };
}

/** Refuses commits: all of them, or those that are meant, counted from 0. Returns a function that ends it. */
export function failCommits(
  { stored: { edge } }: OnEdge,
  error: Error,
  isMeant: (at: number) => boolean = () => true,
): () => void {
  const { commit } = edge;
  let count = 0;
  edge.commit = async (changes) => {
    if (isMeant(count++)) throw error;
    return commit(changes);
  };
  return () => void (edge.commit = commit);
}

/** Refuses reads of a table, or of everything. Returns a function that ends it. */
export function failReads({ stored: { edge } }: OnEdge, error: Error, of?: { name: string }): () => void {
  const { read } = edge;
  edge.read = (from, look) => {
    if (of === undefined || from === of.name) throw error;
    return read(from, look);
  };
  return () => void (edge.read = read);
}

/** Counts the commits from now on. */
export function countCommits({ stored: { edge } }: OnEdge): () => number {
  const { commit } = edge;
  let count = 0;
  edge.commit = (changes) => {
    count++;
    return commit(changes);
  };
  return () => count;
}

/** Counts the reads of a table's single records from now on. */
export function countReads({ stored: { edge } }: OnEdge, { name }: { name: string }): () => number {
  const { read } = edge;
  let count = 0;
  edge.read = (from, look) => {
    if (from === name) count++;
    return read(from, look);
  };
  return () => count;
}

import type { AtomicDriver, Changes, MaybePromise } from "../../server/storage/driver.ts";
import { decodeKey } from "../../server/storage/keys.ts";

/** What happens around the reads and commits of a store. A test puts something of its own in their place. */
export interface Edge {
  /** `key` is the item's, or where the range begins. */
  read<T>(key: string, read: () => MaybePromise<T>): MaybePromise<T>;
  /** Leases of ids are left out, because no request asks for them. */
  commit(changes: Changes, commit: () => Promise<boolean>): Promise<boolean>;
}

/** An edge where nothing happens. */
export function newEdge(): Edge {
  return { read: (_, read) => read(), commit: (_, commit) => commit() };
}

/** Wraps a driver so that its reads and commits go through an edge. */
export function edgedDriver(driver: AtomicDriver, edge: Edge): AtomicDriver {
  return {
    ...driver,
    getItem: (key) => edge.read(key, () => driver.getItem(key)),
    list: async (range) => edge.read(range.from, () => driver.list(range)),
    count: async (range) => edge.read(range.from, () => driver.count(range)),
    commit(changes) {
      const commit = () => driver.commit(changes);
      return changes.puts.some(([key]) => nameOf(key) === "ids") ? commit() : edge.commit(changes, commit);
    },
  };
}

/** The name of the collection, index or counter that a key belongs to. */
export function nameOf(key: string): unknown {
  return decodeKey(key)[1];
}

/** An app over a store with an edge. */
interface OnEdge {
  stored: { edge: Edge };
}

/** Runs work once, right before the next commit that is meant. */
export function beforeCommit(
  { stored: { edge } }: OnEdge,
  work: () => Promise<unknown>,
  isMeant: (changes: Changes) => boolean = () => true,
): void {
  const { commit } = edge;
  edge.commit = async (changes, write) => {
    if (!isMeant(changes)) return commit(changes, write);
    edge.commit = commit;
    await work();
    return write();
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
  edge.commit = async (changes, write) => {
    if (isMeant(count++)) throw error;
    return commit(changes, write);
  };
  return () => void (edge.commit = commit);
}

/** Refuses reads of a collection, or of everything. Returns a function that ends it. */
export function failReads({ stored: { edge } }: OnEdge, error: Error, of?: { name: string }): () => void {
  const { read } = edge;
  edge.read = (key, look) => {
    if (of === undefined || nameOf(key) === of.name) throw error;
    return read(key, look);
  };
  return () => void (edge.read = read);
}

/** Counts the commits from now on. */
export function countCommits({ stored: { edge } }: OnEdge): () => number {
  const { commit } = edge;
  let count = 0;
  edge.commit = (changes, write) => {
    count++;
    return commit(changes, write);
  };
  return () => count;
}

/** Counts the reads of a collection's records from now on. */
export function countReads({ stored: { edge } }: OnEdge, { name }: { name: string }): () => number {
  const { read } = edge;
  let count = 0;
  edge.read = (key, look) => {
    if (nameOf(key) === name) count++;
    return read(key, look);
  };
  return () => count;
}

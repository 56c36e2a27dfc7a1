import { encodeKey, fingerprint, type Key } from "./keys.ts";

/** Declares a kind of record once: how it is found, what is unique in it, and in which orders it is listed. */
export interface Collection<R, Claim extends string = string, Index extends string = string> {
  name: string;
  /** The record's key within its account. */
  id(record: R): Key;
  /** What no two records of an account may share. null: this record claims nothing. */
  claims: Record<Claim, (record: R) => Key | null>;
  /** Orders to list by; the record's id breaks ties. null: not listed. */
  indexes: Record<Index, (record: R) => Key | null>;
  /**
   * What a record counts for. `put`, `insert` and `remove` keep the counters in the same commit, so that each is
   * always the sum over all records, of whatever collection, that count for it.
   */
  counts?: (record: R) => Count[];
}

/** A counter of the record's account, its name first, and what the record adds to it. */
export type Count = [counter: Key, amount: number];

/** What claims and index entries hold: the id of their record. */
export type Pointer = Key;

/** All that is kept of a record besides itself. */
export interface Derived {
  /** The claims and index entries that hold its pointer. */
  pointers: { what: string; key: string; isClaim: boolean }[];
  pointer: string;
  /** The counters that it counts for, and what it adds to each. */
  sums: [key: string, amount: number][];
}

/** Declares a collection; called twice so that the names of claims and indexes are inferred. */
export function collection<R extends { accountId: number }>() {
  return <Claim extends string, Index extends string>(
    definition: Collection<R, Claim, Index>,
  ): Collection<R, Claim, Index> => definition;
}

/** The storage key of a record. */
export function recordKey({ name }: { name: string }, accountId: number, id: Key): string {
  return encodeKey([accountId, name, ...id]);
}

/** The storage key of a claim. Claimed values may be long or personal, so they are kept by their hash. */
export function claimKey({ name }: { name: string }, claim: string, accountId: number, value: Key): string {
  return encodeKey([accountId, `${name}.${claim}`, fingerprint(value)]);
}

/** The storage key of what a record claims. null: it claims nothing. */
export function claimKeyOf<R extends { accountId: number }>(
  from: Collection<R>,
  claim: string,
  record: R,
): string | null {
  const value = from.claims[claim]?.(record) ?? null;
  return value && claimKey(from, claim, record.accountId, value);
}

/** The storage key of a record's entry in an index. null: it is not listed. */
export function indexKeyOf<R extends { accountId: number }>(
  from: Collection<R>,
  index: string,
  record: R,
): string | null {
  const value = from.indexes[index]?.(record) ?? null;
  return value && encodeKey([...indexPrefix(from, index, record.accountId, value), ...from.id(record)]);
}

/** The tuple that all entries of an index begin with. */
export function indexPrefix({ name }: { name: string }, index: string, accountId: number, start: Key): Key {
  return [accountId, `${name}/${index}`, ...start];
}

/** The tuple that a counter is kept under. No other key has a second part that ends so. */
export function counterKey(accountId: number, [name, ...rest]: Key): Key {
  return [accountId, `${name}=`, ...rest];
}

/** The counter of how long a listing is: of all records, or of those below one value of an index. */
export function lengthCounter({ name }: { name: string }, index: string, start: Key): Key {
  return index === "id" ? [name, ...start] : [`${name}/${index}`, ...start];
}

/** Counts a record in the listings whose lengths are kept: that of all, and those below these values of indexes. */
export function listCounts(name: string, values: Record<string, Key>): Count[] {
  const below = Object.entries(values).map(([index, start]): Count => [
    lengthCounter({ name }, index, start),
    1,
  ]);
  return [[[name], 1], ...below];
}

/** All that a record makes besides itself. */
export function derivedOf<R extends { accountId: number }>(from: Collection<R>, record: R): Derived {
  const pointers: Derived["pointers"] = [];
  for (const claim of Object.keys(from.claims)) {
    const key = claimKeyOf(from, claim, record);
    if (key !== null) pointers.push({ what: `claim ${claim}`, key, isClaim: true });
  }
  for (const index of Object.keys(from.indexes)) {
    const key = indexKeyOf(from, index, record);
    if (key !== null) pointers.push({ what: `index ${index}`, key, isClaim: false });
  }
  const sums = (from.counts?.(record) ?? []).map(([counter, amount]): [string, number] => [
    encodeKey(counterKey(record.accountId, counter)),
    amount,
  ]);
  return { pointers, pointer: JSON.stringify(from.id(record) satisfies Pointer), sums };
}

import { encodeKey, fingerprint, type Key } from "./keys.ts";

/** Declares a kind of record once: how it is found, which values are unique and how it is listed. */
export interface Collection<R, Claim extends string = string, Index extends string = string> {
  name: string;
  /** The record's key within its account. */
  id(record: R): Key;
  /** Values that no two records of an account may share. null: this record claims nothing. */
  claims: Record<Claim, (record: R) => Key | null>;
  /** Orders to list by; the record's id breaks ties. null: not listed. */
  indexes: Record<Index, (record: R) => Key | null>;
  /**
   * The counters that a record adds to. `put`, `insert` and `remove` update them in the same commit, so each
   * counter is always the sum over all records that add to it, in every collection.
   */
  counts?: (record: R) => Count[];
  /** For records that are kept under the number 0: the account that each belongs to. */
  owner?: (record: R) => number;
}

/** A counter of the record's account, beginning with its name, and the amount that the record adds. */
export type Count = [counter: Key, amount: number];

/** The value of a claim or index entry: the id of its record. */
export type Pointer = Key;

/** Everything that is stored because of a record, besides the record itself. */
export interface Derived {
  /** The claims and index entries that point to it. */
  pointers: { what: string; key: string; isClaim: boolean }[];
  pointer: string;
  /** The counters that it adds to, with the amounts. */
  sums: [key: string, amount: number][];
}

/** Declares a collection. It is called twice so that TypeScript infers the names of claims and indexes. */
export function collection<R extends { accountId: number }>() {
  return <Claim extends string, Index extends string>(
    definition: Collection<R, Claim, Index>,
  ): Collection<R, Claim, Index> => definition;
}

/** The account that a record belongs to. 0: it belongs to the whole server. */
export function ownerOf<R extends { accountId: number }>(from: Collection<R>, record: R): number {
  return from.owner?.(record) ?? record.accountId;
}

/** The storage key of a record. */
export function recordKey({ name }: { name: string }, accountId: number, id: Key): string {
  return encodeKey([accountId, name, ...id]);
}

/** The storage key of a claim. Claimed values may be long or personal, so the key holds their hash. */
export function claimKey({ name }: { name: string }, claim: string, accountId: number, value: Key): string {
  return encodeKey([accountId, `${name}.${claim}`, fingerprint(value)]);
}

/** The storage key of a record's claim. null: it claims nothing. */
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

/** The tuple that a counter is stored under. No other key has a second part that ends in this mark. */
export function counterKey(accountId: number, [name, ...rest]: Key): Key {
  return [accountId, `${name}=`, ...rest];
}

/** The counter of a listing's length: of all records, or of those with one value in an index. */
export function lengthCounter({ name }: { name: string }, index: string, start: Key): Key {
  return index === "id" ? [name, ...start] : [`${name}/${index}`, ...start];
}

/** Counts a record in the listings whose lengths are kept: all records, and those with these index values. */
export function listCounts(name: string, values: Record<string, Key>): Count[] {
  const below = Object.entries(values).map(([index, start]): Count => [
    lengthCounter({ name }, index, start),
    1,
  ]);
  return [[[name], 1], ...below];
}

/** Lists everything that a record derives: its claims, index entries and counters. */
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

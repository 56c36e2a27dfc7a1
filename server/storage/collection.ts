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
  /** What records add to counters of the collection, which are kept in the same commit. */
  tallies?: (record: R) => Tally[];
}

/** A counter's name, and what one record adds to it. */
export type Tally = [name: Key, amount: number];

/** What claims and index entries point with. */
export interface Pointer {
  id: Key;
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

/** The storage key of a claim. Claimed values may be long or personal, so only their hash stands in it. */
export function claimKey({ name }: { name: string }, claim: string, accountId: number, value: Key): string {
  return `${encodeKey([accountId, `${name}.${claim}`])}:${fingerprint(value)}`;
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

/** The tuple that a counter of a collection is kept under. */
export function tallyKey({ name }: { name: string }, accountId: number, counter: Key): Key {
  return [accountId, `${name}=`, ...counter];
}

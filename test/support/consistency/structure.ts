import type { Collection } from "../../../server/storage/collection.ts";
import { decodeKey } from "../../../server/storage/keys.ts";
import type { Entry } from "../../../server/storage/listing/snapshot.ts";
import { collectionNamed } from "../../../server/transfer/collections.ts";

type Stored = { accountId: number };

/** All records of one kind. */
export type RecordsOf = <R extends Stored>(from: Collection<R>) => R[];

/** A store's records by kind. */
export interface Holdings {
  of: RecordsOf;
  /** The first id of each kind that has not been leased yet. */
  nextIds: Map<string, number>;
}

/** Sorts a store's entries by kind. */
export function readHoldings(entries: Entry[]): Holdings {
  const records = new Map<string, Stored[]>();
  const nextIds = new Map<string, number>();
  for (const [key, text] of entries) {
    const [, name, kind] = decodeKey(key.split(":", 3).join(":")).map(String);
    if (name === "ids") nextIds.set(String(kind), (JSON.parse(text) as { next: number }).next);
    if (name === undefined || collectionNamed(name) === null) continue;
    const others = records.get(name);
    if (others === undefined) records.set(name, [JSON.parse(text)]);
    else others.push(JSON.parse(text) as Stored);
  }
  const of = <R extends Stored>({ name }: Collection<R>) => (records.get(name) ?? []) as R[];
  return { of, nextIds };
}

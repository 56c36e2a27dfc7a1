import { Failure } from "../failure.ts";
import { recordKey } from "../storage/collection.ts";
import { decodeKey, encodeKey } from "../storage/keys.ts";
import type { Entry } from "../storage/listing/snapshot.ts";
import { FORMER_COLLECTIONS } from "./former-collections.ts";
import { collectionNamed, kindOf, type AnyRecord } from "./collections.ts";

/** What is kept of a store by exports: a record, or which ids of a kind come next. */
export interface Item {
  /** `ids` for the latter. */
  collection: string;
  /** JSON. */
  text: string;
}

const IDS = "ids";

/** The item that an entry holds; null: it is made of records, or says how the store is laid out. */
export function itemOf([key, text]: Entry): Item | null {
  const sorted = kindOf(key);
  if (sorted.kind === "record") return { collection: sorted.from.name, text };
  if (sorted.kind !== "system") return null;
  const [, name, kind] = decodeKey(key);
  if (name !== IDS) return null;
  return { collection: IDS, text: JSON.stringify({ kind, ...(JSON.parse(text) as { next: number }) }) };
}

/**
 * Where an item is kept. What only earlier releases knew is kept, too, until it is moved on.
 *
 * @throws Failure `malformed` for a record that this release does not know
 */
export function placeOf({ collection, text }: Item): Entry {
  if (collection === IDS) {
    const { kind, next } = JSON.parse(text) as { kind: string; next: number };
    return [encodeKey([0, IDS, kind]), JSON.stringify({ next })];
  }
  const from = collectionNamed(collection) ?? FORMER_COLLECTIONS.find(({ name }) => name === collection);
  if (from === undefined) {
    throw new Failure("malformed", `A record is a ${collection}, which this release does not know`);
  }
  const record = JSON.parse(text) as AnyRecord;
  return [recordKey(from, record.accountId, from.id(record)), text];
}

/** An item as a line of an export. Its text is JSON already, and is kept to the letter. */
export function itemLine({ collection, text }: Item): string {
  return `{"collection":${JSON.stringify(collection)},"record":${text}}\n`;
}

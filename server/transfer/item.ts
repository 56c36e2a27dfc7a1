import { Failure } from "../failure.ts";
import { recordKey } from "../storage/collection.ts";
import { decodeKey, encodeKey } from "../storage/keys.ts";
import type { Entry } from "../storage/listing/snapshot.ts";
import { FORMER_COLLECTIONS } from "./upgrade/former-collections.ts";
import { collectionNamed, kindOf, type AnyRecord } from "./collections.ts";

/** A line of an export: a record, or the next ids of a kind. */
export interface Item {
  /** `ids` for next ids. */
  collection: string;
  /** JSON. */
  text: string;
}

/** The name under which items keep next ids. */
export const IDS = "ids";

/** Reads an entry of a store. null: it is derived from records, or it is the layout mark. */
export function itemOf([key, text]: Entry): Item | null {
  const sorted = kindOf(key);
  if (sorted.kind === "record") return { collection: sorted.from.name, text };
  if (sorted.kind !== "system") return null;
  const [, name, kind] = decodeKey(key);
  if (name !== IDS) return null;
  return { collection: IDS, text: JSON.stringify({ kind, ...(JSON.parse(text) as { next: number }) }) };
}

/**
 * The entry that holds an item. Kinds of record that only earlier releases knew are kept until the upgrade.
 *
 * @throws Failure `malformed` for a kind of record that this release does not know
 */
export function placeOf({ collection, text }: Item): Entry {
  if (collection === IDS) {
    const { kind, next } = JSON.parse(text) as { kind: string; next: number };
    return [encodeKey([0, IDS, kind]), JSON.stringify({ next })];
  }
  const from = collectionNamed(collection) ?? FORMER_COLLECTIONS.find(({ name }) => name === collection);
  if (from === undefined) {
    throw new Failure("malformed", `This release does not know ${collection} records`);
  }
  const record = JSON.parse(text) as AnyRecord;
  return [recordKey(from, record.accountId, from.id(record)), text];
}

/** Formats an item as a line of an export. Its text is JSON already and stays unchanged. */
export function itemLine({ collection, text }: Item): string {
  return `{"collection":${JSON.stringify(collection)},"record":${text}}\n`;
}

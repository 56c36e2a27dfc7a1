import { createHash } from "node:crypto";
import { decodeKey } from "../storage/keys.ts";
import type { Entry } from "../storage/snapshot.ts";

/** Second parts of keys that are no records: claims, index entries and counters carry such marks. */
const MARKED = /[./=]/;
/** Where the system keeps which ids come next, which are no records either. */
const IDS = "ids";

/** What a store holds, to compare it by. */
export interface Totals {
  entries: number;
  /** Records by collection, for people. */
  records: Record<string, number>;
  /** SHA-256 of the lines of all entries in key order, hexadecimal. */
  sha256: string;
}

/** Adds up entries in key order. */
export function newTally(): { add(entry: Entry): void; totals(): Totals } {
  const hash = createHash("sha256");
  const records = new Map<string, number>();
  let entries = 0;
  return {
    add(entry) {
      entries++;
      hash.update(entryLine(entry));
      const name = String(decodeKey(entry[0].split(":", 2).join(":"))[1]);
      if (name !== IDS && !MARKED.test(name)) records.set(name, (records.get(name) ?? 0) + 1);
    },
    totals: () => ({ entries, records: Object.fromEntries(records), sha256: hash.copy().digest("hex") }),
  };
}

/** An entry as a line of an export. Its value is JSON already, and is kept to the letter. */
export function entryLine([key, value]: Entry): string {
  return `{"key":${JSON.stringify(key)},"value":${value}}\n`;
}

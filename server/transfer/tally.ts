import { createHash } from "node:crypto";
import { itemLine, type Item } from "./item.ts";

/** What a store holds, to compare it by. */
export interface Totals {
  /** Records, and the kinds of ids. */
  entries: number;
  /** Records by collection, for people. */
  records: Record<string, number>;
  /** SHA-256 of the lines of all items in key order, hexadecimal. */
  sha256: string;
}

/** Adds up items in key order. */
export function newTally(): { add(item: Item): void; totals(): Totals } {
  const hash = createHash("sha256");
  const records = new Map<string, number>();
  let entries = 0;
  return {
    add(item) {
      entries++;
      hash.update(itemLine(item));
      const { collection } = item;
      if (collection !== "ids") records.set(collection, (records.get(collection) ?? 0) + 1);
    },
    totals: () => ({ entries, records: Object.fromEntries(records), sha256: hash.copy().digest("hex") }),
  };
}

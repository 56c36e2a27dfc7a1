import { createHash } from "node:crypto";
import { itemLine, type Item } from "./item.ts";

/** The records of a store, in numbers that two stores are compared by. */
export interface Totals {
  /** The number of items. */
  entries: number;
  /** The number of records by collection, to show to people. */
  records: Record<string, number>;
  /** The hexadecimal SHA-256 of the lines of all items in key order. */
  sha256: string;
}

/** Adds up items, which come in key order. */
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

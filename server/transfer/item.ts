import { createHash } from "node:crypto";

/** A line of an export: a record, the next ids of a kind, or the proof of the store's key. */
export interface Item {
  /** The table's noun, `ids` or `items`. */
  collection: string;
  /** JSON. */
  text: string;
}

/** The collection of next ids: `{ kind, next }`. */
export const IDS = "ids";
/** The collection of the store's own texts, of which exports have only the proof of its key: `{ key, value }`. */
export const OWN = "items";

/** Items per commit: many enough to be fast, few enough not to block others. */
const CHUNK = 1_000;

/** Items in chunks, always in the same order. */
export type Items = () => AsyncIterable<Item[]>;

/** Groups values into chunks. */
export async function* inChunks<T>(values: AsyncIterable<T>): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const value of values) {
    chunk.push(value);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Formats an item as a line of an export. Its text is already JSON. */
export function itemLine({ collection, text }: Item): string {
  return `{"collection":${JSON.stringify(collection)},"record":${text}}\n`;
}

/** Totals for comparing two stores. */
export interface Totals {
  /** The number of items. */
  entries: number;
  /** The number of records by collection, to show to people. */
  records: Record<string, number>;
  /** The hexadecimal SHA-256 of the lines of all items in their order. */
  sha256: string;
}

/** Adds up items. */
export function newTally(): { add(items: Item[]): void; totals(): Totals } {
  const hash = createHash("sha256");
  const records = new Map<string, number>();
  let entries = 0;
  return {
    add(items) {
      entries += items.length;
      for (const item of items) {
        const { collection } = item;
        hash.update(itemLine(item));
        if (collection !== IDS && collection !== OWN)
          records.set(collection, (records.get(collection) ?? 0) + 1);
      }
    },
    totals: () => ({ entries, records: Object.fromEntries(records), sha256: hash.copy().digest("hex") }),
  };
}

/** Adds up all items of a source. */
export async function totalsOf(
  items: AsyncIterable<Item[]>,
  onItems: (count: number) => void = () => {},
): Promise<Totals> {
  const tally = newTally();
  for await (const chunk of items) {
    tally.add(chunk);
    onItems(chunk.length);
  }
  return tally.totals();
}

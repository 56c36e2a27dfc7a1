import type { AnyRecord } from "../../tables.ts";
import type { Item, Items } from "../item.ts";

/** By collection, the items that replace a record. Other records stay unchanged. */
export type Changes = Record<string, (record: never) => Item[]>;
/** Reads what it must know about a layout's records, and returns how to convert each to the next layout. */
export type Conversion = (items: Items) => Promise<Changes>;

/** Items after a conversion. */
export function changed(items: Items, conversion: Conversion): Items {
  let changes: Promise<Changes> | undefined;
  return async function* () {
    const known = await (changes ??= conversion(items));
    for await (const chunk of items()) {
      yield chunk.flatMap((each) => {
        const change = known[each.collection];
        return change === undefined ? [each] : change(JSON.parse(each.text) as never);
      });
    }
  };
}

/** A record as an item. */
export function item({ name }: { name: string }, record: unknown): Item {
  return { collection: name, text: JSON.stringify(record) };
}

/** All records of a collection. */
export async function recordsOf<R extends AnyRecord>(items: Items, { name }: { name: string }): Promise<R[]> {
  const records: R[] = [];
  for await (const chunk of items()) {
    for (const { collection, text } of chunk) if (collection === name) records.push(JSON.parse(text) as R);
  }
  return records;
}

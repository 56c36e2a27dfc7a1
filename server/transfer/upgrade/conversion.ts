import type { AnyRecord } from "../../tables.ts";
import type { Item, Items } from "../item.ts";

/** The items that replace a record, by the record's collection. Other records stay as they are. */
export type Changes = Record<string, (record: never) => Item[]>;
/** Reads all that it must know about the records of a layout, and tells how to change each into those of the next one. */
export type Conversion = (items: Items) => Promise<Changes>;

/** Items as a conversion leaves them. */
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

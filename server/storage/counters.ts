import type { Count, Key } from "./table.ts";

/** The counter of a listing's length: of all records, or of those with one value in an index. */
export function lengthCounter({ name }: { name: string }, index: string, start: Key): Key {
  return index === "id" ? [name, ...start] : [`${name}/${index}`, ...start];
}

/** Counts a record in the listings whose lengths are kept: all records, and those with these index values. */
export function listCounts(name: string, values: Record<string, Key>): Count[] {
  const below = Object.entries(values).map(([index, start]): Count => [
    lengthCounter({ name }, index, start),
    1,
  ]);
  return [[[name], 1], ...below];
}

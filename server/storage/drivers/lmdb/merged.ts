import type { Range } from "../../driver.ts";

/** A stretch of keys, and the direction that it is read in. */
export type Stretch = Pick<Range, "from" | "before" | "reverse">;

type Direction = Pick<Stretch, "reverse">;

/** A key and its text; null where it was removed. */
export type Item = [key: string, text: string | null];

/** Two runs of items in the same order as one; where both tell of a key, `over` is right. */
export function* merged(over: Iterable<Item>, under: Iterable<Item>, direction: Direction): Generator<Item> {
  const overs = over[Symbol.iterator]();
  const unders = under[Symbol.iterator]();
  try {
    let [upper, lower] = [overs.next(), unders.next()];
    while (!upper.done || !lower.done) {
      if (lower.done || (!upper.done && isBefore(upper.value[0], lower.value[0], direction))) {
        yield upper.value as Item;
        upper = overs.next();
      } else {
        const isHidden = !upper.done && upper.value[0] === lower.value[0];
        if (!isHidden) yield lower.value;
        lower = unders.next();
      }
    }
  } finally {
    overs.return?.();
    unders.return?.();
  }
}

/** Whether a key comes before another in a direction. */
export function isBefore(key: string, other: string, { reverse = false }: Direction): boolean {
  return reverse ? key > other : key < other;
}

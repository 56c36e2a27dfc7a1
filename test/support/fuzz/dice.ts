/** Random values that are the same for the same seed. */
export interface Dice {
  /** A whole number from 0 to below `bound`. */
  below(bound: number): number;
  /** true in `share` of a hundred cases. */
  percent(share: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** Makes the dice of a seed (Mulberry32). */
export function newDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    below,
    percent: (share) => next() * 100 < share,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
  };
}

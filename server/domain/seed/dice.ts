/** Believable values that are the same in every run. */
export interface Dice {
  /** A number from 0 to below `count`. */
  number(count: number): number;
  pick<T>(from: readonly T[]): T;
  /** true in `chance` of a hundred cases. */
  percent(chance: number): boolean;
}

/** Dice that give the same values for the same seed (Mulberry32). */
export function newDice(seed: number): Dice {
  let state = seed >>> 0;
  const roll = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (count: number) => Math.floor(roll() * count);
  return {
    number,
    pick: (from) => from[number(from.length)] as (typeof from)[number],
    percent: (chance) => roll() * 100 < chance,
  };
}

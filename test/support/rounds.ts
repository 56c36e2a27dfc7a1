/** `TEST_LONG=1` runs all files, rounds, widths, colours and engines. Otherwise there are just enough to notice a fault. */
export const IS_LONG = process.env.TEST_LONG === "1";

/** `npm run test:quick` only tests on memory, and leaves slow files out. */
export const IS_QUICK = process.env.TEST_QUICK === "1";

/** The number of rounds in a usual and in a long run. */
export function rounds(short: number, long: number): number {
  return IS_LONG ? long : short;
}

/** `TEST_LONG=1` runs every round; without it, enough of them to notice what broke. */
export const IS_LONG = process.env.TEST_LONG === "1";

/** `npm run test:quick` needs no other engine than memory. */
export const IS_QUICK = process.env.TEST_QUICK === "1";

/** How often something is tried: in the usual run, and in the long one. */
export function rounds(short: number, long: number): number {
  return IS_LONG ? long : short;
}

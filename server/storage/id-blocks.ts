/**
 * Processes reserve ids in blocks. The first blocks of a kind are small, to keep gaps rare in a new account.
 * Later ones are larger, because each block costs a commit. A process that dies leaves the rest of its block
 * unused: gaps are fine, reuse is not.
 */
const LARGEST = 256;
const SHARE = 4;

/**
 * The SQL for the length of the block that begins at an id. `least` and `greatest` are the dialect's names of
 * these functions.
 */
export function blockLength(first: string, least: string, greatest: string): string {
  return `${least}(${LARGEST}, ${greatest}(1, (${first}) / ${SHARE}))`;
}

/** The first id of the block that ends before `end`. */
export function firstOfBlock(end: number): number {
  for (let length = 1; length < LARGEST; length++) {
    if (lengthFrom(end - length) === length) return end - length;
  }
  return end - LARGEST;
}

function lengthFrom(first: number): number {
  return Math.min(LARGEST, Math.max(1, Math.floor(first / SHARE)));
}

/** A hundred percent, in ten-thousandths of a percent. */
export const WHOLE = 1_000_000;

/** Choice: amounts have at most twelve digits, which keeps every sum exact. */
export const MAX_AMOUNT = 999_999_999_999;

/**
 * `amount` times `numerator` over a positive `denominator`, rounded half away from zero. All are integers, and the
 * result is exact for any of them.
 */
export function share(amount: number, numerator: number | bigint, denominator: number | bigint): number {
  const product = BigInt(amount) * BigInt(numerator);
  const divisor = BigInt(denominator);
  const size = product < 0n ? -product : product;
  const rounded = (2n * size + divisor) / (2n * divisor);
  return Number(product < 0n ? -rounded : rounded);
}

/**
 * Cuts an amount into parts. The percentages, in ten-thousandths of a percent, are at most a hundred
 * together, and the rest is the last part. The parts add up to the amount, and none has the opposite sign.
 */
export function cutUp(amount: number, percentages: number[]): number[] {
  const parts: number[] = [];
  let [given, upTo] = [0, 0];
  for (const percentage of percentages) {
    upTo += percentage;
    const part = share(amount, upTo, WHOLE) - given;
    parts.push(part);
    given += part;
  }
  return [...parts, amount - given];
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutUp, share, WHOLE } from "../../server/domain/money.ts";

describe("a share", () => {
  it.each([
    [1_000, 200_000, WHOLE, 200],
    [5, 500_000, WHOLE, 3],
    [-5, 500_000, WHOLE, -3],
    [4, 125_000, WHOLE, 1],
    [-4, 124_999, WHOLE, 0],
    [999_999_999_999, 333_333, WHOLE, 333_333_000_000],
    [9_007_199_254_740_991, WHOLE, WHOLE, 9_007_199_254_740_991],
    [9_007_199_254_740_991, 999_999, WHOLE, 9_007_190_247_541_736],
  ])(
    "of %i times %i over %i is %i, rounded half away from zero",
    (amount, numerator, denominator, result) => {
      expect(share(amount, numerator, denominator)).toBe(result);
    },
  );
});

describe("an amount that is cut up", () => {
  it.each([
    [100, [333_333, 333_333], [33, 34, 33]],
    [2, [250_000, 250_000, 250_000, 250_000], [1, 0, 1, 0, 0]],
    [-2, [250_000, 250_000, 250_000, 250_000], [-1, 0, -1, 0, 0]],
    [1, [], [1]],
    [7, [WHOLE], [7, 0]],
  ])("of %i by %j has parts that add up to it", (amount, percentages, parts) => {
    expect(cutUp(amount, percentages)).toEqual(parts);
  });

  it("always does, and no part has the opposite sign", () => {
    const amount = fc.integer({ min: -999_999_999_999, max: 999_999_999_999 });
    const percentages = fc.array(fc.integer({ min: 0, max: WHOLE / 5 }), { maxLength: 5 });
    fc.assert(
      fc.property(amount, percentages, (whole, given) => {
        const parts = cutUp(whole, given);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole);
        expect(parts.filter((part) => part * whole < 0)).toEqual([]);
      }),
    );
  });
});

import { expect, it } from "vitest";
import { systemChance } from "../../server/domain/context.ts";

it("makes tokens of any length, none of which comes twice", () => {
  const lengths = Array.from({ length: 2_000 }, (_, at) => 12 + (at % 50));
  const tokens = lengths.map((length) => systemChance.token(length));
  expect(tokens.map((token) => token.length)).toEqual(lengths);
  expect(tokens.filter((token) => !/^[\w-]+$/.test(token))).toEqual([]);
  expect(new Set(tokens.map((token) => token.slice(0, 12))).size).toBe(lengths.length);
  expect(systemChance.token(10_000)).toHaveLength(10_000);
});

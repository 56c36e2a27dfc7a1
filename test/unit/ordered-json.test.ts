import { expect, it } from "vitest";
import { isSameJson, orderedJson } from "../../server/storage/digests.ts";

it("writes the names of each object in one order, and lists as they are", () => {
  expect(orderedJson({ b: [{ d: 1, c: undefined }, 2, 1], a: new Date(0) })).toBe(
    '{"a":"1970-01-01T00:00:00.000Z","b":[{"d":1},2,1]}',
  );
});

it.each([
  [{ a: 1, b: { c: [], d: null } }, { b: { d: null, c: [] }, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1 }, { a: 1, b: null }, false],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[], {}, false],
  [{}, null, false],
  [null, undefined, false],
  [1, "1", false],
  [new Date(0), new Date(0), true],
  [new Date(0), new Date(1), false],
  [{ ["__proto__"]: 1 }, {}, false],
])("knows whether %o and %o are the same JSON", (one, other, isSame) => {
  expect([isSameJson(one, other), isSameJson(other, one)]).toEqual([isSame, isSame]);
});

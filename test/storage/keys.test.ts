import fc from "fast-check";
import { prefixStorage, createStorage } from "unstorage";
import { describe, expect, it } from "vitest";
import { decodeKey, encodeKey, type Key, type KeyPart } from "../../server/storage/keys.ts";
import { rounds } from "../support/rounds.ts";

const part: fc.Arbitrary<KeyPart> = fc.oneof(
  fc.maxSafeInteger(),
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("a", "b", "/", "?", ":", ".", "$", "%", "!", "\\", "\u0000", "é", "\ud800"),
  }),
  fc.constantFrom("", "..", "a:b", "a/b", "x".repeat(10_000), "🜁", "true", "$"),
);
const key: fc.Arbitrary<Key> = fc.array(part, { minLength: 1, maxLength: 4 });

/** Numbers by value, texts by code unit; shorter tuples first. */
function compareKeys(left: Key, right: Key): number {
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [a, b] = [left[at]!, right[at]!];
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    if (a !== b) return a < b ? -1 : 1;
  }
  return left.length - right.length;
}

const sign = (value: number) => Math.sign(value) + 0;

describe("keys", () => {
  it("keep the order of their tuples and are unique", () => {
    fc.assert(
      fc.property(key, key, (left, right) => {
        const [a, b] = [Buffer.from(encodeKey(left)), Buffer.from(encodeKey(right))];
        expect(sign(Buffer.compare(a, b))).toBe(sign(compareKeys(left, right)));
      }),
      { numRuns: rounds(500, 2_000) },
    );
  });

  it("decode to their tuples", () => {
    fc.assert(
      fc.property(key, (tuple) => {
        expect(decodeKey(encodeKey(tuple))).toEqual(tuple);
      }),
    );
  });

  it("pass through unstorage unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(key, async (tuple) => {
        const storage = createStorage();
        const encoded = encodeKey(tuple);
        await storage.setItem(encoded, "{}");
        expect(await storage.getKeys()).toEqual([encoded]);
        expect(await prefixStorage(storage, "").hasItem(encoded)).toBe(true);
      }),
      { numRuns: rounds(100, 300) },
    );
  });

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("refuse %d", (value) => {
    expect(() => encodeKey([value])).toThrow(RangeError);
  });
});

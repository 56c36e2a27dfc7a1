import fc from "fast-check";
import { prefixStorage, createStorage } from "unstorage";
import { describe, expect, it } from "vitest";
import { METRICS, SERIES } from "../../server/domain/stats.ts";
import {
  ABBREVIATIONS,
  decodeKey,
  encodeKey,
  isScattered,
  prefixRange,
  type Key,
  type KeyPart,
} from "../../server/storage/keys.ts";
import { COLLECTIONS } from "../../server/transfer/collections.ts";

const part: fc.Arbitrary<KeyPart> = fc.oneof(
  fc.maxSafeInteger(),
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("a", "b", "/", "?", ":", ".", "$", "%", "!", "\\", "\u0000", "é", "\ud800"),
  }),
  fc.constantFrom("", "..", "a:b", "a/b", "x".repeat(10_000), "🜁", "true", "$"),
  fc.constantFrom(...ABBREVIATIONS.keys(), ...ABBREVIATIONS.values()),
);
const key: fc.Arbitrary<Key> = fc.array(part, { minLength: 1, maxLength: 4 });

/** Numbers by value, texts by code unit, what is abbreviated by its letters; shorter tuples first. */
function compareKeys(left: Key, right: Key): number {
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [a, b] = [ranked(left[at]!), ranked(right[at]!)];
    if (a.rank !== b.rank) return a.rank - b.rank;
    if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  }
  return left.length - right.length;
}

function ranked(value: KeyPart): { rank: number; value: KeyPart } {
  if (typeof value === "number") return { rank: 0, value };
  const short = ABBREVIATIONS.get(value);
  return short === undefined ? { rank: 1, value } : { rank: 2, value: short };
}

const sign = (value: number) => Math.sign(value) + 0;

/** What may stand second in a key. */
const NAMES = [
  ...SERIES.map((series) => `daily.${series}=`),
  "stats.promoter=",
  ...COLLECTIONS.flatMap(({ name, claims, indexes, groups = {} }) => [
    name,
    ...Object.keys(claims).map((claim) => `${name}.${claim}`),
    ...Object.keys(indexes).map((index) => `${name}/${index}`),
    ...Object.values(groups).map((group) => `${group}/`),
  ]),
];

describe("keys", () => {
  it("keep the order of their tuples, and no two tuples share one", () => {
    fc.assert(
      fc.property(key, key, (left, right) => {
        const [a, b] = [Buffer.from(encodeKey(left)), Buffer.from(encodeKey(right))];
        expect(sign(Buffer.compare(a, b))).toBe(sign(compareKeys(left, right)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("give their tuples back", () => {
    fc.assert(
      fc.property(key, (tuple) => {
        expect(decodeKey(encodeKey(tuple))).toEqual(tuple);
      }),
    );
  });

  it("come through unstorage as they are", async () => {
    await fc.assert(
      fc.asyncProperty(key, async (tuple) => {
        const storage = createStorage();
        const encoded = encodeKey(tuple);
        await storage.setItem(encoded, "{}");
        expect(await storage.getKeys()).toEqual([encoded]);
        expect(await prefixStorage(storage, "").hasItem(encoded)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("stand in the range of each of their prefixes, and in no other's", () => {
    fc.assert(
      fc.property(key, key, (tuple, other) => {
        const encoded = encodeKey(tuple);
        const { from, before } = prefixRange(other);
        const isPrefix =
          other.length < tuple.length && other.every((value, at) => Object.is(value, tuple[at]));
        expect(encoded >= from && encoded < before).toBe(isPrefix);
      }),
    );
    expect(encodeKey([1, "a", 2]) >= prefixRange([1, "a"]).from).toBe(true);
  });

  it("abbreviate what the records' keys are made of, each under letters of its own", () => {
    const parts = [...NAMES, ...METRICS];
    expect(parts).toEqual(expect.arrayContaining([...ABBREVIATIONS.keys()]));
    expect(new Set(ABBREVIATIONS.values()).size).toBe(ABBREVIATIONS.size);
  });

  it("put leads last of all that an account has", () => {
    const last = NAMES.map((name) => encodeKey([1, name]))
      .toSorted()
      .at(-1);
    expect(last).toBe(encodeKey([1, "lead"]));
  });

  it("tell the kinds that lie all over a store from all others, whatever they contain", () => {
    const scattered = new Set(NAMES.filter((name) => isScattered(encodeKey([1, name, "lead.email", 7]))));
    expect([...scattered].toSorted()).toEqual([
      "daily.promoter-campaign=",
      "lead.email",
      "promoter/",
      "stats.promoter=",
    ]);
    expect(
      [[1], ["lead.email"], [1, ":w:"], [1, "w", 7]].filter((tuple) => isScattered(encodeKey(tuple))),
    ).toEqual([]);
  });

  it.each([1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("refuse %d", (value) => {
    expect(() => encodeKey([value])).toThrow(RangeError);
  });
});

import { orderedJson } from "../../server/storage/digests.ts";

export { orderedJson };

/** Collects, in sentences, what is shown otherwise than the records say. */
export interface Comparison {
  faults: string[];
  compare(name: string, shown: unknown, expected: unknown): void;
}

/** A comparison in which the order of fields does not matter. */
export function newComparison(): Comparison {
  const faults: string[] = [];
  return {
    faults,
    compare(name, shown, expected) {
      const [one, other] = [orderedJson(shown), orderedJson(expected)];
      if (one !== other) faults.push(`${name} shows ${one}, the records ${other}`);
    },
  };
}

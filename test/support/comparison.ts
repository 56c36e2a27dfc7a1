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
      const [one, other] = [ordered(shown), ordered(expected)];
      if (one !== other) faults.push(`${name} shows ${one}, the records ${other}`);
    },
  };
}

function ordered(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

import { applyBatch } from "../batch.ts";
import { refuseLongKeys, type AtomicDriver, type Changes, type Range } from "../driver.ts";
import { plainItems } from "../plain-items.ts";

/** Keeps everything in this process, for tests and trials. Nothing survives the process. */
export function memoryDriver(): AtomicDriver {
  const items = new Map<string, string>();
  /** The keys in order. Encoded keys are ASCII, so code unit order is byte order. */
  const keys: string[] = [];

  const put = (key: string, value: string) => {
    if (!items.has(key)) keys.splice(position(keys, key), 0, key);
    items.set(key, value);
  };
  const remove = (key: string) => {
    if (items.delete(key)) keys.splice(position(keys, key), 1);
  };
  const commit = async (changes: Changes) => {
    refuseLongKeys(changes);
    return applyBatch([{ changes }], { put, remove, get: (key) => items.get(key) })[0] === true;
  };
  return {
    name: "memory",
    ...plainItems({ getItem: (key) => items.get(key) ?? null, getKeys: () => [...keys], commit }),
    commit,
    async list({ from, before, limit, offset = 0, reverse = false }: Range) {
      const start = position(keys, from);
      const end = position(keys, before);
      const found = reverse
        ? keys.slice(Math.max(start, end - offset - limit), Math.max(start, end - offset)).toReversed()
        : keys.slice(start + offset, Math.min(end, start + offset + limit));
      return found.map((key) => [key, items.get(key) ?? ""]);
    },
    async *snapshot() {
      // Yields everything at once, so no write can come in between.
      yield keys.map((key): [string, string] => [key, items.get(key) ?? ""]);
    },
    async count({ from, before }) {
      return Math.max(0, position(keys, before) - position(keys, from));
    },
  };
}

/** The index of a key in the sorted list, or the index where it would be inserted. */
function position(keys: string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

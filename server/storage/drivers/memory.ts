import { applyBatch } from "../batch.ts";
import { refuseLongKeys, type AtomicDriver, type Changes, type Range } from "../driver.ts";
import { plainItems } from "../plain-items.ts";

/** Keeps everything in this process, for tests and try-outs. Nothing outlives it. */
export function memoryDriver(): AtomicDriver {
  const items = new Map<string, string>();
  /** The keys in order. Code unit order is byte order, as encoded keys are ASCII. */
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
      // At once: nothing comes between the two steps of one generator call.
      yield keys.map((key): [string, string] => [key, items.get(key) ?? ""]);
    },
    async count({ from, before }) {
      return Math.max(0, position(keys, before) - position(keys, from));
    },
  };
}

/** Where a key stands in the sorted list, or would stand. */
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

import { readSum, type Changes } from "./driver.ts";

/** Items as a write transaction sees them. */
export interface Items {
  get(key: string): string | undefined;
  put(key: string, value: string): void;
  remove(key: string): void;
}

/**
 * Applies commits in order and says for each whether its checks passed. Counters are written once for the
 * whole batch, because many commits add to the same few.
 */
export function applyBatch(batch: readonly { changes: Changes }[], items: Items): boolean[] {
  const sums = new Map<string, number>();
  const results = batch.map(({ changes }) => apply(changes, items, sums));
  flush(sums, items);
  return results;
}

function apply(
  { checks, puts, removes, sums: added }: Changes,
  items: Items,
  sums: Map<string, number>,
): boolean {
  for (const [key, seen] of checks) {
    if (sums.has(key)) flush(sums, items);
    if ((items.get(key) ?? null) !== seen) return false;
  }
  for (const [key, value] of puts) items.put(key, value);
  for (const key of removes) items.remove(key);
  for (const [key, delta] of added) sums.set(key, (sums.get(key) ?? 0) + delta);
  return true;
}

function flush(sums: Map<string, number>, items: Items): void {
  for (const [key, delta] of sums) items.put(key, JSON.stringify({ sum: readSum(items.get(key)) + delta }));
  sums.clear();
}

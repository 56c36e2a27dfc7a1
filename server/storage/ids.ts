import type { AtomicDriver } from "./driver.ts";
import { encodeKey } from "./keys.ts";

/** Ids of one lease. A process that dies leaves the rest unused: gaps are fine, reuse is not. */
const BLOCK = 256;

interface Lease {
  next: number;
  end: number;
  /** The database that granted it. One that takes over may not know of it and grant the same ids to others. */
  timeline: number | undefined;
}

/** Gives ids that no other process gives. A checked commit leases them in blocks. */
export function idSource(driver: AtomicDriver): (kind: string) => Promise<number> {
  const leases = new Map<string, Promise<Lease>>();

  async function lease(kind: string): Promise<Lease> {
    const key = encodeKey([0, "ids", kind]);
    for (;;) {
      const timeline = driver.timeline?.();
      const seen = await driver.getItem(key);
      const next = seen === null ? 1 : (JSON.parse(seen) as { next: number }).next;
      const leased = await driver.commit({
        checks: [[key, seen]],
        puts: [[key, JSON.stringify({ next: next + BLOCK })]],
        removes: [],
        sums: [],
      });
      // A failed check means that another process got its block, so somebody makes progress each time.
      if (leased) return { next, end: next + BLOCK, timeline };
    }
  }

  return async function nextId(kind) {
    for (;;) {
      const current = leases.get(kind) ?? begin(kind);
      const block = await current;
      if (block.next < block.end && block.timeline === driver.timeline?.()) return block.next++;
      if (leases.get(kind) === current) begin(kind);
    }
  };

  function begin(kind: string): Promise<Lease> {
    const leased = lease(kind);
    leases.set(kind, leased);
    // If the store was away for a moment, later callers must not get its old error.
    leased.catch(() => leases.delete(kind));
    return leased;
  }
}

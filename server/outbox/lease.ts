import { Failure } from "../failure.ts";
import { SYSTEM, type Lease as LeaseRecord } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Store, Transaction } from "../storage/store.ts";

export const leases = collection<LeaseRecord>()({
  name: "lease",
  id: ({ name }) => [name],
  claims: {},
  indexes: {},
});

/** The right to do what only one process may do at a time. It expires by itself when its holder dies. */
export interface Lease {
  /** Takes or renews it; false while another holds it. */
  take(): Promise<boolean>;
  isHeld(): boolean;
  /** Binds a commit to it: what its holder does too late, when another has taken it, is not written. */
  guard(tx: Transaction): Promise<void>;
  /** Gives it back, so that the next one need not wait. */
  release(): Promise<void>;
}

/** Says in a record that nobody holds it. */
const NOBODY = "";

/**
 * Makes a lease that nobody holds yet. Clocks of machines differ and are set, so that no process reads
 * a time that another wrote: one that wants the lease takes it when it has seen it not renewed for as
 * long as it lasts, by when its holder, who counts from before each renewal, has dropped it.
 */
export function newLease(
  { store, elapsedMs }: { store: Store; elapsedMs: () => number },
  { name, holder, durationMs }: { name: string; holder: string; durationMs: number },
): Lease {
  let heldUntil = -Infinity;
  let seen: { record: LeaseRecord; at: number } | null = null;

  function isFree(current: LeaseRecord | null, now: number): boolean {
    if (current === null || current.holder === NOBODY || current.holder === holder) return true;
    if (seen?.record.holder === current.holder && seen.record.term === current.term) {
      return now - seen.at >= durationMs;
    }
    seen = { record: current, at: elapsedMs() };
    return false;
  }

  async function write(now: number, by: string): Promise<boolean> {
    return store.transact(async (tx) => {
      const current = await tx.get(leases, SYSTEM, name);
      if (!isFree(current, now)) return false;
      await tx.put(leases, { accountId: SYSTEM, name, holder: by, term: (current?.term ?? 0) + 1 });
      return true;
    });
  }

  return {
    async take() {
      const now = elapsedMs();
      // Half of the time is left for the renewal to come late in.
      if (heldUntil - now > durationMs / 2) return true;
      heldUntil = (await write(now, holder)) ? now + durationMs : -Infinity;
      return elapsedMs() < heldUntil;
    },
    isHeld: () => elapsedMs() < heldUntil,
    async guard(tx) {
      const current = await tx.get(leases, SYSTEM, name);
      // Where nobody has taken it since, it is not too late.
      if (current?.holder === holder) return;
      heldUntil = -Infinity;
      throw new Failure("conflict", `The lease ${name} is another's by now`);
    },
    async release() {
      const wasHeld = elapsedMs() < heldUntil;
      heldUntil = -Infinity;
      if (wasHeld) await write(elapsedMs(), NOBODY);
    },
  };
}

import { SYSTEM } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import type { Store, Transaction } from "../storage/store.ts";
import { integer, table, text, type RowOf } from "../storage/table.ts";

const fields = {
  name: text(),
  /** Blank if it is free. */
  holder: text(),
  /** Grows with each renewal, which shows that the holder is alive. */
  term: integer(),
};

/** The holder of a lease: the one process that may do a certain kind of work. */
type LeaseRecord = RowOf<typeof fields>;

export const leases = table("lease", fields, {
  key: ["name"],
});

/** The exclusive right to do certain work. It expires by itself if its holder dies. */
export interface Lease {
  /** Acquires or renews the lease. Resolves to false if another process holds it. */
  take(): Promise<boolean>;
  isHeld(): boolean;
  /** Ties a commit to the lease: the commit fails if another process has acquired the lease meanwhile. */
  guard(tx: Transaction): Promise<void>;
  /** Releases the lease, so that the next process need not wait. */
  release(): Promise<void>;
}

/** How the message of a refused commit ends. */
const LOST = "is now held by another process";

/**
 * Whether a commit was refused because another process had acquired the lease. This process may have it again
 * since.
 */
export function isLostLease(error: unknown): boolean {
  return error instanceof Failure && error.message.endsWith(LOST);
}

/** The holder in the record of a free lease. */
const NO_HOLDER = "";

/**
 * Makes a lease that is free at first.
 * Clocks of machines differ and can be set, so no process reads a time that another one wrote. A process
 * acquires the lease after it has watched it for the full duration without a renewal. By then the holder has
 * dropped it, because the holder counts from before each renewal.
 */
export function newLease(
  { store, elapsedMs }: { store: Store; elapsedMs: () => number },
  { name, holder, durationMs }: { name: string; holder: string; durationMs: number },
): Lease {
  let heldUntil = -Infinity;
  let seen: { record: LeaseRecord; at: number } | null = null;

  function isFree(current: LeaseRecord | null, now: number): boolean {
    if (current === null || current.holder === NO_HOLDER || current.holder === holder) return true;
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
      await tx.put(leases, { account_id: SYSTEM, name, holder: by, term: (current?.term ?? 0) + 1 });
      return true;
    });
  }

  return {
    async take() {
      const now = elapsedMs();
      // The lease is renewed at half time, so that a renewal may come late.
      if (heldUntil - now > durationMs / 2) return true;
      heldUntil = (await write(now, holder)) ? now + durationMs : -Infinity;
      return elapsedMs() < heldUntil;
    },
    isHeld: () => elapsedMs() < heldUntil,
    async guard(tx) {
      const current = await tx.get(leases, SYSTEM, name);
      // If the lease was not acquired since, the commit is not too late.
      if (current?.holder === holder) return;
      heldUntil = -Infinity;
      throw new Failure("conflict", `The lease ${name} ${LOST}`);
    },
    async release() {
      const wasHeld = elapsedMs() < heldUntil;
      heldUntil = -Infinity;
      if (wasHeld) await write(elapsedMs(), NO_HOLDER);
    },
  };
}

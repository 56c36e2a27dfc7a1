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

/** Makes a lease that nobody holds yet. */
export function newLease(
  { store, clock }: { store: Store; clock: () => Date },
  { name, holder, durationMs }: { name: string; holder: string; durationMs: number },
): Lease {
  let heldUntil = 0;

  const write = (expiresAt: number) =>
    store.transact(async (tx) => {
      const now = clock().getTime();
      const current = await tx.get(leases, SYSTEM, name);
      if (current !== null && current.holder !== holder && isRunning(current, now)) return false;
      await tx.put(leases, { accountId: SYSTEM, name, holder, expiresAt });
      return true;
    });

  /** One that would last far longer than any can is of a clock that was set back since; its holder may be dead. */
  const isRunning = (lease: LeaseRecord, now: number) =>
    lease.expiresAt > now && lease.expiresAt <= now + 2 * durationMs;

  return {
    async take() {
      const now = clock().getTime();
      const leftMs = heldUntil - now;
      // Half of the time is left for the renewal to come late in.
      if (leftMs > durationMs / 2 && leftMs <= durationMs) return true;
      heldUntil = (await write(now + durationMs)) ? now + durationMs : 0;
      return heldUntil > 0;
    },
    isHeld: () => clock().getTime() < heldUntil,
    async guard(tx) {
      const current = await tx.get(leases, SYSTEM, name);
      if (current?.holder === holder && current.expiresAt > clock().getTime()) return;
      heldUntil = 0;
      throw new Failure("conflict", `The lease ${name} is another's by now`);
    },
    async release() {
      if (heldUntil > 0) await write(0);
      heldUntil = 0;
    },
  };
}

import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../failure.ts";
import { collection, recordKey } from "./collection.ts";
import type { AtomicDriver } from "./driver.ts";
import type { Read, Reader } from "./transaction/reader.ts";

/** Says that an account takes no changes. Every commit checks that there is none. */
export interface Freeze {
  accountId: number;
  /**
   * - `frozen`: it may be copied to another store
   * - `moved`: another store has a complete copy
   * - `removed`: it is being removed, or is gone
   * - `held`: one process changes it alone for a moment, and the others wait
   */
  state: "frozen" | "moved" | "removed" | "held";
  /** Names the holder. Absent: it is not held. */
  by?: string;
  /** When the holder has died or given up, in milliseconds of Unix time. Absent: it is not held. */
  untilMs?: number;
}

/** An account has one or none. Its key begins with the account, so that a commit needs no further lock to check it. */
export const freezes = collection<Freeze>()({
  name: "freeze",
  id: () => [1],
  claims: {},
  indexes: {},
});

/** The key that must be absent for an account to be changed. */
export function freezeKey(accountId: number): string {
  return recordKey(freezes, accountId, [1]);
}

/** The pause between two looks at a held account. */
export const HOLD_POLL_MS = 10;

/** Whether the time of a holder is over. Clocks differ, but the holder's commit notices if it has lost its hold. */
export function isOver({ state, untilMs = 0 }: Freeze, nowMs: number): boolean {
  return state === "held" && untilMs < nowMs;
}

/** Whether an account takes no changes. One that is held takes them a moment later. */
export async function isFrozen(reader: Reader, accountId: number): Promise<boolean> {
  const freeze = await reader.get(freezes, accountId, 1);
  return freeze !== null && freeze.state !== "held";
}

/** Leaves out the records of frozen accounts. */
export async function withoutFrozen<R extends { ownerId: number }>(
  reader: Reader,
  records: R[],
): Promise<R[]> {
  const owners = new Map<number, Promise<boolean>>();
  for (const { ownerId } of records) {
    if (!owners.has(ownerId)) owners.set(ownerId, isFrozen(reader, ownerId));
  }
  const areFrozen = await Promise.all(records.map(({ ownerId }) => owners.get(ownerId)));
  return records.filter((_, at) => areFrozen[at] === false);
}

interface Passing {
  driver: Pick<AtomicDriver, "commit" | "refresh">;
  read: Read;
  /** Whether it has waited for long enough. */
  isLate: () => boolean;
}

/**
 * Waits until nobody holds these accounts. A hold whose process has died is removed.
 *
 * @throws Failure `unavailable` if one of the accounts is frozen, or is still held when it is late
 */
export async function passFreezes(
  accountIds: Iterable<number>,
  { driver, read, isLate }: Passing,
): Promise<void> {
  for (const accountId of accountIds) {
    const key = freezeKey(accountId);
    for (;;) {
      const text = await read(key);
      if (text === null) break;
      const freeze = JSON.parse(text) as Freeze;
      if (freeze.state !== "held")
        throw new Failure("unavailable", "The account is being moved to another store: try again later");
      if (isLate()) throw new Failure("unavailable", "Others change the account; try again");
      if (isOver(freeze, Date.now()))
        await driver.commit({ checks: [[key, text]], puts: [], removes: [key], sums: [] });
      else await sleep(HOLD_POLL_MS);
      driver.refresh?.();
    }
  }
}

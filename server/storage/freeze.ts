import { Failure } from "../failure.ts";
import { collection, recordKey } from "./collection.ts";
import type { Read, Reader } from "./transaction/reader.ts";

/** Says that an account takes no changes. Every commit checks that there is none. */
export interface Freeze {
  accountId: number;
  /**
   * - `frozen`: it may be copied to another store
   * - `moved`: another store has a complete copy
   * - `removed`: it is being removed, or is gone
   */
  state: "frozen" | "moved" | "removed";
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

/** Whether an account takes no changes. */
export async function isFrozen(reader: Reader, accountId: number): Promise<boolean> {
  return (await reader.get(freezes, accountId, 1)) !== null;
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

/** @throws Failure `unavailable` if one of the accounts is frozen */
export async function refuseFrozen(read: Read, accountIds: Iterable<number>): Promise<void> {
  for (const accountId of accountIds) {
    if ((await read(freezeKey(accountId))) === null) continue;
    throw new Failure("unavailable", "The account is being moved to another store: try again later");
  }
}

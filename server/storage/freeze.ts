import { Failure } from "../failure.ts";
import { table, text, type RowOf } from "./table.ts";
import type { Reader } from "./view.ts";

const fields = {
  /**
   * - `frozen`: it may be copied to another store
   * - `removed`: it is being removed, or is gone
   */
  state: text<"frozen" | "removed">(),
};

/** Marks an account that accepts no changes. Every transaction checks for it. */
export type Freeze = RowOf<typeof fields>;

/** At most one for each account. */
export const freezes = table("freeze", fields, {
  key: ["id"],
  derived: {
    id: ["integer", () => 1],
  },
});

/** Whether an account is frozen. */
export async function isFrozen(reader: Reader, accountId: number): Promise<boolean> {
  return (await reader.get(freezes, accountId, 1)) !== null;
}

/** @throws Failure `unavailable` if one of the accounts is frozen */
export async function refuseFrozen(reader: Reader, accountIds: Iterable<number>): Promise<void> {
  for (const accountId of accountIds) {
    if (await isFrozen(reader, accountId))
      throw new Failure("unavailable", "The account is being moved to another store: try again later");
  }
}

/** Leaves out the records of frozen accounts. */
export async function withoutFrozen<R extends { owner_id: number }>(
  reader: Reader,
  records: R[],
): Promise<R[]> {
  const owners = new Map<number, Promise<boolean>>();
  for (const { owner_id } of records) {
    if (!owners.has(owner_id)) owners.set(owner_id, isFrozen(reader, owner_id));
  }
  const areFrozen = await Promise.all(records.map(({ owner_id }) => owners.get(owner_id)));
  return records.filter((_, at) => areFrozen[at] === false);
}

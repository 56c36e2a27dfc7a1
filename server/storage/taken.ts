import { Failure, type FieldErrors } from "../failure.ts";
import type { Table } from "./table.ts";
import type { Transaction } from "./store.ts";

/** The message for a unique value that another record has. */
export const TAKEN = "has already been taken";

/**
 * Names all of these unique values that another record has. The table's constraints would name only the
 * first.
 */
export async function findTaken<R extends { accountId: number }, Unique extends string>(
  tx: Transaction,
  from: Table<R, Unique>,
  { record, unique }: { record: R; unique: readonly NoInfer<Unique>[] },
): Promise<FieldErrors> {
  const fields: FieldErrors = {};
  for (const each of unique) if (await tx.isTaken(from, each, record)) fields[each] = [TAKEN];
  return fields;
}

/** @throws Failure `taken` if any field is named */
export function refuseTaken(fields: FieldErrors): void {
  if (Object.keys(fields).length > 0) throw new Failure("taken", "The record breaks a rule", fields);
}

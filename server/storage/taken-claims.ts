import { Failure, type FieldErrors } from "../failure.ts";
import type { Table } from "./table.ts";
import type { Transaction } from "./store.ts";

/** The error for a unique value that another record has. */
export const TAKEN = "has already been taken";

/** Names every claim of a record that belongs to another. The claims themselves would stop at the first. */
export async function findTaken<R extends { accountId: number }, Claim extends string>(
  tx: Transaction,
  from: Table<R, Claim>,
  { record, claims }: { record: R; claims: readonly NoInfer<Claim>[] },
): Promise<FieldErrors> {
  const fields: FieldErrors = {};
  for (const claim of claims) if (await tx.isTaken(from, claim, record)) fields[claim] = [TAKEN];
  return fields;
}

/** @throws Failure `taken` if a field is */
export function refuseTaken(fields: FieldErrors): void {
  if (Object.keys(fields).length > 0) throw new Failure("taken", "The record breaks a rule", fields);
}

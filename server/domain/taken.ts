import { Failure, type FieldErrors } from "../failure.ts";
import type { Collection } from "../storage/collection.ts";
import type { Transaction } from "../storage/store.ts";

/** What is wrong with a unique value of another record. */
export const TAKEN = "has already been taken";

/** Names every claim of a record that is another's, where the claims alone would stop at the first. */
export async function findTaken<R extends { accountId: number }, Claim extends string>(
  tx: Transaction,
  from: Collection<R, Claim>,
  { record, claims }: { record: R; claims: readonly NoInfer<Claim>[] },
): Promise<FieldErrors> {
  const fields: FieldErrors = {};
  for (const claim of claims) if (await tx.isTaken(from, claim, record)) fields[claim] = [TAKEN];
  return fields;
}

/** @throws Failure `taken` where a field is */
export function refuseTaken(fields: FieldErrors): void {
  if (Object.keys(fields).length > 0) throw new Failure("taken", "The record breaks a rule", fields);
}

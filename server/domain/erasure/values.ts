import { Failure } from "../../failure.ts";
import type { Promoter } from "../promoter/record.ts";
import type { Table } from "../../storage/table.ts";
import type { Transaction } from "../../storage/store.ts";

/** The end of an erased person's address, which reaches nobody (RFC 2606). */
const END = "@erased.invalid";

/**
 * The record with an address that reaches nobody. The address contains the id, because addresses are unique. If somebody
 * has signed up with that address, it gets a number. Otherwise a stranger could keep others from being erased.
 */
export async function withErasedEmail<R extends { accountId: number; id: number; email: string | null }>(
  tx: Transaction,
  from: Table<R, "email">,
  record: R,
): Promise<R> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? `erased-${record.id}` : `erased-${record.id}-${number}`;
    const erased = { ...record, email: `${name}${END}` };
    if (!(await tx.isTaken(from, "email", erased))) return erased;
  }
}

/** Whether a promoter or a lead was erased. */
export function isErased({ id, email }: { id: number; email: string | null }): boolean {
  const name = email?.endsWith(END) ? email.slice(0, -END.length) : null;
  return name !== null && (name === `erased-${id}` || name.startsWith(`erased-${id}-`));
}

/**
 * Stops changes that could bring personal data back into the record of an erased promoter. @throws Failure `refused`
 */
export function refuseErased(promoter: Promoter): void {
  if (isErased(promoter)) throw new Failure("refused", "Promoter was erased.");
}

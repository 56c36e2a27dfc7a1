import { Failure } from "../../failure.ts";
import type { Reader, Store, Transaction } from "../../storage/store.ts";
import { table, type Table } from "../../storage/table.ts";
import type { Promoter } from "./promoter/promoter.ts";

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

/** How many people of an account were erased. Absent if nobody was. */
interface ErasureCount {
  accountId: number;
  count: number;
}

export const erasureCounts = table<ErasureCount>()({
  name: "erasure-count",
  columns: { id: ["integer", () => 1] },
});

/**
 * How many erasures an account has had. Code that copies personal data reads this number before it reads the data,
 * and again in the transaction that writes the copy. If the number has grown, the copy may hold erased data.
 */
export async function countErasures(reader: Reader, accountId: number): Promise<number> {
  return (await reader.get(erasureCounts, accountId, 1))?.count ?? 0;
}

/** Adds one. From then on nothing that was read before is written. */
export async function countErasure(store: Store, accountId: number): Promise<void> {
  await store.transact(async (tx) =>
    tx.put(erasureCounts, { accountId, count: (await countErasures(tx, accountId)) + 1 }),
  );
}

/**
 * An erasure that is not complete. Its first commit has taken the person's own data away and written this record; its last
 * one removes it. A job completes those that a killed process has left.
 */
export interface UnfinishedErasure {
  accountId: number;
  entity: "promoter" | "referral";
  entityId: number;
  /** Those of the promoter. */
  promoterCampaignIds: number[];
}

export const unfinishedErasures = table<UnfinishedErasure>()({
  name: "unfinished-erasure",
  key: ["entity", "entity_id"],
  columns: { entity: "text", entity_id: "integer" },
});

import { Failure } from "../../failure.ts";
import type { Reader, Store, Transaction } from "../../storage/store.ts";
import { integer, json, table, text, type RowOf, type Table } from "../../storage/table.ts";
import type { Promoter } from "./promoter/promoter.ts";

/** The domain of erased people's addresses, which can never receive mail (RFC 2606). */
const END = "@erased.invalid";

/**
 * The record with an undeliverable address. The address contains the id, because addresses are unique. If
 * another person has registered that address, it gets a number; otherwise a stranger could block erasures.
 */
export async function withErasedEmail<R extends { account_id: number; id: number; email: string | null }>(
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
 * Prevents changes that could bring personal data back into the record of an erased promoter.
 *
 * @throws Failure `refused`
 */
export function refuseErased(promoter: Promoter): void {
  if (isErased(promoter)) throw new Failure("refused", "Promoter was erased.");
}

/** The number of an account's erasures. Absent before the first. */
const erasureCountFields = {
  count: integer(),
};

export const erasureCounts = table("erasure-count", erasureCountFields, {
  derived: {
    id: ["integer", () => 1],
  },
});

/**
 * How many erasures an account has had. Code that copies personal data reads this number before it reads the
 * data, and again in the transaction that writes the copy. If the number has grown, the copy may contain
 * erased data.
 */
export async function countErasures(reader: Reader, accountId: number): Promise<number> {
  return (await reader.get(erasureCounts, accountId, 1))?.count ?? 0;
}

/** Adds one. From then on, copies of earlier reads are no longer written. */
export async function countErasure(store: Store, accountId: number): Promise<void> {
  await store.transact(async (tx) =>
    tx.put(erasureCounts, { account_id: accountId, count: (await countErasures(tx, accountId)) + 1 }),
  );
}

const unfinishedErasureFields = {
  entity: text<"promoter" | "referral">(),
  entity_id: integer(),
  /** The promoter campaigns of an erased promoter. */
  promoter_campaign_ids: json<number[]>(),
};

/**
 * An unfinished erasure. Its first commit has removed the person's own data and written this record; its last
 * one removes it. A job completes erasures whose process was killed.
 */
export type UnfinishedErasure = RowOf<typeof unfinishedErasureFields>;

export const unfinishedErasures = table("unfinished-erasure", unfinishedErasureFields, {
  key: ["entity", "entity_id"],
});

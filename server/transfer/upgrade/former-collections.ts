import type { Unit } from "../../domain/money/unit.ts";
import { collection } from "../../storage/collection.ts";
import type { AnyCollection } from "../collections.ts";

/**
 * The promoter's balance that layout 5 kept, in addition to the commissions and payouts that it is the sum
 * of.
 */
export interface FormerBalance {
  accountId: number;
  promoterId: number;
  units: Partial<Record<Unit, { earnings: number; paid: number }>>;
}

export const formerBalances = collection<FormerBalance>()({
  name: "balance",
  id: ({ promoterId }) => [promoterId],
  claims: {},
  indexes: {},
});

/** Kinds of record that only earlier releases kept. They are read to upgrade them. */
export const FORMER_COLLECTIONS = [formerBalances] as unknown as AnyCollection[];

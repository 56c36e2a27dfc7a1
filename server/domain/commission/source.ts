import { collection } from "../../storage/collection.ts";

/** What made a commission that no sale earned. Whoever sends it again makes no second one. */
export interface Source {
  accountId: number;
  /** Of the line of an import, or of the event that a commission was given by hand for. */
  sourceHash: string;
  commissionId: number;
}

/** The name is older than commissions that are given by hand for an event. */
export const commissionSources = collection<Source>()({
  name: "imported-commission",
  id: ({ sourceHash }) => [sourceHash],
  claims: {},
  indexes: {},
});

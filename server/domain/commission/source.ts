import { table } from "../../storage/table.ts";

/** What made a commission that no sale earned. Whoever sends it again makes no second one. */
export interface Source {
  accountId: number;
  /** Of the line of an import, or of the event that a commission was given by hand for. */
  sourceHash: string;
  commissionId: number;
}

/** The name is older than commissions that are given by hand for an event. */
export const commissionSources = table<Source>()({
  name: "imported-commission",
  key: ["source_hash"],
  columns: { source_hash: "text", commission_id: "integer" },
});

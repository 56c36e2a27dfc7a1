import { table } from "../../storage/table.ts";

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

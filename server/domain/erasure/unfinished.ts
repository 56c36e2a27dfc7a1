import { collection } from "../../storage/collection.ts";

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

export const unfinishedErasures = collection<UnfinishedErasure>()({
  name: "unfinished-erasure",
  id: ({ entity, entityId }) => [entity, entityId],
  claims: {},
  indexes: {},
});

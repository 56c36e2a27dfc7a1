import type { Key } from "../storage/keys.ts";

/** What came of a participation: a lead, or what it has earned. */
export interface Belonging {
  accountId: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
}

/**
 * How such records are listed. The lists of a promoter's participations, of which nearly all have one, are told
 * from the promoter's own.
 */
export const BELONGING_INDEXES = {
  promoter: ({ promoterId }: Belonging): Key => [promoterId],
  campaign: ({ campaignId }: Belonging): Key => [campaignId],
};
export type BelongingIndex = keyof typeof BELONGING_INDEXES;

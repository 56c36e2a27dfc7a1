import type { Key } from "../storage/keys.ts";

/** What came of a participation: a lead, or what it has earned. */
export interface Belonging {
  accountId: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
}

/** What each promoter has of everything lies together in the store. */
const PROMOTER_GROUP = "promoter";

/**
 * How such records are listed. The lists of a promoter's participations, of which nearly all have one, are told
 * from the promoter's own.
 */
export const BELONGING_INDEXES = {
  promoter: ({ promoterId }: Belonging): Key => [promoterId],
  campaign: ({ campaignId }: Belonging): Key => [campaignId],
};
export type BelongingIndex = keyof typeof BELONGING_INDEXES;

export const BELONGING_GROUPS = { promoter: PROMOTER_GROUP };

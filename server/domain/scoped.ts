import type { Key } from "../storage/keys.ts";

/** What came of a participation: a lead, or what it has earned. */
export interface Scoped {
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
export const SCOPE_INDEXES = {
  promoter: ({ promoterId }: Scoped): Key => [promoterId],
  campaign: ({ campaignId }: Scoped): Key => [campaignId],
};
export type ScopeIndex = keyof typeof SCOPE_INDEXES;

export const SCOPE_GROUPS = { promoter: PROMOTER_GROUP };

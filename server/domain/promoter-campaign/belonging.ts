import type { Key } from "../../storage/keys.ts";

/** A record that belongs to a promoter campaign: a lead, or a commission. */
export interface Belonging {
  accountId: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
}

/**
 * The indexes of these records. Promoter campaigns need none: nearly every promoter has only one, so its records are
 * found among the promoter's.
 */
export const BELONGING_INDEXES = {
  promoter: ({ promoterId }: Belonging): Key => [promoterId],
  campaign: ({ campaignId }: Belonging): Key => [campaignId],
};
export type BelongingIndex = keyof typeof BELONGING_INDEXES;

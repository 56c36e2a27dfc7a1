/** A link that a promoter made for a page or a channel of their choice. */
export interface OwnLink {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  name: string;
  /** The page that it leads to. null: the one that the usual link leads to. */
  url: string | null;
  /** Names the channel. Clicks and leads that come by the link carry it. null: none. */
  subId: string | null;
  createdAt: string;
}

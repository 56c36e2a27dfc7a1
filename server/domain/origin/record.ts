import { nameKey } from "./name-key.ts";

const ORIGIN_KINDS = ["source", "page"] as const;
export type OriginKind = (typeof ORIGIN_KINDS)[number];

/** How a visitor came, by the keys of names. The names themselves can be forgotten. */
export interface Origin {
  /** The site with the link, otherwise `utm_source`. */
  sourceKey: string;
  /** The page that the visitor reached, without its query. */
  pageKey: string;
  /** The channel that the promoter's link named, among those of its promoter campaign. Absent: none. */
  subKey?: string;
}

/** The source and the page of leads and sales without a visit. */
export const DIRECT = "direct";
export const UNKNOWN_PAGE = "unknown";
export const NO_VISIT: Origin = { sourceKey: nameKey(DIRECT), pageKey: nameKey(UNKNOWN_PAGE) };

/** A source or a page that reports show. */
export interface OriginName {
  accountId: number;
  kind: OriginKind;
  name: string;
}

/** A channel of a promoter campaign, as links name it (`sub_id`). */
export interface SubIdName {
  accountId: number;
  promoterCampaignId: number;
  name: string;
}

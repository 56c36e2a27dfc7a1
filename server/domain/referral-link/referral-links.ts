import type { Campaign } from "../campaign/record.ts";
import { linkTo, refLink } from "../promoter-campaign/promoter-campaign.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { View } from "../../storage/store.ts";
import { listOwnLinks, ownLinkUrl } from "./own-link.ts";

/** A link that a promoter shares. */
export interface ReferralLink {
  /** The id of the campaign's page, or of the promoter's own link. 0: the usual link, which has no record of its own. */
  id: number;
  name: string;
  url: string;
  isDefault: boolean;
  /** Who chose the page that it leads to, or made the link. */
  source: "campaign" | "promoter";
  /** Names the channel. null: none. */
  subId: string | null;
}

/**
 * The links of a promoter campaign: the usual one first, then those to the campaign's further pages, then those that
 * the promoter made.
 */
export async function listReferralLinks(
  view: View,
  promoterCampaign: PromoterCampaign,
  campaign: Campaign,
): Promise<ReferralLink[]> {
  const usual: ReferralLink = {
    id: 0,
    name: campaign.name,
    url: refLink(promoterCampaign, campaign),
    isDefault: true,
    source: promoterCampaign.landingUrl === null ? "campaign" : "promoter",
    subId: null,
  };
  const pages = campaign.links.map(({ id, name, url }): ReferralLink => ({
    id,
    name,
    url: linkTo(url, promoterCampaign, campaign),
    isDefault: false,
    source: "campaign",
    subId: null,
  }));
  const own = (await listOwnLinks(view, promoterCampaign)).map((link): ReferralLink => ({
    id: link.id,
    name: link.name,
    url: ownLinkUrl(link, promoterCampaign, campaign),
    isDefault: false,
    source: "promoter",
    subId: link.subId,
  }));
  return [usual, ...pages, ...own];
}

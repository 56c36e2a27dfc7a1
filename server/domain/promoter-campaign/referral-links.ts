import type { Campaign } from "../campaign/record.ts";
import { linkTo, refLink } from "./promoter-campaign.ts";
import type { PromoterCampaign } from "./record.ts";

/** A link that a promoter shares. */
export interface ReferralLink {
  /** The id of the campaign's page. 0: the usual link, which has no record of its own. */
  id: number;
  name: string;
  url: string;
  isDefault: boolean;
  /** Whose page it leads to. */
  source: "campaign" | "promoter";
}

/** The links of a promoter campaign: the usual one first, then those to the campaign's further pages. */
export function referralLinks(promoterCampaign: PromoterCampaign, campaign: Campaign): ReferralLink[] {
  const usual: ReferralLink = {
    id: 0,
    name: campaign.name,
    url: refLink(promoterCampaign, campaign),
    isDefault: true,
    source: promoterCampaign.landingUrl === null ? "campaign" : "promoter",
  };
  const others = campaign.links.map(({ id, name, url }): ReferralLink => ({
    id,
    name,
    url: linkTo(url, promoterCampaign, campaign),
    isDefault: false,
    source: "campaign",
  }));
  return [usual, ...others];
}

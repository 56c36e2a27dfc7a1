import { z } from "zod";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import {
  loadPromoterCampaign,
  withCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { listReferralLinks, type ReferralLink } from "../../domain/people/referral-link.ts";
import { v2FieldError } from "../../http/errors.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../embedded-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readPathId } from "../path-id.ts";
import { field } from "../../http/fields.ts";

/** A link that a promoter shares. */
export const referralLinkAnswer = z
  .object({
    id: field(z.int(), "Id of the campaign's page, or 0 for the usual link.", 0),
    name: field(z.string(), "Name of the page.", "Pricing"),
    url: field(z.string(), "The promoter's link to the page.", "https://www.example.com/pricing?via=jane"),
    is_default: field(z.boolean(), "Whether it is the promoter's usual link."),
    source: field(z.enum(["campaign", "promoter"]), "Whose page the link leads to."),
    sub_id: field(z.string().nullable(), "Always null.", null),
    campaign: field(embeddedCampaign, "The campaign, or null if it was deleted."),
  })
  .meta({ id: "ReferralLink" });

/** `GET /api/v2/company/promoter_campaigns/{id}/referral_links` */
export const listReferralLinksOperation: V2Operation = {
  id: "listReferralLinks",
  summary: "List the links of a promoter campaign",
  description: "Lists a promoter's links: the usual one, and those to the campaign's further pages.",
  answer: z.array(referralLinkAnswer),
  refusals: ["not_found"],
  shape: v2FieldError,
  handle: list,
};

async function list({ event, account, context: { store } }: V2Request) {
  const found = await loadPromoterCampaign(store, account.id, readPathId(event));
  const { promoterCampaign, campaign } = await withCampaign(store, found);
  const links = await listReferralLinks(store, promoterCampaign, campaign);
  return links.map((link) => referralLinkJson(link, campaign));
}

/** A link as V2 shows it. */
export function referralLinkJson(
  { id, name, url, isDefault, source, subId }: ReferralLink,
  campaign: Campaign,
): z.output<typeof referralLinkAnswer> {
  return {
    id,
    name,
    url,
    is_default: isDefault,
    source,
    sub_id: subId,
    campaign: embeddedCampaignJson(campaign),
  };
}

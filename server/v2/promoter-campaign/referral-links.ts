import { z } from "zod";
import { loadPromoterCampaign, withCampaign } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { referralLinks } from "../../domain/promoter-campaign/referral-links.ts";
import { v2FieldError } from "../../http/errors.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../embedded-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { readPathId } from "../path-id.ts";

/** `GET /api/v2/company/promoter_campaigns/{id}/referral_links` */
export const listReferralLinksOperation: V2Operation = {
  summary: "List the links of a promoter campaign",
  answer: z.array(
    z
      .object({
        id: z.int(),
        name: z.string(),
        url: z.string(),
        is_default: z.boolean(),
        source: z.enum(["campaign", "promoter"]),
        sub_id: z.string().nullable(),
        campaign: embeddedCampaign,
      })
      .meta({ id: "ReferralLink" }),
  ),
  refusals: ["not_found"],
  shape: v2FieldError,
  handle: list,
};

/** Choice: `sub_id` is null, because no link has a channel of its own. */
async function list({ event, account, context: { store } }: V2Request) {
  const found = await loadPromoterCampaign(store, account.id, readPathId(event));
  const { promoterCampaign, campaign } = await withCampaign(store, found);
  return referralLinks(promoterCampaign, campaign).map(({ id, name, url, isDefault, source }) => ({
    id,
    name,
    url,
    is_default: isDefault,
    source,
    sub_id: null,
    campaign: embeddedCampaignJson(campaign),
  }));
}

import { z } from "zod";
import { campaigns } from "../../domain/program/campaign/campaign.ts";
import {
  promoterCampaigns,
  type Belonging,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import type { Reader } from "../../storage/store.ts";
import { embeddedPromoterCampaign, embeddedPromoterCampaignJson, type OwnerParts } from "../embedded-json.ts";

/** The promoter's own campaign of a lead or a commission, or null if it was deleted. */
export const ownCampaignAnswer = embeddedPromoterCampaign
  .pick({ id: true, campaign_id: true, created_at: true, campaign: true })
  .meta({ id: "PortalPromoterCampaignOf" });

/** Loads and shows the promoter's campaign that a record belongs to. */
export async function showOwnCampaign(
  reader: Reader,
  owned: Belonging,
): Promise<z.output<typeof ownCampaignAnswer>> {
  return ownCampaignJson(owned, {
    promoterCampaign: await reader.get(promoterCampaigns, owned.account_id, owned.promoter_campaign_id),
    campaign: await reader.get(campaigns, owned.account_id, owned.campaign_id),
  });
}

/** The promoter's campaign that a record belongs to. */
export function ownCampaignJson(
  owned: Belonging,
  { promoterCampaign, campaign }: Omit<OwnerParts, "promoter">,
): z.output<typeof ownCampaignAnswer> {
  const shown = embeddedPromoterCampaignJson(owned, { promoterCampaign, campaign, promoter: null });
  return {
    id: shown.id,
    campaign_id: shown.campaign_id,
    created_at: shown.created_at,
    campaign: shown.campaign,
  };
}

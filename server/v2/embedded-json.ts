import { z } from "zod";
import { promoterName, type Promoter } from "../domain/promoter/promoter.ts";
import type { Campaign } from "../domain/campaign/campaign.ts";
import type { PromoterCampaign } from "../domain/promoter-campaign/promoter-campaign.ts";

/** A promoter within other records. */
export const embeddedPromoter = z
  .object({ id: z.int(), email: z.string(), name: z.string() })
  .meta({ id: "PromoterSummary" });

/** A campaign within other records. */
export const embeddedCampaign = z
  .object({ id: z.int(), name: z.string(), color: z.string() })
  .meta({ id: "CampaignSummary" });

/** A promoter campaign within a referral or a commission. null: deleted. */
export const embeddedPromoterCampaign = z.object({
  id: z.int(),
  campaign_id: z.int(),
  promoter_id: z.int(),
  created_at: z.iso.datetime().nullable(),
  promoter: embeddedPromoter.nullable(),
  campaign: embeddedCampaign.nullable(),
});

/** The records that a referral or a commission belongs to. null: deleted. */
export interface OwnerParts {
  promoterCampaign: PromoterCampaign | null;
  promoter: Promoter | null;
  campaign: Campaign | null;
}

/** The promoter campaign of a record, which names its owners by id. */
export function embeddedPromoterCampaignJson(
  owned: { promoterCampaignId: number; campaignId: number; promoterId: number },
  { promoterCampaign, promoter, campaign }: OwnerParts,
): z.output<typeof embeddedPromoterCampaign> {
  return {
    id: owned.promoterCampaignId,
    campaign_id: owned.campaignId,
    promoter_id: owned.promoterId,
    created_at: promoterCampaign?.createdAt ?? null,
    promoter: promoter && embeddedPromoterJson(promoter),
    campaign: campaign && embeddedCampaignJson(campaign),
  };
}

/** A promoter as other records show them. */
export function embeddedPromoterJson(promoter: Promoter): z.output<typeof embeddedPromoter> {
  return { id: promoter.id, email: promoter.email, name: promoterName(promoter) };
}

/** A campaign as other records show it. */
export function embeddedCampaignJson({ id, name, color }: Campaign): z.output<typeof embeddedCampaign> {
  return { id, name, color };
}

import { z } from "zod";
import { promoterName, type Promoter } from "../domain/people/promoter/promoter.ts";
import type { Lead } from "../domain/people/lead/lead.ts";
import type { Campaign } from "../domain/program/campaign/campaign.ts";
import type { PromoterCampaign } from "../domain/people/promoter-campaign/promoter-campaign.ts";
import { createdSecond, field, recordId, second, wholeSecond } from "../http/fields.ts";
import { uid } from "../input/fields.ts";

/** A promoter within other records. */
export const embeddedPromoter = z
  .object({
    id: recordId,
    email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
    name: field(z.string(), "The record's display name.", "Jane Doe"),
  })
  .meta({ id: "PromoterSummary" });

/** A campaign within other records. */
export const embeddedCampaign = z
  .object({
    id: recordId,
    name: field(z.string(), "Name of the campaign.", "Partners"),
    color: field(z.string(), "Colour of the campaign in the dashboard.", "#2563eb"),
  })
  .meta({ id: "CampaignSummary" });

/** A lead within other records. */
export const embeddedLead = z.object({
  id: recordId,
  email: field(z.string().nullable(), "The person's e-mail address.", "jane@example.com"),
  uid,
});

/** A promoter campaign within a referral or a commission, or null if it was deleted. */
export const embeddedPromoterCampaign = z.object({
  id: recordId,
  campaign_id: field(z.int(), "Id of the campaign.", 1),
  promoter_id: field(z.int(), "Id of the promoter.", 17),
  created_at: field(second.nullable(), createdSecond),
  promoter: field(embeddedPromoter.nullable(), "The promoter, or null if they were deleted."),
  campaign: field(embeddedCampaign.nullable(), "The campaign, or null if it was deleted."),
});

/** The records that a referral or a commission belongs to, each null if it was deleted. */
export interface OwnerParts {
  promoterCampaign: PromoterCampaign | null;
  promoter: Promoter | null;
  campaign: Campaign | null;
}

/** The promoter campaign of a record, with promoter and campaign. */
export function embeddedPromoterCampaignJson(
  owned: { promoter_campaign_id: number; campaign_id: number; promoter_id: number },
  { promoterCampaign, promoter, campaign }: OwnerParts,
): z.output<typeof embeddedPromoterCampaign> {
  return {
    id: owned.promoter_campaign_id,
    campaign_id: owned.campaign_id,
    promoter_id: owned.promoter_id,
    created_at: wholeSecond(promoterCampaign?.created_at ?? null),
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

/** A lead as other records show it. */
export function embeddedLeadJson({ id, email, uid }: Lead): z.output<typeof embeddedLead> {
  return { id, email, uid };
}

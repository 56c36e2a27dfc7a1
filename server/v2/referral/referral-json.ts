import { z } from "zod";
import { ENTRY_SOURCES, FRAUD_SUSPICIONS, LEAD_STATES, type Lead } from "../../domain/lead/record.ts";
import type { Campaign } from "../../domain/campaign/record.ts";
import type { Promoter } from "../../domain/promoter/record.ts";
import type { PromoterCampaign } from "../../domain/promoter-campaign/record.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";

/** A lead as V2 shows it. @see docs/spec/v2.md "Referrals" */
export const referralAnswer = z
  .object({
    id: z.int(),
    email: z.string().nullable(),
    uid: z.string().nullable(),
    state: z.enum(LEAD_STATES),
    metadata: z.record(z.string(), z.unknown()),
    entry_source: z.enum(ENTRY_SOURCES),
    created_at: z.iso.datetime(),
    customer_since: z.iso.datetime().nullable(),
    promoter_campaign: z.object({
      id: z.int(),
      campaign_id: z.int(),
      promoter_id: z.int(),
      created_at: z.iso.datetime().nullable(),
      promoter: embeddedPromoter.nullable(),
      campaign: embeddedCampaign.nullable(),
    }),
    fraud_check: z.enum(["no_suspicion", ...FRAUD_SUSPICIONS]),
    created_by_user_email: z.string().nullable(),
    username: z.string().nullable(),
    split_details: z.null(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    website: z.string().nullable(),
    comment: z.string().nullable(),
    is_expired: z.boolean(),
  })
  .meta({ id: "Referral" });

/** A lead with the records that it belongs to. null: deleted. */
export interface ReferralParts {
  lead: Lead;
  promoterCampaign: PromoterCampaign | null;
  promoter: Promoter | null;
  campaign: Campaign | null;
}

/** The V2 referral. */
export function referralJson(parts: ReferralParts): z.output<typeof referralAnswer> {
  const { lead, promoterCampaign, promoter, campaign } = parts;
  return {
    id: lead.id,
    email: lead.email,
    uid: lead.uid,
    state: lead.state,
    metadata: lead.customFields ?? {},
    entry_source: lead.entrySource,
    created_at: lead.createdAt,
    customer_since: lead.customerSince,
    promoter_campaign: {
      id: lead.promoterCampaignId,
      campaign_id: lead.campaignId,
      promoter_id: lead.promoterId,
      created_at: promoterCampaign?.createdAt ?? null,
      promoter: promoter && embeddedPromoterJson(promoter),
      campaign: campaign && embeddedCampaignJson(campaign),
    },
    fraud_check: lead.suspicion,
    created_by_user_email: null,
    username: lead.username,
    split_details: null,
    first_name: lead.firstName,
    last_name: lead.lastName,
    website: lead.website,
    comment: null,
    is_expired: false,
  };
}

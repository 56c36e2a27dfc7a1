import { z } from "zod";
import { campaigns } from "../../domain/campaign/campaign.ts";
import { ENTRY_SOURCES, FRAUD_SUSPICIONS, LEAD_STATES, type Lead } from "../../domain/lead/lead.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../../domain/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/promoter/promoter.ts";
import type { Reader } from "../../storage/store.ts";
import { embeddedPromoterCampaign, embeddedPromoterCampaignJson, type OwnerParts } from "../embedded-json.ts";

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
    promoter_campaign: embeddedPromoterCampaign,
    fraud_check: z.enum(["no_suspicion", ...FRAUD_SUSPICIONS]),
    created_by_user_email: z.string().nullable(),
    username: z.string().nullable(),
    split_details: z
      .array(
        z.object({
          promoter_campaign_id: z.int(),
          promoter_id: z.int().nullable(),
          percentage: z.number(),
        }),
      )
      .nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    website: z.string().nullable(),
    comment: z.string().nullable(),
    is_expired: z.boolean(),
    custom_status: z.string().nullable(),
  })
  .meta({ id: "Referral" });

/** A lead with the records that it shows. */
interface ReferralParts extends OwnerParts {
  lead: Lead;
  /** The promoter campaigns of its splits. null: deleted. */
  splitOwners: (PromoterCampaign | null)[];
}

/** Shows a lead with the records that it belongs to. */
export async function showReferral(reader: Reader, lead: Lead): Promise<z.output<typeof referralAnswer>> {
  const { accountId, splits } = lead;
  return referralJson({
    lead,
    promoterCampaign: await reader.get(promoterCampaigns, accountId, lead.promoterCampaignId),
    promoter: await reader.get(promoters, accountId, lead.promoterId),
    campaign: await reader.get(campaigns, accountId, lead.campaignId),
    splitOwners: await Promise.all(
      (splits ?? []).map((split) => reader.get(promoterCampaigns, accountId, split.promoterCampaignId)),
    ),
  });
}

/** Choice: `created_by_user_email` is null if an API key added the lead, because keys name nobody. */
function referralJson(parts: ReferralParts): z.output<typeof referralAnswer> {
  const { lead } = parts;
  return {
    id: lead.id,
    email: lead.email,
    uid: lead.uid,
    state: lead.state,
    metadata: lead.customFields ?? {},
    entry_source: lead.entrySource,
    created_at: lead.createdAt,
    customer_since: lead.customerSince,
    promoter_campaign: embeddedPromoterCampaignJson(lead, parts),
    fraud_check: lead.suspicion,
    created_by_user_email: lead.createdByUser?.email ?? null,
    username: lead.username,
    split_details: splitsJson(parts),
    first_name: lead.firstName,
    last_name: lead.lastName,
    website: lead.website,
    comment: lead.comment ?? null,
    is_expired: false,
    custom_status: null, // there are no statuses of a company's own
  };
}

function splitsJson({ lead: { splits }, splitOwners }: ReferralParts) {
  if (splits === null) return null;
  return splits.map(({ promoterCampaignId, percentTenThousandths }, at) => ({
    promoter_campaign_id: promoterCampaignId,
    promoter_id: splitOwners[at]?.promoterId ?? null,
    percentage: percentTenThousandths / 10_000,
  }));
}

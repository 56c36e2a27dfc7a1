import { z } from "zod";
import { ENTRY_SOURCES, FRAUD_SUSPICIONS, LEAD_STATES, type Lead } from "../../domain/lead/record.ts";
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
    split_details: z.null(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    website: z.string().nullable(),
    comment: z.string().nullable(),
    is_expired: z.boolean(),
  })
  .meta({ id: "Referral" });

/** A lead with the records that it belongs to. */
export interface ReferralParts extends OwnerParts {
  lead: Lead;
}

/** The V2 referral. */
export function referralJson(parts: ReferralParts): z.output<typeof referralAnswer> {
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

import { z } from "zod";
import { ENTRY_SOURCES, isProposed, LEAD_STATES, type Lead } from "../../../domain/lead/lead.ts";
import type { View } from "../../../storage/store.ts";
import { maskedEmail, maskedUid } from "../masked-email.ts";
import { ownCampaignAnswer, showOwnCampaign } from "../own-campaign.ts";

/** A lead as its promoter sees it. */
export const portalReferralAnswer = z
  .object({
    id: z.int(),
    uid: z.string().nullable(),
    email: z.string().nullable(),
    state: z.enum(LEAD_STATES),
    metadata: z.record(z.string(), z.unknown()),
    entry_source: z.enum(ENTRY_SOURCES),
    created_at: z.iso.datetime(),
    customer_since: z.iso.datetime().nullable(),
    sub_id: z.string().nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    website: z.string().nullable(),
    comment: z.string().nullable(),
    is_removable: z.boolean(),
    promoter_campaign: ownCampaignAnswer,
  })
  .meta({ id: "PortalReferral" });

/**
 * Promoters learn enough to recognise a lead, and nothing that they could write to. What they said about a person whom
 * they added is shown until the company approves the lead, because the person may then have given other names. What the
 * company keeps in `metadata` is not theirs to read.
 */
export async function showOwnReferral(
  view: View,
  lead: Lead,
): Promise<z.output<typeof portalReferralAnswer>> {
  const said = lead.isProposal ? lead : null;
  return {
    id: lead.id,
    uid: maskedUid(lead.uid),
    email: maskedEmail(lead.email),
    state: lead.state,
    metadata: {},
    entry_source: lead.entrySource,
    created_at: lead.createdAt,
    customer_since: lead.customerSince,
    sub_id: lead.subId,
    first_name: said?.firstName ?? null,
    last_name: said?.lastName ?? null,
    website: said?.website ?? null,
    comment: said?.comment ?? null,
    is_removable: isProposed(lead),
    promoter_campaign: await showOwnCampaign(view, lead),
  };
}

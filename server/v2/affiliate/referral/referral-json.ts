import { z } from "zod";
import { ENTRY_SOURCES, isProposed, LEAD_STATES, type Lead } from "../../../domain/people/lead/lead.ts";
import type { View } from "../../../storage/store.ts";
import { maskedEmail, maskedUid } from "../masked-email.ts";
import { ownCampaignAnswer, showOwnCampaign } from "../own-campaign.ts";
import { createdAt, field, recordId } from "../../../http/fields.ts";
import { subId } from "../../../input/fields.ts";

/** A lead as its promoter sees it. */
export const portalReferralAnswer = z
  .object({
    id: recordId,
    uid: field(
      z.string().nullable(),
      "The company's id of the person. An e-mail address is masked.",
      "user-17",
    ),
    email: field(
      z.string().nullable(),
      "The masked e-mail address, or null if none is known.",
      "s***@example.net",
    ),
    state: field(z.enum(LEAD_STATES), "State of the record."),
    metadata: field(z.record(z.string(), z.unknown()), "Empty, because it is the company's.", {}),
    entry_source: field(
      z.enum(ENTRY_SOURCES),
      "How the lead got its promoter. `cookie`: by a visit. `api`: by a request. `coupon`: by a promo code. `manual_admin`, `manual_affiliate`: by hand.",
    ),
    created_at: createdAt,
    customer_since: field(
      z.iso.datetime().nullable(),
      "When the lead became a customer, or null if they have not.",
      "2026-03-01T09:30:00.000Z",
    ),
    sub_id: subId,
    first_name: field(
      z.string().nullable(),
      "What the promoter entered, until the company approves the lead. Null after that.",
      "Sam",
    ),
    last_name: field(
      z.string().nullable(),
      "What the promoter entered, until the company approves the lead. Null after that.",
      null,
    ),
    website: field(
      z.string().nullable(),
      "What the promoter entered, until the company approves the lead. Null after that.",
      null,
    ),
    comment: field(
      z.string().nullable(),
      "What the promoter who added the lead says about it, or null.",
      "Met at the fair in March.",
    ),
    is_removable: field(z.boolean(), "Whether the promoter added the lead, and it still waits for approval."),
    promoter_campaign: field(ownCampaignAnswer, "The promoter campaign that the lead belongs to."),
  })
  .meta({ id: "PortalReferral" });

/**
 * Promoters see enough to recognise a lead, but no address to write to. They see what they entered about a lead until
 * the company approves it, because the person may have given other names by then. `metadata` is the company's own.
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

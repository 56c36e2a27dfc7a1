import { z } from "zod";
import { ENTRY_SOURCES, isProposed, LEAD_STATES, type Lead } from "../../../domain/people/lead/lead.ts";
import type { View } from "../../../storage/store.ts";
import { maskedEmail, maskedUid } from "../masked-email.ts";
import { ownCampaignAnswer, showOwnCampaign } from "../own-campaign.ts";
import { createdAt, field, recordId } from "../../../http/fields.ts";
import { subId } from "../../../input/common-fields.ts";

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
      "The masked e-mail address. null: none is known.",
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
      "When the lead became a customer. null: not yet.",
      "2026-03-01T09:30:00.000Z",
    ),
    sub_id: subId,
    first_name: field(
      z.string().nullable(),
      "As the promoter said, until the company approves. null otherwise.",
      "Sam",
    ),
    last_name: field(
      z.string().nullable(),
      "As the promoter said, until the company approves. null otherwise.",
      null,
    ),
    website: field(
      z.string().nullable(),
      "As the promoter said, until the company approves. null otherwise.",
      null,
    ),
    comment: field(
      z.string().nullable(),
      "What the promoter who added the lead says about it. null: nothing.",
      "Met at the fair in March.",
    ),
    is_removable: field(z.boolean(), "Whether the promoter added the lead, and it still waits for approval."),
    promoter_campaign: field(ownCampaignAnswer, "The promoter campaign that the lead belongs to."),
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

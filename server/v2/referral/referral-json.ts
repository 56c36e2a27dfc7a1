import { z } from "zod";
import { campaigns } from "../../domain/program/campaign/campaign.ts";
import { customStatuses, type CustomStatus } from "../../domain/people/lead/custom-status.ts";
import { ENTRY_SOURCES, FRAUD_SUSPICIONS, LEAD_STATES, type Lead } from "../../domain/people/lead/lead.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import type { Reader } from "../../storage/store.ts";
import { embeddedPromoterCampaign, embeddedPromoterCampaignJson, type OwnerParts } from "../embedded-json.ts";
import { createdSecond, field, recordId, second, wholeSecond } from "../../http/fields.ts";
import { ownData, uid } from "../../input/fields.ts";

/** A lead as V2 shows it. @see docs/spec/v2.md "Referrals" */
export const referralAnswer = z
  .object({
    id: recordId,
    email: field(z.string().nullable(), "The lead's e-mail address.", "sam@example.net"),
    uid,
    state: field(z.enum(LEAD_STATES), "State of the record."),
    metadata: ownData,
    entry_source: field(
      z.enum(ENTRY_SOURCES),
      "How the lead got its promoter. `cookie`: by a visit. `api`: by a request. `coupon`: by a promo code. `manual_admin`, `manual_affiliate`: by hand.",
    ),
    created_at: createdSecond,
    customer_since: field(
      second.nullable(),
      "When the lead became a customer, or null if they have not.",
      "2026-03-01T09:30:00.000Z",
    ),
    promoter_campaign: field(embeddedPromoterCampaign, "The promoter campaign that the lead belongs to."),
    fraud_check: field(z.enum(["no_suspicion", ...FRAUD_SUSPICIONS]), "Why the lead is suspected of fraud."),
    created_by_user_email: field(
      z.string().nullable(),
      "E-mail address of the user who added the lead in the dashboard, or null if no user did.",
      "manager@acme.example",
    ),
    username: field(z.string().nullable(), "The lead's user name.", "sam"),
    split_details: field(
      z
        .array(
          z.object({
            promoter_campaign_id: field(z.int(), "Id of the promoter campaign.", 31),
            promoter_id: field(z.int().nullable(), "Id of the promoter.", 17),
            percentage: field(z.number(), "The part of each commission, in percent.", 25),
          }),
        )
        .nullable(),
      "The parts of the lead's commissions that go to others, or null if the promoter gets everything.",
    ),
    first_name: field(z.string().nullable(), "First name.", "Jane"),
    last_name: field(z.string().nullable(), "Last name.", "Doe"),
    website: field(z.string().nullable(), "Address of their web site.", "https://blog.example.com"),
    comment: field(
      z.string().nullable(),
      "What the promoter who added the lead says about it, or null.",
      "Met at the fair in March.",
    ),
    is_expired: field(z.boolean(), "Whether the lead no longer earns commissions."),
    custom_status: field(
      z.string().nullable(),
      "Name of the status that the company has given it, or null if it has none.",
      "Offer sent",
    ),
  })
  .meta({ id: "Referral" });

/** A lead with its related records. */
interface ReferralParts extends OwnerParts {
  lead: Lead;
  /** The promoter campaigns of its splits, null where deleted. */
  splitOwners: (PromoterCampaign | null)[];
  customStatus: CustomStatus | null;
}

/** Loads a lead's related records and shows it. */
export async function showReferral(reader: Reader, lead: Lead): Promise<z.output<typeof referralAnswer>> {
  const { account_id, splits, custom_status_id } = lead;
  return referralJson({
    lead,
    promoterCampaign: await reader.get(promoterCampaigns, account_id, lead.promoter_campaign_id),
    promoter: await reader.get(promoters, account_id, lead.promoter_id),
    campaign: await reader.get(campaigns, account_id, lead.campaign_id),
    splitOwners: await Promise.all(
      (splits ?? []).map((split) => reader.get(promoterCampaigns, account_id, split.promoter_campaign_id)),
    ),
    customStatus:
      custom_status_id === null ? null : await reader.get(customStatuses, account_id, custom_status_id),
  });
}

/** `created_by_user_email` is null if an API key added the lead, because keys belong to no user. */
function referralJson(parts: ReferralParts): z.output<typeof referralAnswer> {
  const { lead } = parts;
  return {
    id: lead.id,
    email: lead.email,
    uid: lead.uid,
    state: lead.state,
    metadata: lead.custom_fields ?? {},
    entry_source: lead.entry_source,
    created_at: wholeSecond(lead.created_at),
    customer_since: wholeSecond(lead.customer_since),
    promoter_campaign: embeddedPromoterCampaignJson(lead, parts),
    fraud_check: lead.suspicion,
    created_by_user_email: lead.created_by_user?.email ?? null,
    username: lead.username,
    split_details: splitsJson(parts),
    first_name: lead.first_name,
    last_name: lead.last_name,
    website: lead.website,
    comment: lead.comment,
    is_expired: false,
    custom_status: parts.customStatus?.name ?? null,
  };
}

function splitsJson({ lead: { splits }, splitOwners }: ReferralParts) {
  if (splits === null) return null;
  return splits.map(({ promoter_campaign_id, percent_ten_thousandths }, at) => ({
    promoter_campaign_id,
    promoter_id: splitOwners[at]?.promoter_id ?? null,
    percentage: percent_ten_thousandths / 10_000,
  }));
}

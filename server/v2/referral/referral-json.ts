import { z } from "zod";
import { campaigns } from "../../domain/program/campaign/campaign.ts";
import { customStatuses } from "../../domain/people/lead/custom-status.ts";
import {
  ENTRY_SOURCES,
  FRAUD_SUSPICIONS,
  LEAD_STATES,
  leads,
  type Lead,
} from "../../domain/people/lead/lead.ts";
import { promoterCampaigns } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import { createdSecond, field, recordId, second } from "../../http/fields.ts";
import { ownData, uid } from "../../input/fields.ts";
import { shown } from "../../resource/answer.ts";
import { belongingTo, findMany } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import { embeddedPromoterCampaign, embeddedPromoterCampaignJson } from "../embedded-json.ts";

const belongings = belongingTo(leads, {
  promoterCampaign: [promoterCampaigns, "promoter_campaign_id"],
  promoter: [promoters, "promoter_id"],
  campaign: [campaigns, "campaign_id"],
  customStatus: [customStatuses, "custom_status_id"],
});

/** What leads belong to, and the promoter campaigns of their splits, by their ids. */
async function referralParts(view: View, records: Lead[]) {
  const sharers = records.flatMap(({ splits }) => (splits ?? []).map((split) => split.promoter_campaign_id));
  const [parts, splitOwners] = await Promise.all([
    belongings(view, records),
    findMany(view, promoterCampaigns, records[0]?.account_id ?? 0, sharers),
  ]);
  return parts.map((each) => ({ ...each, splitOwners }));
}
type ReferralParts = Awaited<ReturnType<typeof referralParts>>[number];

/** A lead as V2 shows it. @see docs/spec/v2.md "Referrals" */
export const referralAnswer = shown(leads, referralParts)("Referral", {
  id: recordId,
  email: field(z.string().nullable(), "The lead's e-mail address.", "sam@example.net"),
  uid,
  state: field(z.enum(LEAD_STATES), "State of the record."),
  metadata: [ownData, ({ custom_fields }) => custom_fields ?? {}],
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
  promoter_campaign: [
    field(embeddedPromoterCampaign, "The promoter campaign that the lead belongs to."),
    embeddedPromoterCampaignJson,
  ],
  fraud_check: field(z.enum(["no_suspicion", ...FRAUD_SUSPICIONS]), "Why the lead is suspected of fraud."),
  created_by_user_email: [
    field(
      z.string().nullable(),
      "E-mail address of the user who added the lead in the dashboard, or null if no user did.",
      "manager@acme.example",
    ),
    ({ created_by_user }) => created_by_user?.email ?? null,
  ],
  username: field(z.string().nullable(), "The lead's user name.", "sam"),
  split_details: [
    field(
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
    splitsJson,
  ],
  first_name: field(z.string().nullable(), "First name.", "Jane"),
  last_name: field(z.string().nullable(), "Last name.", "Doe"),
  website: field(z.string().nullable(), "Address of their web site.", "https://blog.example.com"),
  comment: field(
    z.string().nullable(),
    "What the promoter who added the lead says about it, or null.",
    "Met at the fair in March.",
  ),
  is_expired: [field(z.boolean(), "Whether the lead no longer earns commissions."), () => false],
  custom_status: [
    field(
      z.string().nullable(),
      "Name of the status that the company has given it, or null if it has none.",
      "Offer sent",
    ),
    (_, { customStatus }) => customStatus?.name ?? null,
  ],
});

function splitsJson({ splits }: Lead, { splitOwners }: ReferralParts) {
  if (splits === null) return null;
  return splits.map(({ promoter_campaign_id, percent_ten_thousandths }) => ({
    promoter_campaign_id,
    promoter_id: splitOwners.get(promoter_campaign_id)?.promoter_id ?? null,
    percentage: percent_ten_thousandths / 10_000,
  }));
}

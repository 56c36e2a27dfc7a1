import { z } from "zod";
import type { Lead, LeadState } from "../../domain/people/lead/lead.ts";
import type { View } from "../../storage/store.ts";
import { promoterSubsetAnswer } from "../promoter/promoter-json.ts";
import { newEmbedded, type Embedded } from "../promoter/promoter-parts.ts";
import { promotionAnswer } from "../promoter/promotion-json.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { customFields, subId, uid } from "../../input/common-fields.ts";

/** The states of V1. */
export const V1_LEAD_STATES = ["signup", "active", "subscribed", "cancelled", "denied"] as const;

/** @see docs/spec/v1.md "Sign-up result" */
export const leadAnswer = z
  .object({
    id: recordId,
    state: field(z.enum(V1_LEAD_STATES), "State of the record."),
    email: field(z.string().nullable(), "The lead's e-mail address.", "sam@example.net"),
    uid: uid,
    customer_since: field(
      z.iso.datetime().nullable(),
      "When the lead became a customer, or null if they have not.",
      "2026-03-01T09:30:00.000Z",
    ),
    cancelled_at: field(z.iso.datetime().nullable(), "When the lead cancelled, or null if they did not."),
    plan_name: field(z.string().nullable(), "The plan that the lead pays for.", "pro"),
    suspicion: field(z.string(), "Why the lead is suspected of fraud.", "no_suspicion"),
    username: field(z.string().nullable(), "The lead's user name.", "sam"),
    website: field(z.string().nullable(), "Address of their web site.", "https://blog.example.com"),
    created_at: createdAt,
    split_promotion_id: field(
      z.int().nullable(),
      "The first promotion that gets a part of the commissions, or null if none does.",
      null,
    ),
    custom_fields: field(z.record(z.string(), z.unknown()).nullable(), customFields),
    split_percentage_value: field(
      z.number().nullable(),
      "That part, in percent, or null if there is none.",
      null,
    ),
    visitor_sub_id: subId,
  })
  .meta({ id: "V1LeadSummary" });

/** A lead as V1 shows it, with only the first of several splits. */
export function leadJson(lead: Lead): z.output<typeof leadAnswer> {
  const split = lead.splits?.[0];
  return {
    id: lead.id,
    state: v1LeadState(lead.state),
    email: lead.email,
    uid: lead.uid,
    customer_since: lead.customerSince,
    cancelled_at: lead.cancelledAt,
    plan_name: lead.planName,
    suspicion: lead.suspicion,
    username: lead.username,
    website: lead.website,
    created_at: lead.createdAt,
    split_promotion_id: split?.promoterCampaignId ?? null,
    custom_fields: lead.customFields,
    split_percentage_value: split ? split.percentTenThousandths / 10_000 : null,
    visitor_sub_id: lead.subId,
  };
}

/** A lead with its promoter and promotion. @see docs/spec/v1.md "Leads" */
export const leadRecordAnswer = leadAnswer
  .extend({
    promotion: field(
      promotionAnswer.nullable(),
      "The promotion that the record belongs to, or null if it was deleted.",
    ),
    promoter: field(promoterSubsetAnswer.nullable(), "The promoter, or null if they were deleted."),
  })
  .meta({ id: "V1Lead" });

/** Shows a lead with its promoter and promotion. */
export function showLead(view: View, lead: Lead): Promise<z.output<typeof leadRecordAnswer>> {
  return leadRecordJson(lead, newEmbedded(view, lead.accountId));
}

/** A lead with its promoter and promotion, in the form of the lead operations. */
export async function leadRecordJson(
  lead: Lead,
  embedded: Embedded,
): Promise<z.output<typeof leadRecordAnswer>> {
  return {
    ...leadJson(lead),
    promotion: await embedded.promotion(lead.promoterCampaignId),
    promoter: await embedded.promoter(lead.promoterId),
  };
}

type V1LeadState = (typeof V1_LEAD_STATES)[number];

/** V1 has no refunded or pending leads, so it shows a state with the same effect. */
function v1LeadState(state: LeadState): V1LeadState {
  if (state === "refunded") return "cancelled";
  return state === "pending" ? "signup" : state;
}

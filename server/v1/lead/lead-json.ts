import { z } from "zod";
import type { Lead, LeadState } from "../../domain/lead/lead.ts";
import type { View } from "../../storage/store.ts";
import { promoterSubsetAnswer } from "../promoter/promoter-json.ts";
import { newEmbedded, type Embedded } from "../promoter/promoter-parts.ts";
import { promotionAnswer } from "../promoter/promotion-json.ts";

/** The states of V1. */
export const V1_LEAD_STATES = ["signup", "active", "subscribed", "cancelled", "denied"] as const;

/** @see docs/spec/v1.md "Sign-up result" */
export const leadAnswer = z
  .object({
    id: z.int(),
    state: z.enum(V1_LEAD_STATES),
    email: z.string().nullable(),
    uid: z.string().nullable(),
    customer_since: z.iso.datetime().nullable(),
    cancelled_at: z.iso.datetime().nullable(),
    plan_name: z.string().nullable(),
    suspicion: z.string(),
    username: z.string().nullable(),
    website: z.string().nullable(),
    created_at: z.iso.datetime(),
    split_promotion_id: z.int().nullable(),
    custom_fields: z.record(z.string(), z.unknown()).nullable(),
    split_percentage_value: z.number().nullable(),
    visitor_sub_id: z.string().nullable(),
  })
  .meta({ id: "V1LeadSummary" });

/** A lead as V1 shows it. Choice: of several splits, V1 shows the first. */
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
    promotion: promotionAnswer.nullable(),
    promoter: promoterSubsetAnswer.nullable(),
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

/** Choice: V1 has no refunded or pending leads. It shows the states that treat them alike. */
function v1LeadState(state: LeadState): V1LeadState {
  if (state === "refunded") return "cancelled";
  return state === "pending" ? "signup" : state;
}

import type { Lead } from "../records.ts";

/** A lead as V1 shows it. @see spec "V1 signup tracking result" */
export function leadJson(lead: Lead) {
  return {
    id: lead.id,
    state: lead.state,
    email: lead.email,
    uid: lead.uid,
    customer_since: lead.customerSince,
    cancelled_at: lead.cancelledAt,
    plan_name: lead.planName,
    suspicion: lead.suspicion,
    username: lead.username,
    website: lead.website,
    created_at: lead.createdAt,
    split_promotion_id: null,
    custom_fields: lead.customFields,
    split_percentage_value: null,
    visitor_sub_id: lead.subId,
  };
}

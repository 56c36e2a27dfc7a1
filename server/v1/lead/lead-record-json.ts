import { z } from "zod";
import type { Lead } from "../../domain/lead/record.ts";
import type { View } from "../../storage/store.ts";
import { newEmbedded, type Embedded } from "../embedded.ts";
import { leadAnswer, leadJson } from "./lead-json.ts";
import { promoterSubsetAnswer } from "../promoter/promoter-json.ts";
import { promotionAnswer } from "../promoter/promotion-json.ts";
import { field } from "../../http/fields.ts";

/** A lead with its promoter and promotion. @see docs/spec/v1.md "Leads" */
export const leadRecordAnswer = leadAnswer
  .extend({
    promotion: field(
      promotionAnswer.nullable(),
      "The promotion that the record belongs to. null: it was deleted.",
    ),
    promoter: field(promoterSubsetAnswer.nullable(), "The promoter. null: they were deleted."),
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

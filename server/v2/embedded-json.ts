import { z } from "zod";
import { promoterName } from "../domain/promoter/promoter.ts";
import type { Campaign } from "../domain/campaign/record.ts";
import type { Promoter } from "../domain/promoter/record.ts";

/** A promoter within other records. */
export const embeddedPromoter = z
  .object({ id: z.int(), email: z.string(), name: z.string() })
  .meta({ id: "PromoterSummary" });

/** A campaign within other records. */
export const embeddedCampaign = z
  .object({ id: z.int(), name: z.string(), color: z.string() })
  .meta({ id: "CampaignSummary" });

/** A promoter as other records show them. */
export function embeddedPromoterJson(promoter: Promoter): z.output<typeof embeddedPromoter> {
  return { id: promoter.id, email: promoter.email, name: promoterName(promoter) };
}

/** A campaign as other records show it. */
export function embeddedCampaignJson({ id, name, color }: Campaign): z.output<typeof embeddedCampaign> {
  return { id, name, color };
}

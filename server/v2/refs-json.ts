import { z } from "zod";
import type { Campaign, Promoter } from "../records.ts";

/** A promoter within other records. */
export const promoterRefAnswer = z.object({ id: z.int(), email: z.string(), name: z.string() });

/** A campaign within other records. */
export const campaignRefAnswer = z.object({ id: z.int(), name: z.string(), color: z.string() });

/** A promoter as other records show them. */
export function promoterRefJson(promoter: Promoter): z.output<typeof promoterRefAnswer> {
  return { id: promoter.id, email: promoter.email, name: promoterName(promoter) };
}

/** A campaign as other records show it. */
export function campaignRefJson(campaign: Campaign): z.output<typeof campaignRefAnswer> {
  return { id: campaign.id, name: campaign.name, color: campaign.color };
}

/** First and last name; empty where neither is known. */
export function promoterName({ profile }: Promoter): string {
  return [profile.firstName, profile.lastName].filter(Boolean).join(" ");
}

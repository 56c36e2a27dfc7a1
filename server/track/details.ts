import { z } from "zod";
import { loadCampaign } from "../domain/campaign/campaign.ts";
import { findVisitorDetails } from "../domain/visitor/visitor.ts";
import { text } from "../input/fields.ts";
import type { PublicOperation, PublicRequest } from "./public-route.ts";
import { refIds } from "./ref-ids.ts";

/**
 * `GET /t/details`: what a page may show visitors about the promoter who sent them. If the tid is not known
 * (yet), the ref id decides.
 */
export const trackDetails: PublicOperation = {
  summary: "Show a visitor who sent them",
  params: z.object({ cid: text, tid: text, ref_id: text.optional() }),
  answer: z.object({
    details: z
      .object({
        ref_id: z.string(),
        campaign_id: z.int(),
        campaign: z.object({ id: z.int(), name: z.string() }),
        promo_code: z.string().nullable(),
        customer_promo_code: z.string().nullable(),
        offer: z.null(),
        promoter: z.object({
          id: z.int(),
          first_name: z.string().nullable(),
          last_name: z.string().nullable(),
        }),
      })
      .nullable(),
  }),
  handle: details,
};

async function details({ params, account, context }: PublicRequest) {
  const found = await findVisitorDetails(context.store, account.id, {
    tid: String(params["tid"] ?? ""),
    refTokens: refIds(String(params["ref_id"] ?? "")),
    now: context.now,
  });
  if (found === null) return { details: null };
  const { promoter, promoterCampaign } = found;
  const campaign = await loadCampaign(context.store, account.id, promoterCampaign.campaignId);
  return {
    details: {
      ref_id: promoterCampaign.refToken,
      campaign_id: promoterCampaign.campaignId,
      campaign: { id: campaign.id, name: campaign.name },
      promo_code: promoterCampaign.coupon,
      customer_promo_code: promoterCampaign.displayCoupon,
      offer: null,
      promoter: {
        id: promoter.id,
        first_name: promoter.profile.firstName,
        last_name: promoter.profile.lastName,
      },
    },
  };
}

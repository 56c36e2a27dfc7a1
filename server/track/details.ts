import { z } from "zod";
import { loadCampaign } from "../domain/campaign/campaign.ts";
import { findVisitorDetails } from "../domain/visitor/visitor.ts";
import { text } from "../input/fields.ts";
import type { PublicOperation, PublicRequest } from "./public-route.ts";
import { refIds } from "./ref-ids.ts";
import { field, recordId } from "../http/fields.ts";
import { coupon, refToken, tid } from "../input/common-fields.ts";

/**
 * `GET /t/details`: what a page may show visitors about the promoter who sent them. If the tid is not known
 * (yet), the ref id decides.
 */
export const trackDetails: PublicOperation = {
  id: "getVisitorDetails",
  summary: "Show a visitor who sent them",
  description: "Shows who sent the visitor, so that the page can greet them or show the promoter's code.",
  params: z.object({
    cid: field(text, "The public id of your account.", "acme"),
    tid: field(text, tid),
    ref_id: field(text.optional(), refToken),
  }),
  answer: z.object({
    details: field(
      z
        .object({
          ref_id: refToken,
          campaign_id: field(z.int(), "Id of the campaign.", 1),
          campaign: field(
            z.object({
              id: recordId,
              name: field(z.string(), "The record's name, as people see it.", "Jane Doe"),
            }),
            "The campaign. null: it was deleted.",
          ),
          promo_code: coupon,
          customer_promo_code: field(
            z.string().nullable(),
            "The code that customers type at the checkout.",
            "JANE10",
          ),
          offer: field(z.null(), "Always null."),
          promoter: field(
            z.object({
              id: recordId,
              first_name: field(z.string().nullable(), "First name.", "Jane"),
              last_name: field(z.string().nullable(), "Last name.", "Doe"),
            }),
            "The promoter. null: they were deleted.",
          ),
        })
        .nullable(),
      "The promoter who sent the visitor. null: nobody.",
    ),
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

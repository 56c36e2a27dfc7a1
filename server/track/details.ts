import { findVisitorDetails } from "../domain/visitor.ts";
import type { PublicRequest } from "./public-route.ts";

/** `GET /t/details`: what a page may show a visitor of the promoter that sent them. */
export async function trackDetails({ params, account, context }: PublicRequest) {
  const details = await findVisitorDetails(context.store, account.id, String(params["tid"] ?? ""));
  if (details === null) return { details: null };
  const { promoter, promoterCampaign } = details;
  return {
    details: {
      ref_id: promoterCampaign.refToken,
      campaign_id: promoterCampaign.campaignId,
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

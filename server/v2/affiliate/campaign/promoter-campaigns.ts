import { z } from "zod";
import { rewardsForOwnCodes } from "../../../domain/promo-code/own-code.ts";
import type { Campaign } from "../../../domain/campaign/record.ts";
import { listCodesInUse } from "../../../domain/promo-code/promo-code.ts";
import { listPromoterCampaigns } from "../../../domain/promoter-campaign/of-promoter.ts";
import { loadOwnPromoterCampaign } from "../../../domain/promoter-campaign/own-records.ts";
import { acceptsLeads, refLink, withCampaign } from "../../../domain/promoter-campaign/promoter-campaign.ts";
import { PROMOTER_CAMPAIGN_STATES, type PromoterCampaign } from "../../../domain/promoter-campaign/record.ts";
import { REF_TOKEN_LENGTH, isRefToken } from "../../../domain/promoter-campaign/ref-token.ts";
import { updatePromoterCampaign } from "../../../domain/promoter-campaign/update.ts";
import { loadStats } from "../../../domain/report/counters.ts";
import { showAll, type Show } from "../../../domain/show.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { word } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../../embedded-json.ts";
import { pageParams, readListing } from "../../page-params.ts";
import { readPathId } from "../../path-id.ts";
import { recordError } from "../../record-error.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

const answer = z
  .object({
    id: z.int(),
    state: z.enum(PROMOTER_CAMPAIGN_STATES),
    ref_token: z.string(),
    ref_link: z.string(),
    coupon: z.string().nullable(),
    promo_codes: z.array(z.string()),
    joined_at: z.iso.datetime(),
    campaign: embeddedCampaign.extend({ description: z.string().nullable(), landing_url: z.string() }),
    stats: z.object({ clicks_count: z.int(), referrals_count: z.int(), customers_count: z.int() }),
    invite_url: z.string().nullable(),
    may_add_leads: z.boolean(),
    promo_code_rewards: z.array(z.object({ id: z.int(), name: z.string() })),
  })
  .meta({ id: "PortalPromoterCampaign" });

const updateBody = z.object({
  ref_token: word(REF_TOKEN_LENGTH)
    .transform((value) => value.toLowerCase())
    .refine(isRefToken, "may have lower-case letters, digits, - and _ only"),
});

/** `GET /api/v2/affiliate/promoter_campaigns` */
export const listOwnPromoterCampaignsOperation: AffiliateOperation = {
  summary: "List the campaigns that the promoter is in",
  params: pageParams,
  answer: z.array(answer),
  isPaged: true,
  async handle(request) {
    const { promoter, context } = request;
    const { page, window } = readListing(request, pageParams);
    const joined = await listPromoterCampaigns(context.store, promoter.accountId, promoter.id);
    setPageHeaders(request, page, joined.length);
    const shown = joined.slice(window.offset, window.offset + window.limit);
    return showAll(context.store, shown, showWith(request.publicUrl));
  },
};

/** `PUT /api/v2/affiliate/promoter_campaigns/{id}` */
export const updateOwnPromoterCampaignOperation: AffiliateOperation = {
  summary: "Change the promoter's referral id in a campaign",
  body: updateBody,
  answer,
  refusals: ["not_found", "invalid", "taken"],
  shape: recordError({ refToken: "ref_token" }),
  handle: update,
};

/** Choice: links with the old referral id stop working, as when the company changes it. */
async function update({ event, promoter, context, publicUrl }: AffiliateRequest) {
  const body = shapeInput(updateBody, await readJson(event));
  const { accountId } = promoter;
  const wanted = { accountId, promoterId: promoter.id, id: readPathId(event) };
  const { id } = await loadOwnPromoterCampaign(context.store, wanted);
  const changes = { refToken: body.ref_token };
  return updatePromoterCampaign(context, accountId, { id, changes, show: showWith(publicUrl) });
}

function showWith(publicUrl: string): Show<PromoterCampaign, z.output<typeof answer>> {
  return async (view, joined) => {
    const { promoterCampaign, campaign } = await withCampaign(view, joined);
    const stats = await loadStats(view, promoterCampaign);
    const offered = await rewardsForOwnCodes(view, promoterCampaign, campaign);
    return {
      id: promoterCampaign.id,
      state: promoterCampaign.state,
      ref_token: promoterCampaign.refToken,
      ref_link: refLink(promoterCampaign, campaign),
      coupon: promoterCampaign.displayCoupon ?? promoterCampaign.coupon,
      promo_codes: await listCodesInUse(view, promoterCampaign.accountId, promoterCampaign.id),
      joined_at: promoterCampaign.createdAt,
      campaign: {
        ...embeddedCampaignJson(campaign),
        description: campaign.signup?.description ?? null,
        landing_url: campaign.landingUrl,
      },
      stats: {
        clicks_count: stats.clicks,
        referrals_count: stats.referrals,
        customers_count: stats.customers,
      },
      invite_url: inviteUrl(publicUrl, promoterCampaign, campaign),
      may_add_leads: acceptsLeads(promoterCampaign) && (campaign.promotersMayAddLeads ?? false),
      promo_code_rewards: offered.map(({ id, name }) => ({ id, name })),
    };
  };
}

/** Choice: only the company invites people to a private campaign. */
function inviteUrl(publicUrl: string, joined: PromoterCampaign, campaign: Campaign): string | null {
  if (campaign.isPrivate || !acceptsLeads(joined)) return null;
  return `${publicUrl}/join/${campaign.id}#ref=${joined.refToken}`;
}

import { z } from "zod";
import { rewardsForOwnCodes } from "../../../domain/promo-code/changes.ts";
import type { Campaign } from "../../../domain/campaign/campaign.ts";
import { listPromoterCampaigns } from "../../../domain/promoter-campaign/search.ts";
import {
  acceptsLeads,
  loadOwnPromoterCampaign,
  type PromoterCampaign,
} from "../../../domain/promoter-campaign/promoter-campaign.ts";
import { REF_TOKEN_LENGTH, isRefToken } from "../../../domain/promoter-campaign/ref-token.ts";
import { updatePromoterCampaign } from "../../../domain/promoter-campaign/changes.ts";
import type { Reward } from "../../../domain/reward/reward.ts";
import { showAll, type Show } from "../../../domain/show.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { word } from "../../../input/fields.ts";
import { shapeInput } from "../../../input/shape.ts";
import type { View } from "../../../storage/store.ts";
import { embeddedCampaign } from "../../embedded-json.ts";
import { pageParams, readListing } from "../../page-params.ts";
import { readPathId } from "../../path-id.ts";
import {
  promoterCampaignAnswer,
  promoterCampaignJson,
  readPromoterCampaignParts,
  type PromoterCampaignParts,
} from "../../promoter-campaign/promoter-campaign-json.ts";
import { recordError } from "../../record-error.ts";
import { rewardEntryAnswer } from "../../reward/reward-entry-json.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { listOwnPromoCodes, ownPromoCodeAnswer } from "./promo-codes.ts";

const company = promoterCampaignAnswer.shape;

/** A promoter campaign within the promoter who is signed in. */
export const ownPromoterCampaignSummary = z
  .object({
    id: company.id,
    campaign_id: company.campaign_id,
    created_at: company.created_at,
    campaign: company.campaign,
    state: company.state,
    promoter_id: company.promoter_id,
    stats: company.stats,
    ref_token: company.ref_token,
    ref_link: company.ref_link,
    has_monetary_rewards: z.boolean(),
  })
  .meta({ id: "PortalPromoterCampaignSummary" });

const answer = ownPromoterCampaignSummary
  .extend({
    campaign: embeddedCampaign.extend({ description: z.string().nullable(), landing_url: z.string() }),
    coupon: company.coupon,
    display_coupon: company.display_coupon,
    rewards_for_promoters: z.array(rewardEntryAnswer),
    rewards_for_referrals: z.array(rewardEntryAnswer),
    promo_codes: z.array(ownPromoCodeAnswer),
    recruitment_link_url: z.string().nullable(),
    track_ad_traffic: z.boolean().nullable(),
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
    return showAll(context.store, shown, showWith(request));
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
async function update(request: AffiliateRequest) {
  const { event, promoter, context } = request;
  const body = shapeInput(updateBody, await readJson(event));
  const { accountId } = promoter;
  const wanted = { accountId, promoterId: promoter.id, id: readPathId(event) };
  const { id } = await loadOwnPromoterCampaign(context.store, wanted);
  const changes = { refToken: body.ref_token };
  return updatePromoterCampaign(context, accountId, { id, changes, show: showWith(request) });
}

/** Shows a promoter campaign within the promoter who is signed in. */
export async function showOwnPromoterCampaignSummary(
  view: View,
  joined: PromoterCampaign,
): Promise<z.output<typeof ownPromoterCampaignSummary>> {
  return summaryJson(await readPromoterCampaignParts(view, joined));
}

function summaryJson(parts: PromoterCampaignParts): z.output<typeof ownPromoterCampaignSummary> {
  const shown = promoterCampaignJson(parts);
  return {
    id: shown.id,
    campaign_id: shown.campaign_id,
    created_at: shown.created_at,
    campaign: shown.campaign,
    state: shown.state,
    promoter_id: shown.promoter_id,
    stats: shown.stats,
    ref_token: shown.ref_token,
    ref_link: shown.ref_link,
    has_monetary_rewards: parts.rewardsForPromoters.some(({ reward }) => isMonetary(reward)),
  };
}

/** A hidden reward is the company's own matter, so promoters do not see it. */
function showWith({
  publicUrl,
  promoter,
}: AffiliateRequest): Show<PromoterCampaign, z.output<typeof answer>> {
  return async (view, joined) => {
    const parts = await readPromoterCampaignParts(view, joined, promoter);
    const { promoterCampaign, campaign } = parts;
    const shown = promoterCampaignJson(parts);
    const offered = await rewardsForOwnCodes(view, promoterCampaign, campaign);
    return {
      ...summaryJson(parts),
      campaign: {
        ...shown.campaign,
        description: campaign.signup?.description ?? null,
        landing_url: campaign.landingUrl,
      },
      coupon: shown.coupon,
      display_coupon: shown.display_coupon,
      rewards_for_promoters: shown.rewards_for_promoters.filter(({ reward }) => !reward.hide_reward),
      rewards_for_referrals: shown.rewards_for_referrals.filter(({ reward }) => !reward.hide_reward),
      promo_codes: await listOwnPromoCodes(view, promoterCampaign),
      recruitment_link_url: recruitmentLink(publicUrl, promoterCampaign, campaign),
      track_ad_traffic: promoter.trackAdTraffic,
      may_add_leads: acceptsLeads(promoterCampaign) && (campaign.promotersMayAddLeads ?? false),
      promo_code_rewards: offered.map(({ id, name }) => ({ id, name })),
    };
  };
}

function isMonetary({ schemas }: Reward): boolean {
  return schemas.some(({ unit }) => unit === "cash");
}

/** Only the company invites people to a private campaign. */
function recruitmentLink(publicUrl: string, joined: PromoterCampaign, campaign: Campaign): string | null {
  if (campaign.isPrivate || !acceptsLeads(joined)) return null;
  return `${publicUrl}/join/${campaign.id}#ref=${joined.refToken}`;
}

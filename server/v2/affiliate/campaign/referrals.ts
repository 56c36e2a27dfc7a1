import { z } from "zod";
import { campaigns } from "../../../domain/campaign/campaign.ts";
import { leads } from "../../../domain/lead/lead.ts";
import { LEAD_STATES, type Lead } from "../../../domain/lead/record.ts";
import { isWithin } from "../../../domain/span.ts";
import { findNewestOf } from "../../../domain/promoter-campaign/own-records.ts";
import { loadPromoterStats } from "../../../domain/report/counters.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, listOf, oneOf } from "../../../input/fields.ts";
import type { View } from "../../../storage/store.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../../embedded-json.ts";
import { pageParams, readListing } from "../../page-params.ts";
import { period, span } from "../../range-params.ts";
import { maskedEmail } from "../masked-email.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";

const answer = z
  .object({
    id: z.int(),
    email: z.string().nullable(),
    state: z.enum(LEAD_STATES),
    created_at: z.iso.datetime(),
    customer_since: z.iso.datetime().nullable(),
    sub_id: z.string().nullable(),
    promoter_campaign_id: z.int(),
    campaign: embeddedCampaign.nullable(),
  })
  .meta({ id: "PortalReferral" });

const listParams = z.object({
  filters: z
    .object(
      {
        state: oneOf(LEAD_STATES),
        type: oneOf(["lead", "customer"]),
        campaign_id: listOf(id),
        created_at: period,
      },
      "is invalid",
    )
    .partial()
    .default({}),
  ...pageParams.shape,
});

/** `GET /api/v2/affiliate/referrals` */
export const listOwnReferralsOperation: AffiliateOperation = {
  summary: "List the promoter's leads, newest first",
  params: listParams,
  answer: z.array(answer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

async function list(request: AffiliateRequest) {
  const { context, promoter } = request;
  const { store } = context;
  const { params, page, window } = readListing(request, listParams);
  const { accountId, id: promoterId } = promoter;
  const { referrals: length } = await loadPromoterStats(store, accountId, promoterId);
  const found = await findNewestOf(store, leads, {
    accountId,
    promoterId,
    length,
    keeps: conditionOf(params.filters),
    ...window,
  });
  setPageHeaders(request, page, found.total);
  return Promise.all(found.records.map((lead) => show(store, lead)));
}

function conditionOf(filters: z.output<typeof listParams>["filters"]): ((lead: Lead) => boolean) | undefined {
  const { state, type, campaign_id: campaignIds } = filters;
  const createdAt = span(filters.created_at);
  if (Object.keys(filters).length === 0) return undefined;
  return (lead) =>
    (state === undefined || lead.state === state) &&
    (type === undefined || (lead.customerSince !== null) === (type === "customer")) &&
    (campaignIds === undefined || campaignIds.includes(lead.campaignId)) &&
    (createdAt === undefined || isWithin(Date.parse(lead.createdAt), createdAt));
}

/** Promoters learn enough to recognise a lead, and nothing that they could write to. */
async function show(view: View, lead: Lead): Promise<z.output<typeof answer>> {
  const campaign = await view.get(campaigns, lead.accountId, lead.campaignId);
  return {
    id: lead.id,
    email: maskedEmail(lead.email),
    state: lead.state,
    created_at: lead.createdAt,
    customer_since: lead.customerSince,
    sub_id: lead.subId,
    promoter_campaign_id: lead.promoterCampaignId,
    campaign: campaign && embeddedCampaignJson(campaign),
  };
}

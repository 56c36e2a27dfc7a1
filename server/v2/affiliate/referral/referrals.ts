import { z } from "zod";
import { loadOwnLead } from "../../../domain/lead/proposal.ts";
import { ARCHIVED_LEADS } from "../../../domain/lead/lead-counts.ts";
import { leads } from "../../../domain/lead/lead.ts";
import { LEAD_STATES, type Lead } from "../../../domain/lead/record.ts";
import { isWithin } from "../../../domain/span.ts";
import { findNewestOf } from "../../../domain/promoter-campaign/own-records.ts";
import { loadPromoterStats } from "../../../domain/report/counters.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, listOf, oneOf } from "../../../input/fields.ts";
import type { Found, Window } from "../../../storage/listing/page-search.ts";
import { pageParams, readListing } from "../../page-params.ts";
import { readPathId } from "../../path-id.ts";
import { period, span } from "../../range-params.ts";
import { csvFile, MOST_EXPORTED } from "../exports.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { portalReferralAnswer, showOwnReferral } from "./referral-json.ts";

const filters = z
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
  .default({});
const listParams = z.object({ filters, ...pageParams.shape });
const exportParams = z.object({ filters });

/** `GET /api/v2/affiliate/referrals` */
export const listOwnReferralsOperation: AffiliateOperation = {
  summary: "List the promoter's leads, newest first",
  params: listParams,
  answer: z.array(portalReferralAnswer),
  isPaged: true,
  refusals: ["invalid"],
  async handle(request) {
    const { params, page, window } = readListing(request, listParams);
    const found = await find(request, params.filters, window);
    setPageHeaders(request, page, found.total);
    return Promise.all(found.records.map((lead) => showOwnReferral(request.context.store, lead)));
  },
};

/** `GET /api/v2/affiliate/referrals/{id}` */
export const showOwnReferralOperation: AffiliateOperation = {
  summary: "Show one of the promoter's leads",
  answer: portalReferralAnswer,
  refusals: ["not_found"],
  async handle({ event, promoter, context: { store } }) {
    const wanted = { accountId: promoter.accountId, promoterId: promoter.id, id: readPathId(event) };
    return showOwnReferral(store, await loadOwnLead(store, wanted));
  },
};

/** `GET /api/v2/affiliate/referrals/export` */
export const exportOwnReferralsOperation: AffiliateOperation = {
  summary: "Download the promoter's leads as a CSV file",
  params: exportParams,
  answer: z.string(),
  media: "text/csv",
  refusals: ["invalid"],
  async handle(request) {
    const { params } = readListing(request, exportParams);
    const { records } = await find(request, params.filters, { limit: MOST_EXPORTED, offset: 0 });
    const shown = await Promise.all(records.map((lead) => showOwnReferral(request.context.store, lead)));
    const lines = shown.map((lead) => ({ ...lead, campaign: lead.promoter_campaign.campaign?.name ?? "" }));
    const columns = [
      "id",
      "created_at",
      "state",
      "entry_source",
      "email",
      "customer_since",
      "sub_id",
      "campaign",
    ];
    return csvFile(request, { name: "leads.csv", columns, lines });
  },
};

async function find(
  { context: { store }, promoter }: AffiliateRequest,
  given: z.output<typeof filters>,
  window: Window,
): Promise<Found<Lead>> {
  const { accountId, id: promoterId } = promoter;
  const { referrals } = await loadPromoterStats(store, accountId, promoterId);
  const length = referrals - (await store.sum(accountId, [`${ARCHIVED_LEADS}/promoter`, promoterId]));
  const keeps = conditionOf(given);
  return findNewestOf(store, leads, { accountId, promoterId, length, keeps, ...window });
}

function conditionOf(given: z.output<typeof filters>): ((lead: Lead) => boolean) | undefined {
  if (Object.keys(given).length === 0) return undefined;
  const { state, type, campaign_id: campaignIds } = given;
  const createdAt = span(given.created_at);
  return (lead) =>
    (state === undefined || lead.state === state) &&
    (type === undefined || (lead.customerSince !== null) === (type === "customer")) &&
    (campaignIds === undefined || campaignIds.includes(lead.campaignId)) &&
    (createdAt === undefined || isWithin(Date.parse(lead.createdAt), createdAt));
}

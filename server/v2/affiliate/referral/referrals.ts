import { z } from "zod";
import { loadOwnLead } from "../../../domain/people/lead/creation.ts";
import { findLeads } from "../../../domain/people/lead/search.ts";
import { LEAD_STATES, type Lead } from "../../../domain/people/lead/lead.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, listOf, oneOf } from "../../../input/fields.ts";
import type { Found, Window } from "../../../storage/query.ts";
import { pageParams, readListing } from "../../page-params.ts";
import { readPathId } from "../../path-id.ts";
import { period, span } from "../../range-params.ts";
import { ownExport } from "../exports.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { portalReferralAnswer, showOwnReferral } from "./referral-json.ts";
import { field } from "../../../http/fields.ts";

const filters = z
  .object(
    {
      state: field(oneOf(LEAD_STATES), "Only records in this state. `not_set`: in no campaign."),
      type: field(
        oneOf(["lead", "customer"]),
        "`lead`: not a customer yet. `customer`: has bought something.",
      ),
      campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
      created_at: field(period, "When the record was created."),
    },
    "is invalid",
  )
  .partial()
  .default({});
const listParams = z.object({ filters: field(filters, "Only records that match."), ...pageParams.shape });

/** `GET /api/v2/affiliate/referrals` */
export const listOwnReferralsOperation: AffiliateOperation = {
  id: "listOwnReferrals",
  summary: "List the promoter's leads, newest first",
  description: "Lists the promoter's leads, newest first. Addresses are masked.",
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
  id: "getOwnReferral",
  summary: "Show one of the promoter's leads",
  description: "Shows one of the promoter's leads. The address is masked.",
  answer: portalReferralAnswer,
  refusals: ["not_found"],
  async handle({ event, promoter, context: { store } }) {
    const wanted = { accountId: promoter.accountId, promoterId: promoter.id, id: readPathId(event) };
    return showOwnReferral(store, await loadOwnLead(store, wanted));
  },
};

/** `GET /api/v2/affiliate/referrals/export` */
export const exportOwnReferralsOperation = ownExport({
  id: "exportOwnReferrals",
  noun: "leads",
  note: "Addresses are masked.",
  filters,
  columns: ["id", "created_at", "state", "entry_source", "email", "customer_since", "sub_id", "campaign"],
  async linesOf(request, given, window) {
    const { records } = await find(request, given, window);
    const shown = await Promise.all(records.map((lead) => showOwnReferral(request.context.store, lead)));
    return shown.map((lead) => ({ ...lead, campaign: lead.promoter_campaign.campaign?.name ?? "" }));
  },
});

function find(
  { context: { store }, promoter }: AffiliateRequest,
  { state, type, campaign_id: campaignIds, created_at: createdAt }: z.output<typeof filters>,
  window: Window,
): Promise<Found<Lead>> {
  const { accountId, id: promoterId } = promoter;
  const isCustomer = type === undefined ? undefined : type === "customer";
  const filter = { promoterId, state, isCustomer, campaignIds, createdAt: span(createdAt) };
  return findLeads(store, accountId, { filter, reverse: true, ...window });
}

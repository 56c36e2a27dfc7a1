import { api, page } from "../../ui/api/client.ts";
import type { components, operations } from "../../ui/api/types.ts";
import { orderOf, PAGE_LENGTH, type Rows, type Wanted } from "../../ui/table/list.ts";
import { suspicionsOf } from "../suspicions.ts";

export type Lead = components["schemas"]["Referral"];
type Query = NonNullable<operations["listReferrals"]["parameters"]["query"]>;

/** The filters of the list, with their defaults. */
export const USUAL = {
  q: "",
  state: "",
  type: "",
  campaign: "",
  promoter: "",
  suspicion: "",
  page: "1",
  sort: "-created_at",
};
export type LeadFilters = typeof USUAL;

/** A page of the leads that pass the filters. */
export function loadLeads(
  { number, length = PAGE_LENGTH, ...filters }: Wanted<LeadFilters>,
  signal: AbortSignal,
): Promise<Rows<Lead>> {
  const query = { ...queryOf(filters), page: number, per_page: length };
  return page(api.GET("/api/v2/company/referrals", { params: { query }, signal }));
}

/** Unset filters are left out, because the server refuses empty ones. */
function queryOf({ q, state, type, campaign, promoter, suspicion, sort }: LeadFilters): Query {
  return {
    ...(q && { q }),
    ...(state && { "filters[state]": state as NonNullable<Query["filters[state]"]> }),
    ...(type && { "filters[type]": type as "lead" | "customer" }),
    ...(campaign && { "filters[campaign_id]": [Number(campaign)] }),
    ...(promoter && { "filters[promoter_id]": Number(promoter) }),
    ...(suspicion && { "filters[fraud_check]": suspicionsOf(suspicion) }),
    ...(sort && { "sorting[created_at]": orderOf(sort).direction }),
  };
}

import { answer, api } from "../../ui/api/client.ts";
import type { components, operations } from "../../ui/api/types.ts";
import { orderOf, PAGE_LENGTH, type Rows, type Wanted } from "../../ui/table/list.ts";
import { suspicionsOf } from "../suspicions.ts";

export type Promoter = components["schemas"]["Promoter"];
type Query = NonNullable<operations["listPromoters"]["parameters"]["query"]>;

/** The filters of the list, with their defaults. */
export const USUAL = {
  q: "",
  state: "",
  campaign: "",
  suspicion: "",
  parent: "",
  archived: "false",
  page: "1",
  sort: "-joined_at",
};
export type PromoterFilters = typeof USUAL;

/** A page of the promoters that pass the filters. */
export async function loadPromoters(
  { number, length = PAGE_LENGTH, ...filters }: Wanted<PromoterFilters>,
  signal: AbortSignal,
): Promise<Rows<Promoter>> {
  const query = { ...queryOf(filters), page: number, per_page: length };
  const call = api.GET("/api/v2/company/promoters", { params: { query }, signal });
  const { data } = await answer(call);
  const { response } = await call;
  return { rows: data, total: Number(response.headers.get("total")) };
}

/** Unset filters are left out, because the server refuses empty ones. */
function queryOf({ q, state, campaign, suspicion, parent, archived, sort }: PromoterFilters): Query {
  const { name, direction } = orderOf(sort);
  return {
    ...(q && { q }),
    ...(state && { "filters[state]": state as NonNullable<Query["filters[state]"]> }),
    ...(campaign && { "filters[campaign_id]": [Number(campaign)] }),
    ...(suspicion && { "filters[fraud_suspicions]": suspicionsOf(suspicion) }),
    ...(parent && { "filters[parent_promoter_id]": Number(parent) }),
    "filters[archived]": archived === "any" ? archived : archived === "true",
    ...(sort && { [`sorting[${name}]`]: direction }),
  };
}

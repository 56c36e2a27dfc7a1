import { api, page } from "../../ui/api/client.ts";
import type { components, operations } from "../../ui/api/types.ts";
import { endOf, startOf } from "../../ui/day.ts";
import { orderOf, PAGE_LENGTH, type Rows, type Wanted } from "../../ui/table/list.ts";
import { suspicionsOf } from "../suspicions.ts";

export type Commission = components["schemas"]["Commission"];
type Query = NonNullable<operations["listCommissions"]["parameters"]["query"]>;

/** The filters of the list, with their defaults. */
export const USUAL = {
  q: "",
  status: "",
  campaign: "",
  promoter: "",
  payout: "",
  paid: "",
  suspicion: "",
  from: "",
  to: "",
  page: "1",
  sort: "-created_at",
};
export type CommissionFilters = typeof USUAL;

/** A page of the commissions that pass the filters. */
export function loadCommissions(
  { number, length = PAGE_LENGTH, ...filters }: Wanted<CommissionFilters>,
  signal: AbortSignal,
): Promise<Rows<Commission>> {
  const query = { ...queryOf(filters), page: number, per_page: length };
  return page(api.GET("/api/v2/company/commissions", { params: { query }, signal }));
}

/** Unset filters are left out, because the server refuses empty ones. */
function queryOf(filters: CommissionFilters): Query {
  const { q, status, campaign, promoter, payout, paid, suspicion, from, to, sort } = filters;
  const { name, direction } = orderOf(sort);
  return {
    ...(q && { q }),
    ...(status && { "filters[status]": status as Commission["status"] }),
    ...(campaign && { "filters[campaign_id]": [Number(campaign)] }),
    ...(promoter && { "filters[promoter_id]": Number(promoter) }),
    ...(payout && { "filters[payout_id]": [Number(payout)] }),
    ...(paid && { "filters[paid]": paid as "yes" | "no" }),
    ...(suspicion && {
      "filters[fraud_check]": suspicion === "none" ? ["no_suspicion" as const] : suspicionsOf(suspicion),
    }),
    ...(from && { "filters[created_at][from]": startOf(from) }),
    ...(to && { "filters[created_at][to]": endOf(to) }),
    ...(sort && { [`sorting[${name}]`]: direction }),
  };
}

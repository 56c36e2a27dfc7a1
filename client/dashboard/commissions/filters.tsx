import type { ComponentChildren } from "preact";
import { api, page } from "../../ui/api/client.ts";
import type { operations } from "../../ui/api/types.ts";
import { endOf, startOf } from "../../ui/day.ts";
import type { Filters } from "../../ui/fragment.ts";
import { Choose, Day, FoldedFilters, Only, optionsOf, SearchField } from "../../ui/table/filters.tsx";
import { orderOf, PAGE_LENGTH, type Rows, type Wanted } from "../../ui/table/list.ts";
import { ChooseCampaign, type Campaign } from "../campaigns/choices.tsx";
import { suspicionsOf } from "../suspicions.ts";
import { STATUSES, type Commission } from "./words.ts";

type Query = NonNullable<operations["listCommissions"]["parameters"]["query"]>;

const FOLDED = ["status", "paid", "campaign", "suspicion", "from", "to"] as const;

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

const STATUS_OPTIONS = optionsOf("Any state", STATUSES);
const PAID_OPTIONS = optionsOf("Paid or not", { no: "Not paid", yes: "Paid" });
const SUSPICION_OPTIONS = optionsOf("Any suspicion", { any: "Suspicious", none: "Not suspicious" });

/** The filters of the list of commissions. */
export function CommissionFilterBar({
  filters,
  campaigns,
  children,
}: {
  filters: Filters<CommissionFilters>;
  campaigns: Campaign[] | null;
  children: ComponentChildren;
}) {
  return (
    <>
      <div class="table-tools">
        <SearchField
          filters={filters}
          label="Search commissions"
          placeholder="Event id, or e-mail or uid of the lead"
        />
        <FoldedFilters filters={filters} usual={USUAL} names={FOLDED}>
          <Choose filters={filters} name="status" label="State" options={STATUS_OPTIONS} />
          <Choose filters={filters} name="paid" label="Paid" options={PAID_OPTIONS} />
          <ChooseCampaign filters={filters} campaigns={campaigns} />
          <Choose filters={filters} name="suspicion" label="Suspicions" options={SUSPICION_OPTIONS} />
          <Day filters={filters} name="from" label="Earned from" />
          <Day filters={filters} name="to" label="Earned until" />
        </FoldedFilters>
        <div class="end">{children}</div>
      </div>
      <Only filters={filters} name="promoter" />
      <Only filters={filters} name="payout" />
    </>
  );
}

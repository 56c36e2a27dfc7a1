import type { ComponentChildren } from "preact";
import { api, page } from "../../ui/api/client.ts";
import type { operations } from "../../ui/api/types.ts";
import type { Filters } from "../../ui/fragment.ts";
import { Choose, FoldedFilters, Only, optionsOf, SearchField } from "../../ui/table/filters.tsx";
import { orderOf, PAGE_LENGTH, type Rows, type Wanted } from "../../ui/table/list.ts";
import { ChooseCampaign, type Campaign } from "../campaigns/choices.tsx";
import { SUSPICION_OPTIONS, suspicionsOf } from "../suspicions.ts";
import { statusOptions, type OwnStatus } from "./own-statuses.tsx";
import { STATES, type Lead } from "./words.ts";

type Query = NonNullable<operations["listReferrals"]["parameters"]["query"]>;

/** The filters of the list, with their defaults. */
export const USUAL = {
  q: "",
  state: "",
  type: "",
  campaign: "",
  promoter: "",
  suspicion: "",
  own: "",
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
function queryOf({ q, state, type, campaign, promoter, suspicion, own, sort }: LeadFilters): Query {
  return {
    ...(q && { q }),
    ...(state && { "filters[state]": state as NonNullable<Query["filters[state]"]> }),
    ...(type && { "filters[type]": type as "lead" | "customer" }),
    ...(campaign && { "filters[campaign_id]": [Number(campaign)] }),
    ...(promoter && { "filters[promoter_id]": Number(promoter) }),
    ...(suspicion && { "filters[fraud_check]": suspicionsOf(suspicion) }),
    ...(own && { "filters[custom_status_id]": [Number(own)] }),
    ...(sort && { "sorting[created_at]": orderOf(sort).direction }),
  };
}

const TYPE_OPTIONS = optionsOf("All leads", { lead: "Not customers yet", customer: "Customers" });
const STATE_OPTIONS = optionsOf("Any state", {
  ...STATES,
  not_denied: `Not ${STATES.denied.words.toLowerCase()}`,
});

const FOLDED = ["type", "state", "own", "campaign", "suspicion"] as const;

/** The filters of the list of leads. */
export function LeadFilterBar({
  filters,
  campaigns,
  statuses,
  children,
}: {
  filters: Filters<LeadFilters>;
  campaigns: Campaign[] | null;
  /** The company's own statuses. */
  statuses: OwnStatus[];
  children: ComponentChildren;
}) {
  return (
    <>
      <div class="table-tools">
        <SearchField filters={filters} label="Search leads" placeholder="E-mail, your id, name or website" />
        <FoldedFilters filters={filters} usual={USUAL} names={FOLDED}>
          <Choose filters={filters} name="type" label="Customers" options={TYPE_OPTIONS} />
          <Choose filters={filters} name="state" label="State" options={STATE_OPTIONS} />
          {statuses.length > 0 && (
            <Choose
              filters={filters}
              name="own"
              label="Own status"
              options={[["", "Any own status"], ...statusOptions(statuses)]}
            />
          )}
          <ChooseCampaign filters={filters} campaigns={campaigns} />
          <Choose filters={filters} name="suspicion" label="Suspicions" options={SUSPICION_OPTIONS} />
        </FoldedFilters>
        <div class="end">{children}</div>
      </div>
      <Only filters={filters} name="promoter" />
    </>
  );
}

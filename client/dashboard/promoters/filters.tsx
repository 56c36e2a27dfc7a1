import type { ComponentChildren } from "preact";
import { api, page } from "../../ui/api/client.ts";
import type { operations } from "../../ui/api/types.ts";
import type { Filters } from "../../ui/fragment.ts";
import { Choose, FoldedFilters, optionsOf, SearchField } from "../../ui/table/filters.tsx";
import { orderOf, PAGE_LENGTH, type Rows, type Wanted } from "../../ui/table/list.ts";
import { ChooseCampaign, type Campaign } from "../campaigns/choices.tsx";
import { SUSPICION_OPTIONS, suspicionsOf } from "../suspicions.ts";
import { STATES, type Promoter } from "./words.ts";

type Query = NonNullable<operations["listPromoters"]["parameters"]["query"]>;

const FOLDED = ["state", "campaign", "suspicion", "archived"] as const;

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
export function loadPromoters(
  { number, length = PAGE_LENGTH, ...filters }: Wanted<PromoterFilters>,
  signal: AbortSignal,
): Promise<Rows<Promoter>> {
  const query = { ...queryOf(filters), page: number, per_page: length };
  return page(api.GET("/api/v2/company/promoters", { params: { query }, signal }));
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

const STATE_OPTIONS = optionsOf("Any state", { ...STATES, not_set: "In no campaign" });
const ARCHIVED_OPTIONS: [string, string][] = [
  ["false", "Not archived"],
  ["true", "Archived"],
  ["any", "Archived or not"],
];

/** The filters of the list of promoters. */
export function PromoterFilterBar({
  filters,
  campaigns,
  children,
}: {
  filters: Filters<PromoterFilters>;
  campaigns: Campaign[] | null;
  children: ComponentChildren;
}) {
  return (
    <div class="table-tools">
      <SearchField filters={filters} label="Search promoters" placeholder="Name, e-mail or referral id" />
      <FoldedFilters filters={filters} usual={USUAL} names={FOLDED}>
        <Choose filters={filters} name="state" label="State" options={STATE_OPTIONS} />
        <ChooseCampaign filters={filters} campaigns={campaigns} />
        <Choose filters={filters} name="suspicion" label="Suspicions" options={SUSPICION_OPTIONS} />
        <Choose filters={filters} name="archived" label="Archived" options={ARCHIVED_OPTIONS} />
      </FoldedFilters>
      <div class="end">{children}</div>
    </div>
  );
}

import type { ComponentChildren } from "preact";
import type { Filters } from "../../ui/fragment.ts";
import { SearchField } from "../../ui/table/search.tsx";
import { Choose } from "../../ui/table/choose.tsx";
import { campaignOptions, type Campaign } from "../campaigns/choices.ts";
import { SUSPICIONS } from "../suspicions.ts";
import type { PromoterFilters } from "./query.ts";
import { STATES } from "./words.ts";

const STATE_OPTIONS: [string, string][] = [
  ["", "Any state"],
  ...Object.entries(STATES).map(([state, { words }]): [string, string] => [state, words]),
  ["not_set", "In no campaign"],
];
const SUSPICION_OPTIONS: [string, string][] = [
  ["", "Any suspicion"],
  ["any", "Suspicious"],
  ...Object.entries(SUSPICIONS).map(([kind, { words }]): [string, string] => [kind, words]),
];
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
      <Choose filters={filters} name="state" label="State" options={STATE_OPTIONS} />
      <Choose
        filters={filters}
        name="campaign"
        label="Campaign"
        options={[["", "All campaigns"], ...campaignOptions(campaigns)]}
      />
      <Choose filters={filters} name="suspicion" label="Suspicions" options={SUSPICION_OPTIONS} />
      <Choose filters={filters} name="archived" label="Archived" options={ARCHIVED_OPTIONS} />
      <div class="end">{children}</div>
    </div>
  );
}

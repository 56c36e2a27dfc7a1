import type { ComponentChildren } from "preact";
import type { Filters } from "../../ui/fragment.ts";
import { Choose } from "../../ui/table/choose.tsx";
import { Only } from "../../ui/table/only.tsx";
import { SearchField } from "../../ui/table/search.tsx";
import { campaignOptions, type Campaign } from "../campaigns/choices.ts";
import { SUSPICIONS } from "../suspicions.ts";
import type { LeadFilters } from "./query.ts";
import { STATES } from "./words.ts";

const TYPE_OPTIONS: [string, string][] = [
  ["", "All leads"],
  ["lead", "Not customers yet"],
  ["customer", "Customers"],
];
const STATE_OPTIONS: [string, string][] = [
  ["", "Any state"],
  ...Object.entries(STATES).map(([state, { words }]): [string, string] => [state, words]),
  ["not_denied", `Not ${STATES.denied.words.toLowerCase()}`],
];
const SUSPICION_OPTIONS: [string, string][] = [
  ["", "Any suspicion"],
  ["any", "Suspicious"],
  ...Object.entries(SUSPICIONS).map(([kind, { words }]): [string, string] => [kind, words]),
];

/** The filters of the list of leads. */
export function LeadFilterBar({
  filters,
  campaigns,
  children,
}: {
  filters: Filters<LeadFilters>;
  campaigns: Campaign[] | null;
  children: ComponentChildren;
}) {
  return (
    <>
      <div class="table-tools">
        <SearchField filters={filters} label="Search leads" placeholder="E-mail, your id, name or website" />
        <Choose filters={filters} name="type" label="Customers" options={TYPE_OPTIONS} />
        <Choose filters={filters} name="state" label="State" options={STATE_OPTIONS} />
        <Choose
          filters={filters}
          name="campaign"
          label="Campaign"
          options={[["", "All campaigns"], ...campaignOptions(campaigns)]}
        />
        <Choose filters={filters} name="suspicion" label="Suspicions" options={SUSPICION_OPTIONS} />
        <div class="end">{children}</div>
      </div>
      <Only filters={filters} name="promoter" />
    </>
  );
}

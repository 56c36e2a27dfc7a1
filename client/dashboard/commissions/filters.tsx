import type { ComponentChildren } from "preact";
import type { Filters } from "../../ui/fragment.ts";
import { Choose } from "../../ui/table/choose.tsx";
import { Day } from "../../ui/table/day.tsx";
import { Only } from "../../ui/table/only.tsx";
import { SearchField } from "../../ui/table/search.tsx";
import { campaignOptions, type Campaign } from "../campaigns/choices.ts";
import type { CommissionFilters } from "./query.ts";
import { STATUSES } from "./words.ts";

const STATUS_OPTIONS: [string, string][] = [
  ["", "Any state"],
  ...Object.entries(STATUSES).map(([status, { words }]): [string, string] => [status, words]),
];
const PAID_OPTIONS: [string, string][] = [
  ["", "Paid or not"],
  ["no", "Not paid"],
  ["yes", "Paid"],
];
const SUSPICION_OPTIONS: [string, string][] = [
  ["", "Any suspicion"],
  ["any", "Suspicious"],
  ["none", "Not suspicious"],
];

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
        <Choose filters={filters} name="status" label="State" options={STATUS_OPTIONS} />
        <Choose filters={filters} name="paid" label="Paid" options={PAID_OPTIONS} />
        <Choose
          filters={filters}
          name="campaign"
          label="Campaign"
          options={[["", "All campaigns"], ...campaignOptions(campaigns)]}
        />
        <Choose filters={filters} name="suspicion" label="Suspicions" options={SUSPICION_OPTIONS} />
        <Day filters={filters} name="from" label="Earned from" />
        <Day filters={filters} name="to" label="Earned until" />
        <div class="end">{children}</div>
      </div>
      <Only filters={filters} name="promoter" />
      <Only filters={filters} name="payout" />
    </>
  );
}

import { Badge } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { date, money, periodWords } from "../../ui/format.ts";
import type { Filters } from "../../ui/fragment.ts";
import { useChoice } from "../../ui/table/choice.ts";
import { Choose, FoldedFilters, NoneFits, Only, optionsOf, SearchField } from "../../ui/table/filters.tsx";
import { ChosenActions } from "../../ui/table/chosen.tsx";
import { ColumnMenu, useColumns } from "../../ui/table/columns.tsx";
import { useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { ChooseCampaign, useCampaigns } from "../campaigns/choices.tsx";
import { amountOf } from "../../ui/amount.ts";
import { SavedViews } from "../saved-views.tsx";
import { may } from "../session/session.ts";
import { PAYOUT_ACTIONS } from "./actions.ts";
import { loadPayouts, USUAL, type PayoutFilters } from "./query.ts";
import { METHODS, STATUSES, type Payout } from "./words.ts";

const COLUMNS: Column<Payout>[] = [
  {
    id: "promoter",
    title: "Promoter",
    cell: ({ promoter }) => (
      <a class="one-line" href={`/admin/promoters/${promoter.id}`}>
        {promoter.name}
      </a>
    ),
  },
  { id: "status", title: "State", cell: (payout) => <PayoutState payout={payout} /> },
  { id: "campaign", title: "Campaign", cell: ({ campaign }) => campaign.name },
  {
    id: "period",
    title: "For",
    sort: "period_end",
    cell: ({ period_start: start, period_end: end }) => periodWords(start, end),
  },
  {
    id: "method",
    title: "Paid by",
    cell: ({ payout_method: method }) => (method === null ? "–" : METHODS[method.method]),
  },
  {
    id: "amount",
    title: "Without tax",
    isNumber: true,
    sort: "amount",
    cell: (payout) => (
      <span class="stack tight">
        {amountOf(payout)}
        {payout.set_off?.map(({ campaign_id: campaign, amount }) => (
          <small class="soft" key={campaign}>
            {amountOf({ ...payout, amount })} set off for campaign {campaign}
          </small>
        ))}
      </span>
    ),
  },
  {
    id: "total",
    title: "With tax",
    isNumber: true,
    cell: ({ unit, total_incl_tax: total }) => (unit === "cash" ? money(total) : "–"),
  },
  {
    id: "commissions",
    title: "Commissions",
    cell: ({ id }) => <a href={`/admin/commissions#payout=${id}`}>Show</a>,
  },
  { id: "paid", title: "Paid on", cell: ({ paid_at: at }) => date(at) },
];
const HIDDEN_AT_FIRST = ["campaign", "method"];

const STATUS_OPTIONS = optionsOf("Any state", STATUSES);
const METHOD_OPTIONS = optionsOf("Any method", { ...METHODS, not_set: "None chosen" });
const DUE_OPTIONS = optionsOf("Due whenever", {
  next: "Due next",
  overdue: "Overdue",
  custom: "By hand, or on own terms",
});

const FOLDED = ["status", "due", "campaign", "method"] as const;

/** Every payout. */
export function PayoutList({
  filters,
  changed,
}: {
  filters: Filters<PayoutFilters>;
  changed: () => Promise<void>;
}) {
  const list = useList(filters, loadPayouts);
  const campaigns = useCampaigns();
  const choice = useChoice({ filters, list, load: loadPayouts });
  const columns = useColumns("payouts", HIDDEN_AT_FIRST);
  return (
    <>
      <div class="table-tools">
        <SearchField filters={filters} label="Search payouts" placeholder="Name or e-mail" />
        <FoldedFilters filters={filters} usual={USUAL} names={FOLDED}>
          <Choose filters={filters} name="status" label="State" options={STATUS_OPTIONS} />
          <Choose filters={filters} name="due" label="Due" options={DUE_OPTIONS} />
          <ChooseCampaign filters={filters} campaigns={campaigns.data.value} />
          <Choose filters={filters} name="method" label="Payout method" options={METHOD_OPTIONS} />
        </FoldedFilters>
        <div class="end">
          <SavedViews list="payouts" filters={filters} usual={{ ...USUAL, tab: "all" }} />
          <ColumnMenu columns={COLUMNS} chosen={columns} />
        </div>
      </div>
      <Only filters={filters} name="promoter" />
      <Only filters={filters} name="batch" wordsFor={(id) => `BATCH-${id}`} />
      <Only filters={filters} name="run" />
      <ChosenActions
        actions={PAYOUT_ACTIONS}
        choice={choice}
        one="payout"
        reload={async () => {
          await Promise.all([list.reload(), changed()]);
        }}
      />
      <Table
        caption="Payouts"
        columns={COLUMNS}
        list={list}
        {...(may("owner") && { choice })}
        chosenColumns={columns}
        empty={
          <NoneFits filters={filters} usual={{ ...USUAL, tab: "all" }} one="payout">
            <Empty title="No payouts were made yet">
              <p>They are made automatically when a period ends.</p>
              <button class="button" onClick={() => filters.set({ ...USUAL, tab: "next" })}>
                Show the next run
              </button>
            </Empty>
          </NoneFits>
        }
      />
    </>
  );
}

function PayoutState({ payout: { status, error } }: { payout: Payout }) {
  const { words, tone } = STATUSES[status];
  return (
    <>
      <Badge tone={tone}>{words}</Badge>
      {error && <small class="one-line faint">{error}</small>}
    </>
  );
}

import { Badge } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { count, dateTime, periodWords } from "../../ui/format.ts";
import type { Filters } from "../../ui/fragment.ts";
import { useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { amountOf } from "../../ui/amount.ts";
import { loadPreview, loadRuns, USUAL, type PayoutFilters, type PayoutRun, type Previewed } from "./query.ts";

const PREVIEW: Column<Previewed>[] = [
  {
    id: "promoter",
    title: "Promoter",
    cell: ({ promoter }) => (
      <a class="one-line" href={`/admin/promoters/${promoter.id}`}>
        {promoter.name}
      </a>
    ),
  },
  { id: "campaign", title: "Campaign", cell: ({ campaign }) => campaign.name },
  {
    id: "paid",
    title: "In the next run",
    isText: true,
    cell: ({ not_paid_because: why }) =>
      why === null ? <Badge tone="good">Will be paid</Badge> : <Badge tone="quiet">{why}</Badge>,
  },
  {
    id: "commissions",
    title: "Commissions",
    isNumber: true,
    cell: ({ commissions_count: commissions }) => count(commissions),
  },
  {
    id: "amount",
    title: "Amount",
    isNumber: true,
    cell: ({ unit, amount, set_off: setOff }) => (
      <span class="stack tight">
        {amountOf({ unit, amount: amount - setOff })}
        {setOff > 0 && (
          <small class="soft">{amountOf({ unit, amount: setOff })} set off for other campaigns</small>
        )}
      </span>
    ),
  },
];

const RUNS: Column<PayoutRun>[] = [
  {
    id: "name",
    title: "Run",
    cell: ({ group_ref: name }) => (
      <a href={`/admin/payouts#tab=all&run=${encodeURIComponent(name)}`}>{name}</a>
    ),
  },
  {
    id: "period",
    title: "For",
    cell: ({ period_start: start, period_end: end }) => periodWords(start, end),
  },
  {
    id: "finished",
    title: "Created",
    cell: ({ finished_at: at }) => (at === null ? <Badge tone="warn">Under way</Badge> : dateTime(at)),
  },
  { id: "payouts", title: "Payouts", isNumber: true, cell: ({ payouts_count: payouts }) => count(payouts) },
];

/** The preview of the next run. */
export function NextRun({ filters }: { filters: Filters<PayoutFilters> }) {
  const list = useList(filters, loadPreview);
  return (
    <>
      <p class="soft table-tools">
        This is what a run would pay if the period ended now. Runs are made automatically within an hour of
        the end of a period.
      </p>
      <Table
        caption="Payouts of the next run"
        columns={PREVIEW}
        list={list}
        empty={
          <Empty title="The next run has nothing to pay yet">
            <p>Approved commissions appear here, by promoter.</p>
            <a class="button" href="/admin/commissions">
              See the commissions
            </a>
          </Empty>
        }
      />
    </>
  );
}

/** Past runs. */
export function Runs({ filters }: { filters: Filters<PayoutFilters> }) {
  const list = useList(filters, loadRuns);
  return (
    <Table
      caption="Payout runs"
      columns={RUNS}
      list={list}
      empty={
        <Empty title="No run was made yet">
          <p>The first one is made when the current period ends. Each run and its payouts are listed here.</p>
          <button class="button" onClick={() => filters.set({ ...USUAL, tab: "next" })}>
            Show the next run
          </button>
        </Empty>
      }
    />
  );
}

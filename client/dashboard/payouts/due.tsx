import { Badge } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { count, money } from "../../ui/format.ts";
import type { Filters } from "../../ui/fragment.ts";
import { useChoice } from "../../ui/table/choice.ts";
import { ChosenActions } from "../../ui/table/chosen.tsx";
import { SearchField } from "../../ui/table/filters.tsx";
import { useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { ChooseCampaign, useCampaigns } from "../campaigns/choices.tsx";
import { may } from "../session/session.ts";
import { PAYOUT_ACTIONS } from "./actions.ts";
import { NewBatch } from "./new-batch.tsx";
import { loadDue, loadUnpaid, USUAL, type DueGroup, type PayoutFilters } from "./query.ts";
import { METHODS, readinessOf } from "./words.ts";

const COLUMNS: Column<DueGroup>[] = [
  {
    id: "promoter",
    title: "Promoter",
    cell: ({ promoter }) => (
      <a class="one-line" href={`/admin/promoters/${promoter.id}`}>
        {promoter.name}
      </a>
    ),
  },
  {
    id: "method",
    title: "Paid by",
    cell: ({ payout_method: method }) => (method === null ? "–" : METHODS[method.method]),
  },
  {
    id: "payable",
    title: "Can be paid",
    isText: true,
    cell: (group) => {
      const { words, tone } = readinessOf(group);
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { id: "payouts", title: "Payouts", isNumber: true, cell: ({ payouts }) => count(payouts.length) },
  { id: "amount", title: "Without tax", isNumber: true, cell: ({ amount }) => money(amount) },
  { id: "total", title: "To pay", isNumber: true, cell: ({ total_incl_tax: total }) => money(total) },
];

/** The promoters who are owed money. */
export function DueList({
  filters,
  changed,
}: {
  filters: Filters<PayoutFilters>;
  /** Called when the sums above have changed. */
  changed: () => Promise<void>;
}) {
  const list = useList(filters, loadDue);
  const campaigns = useCampaigns();
  const choice = useChoice({ filters, list, load: loadUnpaid });
  const mayPay = may("owner");
  const { q, campaign } = filters.values.value;
  const isFiltered = q !== "" || campaign !== "";
  const reload = async () => {
    await Promise.all([list.reload(), changed()]);
  };
  return (
    <>
      <div class="table-tools">
        <SearchField filters={filters} label="Search promoters" placeholder="Name or e-mail" />
        <ChooseCampaign filters={filters} campaigns={campaigns.data.value} />
        {mayPay && (isFiltered || list.data.value?.total !== 0) && (
          <div class="end">
            <NewBatch
              method={methodOfFirst(list.data.value?.rows ?? [])}
              onMade={async (id) => {
                toast("The batch was made");
                await reload();
                filters.set({ ...USUAL, tab: "batches", batch: String(id) });
              }}
            />
          </div>
        )}
      </div>
      <ChosenActions actions={PAYOUT_ACTIONS} choice={choice} one="promoter" acted="payout" reload={reload} />
      <Table
        caption="Promoters to pay"
        columns={COLUMNS}
        list={list}
        {...(mayPay && { choice })}
        empty={
          isFiltered ? (
            <Empty title="No promoter who waits for money fits these filters">
              <button class="button" onClick={() => filters.set(USUAL)}>
                Show all
              </button>
            </Empty>
          ) : (
            <Empty title="No promoter waits for money">
              <p>
                Payouts are made automatically when a period ends. To make one earlier, choose its commissions
                on the page <a href="/admin/commissions">Commissions</a>.
              </p>
              <button class="button" onClick={() => filters.set({ ...USUAL, tab: "next" })}>
                Show the next run
              </button>
            </Empty>
          )
        }
      />
    </>
  );
}

/** The method of the first promoter who has one. */
function methodOfFirst(groups: DueGroup[]) {
  return groups.find(({ payout_method: method }) => method !== null)?.payout_method?.method ?? "bank";
}

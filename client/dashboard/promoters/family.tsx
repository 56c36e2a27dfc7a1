import { Empty } from "../../ui/feedback/state.tsx";
import { date, money } from "../../ui/format.ts";
import type { Filters } from "../../ui/fragment.ts";
import { useList, type ListFilters } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { loadPromoters, USUAL } from "./filters.tsx";
import type { Promoter } from "./words.ts";
import { PromoterName, PromoterStates } from "./summary.tsx";

const COLUMNS: Column<Promoter>[] = [
  { id: "name", title: "Promoter", cell: (promoter) => <PromoterName promoter={promoter} /> },
  { id: "state", title: "State", cell: (promoter) => <PromoterStates promoter={promoter} /> },
  {
    id: "revenue",
    title: "Revenue",
    isNumber: true,
    sort: "revenue_amount",
    cell: ({ stats }) => money(stats.revenue_amount),
  },
  { id: "joined", title: "Joined", sort: "joined_at", cell: ({ joined_at: at }) => date(at) },
];

/** Who recruited a promoter, and whom they recruited. */
export function PromoterFamily<F extends ListFilters>({
  promoter: { id, parent_promoter: parent },
  filters,
}: {
  promoter: Promoter;
  filters: Filters<F>;
}) {
  const list = useList(filters, ({ sort, number, page }, signal) =>
    loadPromoters(
      { ...USUAL, archived: "any", parent: String(id), page, number, sort: sort || USUAL.sort },
      signal,
    ),
  );
  return (
    <div class="stack">
      {parent && (
        <p>
          Recruited by <a href={`/admin/promoters/${parent.id}`}>{parent.name ?? parent.email}</a>, who may
          earn a share of this promoter's sales.
        </p>
      )}
      <Table
        caption="Promoters whom they recruited"
        columns={COLUMNS}
        list={list}
        empty={
          <Empty title="They have recruited no promoter yet">
            <p>People who become promoters through their invitation appear here.</p>
          </Empty>
        }
      />
    </div>
  );
}

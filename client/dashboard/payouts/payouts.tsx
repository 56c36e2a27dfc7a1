import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Tabs } from "../../ui/feedback/tabs.tsx";
import { date, money, several } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { Books } from "./books.tsx";
import { PayoutList } from "./all.tsx";
import { BatchList } from "./payments-batches.tsx";
import { DueList } from "./due.tsx";
import { Holds } from "./holds.tsx";
import { Providers } from "./providers.tsx";
import { USUAL } from "./query.ts";
import { NextRun, Runs } from "./runs.tsx";

/** `/admin/payouts` */
export function Payouts() {
  const filters = useFilters(USUAL);
  const stats = useLoad((signal) => answer(api.GET("/api/v2/company/payouts/due_stats", { signal })));
  const { tab } = filters.values.value;
  const sums = stats.data.value?.data;
  const show = (due: string) => filters.set({ ...USUAL, tab: "all", status: "pending", due });
  return (
    <Page title="Payouts">
      <Holds />
      <div class="grid sums" style={{ "--column": "13rem" }}>
        <Sum
          title="Due next"
          sums={sums?.next}
          hint={sums?.next.due_date && `on ${date(sums.next.due_date)}`}
          onShow={() => show("next")}
        />
        <Sum
          title="Overdue"
          sums={sums?.overdue}
          hint={sums?.overdue.due_date && `since ${date(sums.overdue.due_date)}`}
          onShow={() => show("overdue")}
        />
        <Sum title="By hand, or on own terms" sums={sums?.custom} hint={null} onShow={() => show("custom")} />
      </div>
      <Tabs
        label="Payouts"
        shown={tab}
        onShow={(id) => filters.set({ ...USUAL, tab: id })}
        tabs={[
          { id: "due", title: "To pay", panel: () => <DueList filters={filters} changed={stats.reload} /> },
          {
            id: "all",
            title: "All payouts",
            panel: () => <PayoutList filters={filters} changed={stats.reload} />,
          },
          {
            id: "batches",
            title: "Batches",
            panel: () => <BatchList filters={filters} changed={stats.reload} />,
          },
          { id: "next", title: "Next run", panel: () => <NextRun filters={filters} /> },
          { id: "providers", title: "Providers", panel: () => <Providers /> },
          { id: "runs", title: "Runs", panel: () => <Runs filters={filters} /> },
          { id: "books", title: "Books", panel: () => <Books filters={filters} /> },
        ]}
      />
    </Page>
  );
}

interface Sums {
  promoters_count: number;
  total_incl_tax: number;
}

function Sum({
  title,
  sums,
  hint,
  onShow,
}: {
  title: string;
  sums: Sums | undefined;
  hint: string | null | undefined;
  onShow: () => void;
}) {
  return (
    <button class="card sum" onClick={onShow}>
      <span class="small soft">{title}</span>
      <strong class="sum-figure">{sums ? money(sums.total_incl_tax) : "…"}</strong>
      <span class="small soft">
        {/* The blank keeps the line's height until the sums are loaded. */}
        {sums ? several(sums.promoters_count, "promoter") : "\u00a0"} {hint}
        {sums?.total_incl_tax === 0 && sums.promoters_count > 0 && "· rewards other than money"}
      </span>
    </button>
  );
}

import { useSignal } from "@preact/signals";
import { useLoad } from "../../ui/api/load.ts";
import { Empty } from "../../ui/feedback/state.tsx";
import { date } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { useChoice } from "../../ui/table/choice.ts";
import { ColumnMenu, useColumns } from "../../ui/table/columns.tsx";
import { NoneFits } from "../../ui/table/filters.tsx";
import { useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { useCampaigns } from "../campaigns/choices.tsx";
import { SavedViews } from "../saved-views.tsx";
import { may } from "../session/session.ts";
import { LeadActions } from "./actions.tsx";
import { LeadFilterBar, loadLeads, USUAL } from "./filters.tsx";
import { loadStatuses, OwnStatuses } from "./own-statuses.tsx";
import { NewLead } from "./new-lead.tsx";
import { SOURCES, type Lead } from "./words.ts";
import { LeadName, LeadState } from "./summary.tsx";

const COLUMNS: Column<Lead>[] = [
  { id: "lead", title: "Lead", cell: (lead) => <LeadName lead={lead} /> },
  { id: "state", title: "State", cell: (lead) => <LeadState lead={lead} /> },
  {
    id: "promoter",
    title: "Promoter",
    cell: ({ promoter_campaign: { promoter, campaign } }) => (
      <div class="named">
        {promoter && (
          <a class="one-line" href={`/admin/promoters/${promoter.id}`}>
            {promoter.name}
          </a>
        )}
        <small class="one-line faint">{campaign?.name}</small>
      </div>
    ),
  },
  { id: "source", title: "How it came", cell: ({ entry_source: source }) => SOURCES[source] },
  { id: "created", title: "Signed up", sort: "created_at", cell: ({ created_at: at }) => <Day at={at} /> },
  { id: "customer", title: "Customer since", cell: ({ customer_since: at }) => <Day at={at} /> },
];
const HIDDEN_AT_FIRST = ["source"];

/** `/admin/leads` */
export function Leads() {
  const filters = useFilters(USUAL);
  const list = useList(filters, loadLeads);
  const campaigns = useCampaigns();
  const choice = useChoice({ filters, list, load: loadLeads });
  const columns = useColumns("leads", HIDDEN_AT_FIRST);
  const isAdding = useSignal(false);
  const isNaming = useSignal(false);
  const statuses = useLoad(loadStatuses);
  return (
    <Page
      title="Leads"
      actions={
        may("manager") && (
          <>
            <button class="button" onClick={() => (isNaming.value = true)}>
              Custom statuses
            </button>
            <button class="button main" onClick={() => (isAdding.value = true)}>
              Add a lead
            </button>
          </>
        )
      }
    >
      <LeadFilterBar filters={filters} campaigns={campaigns.data.value} statuses={statuses.data.value ?? []}>
        <SavedViews list="leads" filters={filters} usual={USUAL} />
        <ColumnMenu columns={COLUMNS} chosen={columns} />
      </LeadFilterBar>
      {may("manager") && <LeadActions choice={choice} reload={list.reload} />}
      <Table
        caption="Leads"
        columns={COLUMNS}
        list={list}
        {...(may("manager") && { choice })}
        chosenColumns={columns}
        empty={
          <NoneFits filters={filters} usual={USUAL} one="lead">
            <NoneYet />
          </NoneFits>
        }
      />
      {isNaming.value && statuses.data.value && (
        <OwnStatuses
          statuses={statuses.data.value}
          onSaved={async () => void (await Promise.all([statuses.reload(), list.reload()]))}
          onClose={() => (isNaming.value = false)}
        />
      )}
      {isAdding.value && <NewLead reload={list.reload} onClose={() => (isAdding.value = false)} />}
    </Page>
  );
}

function NoneYet() {
  return (
    <Empty title="No leads yet">
      <p>
        A lead appears when a visitor follows a promoter's link and signs up on your site. The script on your
        site reports both.
      </p>
      <a class="button" href="/admin/settings/integration">
        See how to put the script on your site
      </a>
    </Empty>
  );
}

function Day({ at }: { at: string | null }) {
  return <span class="one-line">{date(at)}</span>;
}

import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { date } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { loadJoined } from "../campaigns/joined.ts";
import { saveAs } from "../download.ts";
import { LEAD_STATES } from "../words.ts";
import { LeadForm } from "./lead-form.tsx";

type Lead = components["schemas"]["PortalReferral"];

const KINDS = ["lead", "customer"] as const;

/** The people whom the promoter has sent. */
export function Leads() {
  const filters = useFilters({ page: "1", sort: "", type: "" });
  const isAdding = useSignal(false);
  const joined = useLoad(loadJoined);
  const open = joined.data.value?.filter((each) => each.may_add_leads) ?? [];
  const list = useList(filters, ({ number, type }) => {
    const kind = KINDS.find((each) => each === type);
    const query = {
      page: number,
      per_page: PAGE_LENGTH,
      ...(kind !== undefined && { "filters[type]": kind }),
    };
    return page(api.GET("/api/v2/affiliate/referrals", { params: { query } }));
  });
  return (
    <Page title="Leads" actions={<Actions canAdd={open.length > 0} add={() => (isAdding.value = true)} />}>
      <div class="table-tools">
        <select
          class="input"
          aria-label="Show"
          value={filters.values.value.type}
          onInput={(event) => filters.set({ type: event.currentTarget.value })}
        >
          <option value="">Everybody</option>
          <option value="lead">Not customers yet</option>
          <option value="customer">Customers</option>
        </select>
      </div>
      <Table
        caption="Leads"
        columns={columnsOf((lead) => takeBack(lead, list.reload))}
        list={list}
        empty={<NoLeads isFiltered={filters.values.value.type !== ""} canAdd={open.length > 0} />}
      />
      {isAdding.value && (
        <LeadForm
          campaigns={open}
          onClose={() => (isAdding.value = false)}
          onAdded={() => {
            isAdding.value = false;
            toast("The company will review it.");
            void list.reload();
          }}
        />
      )}
    </Page>
  );
}

async function takeBack({ id, email }: Lead, reload: () => Promise<void>): Promise<void> {
  const text = "It leaves your list and the company's. You can add it again.";
  const title = `Take back ${email ?? "this lead"}?`;
  if (!(await ask({ title, text, action: "Take the lead back", isDanger: true }))) return;
  await tell(async () => {
    await answer(api.DELETE("/api/v2/affiliate/referrals/{id}", { params: { path: { id } } }));
    await reload();
    return "The lead was taken back";
  });
}

function Actions({ canAdd, add }: { canAdd: boolean; add: () => void }) {
  const load = () => answer(api.GET("/api/v2/affiliate/referrals/export", { parseAs: "text" }));
  return (
    <>
      <button class="button" onClick={() => saveAs("leads.csv", load)}>
        Download as CSV
      </button>
      {canAdd && (
        <button class="button main" onClick={add}>
          Add a lead
        </button>
      )}
    </>
  );
}

function NoLeads({ isFiltered, canAdd }: { isFiltered: boolean; canAdd: boolean }) {
  return (
    <Empty title={isFiltered ? "Nobody fits this" : "No leads yet"}>
      <p>
        People who sign up after following your link appear here.
        {canAdd && " You can also add people whom you know."} Addresses are masked.
      </p>
      <a class="button" href="/portal">
        Share your link
      </a>
    </Empty>
  );
}

function columnsOf(remove: (lead: Lead) => Promise<void>): Column<Lead>[] {
  return [
    { id: "email", title: "Person", cell: (lead) => <Person of={lead} /> },
    { id: "state", title: "State", cell: (lead) => <State of={lead} remove={remove} /> },
    { id: "created_at", title: "Lead since", cell: (lead) => date(lead.created_at) },
    { id: "customer_since", title: "Customer since", cell: (lead) => date(lead.customer_since) },
    { id: "sub_id", title: "Channel", cell: (lead) => lead.sub_id ?? "–" },
    {
      id: "campaign",
      title: "Campaign",
      cell: ({ promoter_campaign: { campaign } }) => campaign?.name ?? "–",
    },
  ];
}

function Person({ of: { email, first_name: first, last_name: last } }: { of: Lead }) {
  const name = [first, last].filter(Boolean).join(" ");
  return (
    <>
      <span class="no-wrap" title={email ?? undefined}>
        {email ?? "Without an address"}
      </span>
      {name !== "" && <span class="small soft"> {name}</span>}
    </>
  );
}

function State({ of: lead, remove }: { of: Lead; remove: (lead: Lead) => Promise<void> }) {
  return (
    <span class="row tight">
      <Badge {...(LEAD_STATES[lead.state] ?? { children: lead.state })} />
      {lead.is_removable && (
        <button
          class="button plain little"
          aria-label={`Take back ${lead.email ?? "this lead"}`}
          onClick={() => void remove(lead)}
        >
          Take back
        </button>
      )}
    </span>
  );
}

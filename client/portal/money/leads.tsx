import { api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { date } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { LEAD_STATES } from "../words.ts";

type Lead = components["schemas"]["PortalReferral"];

const COLUMNS: Column<Lead>[] = [
  { id: "email", title: "Person", cell: ({ email }) => email ?? "Without an address" },
  {
    id: "state",
    title: "State",
    cell: ({ state }) => <Badge {...(LEAD_STATES[state] ?? { children: state })} />,
  },
  { id: "created_at", title: "Signed up", cell: (lead) => date(lead.created_at) },
  { id: "customer_since", title: "Customer since", cell: (lead) => date(lead.customer_since) },
  { id: "sub_id", title: "Channel", cell: (lead) => lead.sub_id ?? "–" },
  { id: "campaign", title: "Campaign", cell: ({ campaign }) => campaign?.name ?? "–" },
];

const KINDS = ["lead", "customer"] as const;

/** The people whom the promoter has sent. */
export function Leads() {
  const filters = useFilters({ page: "1", sort: "", type: "" });
  const { type } = filters.values.value;
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
    <Page title="Leads">
      <div class="table-tools">
        <select
          class="input"
          aria-label="Show"
          value={type}
          onInput={(event) => filters.set({ type: event.currentTarget.value })}
        >
          <option value="">Everybody</option>
          <option value="lead">Not customers yet</option>
          <option value="customer">Customers</option>
        </select>
      </div>
      <Table
        caption="Leads"
        columns={COLUMNS}
        list={list}
        empty={
          <Empty title={type === "" ? "No leads yet" : "Nobody fits this"}>
            <p>Whoever signs up after a visit by your link appears here. Addresses are masked.</p>
            <a class="button" href="/portal">
              Share your link
            </a>
          </Empty>
        }
      />
    </Page>
  );
}

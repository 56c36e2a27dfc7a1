import { answer, api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { date } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { amountOf } from "../../ui/amount.ts";
import { saveAs } from "../download.ts";
import { COMMISSION_STATES } from "../words.ts";

type Commission = components["schemas"]["PortalCommission"];

const COLUMNS: Column<Commission>[] = [
  {
    id: "date",
    title: "Date",
    cell: ({ created_at: at, reason, promoter_campaign: { campaign } }) => (
      <>
        <span class="no-wrap">{date(at)}</span>
        <span class="on-phone small soft">
          {reason}
          {campaign && ` In ${campaign.name}.`}
        </span>
      </>
    ),
  },
  {
    id: "amount",
    title: "Amount",
    isNumber: true,
    cell: (commission) => (
      <>
        {amountOf(commission)}
        <span class="on-phone">
          <State of={commission} />
        </span>
      </>
    ),
  },
  { id: "state", title: "State", isWide: true, cell: (commission) => <State of={commission} /> },
  { id: "reason", title: "What for", isWide: true, isText: true, cell: ({ reason }) => reason },
  {
    id: "campaign",
    title: "Campaign",
    isWide: true,
    cell: ({ promoter_campaign: { campaign } }) => campaign?.name ?? "–",
  },
];

function State({ of: { status, is_paid: isPaid, approves_at: approvesAt } }: { of: Commission }) {
  const words = COMMISSION_STATES[isPaid ? "paid" : status] ?? { children: status };
  return (
    <>
      <Badge {...words} />
      {approvesAt !== null && <span class="small soft no-wrap"> until {date(approvesAt)}</span>}
    </>
  );
}

const STATUSES = ["pending", "approved", "denied"] as const;

/** The promoter's commissions, with the reason of each. */
export function Commissions() {
  const filters = useFilters({ page: "1", sort: "", status: "" });
  const { status } = filters.values.value;
  const list = useList(filters, ({ number, status: wanted }) => {
    const known = STATUSES.find((each) => each === wanted);
    const query = {
      page: number,
      per_page: PAGE_LENGTH,
      ...(known !== undefined && { "filters[status]": known }),
    };
    return page(api.GET("/api/v2/affiliate/commissions", { params: { query } }));
  });
  return (
    <Page title="Commissions" actions={<DownloadCommissions />}>
      <div class="table-tools">
        <select
          class="input"
          aria-label="Show"
          value={status}
          onInput={(event) => filters.set({ status: event.currentTarget.value })}
        >
          <option value="">All</option>
          <option value="pending">Waiting</option>
          <option value="approved">Approved</option>
          <option value="denied">Denied</option>
        </select>
      </div>
      <Table
        caption="Commissions"
        columns={COLUMNS}
        list={list}
        empty={
          <Empty title={status === "" ? "No commissions yet" : "None are in this state"}>
            <p>You earn one when a person whom you sent becomes a customer.</p>
            <a class="button" href="/portal">
              Share your link
            </a>
          </Empty>
        }
      />
    </Page>
  );
}

function DownloadCommissions() {
  const load = () => answer(api.GET("/api/v2/affiliate/commissions/export", { parseAs: "text" }));
  return (
    <button class="button" onClick={() => saveAs("commissions.csv", load)}>
      Download as CSV
    </button>
  );
}

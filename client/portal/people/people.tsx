import { api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Copyable } from "../../ui/feedback/copy.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { count, date } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { loadJoined } from "../campaigns/joined.ts";

type Child = components["schemas"]["SubAffiliate"];

const COLUMNS: Column<Child>[] = [
  { id: "name", title: "Promoter", cell: ({ name, email }) => name ?? email },
  { id: "joined", title: "Joined", cell: (child) => date(child.joined_at) },
  { id: "leads", title: "Leads", isNumber: true, cell: ({ stats }) => count(stats.referrals_count) },
  { id: "customers", title: "Customers", isNumber: true, cell: ({ stats }) => count(stats.customers_count) },
];

/** The promoters whom the promoter recruited, and the links for recruiting more. */
export function People() {
  const list = useList(useFilters({ page: "1", sort: "" }), ({ number }) =>
    page(
      api.GET("/api/v2/affiliate/promoters/sub_affiliates", {
        params: { query: { page: number, per_page: PAGE_LENGTH } },
      }),
    ),
  );
  return (
    <Page title="Invited people">
      <div class="stack wide">
        <Invite />
        <Table
          caption="Invited people"
          columns={COLUMNS}
          list={list}
          empty={
            <Empty title="Nobody yet">
              <p>
                Invite others to become promoters. Depending on the campaign, you earn a share of their sales.
              </p>
            </Empty>
          }
        />
      </div>
    </Page>
  );
}

function Invite() {
  const loaded = useLoad(loadJoined);
  return (
    <section class="card stack" aria-label="Your invitation">
      <h2>Your invitation</h2>
      <Await loaded={loaded}>
        {(joined) => {
          const open = joined.filter(({ recruitment_link_url: url }) => url !== null);
          if (open.length === 0) {
            return <p class="soft">You can invite others once an open campaign has accepted you.</p>;
          }
          return (
            <ul class="stack">
              {open.map(({ id, campaign, recruitment_link_url: url }) => (
                <li key={id}>
                  <span class="small soft">{campaign.name}</span>
                  <Copyable text={url ?? ""} of={`the invitation to ${campaign.name}`} />
                </li>
              ))}
            </ul>
          );
        }}
      </Await>
    </section>
  );
}

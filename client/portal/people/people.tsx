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
import { t } from "../../languages/messages.ts";

type Child = components["schemas"]["SubAffiliate"];

const columns = (): Column<Child>[] => [
  { id: "name", title: t("people.promoter"), cell: ({ name, email }) => name ?? email },
  { id: "joined", title: t("people.joined"), cell: (child) => date(child.joined_at) },
  {
    id: "leads",
    title: t("people.leads"),
    isNumber: true,
    cell: ({ stats }) => count(stats.referrals_count),
  },
  {
    id: "customers",
    title: t("people.customers"),
    isNumber: true,
    cell: ({ stats }) => count(stats.customers_count),
  },
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
    <Page title={t("page.people")}>
      <div class="stack wide">
        <Invite />
        <div>
          <Table
            caption={t("page.people")}
            columns={columns()}
            list={list}
            empty={
              <Empty title={t("people.none")}>
                <p>{t("people.none.text")}</p>
              </Empty>
            }
          />
        </div>
      </div>
    </Page>
  );
}

function Invite() {
  const loaded = useLoad(loadJoined);
  return (
    <section class="card stack" aria-label={t("people.invitation")}>
      <h2>{t("people.invitation")}</h2>
      <Await loaded={loaded}>
        {(joined) => {
          const open = joined.filter(({ recruitment_link_url: url }) => url !== null);
          if (open.length === 0) {
            return <p class="soft">{t("people.invitation.none")}</p>;
          }
          return (
            <ul class="stack">
              {open.map(({ id, campaign, recruitment_link_url: url }) => (
                <li key={id}>
                  <span class="small soft">{campaign.name}</span>
                  <Copyable text={url ?? ""} of={t("people.invitation.copy", { campaign: campaign.name })} />
                </li>
              ))}
            </ul>
          );
        }}
      </Await>
    </section>
  );
}

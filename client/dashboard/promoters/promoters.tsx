import { useSignal } from "@preact/signals";
import { Empty } from "../../ui/feedback/state.tsx";
import { count, date, money } from "../../ui/format.ts";
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
import { PromoterActions } from "./actions.tsx";
import { PromoterFilterBar, loadPromoters, USUAL } from "./filters.tsx";
import { Decide } from "./decide.tsx";
import { InvitePeople } from "./invite.tsx";
import { NewPromoter } from "./new-promoter.tsx";
import type { Promoter } from "./words.ts";
import { PromoterName, PromoterStates } from "./summary.tsx";

const columnsWith = (reload: () => Promise<void>): Column<Promoter>[] => [
  { id: "name", title: "Promoter", cell: (promoter) => <PromoterName promoter={promoter} /> },
  {
    id: "state",
    title: "State",
    cell: (promoter) => (
      <span class="row tight">
        <PromoterStates promoter={promoter} />
        {may("manager") && promoter.archived_at === null && <Decide promoter={promoter} reload={reload} />}
      </span>
    ),
  },
  { id: "campaigns", title: "Campaigns", cell: campaignNames },
  figure("clicks_count", "Clicks"),
  figure("referrals_count", "Leads"),
  figure("customers_count", "Customers"),
  {
    id: "revenue",
    title: "Revenue",
    isNumber: true,
    sort: "revenue_amount",
    cell: ({ stats }) => money(stats.revenue_amount),
  },
  {
    id: "balance",
    title: "Unpaid",
    isNumber: true,
    cell: ({ balances }) => money(balances.current_balance.cash),
  },
  { id: "cust_id", title: "Your id", cell: ({ cust_id: custId }) => custId ?? "–" },
  {
    id: "joined",
    title: "Joined",
    sort: "joined_at",
    cell: ({ joined_at: at }) => <span class="one-line">{date(at)}</span>,
  },
];
const HIDDEN_AT_FIRST = ["campaigns", "cust_id"];

/** `/admin/promoters` */
export function Promoters() {
  const filters = useFilters(USUAL);
  const list = useList(filters, loadPromoters);
  const campaigns = useCampaigns();
  const choice = useChoice({ filters, list, load: loadPromoters });
  const all = columnsWith(list.reload);
  const columns = useColumns("promoters", HIDDEN_AT_FIRST);
  const isAdding = useSignal(false);
  const isInviting = useSignal(false);
  const add = () => (isAdding.value = true);
  const invite = () => (isInviting.value = true);
  return (
    <Page
      title="Promoters"
      actions={
        may("manager") && (
          <>
            <button class="button" onClick={add}>
              Add a promoter
            </button>
            <button class="button main" onClick={invite}>
              Invite people
            </button>
          </>
        )
      }
    >
      <PromoterFilterBar filters={filters} campaigns={campaigns.data.value}>
        <SavedViews list="promoters" filters={filters} usual={USUAL} />
        <ColumnMenu columns={all} chosen={columns} />
      </PromoterFilterBar>
      {may("manager") && (
        <PromoterActions
          choice={choice}
          campaigns={campaigns.data.value ?? []}
          campaignId={filters.values.value.campaign}
          reload={list.reload}
        />
      )}
      <Table
        caption="Promoters"
        columns={all}
        list={list}
        {...(may("manager") && { choice })}
        chosenColumns={columns}
        empty={
          <NoneFits filters={filters} usual={USUAL} one="promoter">
            <NoneYet invite={invite} />
          </NoneFits>
        }
      />
      {isInviting.value && (
        <InvitePeople
          campaigns={campaigns.data.value ?? []}
          reload={list.reload}
          onClose={() => (isInviting.value = false)}
        />
      )}
      {isAdding.value && (
        <NewPromoter campaigns={campaigns.data.value ?? []} onClose={() => (isAdding.value = false)} />
      )}
    </Page>
  );
}

function NoneYet({ invite }: { invite: () => void }) {
  return (
    <Empty title="You have no promoters yet">
      <p>Invite people by their e-mail addresses, or give them the address of a campaign's sign-up page.</p>
      {may("manager") && (
        <button class="button" onClick={invite}>
          Invite people
        </button>
      )}
    </Empty>
  );
}

function figure(
  name: "clicks_count" | "referrals_count" | "customers_count",
  title: string,
): Column<Promoter> {
  return { id: name, title, isNumber: true, sort: name, cell: ({ stats }) => count(stats[name]) };
}

function campaignNames({ promoter_campaigns: joined }: Promoter) {
  return joined.map(({ campaign }) => campaign?.name ?? "–").join(", ");
}

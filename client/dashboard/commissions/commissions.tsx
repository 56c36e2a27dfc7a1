import { useSignal } from "@preact/signals";
import { Empty } from "../../ui/feedback/state.tsx";
import { date, money } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { useChoice } from "../../ui/table/choice.ts";
import { ChosenActions } from "../../ui/table/chosen.tsx";
import { ColumnMenu, useColumns } from "../../ui/table/columns.tsx";
import { NoneFits } from "../../ui/table/filters.tsx";
import { useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { useCampaigns } from "../campaigns/choices.tsx";
import { NewSale } from "../leads/new-sale.tsx";
import { SavedViews } from "../saved-views.tsx";
import { may } from "../session/session.ts";
import { COMMISSION_ACTIONS } from "./actions.ts";
import { CommissionDialog } from "./commission-dialog.tsx";
import { CommissionFilterBar, loadCommissions, USUAL } from "./filters.tsx";
import { NewCommission } from "./new-commission.tsx";
import type { Commission } from "./words.ts";
import { CommissionState } from "./state.tsx";
import { amountOf } from "../../ui/amount.ts";

const columns = (show: (commission: Commission) => void): Column<Commission>[] => [
  {
    id: "amount",
    title: "Commission",
    sort: "amount",
    cell: (commission) => (
      <button class="link no-wrap" onClick={() => show(commission)}>
        {amountOf(commission)}
      </button>
    ),
  },
  { id: "status", title: "State", cell: (commission) => <CommissionState commission={commission} /> },
  {
    id: "promoter",
    title: "Promoter",
    cell: ({ promoter_campaign: { promoter } }) =>
      promoter && <a href={`/admin/promoters/${promoter.id}`}>{promoter.name}</a>,
  },
  { id: "campaign", title: "Campaign", cell: ({ promoter_campaign: owner }) => owner.campaign?.name },
  {
    id: "lead",
    title: "Lead",
    sort: "referral",
    cell: ({ referral }) =>
      referral && <a href={`/admin/leads/${referral.id}`}>{referral.email ?? referral.uid ?? referral.id}</a>,
  },
  {
    id: "sale",
    title: "Sale",
    isNumber: true,
    sort: "sale_amount",
    cell: ({ sale_amount: cents }) => (cents === 0 ? "–" : money(cents)),
  },
  { id: "tier", title: "Tier", isNumber: true, cell: ({ tier }) => tier },
  { id: "event", title: "Event id", cell: ({ event_id: eventId }) => eventId ?? "–" },
  { id: "earned", title: "Earned", sort: "created_at", cell: ({ created_at: at }) => date(at) },
];
const HIDDEN_AT_FIRST = ["campaign", "tier", "event"];

/** `/admin/commissions` */
export function Commissions() {
  const filters = useFilters(USUAL);
  const list = useList(filters, loadCommissions);
  const campaigns = useCampaigns();
  const choice = useChoice({ filters, list, load: loadCommissions });
  const mayChange = may("manager");
  const chosenColumns = useColumns("commissions", HIDDEN_AT_FIRST);
  const shown = useSignal<Commission | null>(null);
  const isGiving = useSignal(false);
  const isSelling = useSignal(false);
  const all = columns((commission) => (shown.value = commission));
  return (
    <Page
      title="Commissions"
      actions={
        mayChange && (
          <>
            <button class="button" onClick={() => (isSelling.value = true)}>
              Add a sale
            </button>
            <button class="button main" onClick={() => (isGiving.value = true)}>
              Give a commission
            </button>
          </>
        )
      }
    >
      <CommissionFilterBar filters={filters} campaigns={campaigns.data.value}>
        <SavedViews list="commissions" filters={filters} usual={USUAL} />
        <ColumnMenu columns={all} chosen={chosenColumns} />
      </CommissionFilterBar>
      <ChosenActions actions={COMMISSION_ACTIONS} choice={choice} one="commission" reload={list.reload} />
      <Table
        caption="Commissions"
        columns={all}
        list={list}
        {...(mayChange && { choice })}
        chosenColumns={chosenColumns}
        empty={
          <NoneFits filters={filters} usual={USUAL} one="commission">
            <NoneYet />
          </NoneFits>
        }
      />
      {shown.value && (
        <CommissionDialog
          commission={shown.value}
          onClose={() => (shown.value = null)}
          reload={list.reload}
        />
      )}
      {isSelling.value && (
        <NewSale lead={null} reload={list.reload} onClose={() => (isSelling.value = false)} />
      )}
      {isGiving.value && <NewCommission onClose={() => (isGiving.value = false)} reload={list.reload} />}
    </Page>
  );
}

function NoneYet() {
  return (
    <Empty title="No promoter has earned anything yet">
      <p>
        Commissions come from sales. Report them from your server with <code>track/sale</code>, or connect
        Stripe or Paddle.
      </p>
      <a class="button" href="/admin/settings/integration">
        See how
      </a>
    </Empty>
  );
}

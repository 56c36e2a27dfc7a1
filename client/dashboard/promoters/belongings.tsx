import { api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, StateBadge } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { date, periodWords } from "../../ui/format.ts";
import type { Filters } from "../../ui/fragment.ts";
import { PAGE_LENGTH, useList, type ListFilters } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { loadCommissions, USUAL as ALL_COMMISSIONS } from "../commissions/filters.tsx";
import { STATUSES, type Commission } from "../commissions/words.ts";
import { amountOf } from "../../ui/amount.ts";
import { LeadName, LeadState } from "../leads/summary.tsx";
import { loadLeads, USUAL as ALL_LEADS } from "../leads/filters.tsx";
import type { Lead } from "../leads/words.ts";
import { STATUSES as PAYOUT_STATUSES } from "../payouts/words.ts";

type Payout = components["schemas"]["Payout"];

interface Owned<F extends ListFilters> {
  /** The promoter. */
  id: number;
  filters: Filters<F>;
}

const LEAD_COLUMNS: Column<Lead>[] = [
  { id: "lead", title: "Lead", cell: (lead) => <LeadName lead={lead} /> },
  { id: "state", title: "State", cell: (lead) => <LeadState lead={lead} /> },
  { id: "campaign", title: "Campaign", cell: ({ promoter_campaign: { campaign } }) => campaign?.name ?? "–" },
  { id: "created", title: "Signed up", sort: "created_at", cell: ({ created_at: at }) => date(at) },
  { id: "customer", title: "Customer since", cell: ({ customer_since: at }) => date(at) },
];

/** The people whom a promoter sent. */
export function PromoterLeads<F extends ListFilters>({ id, filters }: Owned<F>) {
  const list = useList(filters, ({ sort, number, page }, signal) =>
    loadLeads({ ...ALL_LEADS, promoter: String(id), page, number, sort: sort || ALL_LEADS.sort }, signal),
  );
  return (
    <Table
      caption="Leads"
      columns={LEAD_COLUMNS}
      list={list}
      empty={
        <Empty title="No leads yet">
          <p>People appear here when they follow this promoter's link and sign up on your site.</p>
        </Empty>
      }
    />
  );
}

const COMMISSION_COLUMNS: Column<Commission>[] = [
  {
    id: "for",
    title: "For",
    cell: ({ reward, internal_note: note, tier }) =>
      `${reward?.name ?? note ?? "Given by hand"}${tier > 1 ? ` (tier ${tier})` : ""}`,
  },
  { id: "amount", title: "Commission", isNumber: true, sort: "amount", cell: amountOf },
  {
    id: "status",
    title: "State",
    cell: ({ status, is_paid: isPaid }) => (
      <span class="row tight">
        <StateBadge of={STATUSES[status]} />
        {isPaid && <Badge tone="quiet">Paid</Badge>}
      </span>
    ),
  },
  {
    id: "lead",
    title: "Lead",
    cell: ({ referral }) =>
      referral && <a href={`/admin/leads/${referral.id}`}>{referral.email ?? referral.uid ?? referral.id}</a>,
  },
  { id: "earned", title: "Earned", sort: "created_at", cell: ({ created_at: at }) => date(at) },
];

/** What a promoter earned. */
export function PromoterCommissions<F extends ListFilters>({ id, filters }: Owned<F>) {
  const list = useList(filters, ({ sort, number, page }, signal) =>
    loadCommissions(
      { ...ALL_COMMISSIONS, promoter: String(id), page, number, sort: sort || ALL_COMMISSIONS.sort },
      signal,
    ),
  );
  return (
    <Table
      caption="Commissions"
      columns={COMMISSION_COLUMNS}
      list={list}
      empty={
        <Empty title="No commissions yet">
          <p>They come from the sales of this promoter's leads, if the campaign has a reward.</p>
        </Empty>
      }
    />
  );
}

const PAYOUT_COLUMNS: Column<Payout>[] = [
  {
    id: "period",
    title: "Period",
    cell: ({ period_start: start, period_end: end }) => periodWords(start, end),
  },
  {
    id: "amount",
    title: "With tax",
    isNumber: true,
    cell: ({ total_incl_tax: amount, unit }) => amountOf({ amount, unit }),
  },
  {
    id: "status",
    title: "State",
    cell: ({ status }) => <StateBadge of={PAYOUT_STATUSES[status]} />,
  },
  { id: "campaign", title: "Campaign", cell: ({ campaign }) => campaign.name },
  { id: "paid", title: "Paid", cell: ({ paid_at: at }) => date(at) },
];

/** A promoter's past and future payouts. */
export function PromoterPayouts<F extends ListFilters>({ id, filters }: Owned<F>) {
  const list = useList(filters, ({ number }, signal) => {
    const query = {
      "filters[promoter_id]": id,
      "sorting[period_end]": "desc" as const,
      page: number,
      per_page: PAGE_LENGTH,
    };
    return page(api.GET("/api/v2/company/payouts", { params: { query }, signal }));
  });
  return (
    <Table
      caption="Payouts"
      columns={PAYOUT_COLUMNS}
      list={list}
      empty={
        <Empty title="No payouts yet">
          <p>Approved commissions become a payout when their period ends.</p>
        </Empty>
      }
    />
  );
}

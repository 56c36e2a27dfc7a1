import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Empty } from "../../ui/feedback/state.tsx";
import { date, periodWords } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { amountOf } from "../../ui/amount.ts";
import { DownloadButton } from "../download.tsx";
import { Earned } from "../home/earned.tsx";
import { METHODS, PAYMENT_STATES, PAYOUT_STATES } from "../words.ts";
import { Receipt } from "./receipt.tsx";

type Payout = components["schemas"]["PortalPayout"];

/** What was paid, and what is due. */
export function Payouts() {
  const shown = useSignal<number | null>(null);
  const filters = useFilters({ page: "1", sort: "" });
  const list = useList(filters, ({ number }) =>
    page(
      api.GET("/api/v2/affiliate/payouts", { params: { query: { page: number, per_page: PAGE_LENGTH } } }),
    ),
  );
  const load = () => answer(api.GET("/api/v2/affiliate/payouts/export", { parseAs: "text" }));
  return (
    <Page title="Payouts" actions={<DownloadButton name="payouts.csv" load={load} />}>
      <div class="stack wide">
        <Earned />
        <div>
          <Table
            caption="Payouts"
            columns={columnsOf((id) => (shown.value = id))}
            list={list}
            empty={
              <Empty title="No payouts yet">
                <p>After each period, the company pays your approved commissions.</p>
                <a class="button" href="/portal/commissions">
                  See what you have earned
                </a>
              </Empty>
            }
          />
        </div>
        <OnTheWay />
      </div>
      {shown.value !== null && <Receipt id={shown.value} onClose={() => (shown.value = null)} />}
    </Page>
  );
}

/** How many payments are shown. */
const LATEST = 10;

/** The state of the latest payments, and what to do about those that did not arrive. */
function OnTheWay() {
  const list = useLoad((signal) =>
    answer(api.GET("/api/v2/affiliate/payments", { params: { query: { per_page: LATEST } }, signal })),
  );
  const payments = list.data.value ?? [];
  if (payments.length === 0) return null;
  return (
    <section>
      <h2>Latest payments</h2>
      <ul>
        {payments.map(({ id, amount, state, steps, what_to_do: advice }) => (
          <li key={id}>
            {amountOf({ amount, unit: "cash" })} <Badge {...PAYMENT_STATES[state]} /> {date(steps.at(-1)?.at)}
            {advice && <p>{advice}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function columnsOf(show: (id: number) => void): Column<Payout>[] {
  return [
    {
      id: "period",
      title: "Period",
      cell: (payout) => (
        <>
          {periodWords(payout.period_start, payout.period_end)}
          <span class="on-phone small soft">{whenAndHow(payout)}</span>
        </>
      ),
    },
    {
      id: "amount",
      title: "Amount",
      isNumber: true,
      cell: ({ total_incl_tax: amount, unit, status }) => (
        <>
          {amountOf({ amount, unit })}
          <span class="on-phone">
            <State of={status} />
          </span>
        </>
      ),
    },
    { id: "state", title: "State", isWide: true, cell: ({ status }) => <State of={status} /> },
    { id: "due", title: "Due", isWide: true, cell: (payout) => date(payout.due_date) },
    { id: "paid", title: "Paid", isWide: true, cell: (payout) => date(payout.paid_at) },
    { id: "method", title: "Payout method", isWide: true, cell: (payout) => methodOf(payout) ?? "–" },
    {
      id: "receipt",
      title: "Receipt",
      cell: ({ id, status }) =>
        status === "completed" ? (
          <button
            class="button little"
            aria-label={`Show the receipt of payout ${id}`}
            onClick={() => show(id)}
          >
            Receipt
          </button>
        ) : (
          "–"
        ),
    },
  ];
}

function State({ of: status }: { of: Payout["status"] }) {
  return <Badge {...(PAYOUT_STATES[status] ?? { children: status })} />;
}

function methodOf({ payout_method: method }: Payout): string | null {
  return method === null ? null : (METHODS[method.method] ?? method.method);
}

/** `Paid 4 Mar 2026, Bank transfer` */
function whenAndHow(payout: Payout): string {
  const { paid_at: paidAt, due_date: due } = payout;
  const when = paidAt === null ? (due === null ? null : `Due ${date(due)}`) : `Paid ${date(paidAt)}`;
  return [when, methodOf(payout)].filter((part) => part !== null).join(", ");
}

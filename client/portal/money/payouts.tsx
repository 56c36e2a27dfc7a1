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
import { methodName, paymentWords, payoutWords } from "../words.ts";
import { Receipt } from "./receipt.tsx";
import { t } from "../../languages/messages.ts";

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
    <Page title={t("page.payouts")} actions={<DownloadButton name="payouts.csv" load={load} />}>
      <div class="stack wide">
        <Earned />
        <div>
          <Table
            caption={t("page.payouts")}
            columns={columnsOf((id) => (shown.value = id))}
            list={list}
            empty={
              <Empty title={t("payouts.none")}>
                <p>{t("payouts.none.text")}</p>
                <a class="button" href="/portal/commissions">
                  {t("payouts.see_earned")}
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
      <h2>{t("payouts.latest")}</h2>
      <ul>
        {payments.map(({ id, amount, state, steps, what_to_do: advice }) => (
          <li key={id}>
            {amountOf({ amount, unit: "cash" })} <Badge {...paymentWords(state)} /> {date(steps.at(-1)?.at)}
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
      title: t("period"),
      cell: (payout) => (
        <>
          {periodWords(payout.period_start, payout.period_end)}
          <span class="on-phone small soft">{whenAndHow(payout)}</span>
        </>
      ),
    },
    {
      id: "amount",
      title: t("amount"),
      isNumber: true,
      cell: ({ total_incl_tax: amount, unit, status, set_off: setOff = [] }) => (
        <>
          {amountOf({ amount, unit })}
          {setOff.map((each) => (
            <span class="small soft" key={each.campaign_id}>
              {t("payouts.set_off", { amount: amountOf({ amount: each.amount, unit }) })}
            </span>
          ))}
          <span class="on-phone">
            <State of={status} />
          </span>
        </>
      ),
    },
    { id: "state", title: t("state"), isWide: true, cell: ({ status }) => <State of={status} /> },
    { id: "due", title: t("payouts.due"), isWide: true, cell: (payout) => date(payout.due_date) },
    { id: "paid", title: t("payouts.paid"), isWide: true, cell: (payout) => date(payout.paid_at) },
    { id: "method", title: t("payouts.method"), isWide: true, cell: (payout) => methodOf(payout) ?? "–" },
    {
      id: "receipt",
      title: t("receipt"),
      cell: ({ id, status }) =>
        status === "completed" ? (
          <button
            class="button little"
            aria-label={t("receipt.show", { id: String(id) })}
            onClick={() => show(id)}
          >
            {t("receipt")}
          </button>
        ) : (
          "–"
        ),
    },
  ];
}

function State({ of: status }: { of: Payout["status"] }) {
  return <Badge {...payoutWords(status)} />;
}

function methodOf({ payout_method: method }: Payout): string | null {
  return method === null ? null : methodName(method.method);
}

/** `Paid 4 Mar 2026, Bank transfer` */
function whenAndHow(payout: Payout): string {
  const { paid_at: paidAt, due_date: due } = payout;
  const when =
    paidAt !== null
      ? t("payouts.paid_on", { date: date(paidAt) })
      : due && t("payouts.due_on", { date: date(due) });
  return [when, methodOf(payout)].filter((part) => part !== null).join(", ");
}

import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { daysBefore, today } from "../../ui/day.ts";
import { Empty } from "../../ui/feedback/state.tsx";
import { count, money } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { PAGE_LENGTH, useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { DownloadButton } from "../download.tsx";
import { Choice, RANGES } from "../home/course.tsx";
import { t } from "../../languages/messages.ts";

type Data = components["schemas"]["ReportData"];

/** A channel, the links that carry it, and what it has brought in. */
interface Row {
  id: string;
  name: string;
  links: string[];
  data: Data;
}

const SHOWN = [
  "clicks_count",
  "referrals_count",
  "customers_count",
  "sales_count",
  "promoter_earnings_amount",
] as const;

/** What each channel, and so each link that carries one, has brought in. */
export function Figures() {
  const filters = useFilters({ page: "1", sort: "", days: "90" });
  const { days } = filters.values.value;
  const list = useList(filters, ({ number }, signal) => loadChannels(days, number, signal));
  const total = useLoad((signal) => loadTotal(days, signal), [days]);
  const load = () => {
    const params = { query: queryOf(days) };
    return answer(api.GET("/api/v2/affiliate/reports/sub_ids/download", { params, parseAs: "text" }));
  };
  return (
    <Page title={t("page.figures")} actions={<DownloadButton name="channels.csv" load={load} />}>
      <div class="stack wide">
        <Choice
          label={t("course.range")}
          options={RANGES}
          chosen={Number(days) as keyof typeof RANGES}
          onChoose={(next) => filters.set({ days: String(next), page: "1" })}
        />
        <Table
          caption={t("page.figures")}
          columns={columns()}
          list={list}
          {...(total.data.value && { total: total.data.value })}
          empty={
            <Empty title={t("figures.none")}>
              <p>{t("figures.none.text")}</p>
              <a class="button" href="/portal/links">
                {t("page.links")}
              </a>
            </Empty>
          }
        />
      </div>
    </Page>
  );
}

const columns = (): Column<Row>[] => [
  {
    id: "channel",
    title: t("channel"),
    cell: ({ name, links }) => (
      <>
        {name}
        {links.length > 0 && <span class="small soft"> {links.join(", ")}</span>}
      </>
    ),
  },
  figure("clicks", t("course.clicks"), ({ clicks_count: clicks }) => count(clicks ?? 0)),
  figure("leads", t("course.referrals"), ({ referrals_count: leads }) => count(leads ?? 0)),
  {
    ...figure("customers", t("course.customers"), ({ customers_count: customers }) => count(customers ?? 0)),
    isWide: true,
  },
  { ...figure("sales", t("figures.sales"), ({ sales_count: sales }) => count(sales ?? 0)), isWide: true },
  figure("earned", t("figures.earned"), ({ promoter_earnings_amount: cents }) => money(cents ?? 0)),
];

function figure(id: string, title: string, show: (data: Data) => string): Column<Row> {
  return { id, title, isNumber: true, cell: ({ data }) => show(data) };
}

function queryOf(days: string) {
  const end = today();
  return {
    columns: [...SHOWN],
    start_date: daysBefore(end, Number(days) - 1),
    end_date: end,
    group_by: "year" as const,
  };
}

async function loadChannels(days: string, number: number, signal: AbortSignal) {
  const query = { ...queryOf(days), page: number, per_page: PAGE_LENGTH };
  const [{ rows, total }, links] = await Promise.all([
    page(api.GET("/api/v2/affiliate/reports/sub_ids", { params: { query }, signal })),
    answer(api.GET("/api/v2/affiliate/referral_links", { params: { query: { per_page: 100 } }, signal })),
  ]);
  const namesOf = (channel: string) =>
    links.filter(({ sub_id: subId, name }) => subId === channel && name !== channel).map(({ name }) => name);
  return {
    rows: rows.map(({ id, sub_id: name, data }): Row => ({ id, name, links: namesOf(name), data })),
    total,
  };
}

async function loadTotal(days: string, signal: AbortSignal): Promise<Row> {
  const query = { ...queryOf(days), totals: true };
  const rows = await answer(api.GET("/api/v2/affiliate/reports/overview", { params: { query }, signal }));
  return { id: "total", name: t("figures.all"), links: [], data: rows.at(-1)?.data ?? {} };
}

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
import { said, t } from "../../languages/messages.ts";

/** The keys of what the figures can be split by. */
const SPLITS = {
  channel: "channel",
  page: "figures.page",
  source: "figures.source",
  code: "codes.code",
} as const;
type Split = keyof typeof SPLITS;

/** A channel, a landing page, a source or a promo code, and what it has brought in. */
interface Row {
  id: string;
  name: string;
  /** The links that carry the channel. */
  links?: string[];
  data: components["schemas"]["ReportData"];
}

/** What each channel with its links, each landing page, source and promo code has brought in. */
export function Figures() {
  const filters = useFilters({ page: "1", sort: "", days: "90", by: "channel" });
  const { days: chosen, by } = filters.values.value;
  // The address may say anything.
  const days = chosen in RANGES ? chosen : "90";
  const split = by in SPLITS ? (by as Split) : "channel";
  const list = useList(filters, ({ number }, signal) =>
    split === "channel" ? loadChannels(days, number, signal) : loadOrigins(split, days, number, signal),
  );
  const total = useLoad((signal) => loadTotal(days, signal), [days]);
  const isOfChannels = split === "channel";
  return (
    <Page
      title={t("page.figures")}
      actions={<DownloadButton name={`${split}s.csv`} load={() => loadFile(split, days)} />}
    >
      <div class="stack wide">
        <div class="row spread">
          <Choice
            label={t("figures.by")}
            options={SPLITS}
            chosen={split}
            onChoose={(next) => filters.set({ by: next, page: "1" })}
          />
          <Choice
            label={t("course.range")}
            options={RANGES}
            chosen={Number(days) as keyof typeof RANGES}
            onChoose={(next) => filters.set({ days: String(next), page: "1" })}
          />
        </div>
        <div>
          <Table
            key={split}
            caption={t("page.figures")}
            columns={columnsOf(split)}
            list={list}
            {...(isOfChannels && total.data.value && { total: total.data.value })}
            empty={
              <Empty title={t(isOfChannels ? "figures.none" : "figures.nothing")}>
                {isOfChannels && <p>{t("figures.none.text")}</p>}
                <a class="button" href="/portal/links">
                  {t("page.links")}
                </a>
              </Empty>
            }
          />
        </div>
      </div>
    </Page>
  );
}

function columnsOf(split: Split): Column<Row>[] {
  const named: Column<Row> = {
    id: "name",
    title: t(SPLITS[split]),
    cell: ({ name, links = [] }) => (
      <>
        {name}
        {links.length > 0 && <span class="small soft"> {links.join(", ")}</span>}
      </>
    ),
  };
  return [
    named,
    ...(split !== "code"
      ? [figure("clicks", t("course.clicks"), ({ clicks_count: clicks }) => count(clicks ?? 0))]
      : []),
    figure("leads", t("course.referrals"), ({ referrals_count: leads }) => count(leads ?? 0)),
    {
      ...figure("customers", t("course.customers"), ({ customers_count: customers }) =>
        count(customers ?? 0),
      ),
      isWide: true,
    },
    { ...figure("sales", t("figures.sales"), ({ sales_count: sales }) => count(sales ?? 0)), isWide: true },
    figure("earned", t("figures.earned"), ({ promoter_earnings_amount: cents }) => money(cents ?? 0)),
  ];
}

function figure(id: string, title: string, show: (data: Row["data"]) => string): Column<Row> {
  return { id, title, isNumber: true, cell: ({ data }) => show(data) };
}

function rangeOf(days: string) {
  const end = today();
  return { start_date: daysBefore(end, Number(days) - 1), end_date: end };
}

function reportOf(days: string) {
  const columns = [
    "clicks_count" as const,
    "referrals_count" as const,
    "customers_count" as const,
    "sales_count" as const,
    "promoter_earnings_amount" as const,
  ];
  return { ...rangeOf(days), columns, group_by: "year" as const };
}

async function loadChannels(days: string, number: number, signal: AbortSignal) {
  const query = { ...reportOf(days), page: number, per_page: PAGE_LENGTH };
  const all = { query: { per_page: 100 } };
  const [{ rows, total }, links] = await Promise.all([
    page(api.GET("/api/v2/affiliate/reports/sub_ids", { params: { query }, signal })),
    answer(api.GET("/api/v2/affiliate/referral_links", { params: all, signal })),
  ]);
  const linksOf = (channel: string) =>
    links.filter(({ sub_id: subId, name }) => subId === channel && name !== channel).map(({ name }) => name);
  return {
    rows: rows.map(({ id, sub_id: name, data }): Row => ({ id, name, links: linksOf(name), data })),
    total,
  };
}

async function loadOrigins(
  by: "page" | "source" | "code",
  days: string,
  number: number,
  signal: AbortSignal,
) {
  const query = { ...rangeOf(days), by, page: number, per_page: PAGE_LENGTH };
  const { rows, total } = await page(
    api.GET("/api/v2/affiliate/reports/origins", { params: { query }, signal }),
  );
  return {
    rows: rows.map(({ name, clicks_count: clicks, ...data }): Row => {
      const shown = by === "code" ? name : said(name);
      return { id: name, name: shown, data: { ...data, clicks_count: clicks ?? 0 } };
    }),
    total,
  };
}

async function loadTotal(days: string, signal: AbortSignal): Promise<Row> {
  const query = { ...reportOf(days), totals: true };
  const rows = await answer(api.GET("/api/v2/affiliate/reports/overview", { params: { query }, signal }));
  return { id: "total", name: t("figures.all"), data: rows.at(-1)?.data ?? {} };
}

function loadFile(split: Split, days: string): Promise<string> {
  if (split === "channel") {
    const params = { query: reportOf(days) };
    return answer(api.GET("/api/v2/affiliate/reports/sub_ids/download", { params, parseAs: "text" }));
  }
  const params = { query: { ...rangeOf(days), by: split } };
  return answer(api.GET("/api/v2/affiliate/reports/origins/download", { params, parseAs: "text" }));
}

import { accounts } from "../../server/domain/program/account/account.ts";
import { SYSTEM } from "../../server/domain/context.ts";
import { NO_VISIT, nameKey, ORIGIN_KINDS, type OriginKind } from "../../server/domain/people/origin.ts";
import type { Promoter } from "../../server/domain/people/promoter/promoter.ts";
import { answerOf, KEY, type TestApp } from "./app.ts";
import { newComparison, type Comparison } from "./comparison.ts";
import { readLedger, type Ledger } from "./money-laws.ts";
import { signedInBrowser } from "./portal.ts";
import { lastDayOf, pick, sumsOf, type Data, type Span } from "./report-laws.ts";
import { company } from "./v2.ts";

/** The columns that V1 and the portal both have. Those of money end with `_amount`. */
const COLUMNS = [
  "revenue_amount",
  "sales_count",
  "refunds_count",
  "promoter_earnings_amount",
  "promoter_paid_amount",
  "referrals_count",
  "customers_count",
  "cancelled_customers_count",
  "referrals_to_customers_cr",
];
const STATS = ["referrals_count", "sales_count", "customers_count", "revenue_amount"];

/** What a law of this file looks at. */
interface Look {
  app: TestApp;
  ledger: Ledger;
  whole: Span;
  compare: Comparison["compare"];
}

/** Every place where V1's reports, the portal's, or a promoter's clicks and statistics differ from the sums of the records. */
export async function shownReportFaults(app: TestApp): Promise<string[]> {
  const { faults, compare } = newComparison();
  const ledger = await readLedger(app.services.store, app.account_id);
  const to = app.services.clock().toISOString().slice(0, 10);
  const look: Look = { app, ledger, whole: { from: "2026-03-01", to }, compare };
  for (const promoter of ledger.promoters) {
    await comparePortal(look, promoter);
    await compareOrigins(look, promoter);
    await compareStats(look, promoter);
  }
  await compareV1(look);
  return faults;
}

async function comparePortal({ app, ledger, whole, compare }: Look, promoter: Promoter): Promise<void> {
  type Report = { id: string; data: Data }[];
  const { id, auth_token } = promoter;
  const portal = await signedInBrowser(app, auth_token);
  const columns = COLUMNS.map((name) => `columns[]=${name}`).join("&");
  const range = `group_by=month&totals=true&start_date=${whole.from}&end_date=${whole.to}`;
  const report = (await portal.call(`GET /reports/overview?${columns}&${range}`)).body as Report;
  const isOwn = ({ promoter_id }: { promoter_id: number }) => promoter_id === id;
  const name = `the portal's report of promoter ${id}`;
  for (const { id: from, data } of report) {
    if (from === "total") {
      compare(`${name} in total`, data, pick(sumsOf(ledger, isOwn, whole), COLUMNS));
      continue;
    }
    const span = { from, to: lastDayOf(from, whole.to) };
    compare(`${name} in ${from}`, data, pick(sumsOf(ledger, isOwn, span), COLUMNS));
  }
}

/** Compares the clicks by each source and page of a promoter. */
async function compareOrigins({ app, ledger, whole, compare }: Look, { id, auth_token }: Promoter) {
  type Report = { name: string; clicks_count: number }[];
  const portal = await signedInBrowser(app, auth_token);
  for (const kind of ORIGIN_KINDS) {
    const range = `start_date=${whole.from}&end_date=${whole.to}&per_page=100`;
    const shown = (await portal.call(`GET /reports/origins?by=${kind}&${range}`)).body as Report;
    const clicked = shown.filter(({ clicks_count: clicks }) => clicks !== 0);
    compare(
      `the portal's clicks by ${kind} of promoter ${id}`,
      Object.fromEntries(clicked.map(({ name, clicks_count: clicks }) => [nameKey(name), clicks])),
      clicksBy(kind, ledger, id),
    );
  }
}

function clicksBy(kind: OriginKind, { clicks }: Ledger, promoterId: number): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { count, ...owner } of clicks) {
    if (owner.promoter_id !== promoterId) continue;
    const key = owner[`${kind}_key`] ?? NO_VISIT[`${kind}_key`];
    sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
}

async function compareStats({ app, ledger, whole, compare }: Look, { id, auth_token }: Promoter) {
  type Shown = { stats: Data };
  const sums = sumsOf(ledger, ({ promoter_id }) => promoter_id === id, whole);
  const expected = { ...pick(sums, STATS), active_customers_count: sums["active_customers"] };
  const v2 = (await company(app, `GET /promoters/${id}`)).body as Shown;
  const portal = await signedInBrowser(app, auth_token);
  const own = (await portal.call("GET /promoters/current")).body as Shown;
  for (const { stats } of [v2, own]) {
    const { clicks_count: _, ...shown } = stats;
    compare(`the statistics of promoter ${id}`, shown, expected);
  }
}

/** V1 writes money as text. */
async function compareV1({ app, ledger, whole, compare }: Look): Promise<void> {
  type Group = Record<string, unknown> & { promoter_id: number; items: Record<string, unknown>[] };
  const range = `start_date=${whole.from}&end_date=${whole.to}&selected_fields=${COLUMNS.join(",")}`;
  const ask = async (path: string) =>
    (await answerOf(await app.request(`/api/v1/reports/${path}&${range}`, { headers: { "x-api-key": KEY } })))
      .body;
  const write = await v1Writer(app);
  const overview = (await ask("overview?group_by=year")) as Record<string, unknown>[];
  for (const { period, ...data } of overview) {
    const span = { from: `${String(period)}-01-01`, to: `${String(period)}-12-31` };
    compare(`V1's overview of ${String(period)}`, data, write(sumsOf(ledger, () => true, span)));
  }
  for (const group of (await ask("promoters?group_by=year")) as Group[]) {
    const sums = sumsOf(ledger, ({ promoter_id }) => promoter_id === group.promoter_id, whole);
    const { promoter_id: id, promoter_name: _, items, ...data } = group;
    compare(`V1's report of promoter ${id}`, data, write(sums));
    if (items.length === 1)
      compare(`V1's year of promoter ${id}`, { ...items[0], period: null }, { ...write(sums), period: null });
  }
}

async function v1Writer({ services, account_id }: TestApp): Promise<(sums: Data) => object> {
  const { currency } = (await services.store.get(accounts, SYSTEM, account_id))!;
  const money = new Intl.NumberFormat("en-US", { style: "currency", currency });
  const minorUnits = 10 ** money.resolvedOptions().maximumFractionDigits!;
  return (sums) =>
    Object.fromEntries(
      COLUMNS.map((name) => {
        const value = sums[name] ?? 0;
        return [name, name.endsWith("_amount") ? money.format(value / minorUnits) : value];
      }),
    );
}

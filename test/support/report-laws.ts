import { nameKey, type Origin } from "../../server/domain/people/origin.ts";
import type { TestApp } from "./app.ts";
import { newComparison } from "./comparison.ts";
import { readLedger, type Ledger } from "./money-laws.ts";
import { company } from "./v2.ts";

/** What a report counts: the records of the whole account, or those of one of its parts. */
type Owned = { promoter_id: number; campaign_id: number } & Partial<Origin>;
export type Choice = (owned: Owned) => boolean;
export type Data = Record<string, number>;

/** The columns that every report has. */
const COLUMNS = [
  "revenue_amount",
  "sales_count",
  "refunds_count",
  "promoter_earnings_amount",
  "referrals_count",
  "customers_count",
  "cancelled_customers_count",
  "referrals_to_customers_cr",
];
/** Those that have no sums by source and page. */
const MORE_COLUMNS = [
  "net_revenue_amount",
  "promoter_paid_amount",
  "active_customers",
  "signups_count",
  "non_link_customers",
  "monthly_churn",
];

/** A period of a report, by its first and its last day. */
export interface Span {
  from: string;
  to: string;
}

/** The sums of a report, as they follow from the records alone. */
export function sumsOf(ledger: Ledger, isOwn: Choice, { from, to }: Span): Data {
  const isIn = (at: string | null) => at !== null && at.slice(0, 10) >= from && at.slice(0, 10) <= to;
  const own = <R extends Owned>(records: R[], atOf: (record: R) => string | null) =>
    records.filter((record) => isOwn(record) && isIn(atOf(record)));
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const sales = own(ledger.sales, ({ created_at }) => created_at);
  const refunds = own(ledger.refunds, ({ created_at }) => created_at);
  const earned = own(ledger.commissions, ({ created_at }) => created_at);
  const paid = own(ledger.payouts, ({ status, unit, paid_at }) =>
    status === "completed" && unit === "cash" ? paid_at : null,
  );
  const came = own(ledger.leads, ({ created_at }) => created_at);
  const signups = own(ledger.leads, ({ signup_event_id, signed_up_at, created_at }) =>
    signup_event_id === null ? null : (signed_up_at ?? created_at),
  );
  const customers = own(ledger.leads, ({ customer_since }) => customer_since);
  const cancelled = ledger.leads
    .filter(isOwn)
    .flatMap(({ customer_history = [] }) =>
      customer_history.filter(({ kind, at }) => kind === "cancelled" && isIn(at)),
    );
  const activeBefore = activeAt(ledger.leads.filter(isOwn), dayBefore(from));
  const revenue = sum(sales.map(({ amount_cents }) => amount_cents));
  return {
    revenue_amount: revenue,
    sales_count: sales.length,
    refunds_count: refunds.length,
    promoter_earnings_amount: sum(
      earned
        .filter(({ status, unit }) => status === "approved" && unit === "cash")
        .map(({ amount }) => amount),
    ),
    referrals_count: came.length,
    customers_count: customers.length,
    cancelled_customers_count: cancelled.length,
    referrals_to_customers_cr: percent(customers.length, came.length),
    signups_count: signups.length,
    non_link_customers: customers.filter(({ entry_source }) => entry_source === "coupon").length,
    monthly_churn: percent(cancelled.length / monthsOf(from, to), activeBefore + customers.length),
    net_revenue_amount: revenue - sum(refunds.map(({ amount_cents }) => amount_cents)),
    promoter_paid_amount: sum(paid.map(({ amount }) => amount)),
    active_customers: activeAt(ledger.leads.filter(isOwn), to),
  };
}

/** The customers who by the end of a day have not left, or have come back. */
function activeAt(leads: Ledger["leads"], day: string): number {
  const isBy = (at: string) => at.slice(0, 10) <= day;
  return leads.filter(({ customer_since, customer_history = [] }) => {
    const moves = customer_history.filter(({ kind, at }) => kind !== "cancelled" && isBy(at));
    return customer_since !== null && isBy(customer_since) && moves.at(-1)?.kind !== "left";
  }).length;
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;
}

/** The calendar months that a span touches. */
function monthsOf(from: string, to: string): number {
  const months = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  return months(to) - months(from) + 1;
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}

type Row = { period: string; id: string; data: Data };
type Group = { id: number; source?: string; url?: string; data: Data; sub_data: Row[] };

/** Every place where a report differs from the sums of the records. */
export async function reportFaults(app: TestApp): Promise<string[]> {
  const ledger = await readLedger(app.services.store, app.account_id);
  const until = app.services.clock().toISOString().slice(0, 10);
  const whole = { from: "2026-03-01", to: until };
  const { faults, compare } = newComparison();

  async function rowsOf<R>(report: string, columns: string[], more = ""): Promise<R[]> {
    const asked = columns.map((name) => `columns[]=${name}`).join("&");
    const range = `group_by=month&start_date=${whole.from}&end_date=${whole.to}&per_page=100`;
    return (await company(app, `GET /reports/${report}?${asked}&${range}${more}`)).body as R[];
  }

  function compareRows(name: string, rows: Row[], { isOwn, columns }: { isOwn: Choice; columns: string[] }) {
    for (const { period, id, data } of rows) {
      const span = period === "total" ? whole : { from: id, to: lastDayOf(id, until) };
      compare(`${name} in ${period}`, data, pick(sumsOf(ledger, isOwn, span), columns));
    }
  }

  async function compareGroups(report: string, columns: string[], choices: Map<unknown, Choice>) {
    const groups = new Map(
      (await rowsOf<Group>(report, columns)).map((group) => [group.source ?? group.url ?? group.id, group]),
    );
    for (const [key, isOwn] of choices) {
      const nothing = Object.fromEntries(columns.map((name) => [name, 0]));
      const { data, sub_data: rows } = groups.get(key as number) ?? { data: nothing, sub_data: [] };
      const name = `the report ${report} of ${String(key)}`;
      compareRows(name, [...rows, { period: "total", id: "total", data }], { isOwn, columns });
    }
  }

  const columns = [...COLUMNS, ...MORE_COLUMNS];
  const overview = await rowsOf<Row>("overview", columns, "&totals=true");
  compareRows("the overview", overview, { isOwn: () => true, columns });
  await compareGroups("campaigns", columns, new Map([[1, ({ campaign_id }) => campaign_id === 1]]));
  const promoters = ledger.promoters.map(({ id }): [number, Choice] => [
    id,
    ({ promoter_id }) => promoter_id === id,
  ]);
  await compareGroups("promoters", columns, new Map(promoters));
  await compareGroups("traffic_sources", COLUMNS, cameBy("source_key", "news.example", "direct"));
  const page = "https://www.acme.example/pricing";
  await compareGroups("urls", COLUMNS, cameBy("page_key", page, "unknown"));
  return faults;
}

/** Who came by each of two names. The second one stands for no visit. */
function cameBy(key: "source_key" | "page_key", visited: string, none: string): Map<unknown, Choice> {
  return new Map<unknown, Choice>([
    [visited, (record) => record[key] === nameKey(visited)],
    [none, ({ source_key }) => !source_key],
  ]);
}

export function pick(data: Data, columns: string[]): Data {
  return Object.fromEntries(columns.map((name) => [name, data[name] ?? 0]));
}

/** The last day of the month that begins on a day, or the last of all. */
export function lastDayOf(firstDay: string, until: string): string {
  const [year = 0, month = 0] = firstDay.split("-").map(Number);
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  return last < until ? last : until;
}

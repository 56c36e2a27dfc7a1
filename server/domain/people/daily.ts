import { sql, type Compilable, type Kysely } from "kysely";
import { among, prepared } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import type { Calendar, Share, Summing, SumTable } from "../../storage/sums.ts";
import { SYSTEM } from "../context.ts";
import { accounts } from "../program/account/account.ts";
import { calendarOf } from "../program/account/time-zone.ts";
import { nameKey, ORIGIN_KINDS, originKeys, type Origin, type OriginKind } from "./origin.ts";
import type { Belonging } from "./promoter-campaign/promoter-campaign.ts";

/** The metrics whose totals are shown. */
const TOTAL_METRICS = [
  "clicks",
  "referrals",
  "customers",
  "active_customers",
  "sales",
  "sales_cents",
  "refunds",
  "refunds_cents",
  "cancellations",
  "commissions",
] as const;
export const METRICS = [
  ...TOTAL_METRICS,
  /** Leads without a sign-up event. They are few, so counting them costs less than counting sign-ups. */
  "unsigned_referrals",
  "non_link_customers",
  "earnings_cents",
  "paid_cents",
] as const;
/** A metric counts events, or cents if its name says so. */
export type Metric = (typeof METRICS)[number];
export type TotalMetric = (typeof TOTAL_METRICS)[number];

/** The metrics that are counted by source, page and channel too. */
export const ORIGIN_METRICS: ReadonlySet<Metric> = new Set([
  "clicks",
  "referrals",
  "customers",
  "sales",
  "sales_cents",
  "refunds",
  "cancellations",
  "earnings_cents",
]);

/**
 * The subjects whose days are summed. The account's are those of its campaigns. `sub-id`: the channels of a
 * promoter campaign. Promoters are many, so theirs are also summed by month, on its first day. `promoter-origin`: a source
 * and a page of a promoter. It has only clicks, because a report finds a promoter's few leads and sales by an index.
 * `promoter-refunded`: a promoter's customers of whom nothing is left, which rules of rewards leave out.
 */
const SERIES = [
  "campaign",
  "promoter",
  "promoter-month",
  "promoter-origin",
  "promoter-refunded",
  ...ORIGIN_KINDS,
  "sub-id",
] as const;
export type Series = (typeof SERIES)[number];

/**
 * The sums of each day. Each series has its own rows, because one row for each combination would make ten
 * times as many, and reports need one series at a time.
 */
export const daily = {
  name: "daily",
  by: {
    series: "text",
    /** The campaign, the promoter, or the promoter campaign of a channel. 0 for the account's sources and pages. */
    subject_id: "integer",
    /** The key of the source, page or channel. Those of both for a promoter's origins, otherwise "". */
    subject_key: "text",
    day: "text",
    /** The promoter campaign, for the days of promoters and of their origins, otherwise 0. */
    promoter_campaign_id: "integer",
  },
  sums: METRICS.map(columnOf),
} as const satisfies SumTable;

/** The column of a metric. Operators query the columns too, so leads go by the name of their table. */
export function columnOf(metric: Metric): string {
  return metric.replace("referrals", "leads");
}

/** One count of a record. */
export interface Count {
  metric: Metric;
  /** The instant that determines the day, or the day itself. */
  at: string;
  /** Absent: 1. */
  amount?: number;
}

/** A record that is counted. Without the fields of an origin, it is not counted by source and page. */
type Owner = Belonging & Partial<Origin>;

/**
 * The contributions of records to `daily`, by their counts. `refundedSince` says since when a customer was one of whom
 * nothing is left, or null.
 */
export function dailySums<R extends Owner>(
  countsOf: (record: R) => Count[],
  refundedSince: (record: R) => string | null = () => null,
): Summing<R> {
  return {
    into: daily,
    calendarOf: async (reader, accountId) => calendarOf(await reader.get(accounts, SYSTEM, accountId)),
    sharesOf(record, calendar) {
      const since = refundedSince(record);
      const shares = sharesOf(record, amountsByDay(countsOf(record), calendar));
      return since === null ? shares : [...shares, refundedShare(record, calendar(since))];
    },
  };
}

/** Totals over all days. */
export type Stats = Record<TotalMetric, number>;

/** The table, for queries. */
export interface DailySchema {
  daily: DailyRow;
}

/** A row of it, for queries. */
type DailyRow = {
  account_id: number;
  series: Series;
  subject_id: number;
  subject_key: string;
  day: string;
  promoter_campaign_id: number;
};

/** A query over the days of a series. */
export function dailyQuery(view: View, accountId: number, series: Series) {
  return daysOf(view.query<DailySchema>(), accountId, series);
}

/** Whether anything of an account is counted. */
export async function hasDays(view: View, accountId: number): Promise<boolean> {
  const query = dailyQuery(view, accountId, "campaign").select("daily.day").limit(1);
  return (await view.rows(query)).length > 0;
}

const KEY_LENGTH = nameKey("").length;

/** The clicks of a promoter's days, by the keys of sources or of pages. */
export function ownClicksQuery(
  view: View,
  { account_id, promoter_id, kind }: { account_id: number; promoter_id: number; kind: OriginKind },
) {
  const start = ORIGIN_KINDS.indexOf(kind) * (KEY_LENGTH + 1) + 1;
  const key = sql<string>`substr(daily.subject_key, ${sql.lit(start)}, ${sql.lit(KEY_LENGTH)})`;
  return dailyQuery(view, account_id, "promoter-origin")
    .where("daily.subject_id", "=", promoter_id)
    .groupBy(key)
    .select(key.as("key"))
    .select(totalsOf(["clicks"]));
}

/** The sums of metrics, by name. */
export function totalsOf<M extends Metric>(metrics: readonly M[]) {
  return metrics.map((metric) =>
    sql<number>`coalesce(sum(${sql.ref(`daily.${columnOf(metric)}`)}), 0)`.as(metric),
  );
}

const ownTotals = prepared(
  (query: Kysely<DailySchema>, accountId: number, promoterId: number, promoterCampaignId: number) =>
    daysOf(query, accountId, "promoter")
      .where("daily.subject_id", "=", promoterId)
      .where("daily.promoter_campaign_id", "=", promoterCampaignId)
      .select(totalsOf(TOTAL_METRICS)),
);

/** The totals of a promoter campaign. */
export function loadStats(view: View, { account_id, promoter_id, id }: Counted): Promise<Stats> {
  return statsIn(view, ownTotals(view, account_id, promoter_id, id));
}

/** A promoter campaign whose days are summed. */
interface Counted {
  account_id: number;
  promoter_id: number;
  id: number;
}

/** The totals of each of some promoter campaigns of an account, all at once. */
export async function readStats(view: View, records: readonly Counted[]): Promise<(id: number) => Stats> {
  if (records.length === 1) {
    // By a prepared query, because most readers ask for one.
    const only = await loadStats(view, records[0]!);
    return () => only;
  }
  const days = ownDays(dailyQuery(view, records[0]?.account_id ?? 0, "promoter"), records);
  const rows = await view.rows(days.select(totalsOf(TOTAL_METRICS)));
  const known = new Map(rows.map((row) => [Number(row.id), row]));
  return (id) => statsOf(known.get(id));
}

/** What rules and goals count, over the days of `countedDays`. */
const COUNTED_OF_DAY = {
  customers: sql`case when daily.series = 'promoter' then 1 else -1 end * ${ofDay("customers")}`,
  active_customers: ofDay("active_customers"),
  revenue: sql`${ofDay("sales_cents")} - ${ofDay("refunds_cents")}`,
};

function ofDay(metric: Metric) {
  return sql.ref(`daily.${columnOf(metric)}`);
}

/** The sum of what rules and goals count: without what was refunded, and without customers of whom nothing is left. */
export function counted(what: keyof typeof COUNTED_OF_DAY) {
  return sql<number>`coalesce(sum(${COUNTED_OF_DAY[what]}), 0)`;
}

/** A query over the days that `counted` adds up. */
export function countedDays(query: Kysely<DailySchema>, accountId: number) {
  return query
    .selectFrom("daily")
    .where("daily.account_id", "=", accountId)
    .where("daily.series", "in", ["promoter", "promoter-refunded"]);
}

const ownCounts = prepared(
  (query: Kysely<DailySchema>, accountId: number, promoterId: number, promoterCampaignId: number) =>
    countedDays(query, accountId)
      .where("daily.subject_id", "=", promoterId)
      .where("daily.promoter_campaign_id", "=", promoterCampaignId)
      .select([counted("customers").as("customers"), counted("revenue").as("revenueCents")]),
);

/**
 * The customers and the revenue of a promoter campaign for rules of rewards: without what was refunded, and without
 * customers of whom nothing is left.
 *
 * @see docs/spec/money.md "Rules of a reward"
 */
export async function loadRuleCounts(
  view: View,
  { account_id, promoter_id, id }: Counted,
): Promise<RuleCounts> {
  const [counts] = await view.rows(ownCounts(view, account_id, promoter_id, id));
  return ruleCountsOf(counts);
}

/** The same of each of some promoter campaigns of an account, all at once. */
export async function readRuleCounts(
  view: View,
  records: readonly Counted[],
): Promise<(id: number) => RuleCounts> {
  if (records.length === 1) {
    // As in `readStats`.
    const only = await loadRuleCounts(view, records[0]!);
    return () => only;
  }
  const days = countedDays(view.query<DailySchema>(), records[0]?.account_id ?? 0);
  const counts = [counted("customers").as("customers"), counted("revenue").as("revenueCents")] as const;
  const rows = await view.rows(ownDays(days, records).select(counts));
  const known = new Map(rows.map((row) => [Number(row.id), row]));
  return (id) => ruleCountsOf(known.get(id));
}

export interface RuleCounts {
  customersCount: number;
  revenueCents: number;
}

function ruleCountsOf(counts: { customers: number; revenueCents: number } | undefined): RuleCounts {
  return {
    customersCount: Number(counts?.customers ?? 0),
    revenueCents: Number(counts?.revenueCents ?? 0),
  };
}

/** The totals of a promoter over all promoter campaigns. */
export async function loadPromoterTotals(
  view: View,
  accountId: number,
  promoterId: number,
): Promise<Record<Metric, number>> {
  const sums = await view.total(daily, accountId, "promoter-month", promoterId);
  const totals = {} as Record<Metric, number>;
  for (let at = 0; at < METRICS.length; at++) totals[METRICS[at]!] = sums[at]!;
  return totals;
}

/** The same of each of some promoters, all at once. */
export async function readPromoterTotals(
  view: View,
  accountId: number,
  promoterIds: readonly number[],
): Promise<(id: number) => Record<Metric, number>> {
  const days = dailyQuery(view, accountId, "promoter-month").where(among("daily.subject_id", promoterIds));
  const sums = days.groupBy("daily.subject_id").select("daily.subject_id as id").select(totalsOf(METRICS));
  const known = new Map((await view.rows(sums)).map((row) => [Number(row.id), row]));
  return (id) => {
    const totals = known.get(id);
    return Object.fromEntries(METRICS.map((metric) => [metric, Number(totals?.[metric] ?? 0)])) as Record<
      Metric,
      number
    >;
  };
}

/** The totals of these campaigns together. */
export function loadCampaignsStats(view: View, accountId: number, campaignIds: number[]): Promise<Stats> {
  const days = dailyQuery(view, accountId, "campaign").where(among("daily.subject_id", campaignIds));
  return statsIn(view, days.select(totalsOf(TOTAL_METRICS)));
}

/** The totals of each of some campaigns, all at once. */
export async function readCampaignStats(
  view: View,
  accountId: number,
  campaignIds: number[],
): Promise<(id: number) => Stats> {
  const days = dailyQuery(view, accountId, "campaign").where(among("daily.subject_id", campaignIds));
  const sums = days.groupBy("daily.subject_id").select("daily.subject_id as id");
  const rows = await view.rows(sums.select(totalsOf(TOTAL_METRICS)));
  const known = new Map(rows.map((row) => [Number(row.id), row]));
  return (id) => statsOf(known.get(id));
}

/** The totals of a campaign. */
export function loadCampaignStats(view: View, accountId: number, campaignId: number): Promise<Stats> {
  const days = dailyQuery(view, accountId, "campaign").where("daily.subject_id", "=", campaignId);
  return statsIn(view, days.select(totalsOf(TOTAL_METRICS)));
}

/** The totals of all campaigns. */
export function loadAccountStats(view: View, accountId: number): Promise<Stats> {
  return statsIn(view, dailyQuery(view, accountId, "campaign").select(totalsOf(TOTAL_METRICS)));
}

function sharesOf(owner: Owner, amountsByDay: Map<string, number[]>): Share[] {
  return [...amountsByDay].flatMap(([day, amounts]) => {
    const shares: Share[] = [
      { key: ["campaign", owner.campaign_id, "", day, 0], amounts },
      { key: ["promoter", owner.promoter_id, "", day, owner.promoter_campaign_id], amounts },
      { key: ["promoter-month", owner.promoter_id, "", `${day.slice(0, 7)}-01`, 0], amounts },
    ];
    const { source_key, sub_key = null } = owner;
    const byOrigin = amounts.map((amount, at) => (ORIGIN_METRICS.has(METRICS[at]!) ? amount : 0));
    if (source_key === undefined || byOrigin.every((amount) => amount === 0)) return shares;
    const keys = originKeys(owner);
    for (const [kind, key] of keys) shares.push({ key: [kind, 0, key, day, 0], amounts: byOrigin });
    if (sub_key !== null)
      shares.push({ key: ["sub-id", owner.promoter_campaign_id, sub_key, day, 0], amounts: byOrigin });
    const clicks = amounts[PLACES.get("clicks")!]!;
    if (clicks === 0) return shares;
    const onlyClicks = METRICS.map((metric) => (metric === "clicks" ? clicks : 0));
    const both = keys.map(([, key]) => key).join(" ");
    const own = ["promoter-origin", owner.promoter_id, both, day, owner.promoter_campaign_id];
    return [...shares, { key: own, amounts: onlyClicks }];
  });
}

function refundedShare({ promoter_id, promoter_campaign_id }: Owner, day: string): Share {
  const amounts = METRICS.map((metric) => (metric === "customers" ? 1 : 0));
  return { key: ["promoter-refunded", promoter_id, "", day, promoter_campaign_id], amounts };
}

const PLACES = new Map(METRICS.map((metric, at) => [metric, at]));

/** The amounts of counts by day, in the order of the metrics. */
function amountsByDay(counts: Count[], calendar: Calendar): Map<string, number[]> {
  const days = new Map<string, number[]>();
  for (const { metric, at, amount = 1 } of counts) {
    const day = calendar(at);
    const amounts = days.get(day) ?? METRICS.map(() => 0);
    days.set(day, amounts);
    amounts[PLACES.get(metric)!]! += amount;
  }
  return days;
}

function daysOf(query: Kysely<DailySchema>, accountId: number, series: Series) {
  return query
    .selectFrom("daily")
    .where("daily.account_id", "=", accountId)
    .where("daily.series", "=", series);
}

/** The days of some promoter campaigns, for one row with the `id` of each. */
function ownDays(days: ReturnType<typeof daysOf>, records: readonly Counted[]) {
  const promoterIds = [...new Set(records.map(({ promoter_id }) => promoter_id))];
  const ids = records.map(({ id }) => id);
  return days
    .where(among("daily.subject_id", promoterIds))
    .where(among("daily.promoter_campaign_id", ids))
    .groupBy("daily.promoter_campaign_id")
    .select("daily.promoter_campaign_id as id");
}

async function statsIn(view: View, totals: Compilable<Stats>): Promise<Stats> {
  const [stats] = await view.rows(totals);
  return statsOf(stats);
}

function statsOf(stats: Stats | undefined): Stats {
  return Object.fromEntries(TOTAL_METRICS.map((metric) => [metric, Number(stats?.[metric] ?? 0)])) as Stats;
}

import type { PromoterCampaign } from "../records.ts";
import { inGroup } from "../storage/collection.ts";
import type { Key } from "../storage/keys.ts";
import type { Store, Transaction } from "../storage/store.ts";
import { PROMOTER_GROUP } from "./scoped.ts";

export const METRICS = [
  "clicks",
  "referrals",
  "customers",
  "activeCustomers",
  "sales",
  "salesCents",
  "refunds",
  "refundsCents",
  "cancellations",
  "nonLinkCustomers",
  "earningsCents",
  "paidCents",
] as const;
/** What is counted: facts, or cents where the name says so. */
export type Metric = (typeof METRICS)[number];
export type Stats = Record<Metric, number>;

const CAMPAIGN_NAMES = ["customers", "sales", "salesCents"] as const;
/** What campaigns are told of as a whole. Leads are counted with their records, and clicks, where each counter costs, by nobody. */
const CAMPAIGN_METRICS: ReadonlySet<Metric> = new Set(CAMPAIGN_NAMES);

/** What daily counters are kept of. */
export const SERIES = ["account", "campaign", "promoter-campaign"] as const;
export type Series = (typeof SERIES)[number];

/** Whose facts are counted. */
type Owner = Pick<PromoterCampaign, "accountId" | "promoterId" | "id">;
type Participation = Owner & Pick<PromoterCampaign, "campaignId">;

/** What was counted of one thing on one day. */
export interface DailySum {
  day: string;
  /** Of the account, the campaign or the promoter campaign. */
  id: number;
  metric: Metric;
  sum: number;
}

/**
 * Counts a fact for its promoter campaign and into the daily series that the reports are made of.
 *
 * The day comes first in their keys: a report reads the days that it speaks of, in order, and meets
 * only those who had a fact on them.
 */
export function countFact(
  tx: Transaction,
  participation: Participation,
  fact: { metric: Metric; at: Date; delta?: number },
): void {
  const { accountId, id, campaignId } = participation;
  const { metric, at, delta = 1 } = fact;
  const day = dayNumber(at.toISOString().slice(0, 10));
  const ids = { account: accountId, campaign: campaignId, "promoter-campaign": id };
  tx.add([...statsKey(participation), metric], delta);
  if (CAMPAIGN_METRICS.has(metric)) tx.add([...campaignKey(accountId, campaignId), metric], delta);
  for (const series of SERIES) tx.add([...dailyKey(accountId, series), day, ids[series], metric], delta);
}

/** What was counted from one day to another, both included, day by day. */
export async function* dailySums(
  store: Store,
  accountId: number,
  { series, from, to }: { series: Series; from: string; to: string },
): AsyncGenerator<DailySum[]> {
  const range = { from: dayNumber(from), before: dayNumber(to) + 1 };
  for await (const sums of store.sumsBetween(dailyKey(accountId, series), range)) {
    yield sums.map(
      ([[day, id, metric], sum]) => ({ day: dayText(Number(day)), id, metric, sum }) as DailySum,
    );
  }
}

/** All that was counted for a promoter campaign; zero where nothing was. */
export async function loadStats(store: Store, participation: Owner): Promise<Stats> {
  const sums = await store.sums(statsKey(participation), METRICS);
  return Object.fromEntries(METRICS.map((metric, index) => [metric, sums[index] ?? 0])) as Stats;
}

/** What was counted of sales in a campaign; zero where nothing was. */
export async function loadCampaignStats(
  store: Store,
  accountId: number,
  campaignId: number,
): Promise<Pick<Stats, "customers" | "sales" | "salesCents">> {
  const [customers = 0, sales = 0, salesCents = 0] = await store.sums(
    campaignKey(accountId, campaignId),
    CAMPAIGN_NAMES,
  );
  return { customers, sales, salesCents };
}

function campaignKey(accountId: number, campaignId: number): Key {
  return [accountId, "campaign-stats", campaignId];
}

function statsKey({ accountId, promoterId, id }: Owner): Key {
  return inGroup(PROMOTER_GROUP, accountId, promoterId, ["stats", id]);
}

function dailyKey(accountId: number, series: Series): Key {
  return [accountId, `daily.${series}`];
}

/** `2026-03-04` as 20260304: it sorts as it should, and makes a shorter key than its text. "" is before all days. */
function dayNumber(day: string): number {
  return Number(day.replaceAll("-", ""));
}

function dayText(day: number): string {
  return String(day).replace(/(\d\d)(\d\d)$/, "-$1-$2");
}

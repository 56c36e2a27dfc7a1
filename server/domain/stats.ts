import type { Count } from "../storage/collection.ts";
import type { Key } from "../storage/keys.ts";
import type { Store, View } from "../storage/store.ts";
import type { Belonging } from "./scoped.ts";

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
  "commissions",
  "earningsCents",
  "paidCents",
] as const;
/** What is counted: facts, or cents where the name says so. */
export type Metric = (typeof METRICS)[number];
export type Stats = Record<Metric, number>;

/** What is counted of campaigns as a whole. The rest is read from their days, as each counter costs. */
const CAMPAIGN_METRICS: ReadonlySet<Metric> = new Set([
  "referrals",
  "customers",
  "sales",
  "salesCents",
  "commissions",
]);

/** What daily counters are kept of. The account's days are the sums of its campaigns'. */
export const SERIES = ["campaign", "promoter-campaign"] as const;
export type Series = (typeof SERIES)[number];

/** What a record counts for. */
export interface Fact {
  metric: Metric;
  /** When it was. null: it counts in all, but on no day. */
  at: string | null;
  /** 1 unless told. */
  amount?: number;
}

/** What was counted of one thing on one day. */
export interface DailySum {
  day: string;
  /** Of the campaign or the promoter campaign. */
  id: number;
  metric: Metric;
  sum: number;
}

/**
 * The counters that facts of a promoter campaign belong to: its own and its campaign's, in all and by day.
 *
 * The day comes first in the keys of days: a report reads the days that it speaks of, in order, and meets
 * only those who had a fact on them.
 */
export function factCounts(
  { promoterId, promoterCampaignId, campaignId }: Belonging,
  facts: Fact[],
): Count[] {
  const counts: Count[] = [];
  for (const { metric, at, amount = 1 } of facts) {
    counts.push([["stats.promoter", promoterId, promoterCampaignId, metric], amount]);
    if (CAMPAIGN_METRICS.has(metric)) counts.push([["stats.campaign", campaignId, metric], amount]);
    if (at === null) continue;
    const day = dayNumber(at.slice(0, 10));
    counts.push([["daily.campaign", day, campaignId, metric], amount]);
    counts.push([["daily.promoter-campaign", day, promoterCampaignId, metric], amount]);
  }
  return counts;
}

/** What was counted from one day to another, both included, day by day. */
export async function* dailySums(
  store: Store,
  accountId: number,
  { series, from, to }: { series: Series; from: string; to: string },
): AsyncGenerator<DailySum[]> {
  const days = { from: dayNumber(from), before: dayNumber(to) + 1 };
  for await (const sums of store.sums(accountId, [`daily.${series}`], days)) {
    yield sums.map(
      ([[day, id, metric], sum]) => ({ day: dayText(Number(day)), id, metric, sum }) as DailySum,
    );
  }
}

/** All that was counted for a promoter campaign; zero where nothing was. */
export function loadStats(
  view: View,
  { accountId, promoterId, id }: { accountId: number; promoterId: number; id: number },
): Promise<Stats> {
  return statsBelow(view, accountId, ["stats.promoter", promoterId, id]);
}

/** All that was counted for a promoter, by whatever promoter campaign. */
export function loadPromoterStats(view: View, accountId: number, promoterId: number): Promise<Stats> {
  return statsBelow(view, accountId, ["stats.promoter", promoterId]);
}

/** What is counted of a campaign as a whole. */
export function loadCampaignStats(view: View, accountId: number, campaignId: number): Promise<Stats> {
  return statsBelow(view, accountId, ["stats.campaign", campaignId]);
}

/** What is counted of all campaigns as wholes. */
export function loadAccountStats(view: View, accountId: number): Promise<Stats> {
  return statsBelow(view, accountId, ["stats.campaign"]);
}

/** Adds up the counters that begin so, by metric, which is the last part of their keys. */
async function statsBelow(view: View, accountId: number, start: Key): Promise<Stats> {
  const stats = Object.fromEntries(METRICS.map((metric) => [metric, 0])) as Stats;
  for await (const sums of view.sums(accountId, start)) {
    for (const [rest, sum] of sums) stats[rest.at(-1) as Metric] += sum;
  }
  return stats;
}

/** `2026-03-04` as 20260304: it sorts as it should, and makes a shorter key than its text. "" is before all days. */
function dayNumber(day: string): number {
  return Number(day.replaceAll("-", ""));
}

function dayText(day: number): string {
  return String(day).replace(/(\d\d)(\d\d)$/, "-$1-$2");
}

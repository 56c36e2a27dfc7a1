import type { Count } from "../../storage/collection.ts";
import type { Key } from "../../storage/keys.ts";
import type { Store, View } from "../../storage/store.ts";
import { NO_VISIT, type Origin, type OriginKind } from "../origin/record.ts";
import type { Belonging } from "../promoter-campaign/record.ts";

export const METRICS = [
  "clicks",
  "referrals",
  /** Leads without a sign-up event. They are few, so counting them costs less than counting sign-ups. */
  "unsignedReferrals",
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
/** A metric counts facts, or cents if its name says so. */
export type Metric = (typeof METRICS)[number];
export type Stats = Record<Metric, number>;

/** The metrics kept for a campaign in total. The others are read from its days, because every counter costs. */
const CAMPAIGN_METRICS: ReadonlySet<Metric> = new Set([
  "referrals",
  "customers",
  "sales",
  "salesCents",
  "commissions",
]);

/** The series with daily counters. The account's days are the sums of its campaigns' days. */
export const SERIES = ["campaign", "promoter-campaign"] as const;
export type Series = (typeof SERIES)[number] | OriginKind;

/** The metrics that are counted by source and page too. */
const ORIGIN_METRICS: ReadonlySet<Metric> = new Set([
  "clicks",
  "referrals",
  "customers",
  "sales",
  "salesCents",
  "refunds",
  "cancellations",
  "earningsCents",
]);

/** One count of a record. */
export interface Fact {
  metric: Metric;
  /** The instant that decides the day. null: it counts in the totals, but on no day. */
  at: string | null;
  /** Absent: 1. */
  amount?: number;
}

/** One metric of a series on one day. */
export interface DailySum {
  day: string;
  /** The id of the campaign or the promoter campaign, or the key of the source or the page. */
  id: number | string;
  metric: Metric;
  sum: number;
}

/** A record that counts. */
interface Owner extends Belonging {
  /** null: it came without a visit. Absent: it is not counted by source and page. */
  origin?: Origin | null | undefined;
}

/**
 * The counters that a promoter campaign's facts add to: its own and its campaign's, in total and by day, and those of
 * the source and the page.
 *
 * In the keys of the daily counters the day comes first. A report reads its days in order, and meets only campaigns
 * that had a fact on them.
 */
export function factCounts(owner: Owner, facts: Fact[]): Count[] {
  const { promoterId, promoterCampaignId, campaignId } = owner;
  const counts: Count[] = [];
  for (const { metric, at, amount = 1 } of facts) {
    counts.push([["stats.promoter", promoterId, promoterCampaignId, metric], amount]);
    if (CAMPAIGN_METRICS.has(metric)) counts.push([["stats.campaign", campaignId, metric], amount]);
    if (at === null) continue;
    const day = dayNumber(at.slice(0, 10));
    counts.push([["daily.campaign", day, campaignId, metric], amount]);
    counts.push([["daily.promoter-campaign", day, promoterCampaignId, metric], amount]);
    if (owner.origin === undefined || !ORIGIN_METRICS.has(metric)) continue;
    const { sourceKey, pageKey } = owner.origin ?? NO_VISIT;
    counts.push([["daily.source", day, sourceKey, metric], amount]);
    counts.push([["daily.page", day, pageKey, metric], amount]);
  }
  return counts;
}

/** The daily counters of a range of days, both ends included. */
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

/** One metric of a promoter campaign on one day. */
export function loadDailySum(
  view: View,
  accountId: number,
  { day, id, metric }: { day: string; id: number; metric: Metric },
): Promise<number> {
  return view.sum(accountId, ["daily.promoter-campaign", dayNumber(day), id, metric]);
}

/** The totals of a promoter campaign. */
export function loadStats(
  view: View,
  { accountId, promoterId, id }: { accountId: number; promoterId: number; id: number },
): Promise<Stats> {
  return statsBelow(view, accountId, ["stats.promoter", promoterId, id]);
}

/** The totals of a promoter over all promoter campaigns. */
export function loadPromoterStats(view: View, accountId: number, promoterId: number): Promise<Stats> {
  return statsBelow(view, accountId, ["stats.promoter", promoterId]);
}

/** The totals kept for a campaign. */
export function loadCampaignStats(view: View, accountId: number, campaignId: number): Promise<Stats> {
  return statsBelow(view, accountId, ["stats.campaign", campaignId]);
}

/** The totals of all campaigns. */
export function loadAccountStats(view: View, accountId: number): Promise<Stats> {
  return statsBelow(view, accountId, ["stats.campaign"]);
}

/** Adds up the counters below a key by metric, which is the last part of their keys. */
async function statsBelow(view: View, accountId: number, start: Key): Promise<Stats> {
  const stats = Object.fromEntries(METRICS.map((metric) => [metric, 0])) as Stats;
  for await (const sums of view.sums(accountId, start)) {
    for (const [rest, sum] of sums) stats[rest.at(-1) as Metric] += sum;
  }
  return stats;
}

/** `2026-03-04` becomes 20260304. It sorts correctly and makes a shorter key. "" comes before all days. */
function dayNumber(day: string): number {
  return Number(day.replaceAll("-", ""));
}

function dayText(day: number): string {
  return String(day).replace(/(\d\d)(\d\d)$/, "-$1-$2");
}

import type { Count } from "../../storage/collection.ts";
import type { Key } from "../../storage/keys.ts";
import type { View } from "../../storage/store.ts";
import { NO_VISIT, type Origin, type OriginKind } from "../origin/record.ts";
import type { Belonging, PromoterCampaign } from "../promoter-campaign/record.ts";

/** The metrics whose totals are shown. */
export const TOTAL_METRICS = [
  "clicks",
  "referrals",
  "customers",
  "activeCustomers",
  "sales",
  "salesCents",
  "refunds",
  "refundsCents",
  "cancellations",
  "commissions",
] as const;
export const METRICS = [
  ...TOTAL_METRICS,
  /** Leads without a sign-up event. They are few, so counting them costs less than counting sign-ups. */
  "unsignedReferrals",
  "nonLinkCustomers",
  "earningsCents",
  "paidCents",
] as const;
/** A metric counts facts, or cents if its name says so. */
export type Metric = (typeof METRICS)[number];
export type TotalMetric = (typeof TOTAL_METRICS)[number];
export type Stats = Record<TotalMetric, number>;

const HAS_TOTAL: ReadonlySet<Metric> = new Set(TOTAL_METRICS);

/** The metrics kept for a campaign in total. The others are read from its days, because every counter costs. */
const CAMPAIGN_METRICS: ReadonlySet<Metric> = new Set([
  "referrals",
  "customers",
  "sales",
  "salesCents",
  "commissions",
]);

/** The series with daily counters. The account's days are the sums of its campaigns' days. */
export const SERIES = ["campaign", "promoter"] as const;
export type Series = (typeof SERIES)[number] | OriginKind;

/** The metrics that are counted by source and page too. */
export const ORIGIN_METRICS: ReadonlySet<Metric> = new Set([
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

/** A record that counts. */
interface Owner extends Belonging {
  /** null: it came without a visit. Absent: it is not counted by source and page. */
  origin?: Origin | null | undefined;
}

/**
 * The counters that a promoter campaign's facts add to: its own and its campaign's, in total and by day, and those of
 * the source and the page. Promoters, sources and pages are many, so theirs are also added up by month.
 *
 * In the keys of these counters the metric comes first and then the time. A report reads only what it shows, in order,
 * and meets only those that had a fact.
 */
export function factCounts(owner: Owner, facts: Fact[]): Count[] {
  const { promoterId, promoterCampaignId, campaignId } = owner;
  const counts: Count[] = [];
  for (const { metric, at, amount = 1 } of facts) {
    if (HAS_TOTAL.has(metric)) {
      counts.push([["stats.promoter", promoterId, promoterCampaignId, metric], amount]);
    }
    if (CAMPAIGN_METRICS.has(metric)) counts.push([["stats.campaign", campaignId, metric], amount]);
    if (at === null) continue;
    const day = dayNumber(at.slice(0, 10));
    const month = Math.floor(day / 100);
    counts.push([["daily.campaign", metric, day, campaignId], amount]);
    counts.push([["daily.promoter", metric, day, promoterId, promoterCampaignId], amount]);
    counts.push([["monthly.promoter", metric, month, promoterId], amount]);
    if (owner.origin === undefined || !ORIGIN_METRICS.has(metric)) continue;
    const { sourceKey, pageKey, subKey } = owner.origin ?? NO_VISIT;
    counts.push([["daily.source", metric, day, sourceKey], amount]);
    counts.push([["daily.page", metric, day, pageKey], amount]);
    counts.push([["monthly.source", metric, month, sourceKey], amount]);
    counts.push([["monthly.page", metric, month, pageKey], amount]);
    // Only one promoter's reports read these, so the key begins with the promoter's own id.
    if (subKey !== undefined)
      counts.push([["daily.sub-id", promoterCampaignId, metric, day, subKey], amount]);
  }
  return counts;
}

/** One metric of a promoter campaign on one day. */
export function loadDailySum(
  view: View,
  { accountId, promoterId, id }: Pick<PromoterCampaign, "accountId" | "promoterId" | "id">,
  { day, metric }: { day: string; metric: Metric },
): Promise<number> {
  return view.sum(accountId, ["daily.promoter", metric, dayNumber(day), promoterId, id]);
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
  const stats = Object.fromEntries(TOTAL_METRICS.map((metric) => [metric, 0])) as Stats;
  for await (const sums of view.sums(accountId, start)) {
    for (const [rest, sum] of sums) stats[rest.at(-1) as TotalMetric] += sum;
  }
  return stats;
}

/** `2026-03-04` becomes 20260304. It sorts correctly and makes a shorter key. "" comes before all days. */
export function dayNumber(day: string): number {
  return Number(day.replaceAll("-", ""));
}

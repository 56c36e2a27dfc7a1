import type { PromoterCampaign } from "../records.ts";
import type { Key } from "../storage/keys.ts";
import type { Store, Transaction } from "../storage/store.ts";

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
] as const;
/** What is counted: facts, or cents where the name says so. */
export type Metric = (typeof METRICS)[number];
export type Stats = Record<Metric, number>;

/** Counts a fact for its promoter campaign and into the daily series that the reports are made of. */
export function countFact(
  tx: Transaction,
  { accountId, id, campaignId }: PromoterCampaign,
  fact: { metric: Metric; at: Date; delta?: number },
): void {
  const { metric, at, delta = 1 } = fact;
  const day = dayNumber(at);
  tx.add([...statsKey(accountId, id), metric], delta);
  tx.add([accountId, "daily.account", day, metric], delta);
  tx.add([accountId, "daily.campaign", campaignId, day, metric], delta);
  tx.add([accountId, "daily.promoter-campaign", id, day, metric], delta);
}

/** All that was counted for a promoter campaign; zero where nothing was. */
export async function loadStats(store: Store, accountId: number, promoterCampaignId: number): Promise<Stats> {
  const sums = await store.sums(statsKey(accountId, promoterCampaignId), METRICS);
  return Object.fromEntries(METRICS.map((metric, index) => [metric, sums[index] ?? 0])) as Stats;
}

function statsKey(accountId: number, promoterCampaignId: number): Key {
  return [accountId, "stats", promoterCampaignId];
}

/** A day (UTC) as 20260304: it sorts as it should, and makes a shorter key than its text. */
function dayNumber(at: Date): number {
  return at.getUTCFullYear() * 10_000 + (at.getUTCMonth() + 1) * 100 + at.getUTCDate();
}

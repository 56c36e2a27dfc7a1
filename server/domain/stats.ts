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

const CAMPAIGN_NAMES = ["customers", "sales", "salesCents"] as const;
/** What campaigns are told of as a whole. Leads are counted with their records, and clicks, where each counter costs, by nobody. */
const CAMPAIGN_METRICS: ReadonlySet<Metric> = new Set(CAMPAIGN_NAMES);

/** Counts a fact for its promoter campaign and into the daily series that the reports are made of. */
export function countFact(
  tx: Transaction,
  { accountId, id, campaignId }: PromoterCampaign,
  fact: { metric: Metric; at: Date; delta?: number },
): void {
  const { metric, at, delta = 1 } = fact;
  const day = at.toISOString().slice(0, 10);
  tx.add([...statsKey(accountId, id), metric], delta);
  if (CAMPAIGN_METRICS.has(metric)) tx.add([...campaignKey(accountId, campaignId), metric], delta);
  tx.add([accountId, "daily", "account", day, metric], delta);
  tx.add([accountId, "daily", "campaign", campaignId, day, metric], delta);
  tx.add([accountId, "daily", "promoter-campaign", id, day, metric], delta);
}

/** All that was counted for a promoter campaign; zero where nothing was. */
export async function loadStats(store: Store, accountId: number, promoterCampaignId: number): Promise<Stats> {
  const sums = await store.sums(statsKey(accountId, promoterCampaignId), METRICS);
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

function statsKey(accountId: number, promoterCampaignId: number): Key {
  return [accountId, "stats", promoterCampaignId];
}

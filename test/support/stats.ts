import { loadPromoterCampaign } from "../../server/domain/promoter-campaign/promoter-campaign.ts";
import { loadStats, METRICS, type Metric, type Series } from "../../server/domain/report/counters.ts";
import { seriesSums, type SeriesSum } from "../../server/domain/report/series.ts";
import type { Store } from "../../server/storage/store.ts";

/** The totals of the promoter campaign with this id. Those that are only counted by day are its promoter's. */
export async function statsOf(
  store: Store,
  accountId: number,
  promoterCampaignId: number,
): Promise<Record<Metric, number>> {
  const promoterCampaign = await loadPromoterCampaign(store, accountId, promoterCampaignId);
  const totals: Partial<Record<Metric, number>> = await loadStats(store, promoterCampaign);
  const own = (await dailySums(store, accountId, "promoter")).filter(
    ({ id }) => id === promoterCampaign.promoterId,
  );
  const sumOf = (wanted: Metric) =>
    own.filter(({ metric }) => metric === wanted).reduce((total, { sum }) => total + sum, 0);
  const all = METRICS.map((metric) => [metric, totals[metric] ?? sumOf(metric)]);
  return Object.fromEntries(all) as Record<Metric, number>;
}

/** All daily counters of a series. */
export async function dailySums(store: Store, accountId: number, series: Series) {
  const found: (SeriesSum & { metric: Metric })[] = [];
  const stretch = { grain: "day", from: "", before: "9999-12-31", sign: 1, at: null } as const;
  for (const metric of METRICS) {
    for await (const sums of seriesSums(store, accountId, { series, metric, stretch }))
      found.push(...sums.map((each) => ({ ...each, metric })));
  }
  return found;
}

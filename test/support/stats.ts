import { loadPromoterCampaign } from "../../server/domain/promoter-campaign/promoter-campaign.ts";
import {
  loadStats,
  METRICS,
  type Metric,
  type Series,
  type Stats,
} from "../../server/domain/report/counters.ts";
import { seriesSums, type SeriesSum } from "../../server/domain/report/series.ts";
import type { Store } from "../../server/storage/store.ts";

/** The totals of the promoter campaign with this id. */
export async function statsOf(store: Store, accountId: number, promoterCampaignId: number): Promise<Stats> {
  return loadStats(store, await loadPromoterCampaign(store, accountId, promoterCampaignId));
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

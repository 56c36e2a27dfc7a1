import type { Store } from "../../storage/store.ts";
import { dailySums, type Metric } from "../report/counters.ts";

const END_OF_TIME = "9999-12-31";

/** The promoter campaigns that had a kind of fact since a day. Empty if the query does not ask for it. */
export async function activePromoterCampaigns(
  store: Store,
  accountId: number,
  wanted: { metric: Metric; since: string } | null,
): Promise<Set<number>> {
  const active = new Set<number>();
  if (wanted === null) return active;
  const days = { series: "promoter-campaign", from: wanted.since, to: END_OF_TIME } as const;
  for await (const sums of dailySums(store, accountId, days)) {
    for (const { id, metric } of sums) if (metric === wanted.metric) active.add(Number(id));
  }
  return active;
}

import type { Store } from "../../storage/store.ts";
import type { Metric } from "../report/counters.ts";
import { seriesSums } from "../report/series.ts";

const END_OF_TIME = "9999-12-31";

/** The promoters that had a kind of fact since a day. Empty if the query does not ask for it. */
export async function activePromoters(
  store: Store,
  accountId: number,
  wanted: { metric: Metric; since: string } | null,
): Promise<Set<number>> {
  const active = new Set<number>();
  if (wanted === null) return active;
  const { metric, since: from } = wanted;
  const stretch = { grain: "day", from, before: END_OF_TIME, sign: 1, at: null } as const;
  for await (const sums of seriesSums(store, accountId, { series: "promoter", metric, stretch })) {
    for (const { id } of sums) active.add(Number(id));
  }
  return active;
}

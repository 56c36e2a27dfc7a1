import { findAccount, findFirstAccount } from "../../server/domain/program/account/account.ts";
import { loadPromoterCampaign } from "../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import {
  dailyQuery,
  loadAccountStats,
  METRICS,
  totalsOf,
  type Metric,
  type Series,
} from "../../server/domain/people/daily.ts";
import type { SubjectId } from "../../server/domain/reports/histories.ts";
import type { Store } from "../../server/storage/store.ts";
import { recordsIn, storeAt } from "./records.ts";

export { METRICS, type Metric, type Series } from "../../server/domain/people/daily.ts";

/** The totals of the promoter campaign with this id. */
export async function statsOf(
  store: Store,
  accountId: number,
  promoterCampaignId: number,
): Promise<Record<Metric, number>> {
  const { promoter_id, id } = await loadPromoterCampaign(store, accountId, promoterCampaignId);
  const own = dailyQuery(store, accountId, "promoter")
    .where("daily.subject_id", "=", promoter_id)
    .where("daily.promoter_campaign_id", "=", id);
  const [totals] = await store.rows(own.select(totalsOf(METRICS)));
  return totals as Record<Metric, number>;
}

/** How many leads an account has, which must be the same wherever it is asked. */
interface LeadCounts {
  records: number;
  ofAccount: number;
  /** In the figures of all promoter campaigns. */
  ofPromoters: number;
}

/** Counts the leads of the first account, or of that with a public id, in the store at an address. null: there is no such account. */
export async function leadCountsIn(url: string, publicId?: string): Promise<LeadCounts | null> {
  const store = await storeAt(url);
  try {
    const account = await (publicId === undefined ? findFirstAccount(store) : findAccount(store, publicId));
    if (account === null) return null;
    const records = recordsIn(store, account.id);
    let ofPromoters = 0;
    for (const { id } of await records.all("promoterCampaign"))
      ofPromoters += (await statsOf(store, account.id, id)).referrals;
    const { referrals: ofAccount } = await loadAccountStats(store, account.id);
    return { records: await records.count("lead"), ofAccount, ofPromoters };
  } finally {
    await store.close();
  }
}

/** All counts of so many leads. */
export function leadCounts(count: number): LeadCounts {
  return { records: count, ofAccount: count, ofPromoters: count };
}

interface DaySum {
  id: SubjectId;
  day: string;
  metric: Metric;
  sum: number;
}

/** All daily sums of a series that are not 0, by metric and day. */
export async function dailySums(store: Store, accountId: number, series: Series): Promise<DaySum[]> {
  const rows = await store.rows(
    dailyQuery(store, accountId, series)
      .groupBy(["daily.subject_id", "daily.subject_key", "daily.day"])
      .orderBy("daily.day")
      .select(["daily.subject_id", "daily.subject_key", "daily.day"])
      .select(totalsOf(METRICS)),
  );
  return METRICS.flatMap((metric) =>
    rows.flatMap(({ subject_id, subject_key: key, day, [metric]: sum }) =>
      Number(sum) === 0 ? [] : [{ id: key === "" ? Number(subject_id) : key, day, metric, sum: Number(sum) }],
    ),
  );
}

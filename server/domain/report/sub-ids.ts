import { nameKey, OTHER, subIdNames } from "../origin/origin.ts";
import type { PromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { among, type Found, type Window } from "../../storage/query.ts";
import type { Store, View } from "../../storage/store.ts";
import { ORIGIN_METRICS } from "./daily.ts";
import { addSums, type DaySums, type History } from "./history.ts";
import type { Period } from "./period.ts";
import { firstRanked, type Sort } from "./ranking.ts";
import { groupsOf, planOf, refuseTooManyCells, type ReportGroup, type ReportQuery } from "./report.ts";
import { dailyQuestion, totalsOf } from "./stats.ts";

/** The channels of a report. */
export interface SubIdSelection {
  /** Those of one promoter. Channels of one name are one channel. */
  promoterCampaigns: PromoterCampaign[];
  keeps: (channel: { id: string; name: string }) => boolean;
  sort: Sort;
  page: Window;
}

/** A page of the channels that had a fact in the range. @throws Failure `invalid` */
export async function reportSubIds(
  store: Store,
  { promoterCampaigns, keeps, sort, page, ...query }: ReportQuery & SubIdSelection,
): Promise<Found<ReportGroup<string>>> {
  const plan = planOf(query);
  const names = await namesOf(store, promoterCampaigns);
  const found = new Map<string, string>();
  const histories = new Map<string, History>();
  for (const { promoterCampaignId, key, ...daySums } of await readChannels(
    store,
    promoterCampaigns,
    plan.range,
  )) {
    // A name that was forgotten belongs to the others.
    const name = names.get(`${promoterCampaignId} ${key}`) ?? OTHER;
    const id = nameKey(name);
    if (!keeps({ id, name })) continue;
    const history: History = histories.get(id) ?? new Map();
    addSums(history, daySums);
    if (history.size === 0) continue;
    histories.set(id, history);
    found.set(id, name);
  }
  const ids = [...histories.keys()];
  const limit = page.offset + page.limit;
  const shown = (await firstRanked(ids, histories, { ...query, sort, limit })).slice(page.offset);
  refuseTooManyCells(plan, shown.length);
  const subjects = shown.map((id) => ({ id, name: found.get(id) ?? "" }));
  return { records: await groupsOf(subjects, plan, histories), total: ids.length };
}

/** The names of the channels, by promoter campaign and key. */
async function namesOf(store: Store, promoterCampaigns: PromoterCampaign[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { accountId, id } of promoterCampaigns) {
    for await (const chunk of store.scan(subIdNames, "id", accountId, [id])) {
      for (const { name } of chunk) names.set(`${id} ${nameKey(name)}`, name);
    }
  }
  return names;
}

/** What each channel added on each day, in the order of time. */
async function readChannels(
  view: View,
  promoterCampaigns: PromoterCampaign[],
  { from, to }: Period,
): Promise<(DaySums & { promoterCampaignId: number; key: string })[]> {
  const [first] = promoterCampaigns;
  if (first === undefined) return [];
  const ids = promoterCampaigns.map(({ id }) => id);
  const rows = await view.rows(
    dailyQuestion(view, first.accountId, "sub-id")
      .where(among("daily.subject_id", ids))
      .where("daily.day", ">=", from)
      .where("daily.day", "<=", to)
      .groupBy(["daily.subject_id", "daily.subject_key", "daily.day"])
      .orderBy("daily.day")
      .select(["daily.subject_id", "daily.subject_key", "daily.day"])
      .select(totalsOf([...ORIGIN_METRICS])),
  );
  return rows.map(({ subject_id, subject_key: key, day, ...sums }) => ({
    promoterCampaignId: Number(subject_id),
    key,
    day,
    sums,
  }));
}

import { among, type Window } from "../../storage/query.ts";
import type { Store, View } from "../../storage/store.ts";
import { FIXED_NAMES, nameKey, originNames, OTHER, subIdNames, type OriginKind } from "../people/origin.ts";
import type { PromoterCampaign } from "../people/promoter-campaign/promoter-campaign.ts";
import { dailyQuery, ORIGIN_METRICS, totalsOf } from "../people/daily.ts";
import { addSums, isEmpty, type DaySums, type History, type Period } from "./figures.ts";
import { readHistories, type SubjectId } from "./histories.ts";
import {
  firstRanked,
  groupsOf,
  planOf,
  refuseTooLarge,
  type FoundGroups,
  type ReportQuery,
  type Sort,
} from "./report.ts";

/** The sources or pages of a report. */
interface OriginSelection {
  kind: OriginKind;
  keeps: (origin: { id: string; name: string }) => boolean;
  sort: Sort;
  page: Window;
}

/**
 * A page of the sources, or of the pages, with events in the range.
 *
 * @throws Failure `invalid`
 */
export async function reportOrigins(
  store: Store,
  accountId: number,
  { kind, keeps, sort, page, ...query }: ReportQuery & OriginSelection,
): Promise<FoundGroups<string>> {
  const plan = planOf(query);
  const names = await originNamesOf(store, accountId, kind);
  const ownerOf = (key: SubjectId) => {
    // Forgotten names are counted as "other".
    const id = names.has(String(key)) ? String(key) : nameKey(OTHER);
    return keeps({ id, name: names.get(id) ?? "" }) ? id : null;
  };
  const figures = [...query.figures, sort.by];
  const whole = { periods: [query.range], figures, series: kind };
  /** The keys that belong to each id. */
  const keys = new Map<string, SubjectId[]>();
  const ranking = await readHistories(store, accountId, {
    ...whole,
    ownerOf(key) {
      const id = ownerOf(key);
      if (id !== null) keys.set(id, [...(keys.get(id) ?? []), key]);
      return id;
    },
  });
  const ids = [...ranking].flatMap(([id, history]) => (isEmpty(history) ? [] : [id]));
  const limit = page.offset + page.limit;
  const shown = (await firstRanked(ids, ranking, { ...query, sort, limit })).slice(page.offset);
  refuseTooLarge(plan, shown.length);
  const shownKeys = [...new Set(shown.flatMap((id) => keys.get(id) ?? []))];
  const chosen = (column: string) => among(column, shownKeys);
  const histories = await readHistories(store, accountId, { ...plan, series: kind, chosen, ownerOf });
  const subjects = shown.map((id) => ({ id, name: names.get(id) ?? "" }));
  return { groups: groupsOf(subjects, plan, histories), total: ids.length };
}

/** The channels of a report. */
interface SubIdSelection {
  /** One promoter's promoter campaigns. Channels of the same name are merged. */
  promoterCampaigns: PromoterCampaign[];
  keeps: (channel: { id: string; name: string }) => boolean;
  sort: Sort;
  page: Window;
}

/**
 * A page of the channels with events in the range.
 *
 * @throws Failure `invalid`
 */
export async function reportSubIds(
  store: Store,
  { promoterCampaigns, keeps, sort, page, ...query }: ReportQuery & SubIdSelection,
): Promise<FoundGroups<string>> {
  const plan = planOf(query);
  const names = await subIdNamesOf(store, promoterCampaigns);
  const found = new Map<string, string>();
  const histories = new Map<string, History>();
  for (const { promoter_campaign_id, key, ...daySums } of await readChannels(
    store,
    promoterCampaigns,
    plan.range,
  )) {
    // Forgotten names are counted as "other".
    const name = names.get(`${promoter_campaign_id} ${key}`) ?? OTHER;
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
  refuseTooLarge(plan, shown.length);
  const subjects = shown.map((id) => ({ id, name: found.get(id) ?? "" }));
  return { groups: groupsOf(subjects, plan, histories), total: ids.length };
}

async function originNamesOf(
  store: Store,
  accountId: number,
  kind: OriginKind,
): Promise<Map<string, string>> {
  const names = new Map(FIXED_NAMES[kind].map((name) => [nameKey(name), name]));
  for await (const chunk of store.scan(originNames, "id", accountId, [kind])) {
    for (const { name } of chunk) names.set(nameKey(name), name);
  }
  return names;
}

/** The names of the channels, by promoter campaign and key. */
async function subIdNamesOf(
  store: Store,
  promoterCampaigns: PromoterCampaign[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { account_id, id } of promoterCampaigns) {
    for await (const chunk of store.scan(subIdNames, "id", account_id, [id])) {
      for (const { name } of chunk) names.set(`${id} ${nameKey(name)}`, name);
    }
  }
  return names;
}

/** Each channel's sums on each day, in the order of time. */
async function readChannels(
  view: View,
  promoterCampaigns: PromoterCampaign[],
  { from, to }: Period,
): Promise<(DaySums & { promoter_campaign_id: number; key: string })[]> {
  const [first] = promoterCampaigns;
  if (first === undefined) return [];
  const ids = promoterCampaigns.map(({ id }) => id);
  const rows = await view.rows(
    dailyQuery(view, first.account_id, "sub-id")
      .where(among("daily.subject_id", ids))
      .where("daily.day", ">=", from)
      .where("daily.day", "<=", to)
      .groupBy(["daily.subject_id", "daily.subject_key", "daily.day"])
      .orderBy("daily.day")
      .select(["daily.subject_id", "daily.subject_key", "daily.day"])
      .select(totalsOf([...ORIGIN_METRICS])),
  );
  return rows.map(({ subject_id, subject_key: key, day, ...sums }) => ({
    promoter_campaign_id: Number(subject_id),
    key,
    day,
    sums,
  }));
}

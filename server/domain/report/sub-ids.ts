import { nameKey } from "../origin/name-key.ts";
import { OTHER } from "../origin/origin.ts";
import { subIdNames } from "../origin/sub-id.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Store } from "../../storage/store.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import { ORIGIN_METRICS, dayNumber, type Metric } from "./counters.ts";
import { addToHistory, type History } from "./history.ts";
import type { Period } from "./period.ts";
import { firstRanked, type Sort } from "./ranking.ts";
import { groupsOf, planOf, refuseTooManyCells, type ReportGroup, type ReportQuery } from "./report.ts";

/** The channels of a report. */
export interface SubIdSelection {
  /** Those of one promoter. Channels of one name are one channel. */
  promoterCampaigns: PromoterCampaign[];
  keeps: (channel: { id: string; name: string }) => boolean;
  sort: Sort;
  page: Window;
}

/** What a channel added to a metric on one day. */
interface DaySum {
  day: number;
  metric: Metric;
  sum: number;
}

/** A page of the channels that had a fact in the range. @throws Failure `invalid` */
export async function reportSubIds(
  store: Store,
  { promoterCampaigns, keeps, sort, page, ...query }: ReportQuery & SubIdSelection,
): Promise<Found<ReportGroup<string>>> {
  const plan = planOf(query);
  const channels = new Map<string, { name: string; sums: DaySum[] }>();
  for (const each of promoterCampaigns) await readChannels(store, each, { range: plan.range, channels });
  const histories = new Map<string, History>();
  for (const [id, { name, sums }] of channels) if (keeps({ id, name })) histories.set(id, historyOf(sums));
  const ids = [...histories.keys()];
  const limit = page.offset + page.limit;
  const shown = (await firstRanked(ids, histories, { ...query, sort, limit })).slice(page.offset);
  refuseTooManyCells(plan, shown.length);
  const subjects = shown.map((id) => ({ id, name: channels.get(id)?.name ?? "" }));
  return { records: await groupsOf(subjects, plan, histories), total: ids.length };
}

async function readChannels(
  store: Store,
  { accountId, id }: PromoterCampaign,
  {
    range: { from, to },
    channels,
  }: { range: Period; channels: Map<string, { name: string; sums: DaySum[] }> },
): Promise<void> {
  const names = new Map<string, string>();
  for await (const chunk of store.scan(subIdNames, "id", accountId, [id])) {
    for (const { name } of chunk) names.set(nameKey(name), name);
  }
  const days = { from: dayNumber(from), before: dayNumber(to) + 1 };
  for (const metric of ORIGIN_METRICS) {
    for await (const sums of store.sums(accountId, ["daily.sub-id", id, metric], days)) {
      for (const [[day, key], sum] of sums) {
        // A name that was forgotten belongs to the others.
        const name = names.get(String(key)) ?? OTHER;
        const channel = channels.get(nameKey(name)) ?? { name, sums: [] };
        channels.set(nameKey(name), channel);
        channel.sums.push({ day: Number(day), metric, sum });
      }
    }
  }
}

/** Several promoter campaigns have sums on one day, and a history wants its days in order. */
function historyOf(sums: DaySum[]): History {
  const history: History = new Map();
  for (const { day, metric, sum } of sums.toSorted((one, other) => one.day - other.day)) {
    addToHistory(history, { day: dayOf(day), metric, sum });
  }
  return history;
}

/** 20260304 becomes `2026-03-04`. */
function dayOf(day: number): string {
  return String(day).replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
}

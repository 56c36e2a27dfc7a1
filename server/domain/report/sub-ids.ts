import { nameKey } from "../origin/name-key.ts";
import { OTHER } from "../origin/origin.ts";
import { subIdNames } from "../origin/sub-id.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Store } from "../../storage/store.ts";
import { ORIGIN_METRICS, dayNumber } from "./counters.ts";
import { figuresOf, type Figures } from "./figures.ts";
import { planOf, type ReportQuery } from "./report.ts";
import { addToHistory, type History } from "./history.ts";
import type { Period } from "./period.ts";

/** A channel and its figures over the whole range. */
export interface ChannelReport {
  name: string;
  total: Figures;
}

/** The channels of promoter campaigns that had a fact in the range, those with the most clicks first. */
export async function reportSubIds(
  store: Store,
  { promoterCampaigns, ...query }: ReportQuery & { promoterCampaigns: PromoterCampaign[] },
): Promise<ChannelReport[]> {
  const { range, figures } = planOf(query);
  const histories = new Map<string, History>();
  for (const promoterCampaign of promoterCampaigns)
    await readChannels(store, promoterCampaign, { range, histories });
  const found = [...histories].map(([name, history]) => ({
    name,
    total: figuresOf(history, range, figures),
    clicks: figuresOf(history, range, ["clicks"]).clicks ?? 0,
  }));
  return found
    .sort((one, other) => other.clicks - one.clicks || one.name.localeCompare(other.name))
    .map(({ name, total }) => ({ name, total }));
}

/** Adds the sums of a promoter campaign. Several may have a channel of one name. */
async function readChannels(
  store: Store,
  { accountId, id }: PromoterCampaign,
  { range: { from, to }, histories }: { range: Period; histories: Map<string, History> },
): Promise<void> {
  const names = new Map<string, string>();
  for await (const chunk of store.scan(subIdNames, "id", accountId, [id])) {
    for (const { name } of chunk) names.set(nameKey(name), name);
  }
  const days = { from: dayNumber(from), before: dayNumber(to) + 1 };
  for (const metric of ORIGIN_METRICS) {
    for await (const sums of store.sums(accountId, ["daily.sub-id", id, metric], days)) {
      for (const [[, key], sum] of sums) {
        // A name that was forgotten belongs to the others.
        const name = names.get(String(key)) ?? OTHER;
        const history = histories.get(name) ?? new Map();
        histories.set(name, history);
        // Only totals are asked for, so all sums may stand on one day, in whatever order they come.
        addToHistory(history, { day: from, metric, sum });
      }
    }
  }
}

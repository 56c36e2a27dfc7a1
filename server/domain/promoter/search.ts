import type { Promoter } from "./record.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Store } from "../../storage/store.ts";
import { listPromoterCampaigns } from "../promoter-campaign/of-promoter.ts";
import { promoterName, promoters } from "./promoter.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { findByRefToken } from "../promoter-campaign/ref-token.ts";
import { activePromoters } from "./recent-activity.ts";
import { isWithin, meetsConditions, type PromoterQuery } from "./search-conditions.ts";
import { loadPromoterStats, TOTAL_METRICS, type Stats, type TotalMetric } from "../report/counters.ts";

/** A promoter with the data that the query tests and sorts by. */
interface Candidate {
  promoter: Promoter;
  promoterCampaigns: PromoterCampaign[];
  stats: Stats | null;
}

/** All promoters that pass a query which no index answers, in its order. */
export async function searchPromoters(
  store: Store,
  accountId: number,
  query: PromoterQuery,
): Promise<Promoter[]> {
  const named = query.text === null ? null : await findByRefToken(store, accountId, query.text);
  const active = await activePromoters(store, accountId, query.inactivity);
  const found: Candidate[] = [];
  for await (const chunk of candidates(store, accountId, query)) {
    for (const promoter of chunk) {
      if (!meetsConditions(query, promoter)) continue;
      if (!isNamed(query.text, promoter) && promoter.id !== named?.promoterId) continue;
      const candidate = await withFacts(store, promoter, query);
      if (active.has(candidate.promoter.id)) continue;
      if (isMember(query, candidate) && isCounted(query, candidate)) found.push(candidate);
    }
  }
  return inOrder(found, query).map(({ promoter }) => promoter);
}

/** The promoters of the narrowest index that holds every match. */
async function* candidates(
  store: Store,
  accountId: number,
  query: PromoterQuery,
): AsyncGenerator<Promoter[]> {
  const { ids, parentPromoterId, campaignIds } = query;
  if (ids !== null) yield load(store, accountId, ids);
  else if (parentPromoterId !== null) yield* store.scan(promoters, "parent", accountId, [parentPromoterId]);
  else if (campaignIds !== null && query.state !== "not_set") {
    const members = new Set<number>();
    for (const campaignId of campaignIds) {
      for await (const chunk of store.scan(promoterCampaigns, "campaign", accountId, [campaignId]))
        for (const { promoterId } of chunk) members.add(promoterId);
    }
    yield load(store, accountId, [...members]);
  } else yield* store.scan(promoters, "id", accountId, []);
}

async function load(store: Store, accountId: number, ids: number[]): Promise<Promoter[]> {
  const found = [];
  for (const id of new Set(ids)) found.push(await store.get(promoters, accountId, id));
  return found.filter((promoter) => promoter !== null);
}

/** Reads only the data that the query needs. */
async function withFacts(store: Store, promoter: Promoter, query: PromoterQuery): Promise<Candidate> {
  const { accountId, id } = promoter;
  const isByStats = Object.keys(query.stats).length > 0 || query.sorting.some(({ by }) => by !== "joinedAt");
  const needsPromoterCampaigns =
    query.campaignIds !== null || query.state !== null || query.inactivity !== null;
  const promoterCampaigns = needsPromoterCampaigns ? await listPromoterCampaigns(store, accountId, id) : [];
  return {
    promoter,
    promoterCampaigns,
    stats: isByStats ? await loadPromoterStats(store, accountId, id) : null,
  };
}

function isMember({ campaignIds, state }: PromoterQuery, { promoterCampaigns }: Candidate): boolean {
  if (campaignIds === null && state === null) return true;
  const within = promoterCampaigns.filter(({ campaignId }) => campaignIds?.includes(campaignId) ?? true);
  if (state === "not_set") return within.length === 0;
  return within.some((promoterCampaign) => state === null || promoterCampaign.state === state);
}

function isCounted({ stats: ranges }: PromoterQuery, { stats }: Candidate): boolean {
  return TOTAL_METRICS.every((metric) => {
    const range = ranges[metric];
    return range === undefined || isWithin(range, stats?.[metric] ?? 0);
  });
}

function isNamed(text: string | null, promoter: Promoter): boolean {
  if (text === null) return true;
  const wanted = text.toLowerCase();
  return [promoter.email, promoterName(promoter)].some((name) => name.toLowerCase().includes(wanted));
}

/** The first sort order decides, then the next. Equal ones are sorted by id. */
function inOrder(found: Candidate[], { sorting }: PromoterQuery): Candidate[] {
  const valueOf = ({ promoter, stats }: Candidate, by: TotalMetric | "joinedAt"): number =>
    by === "joinedAt" ? Date.parse(promoter.createdAt) : (stats?.[by] ?? 0);
  return found.toSorted((one, other) => {
    for (const { by, isDescending } of sorting) {
      const difference = valueOf(one, by) - valueOf(other, by);
      if (difference !== 0) return isDescending ? -difference : difference;
    }
    return one.promoter.id - other.promoter.id;
  });
}

import type { Promoter } from "./record.ts";
import { lengthCounter } from "../../storage/collection.ts";
import type { Store } from "../../storage/store.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import { findPage, type Found, type Window } from "../../storage/listing/page-search.ts";
import { promoters } from "./promoter.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { ALL_PROMOTERS, type PromoterQuery } from "./search-conditions.ts";
import { searchPromoters } from "./search.ts";

/** A page of the promoters that pass a query. */
export async function listPromoters(
  store: Store,
  accountId: number,
  { query, limit, offset }: Window & { query: PromoterQuery },
): Promise<Found<Promoter>> {
  if (!isPlain(query)) {
    const found = await searchPromoters(store, accountId, query);
    return { records: found.slice(offset, offset + limit), total: found.length };
  }
  const { isArchived, sorting } = query;
  const start = isArchived === null ? [] : [isArchived ? 1 : 0];
  const listed = isArchived === null ? "id" : "archived";
  const total = await store.sum(accountId, lengthCounter(promoters, listed, start));
  const index = sorting.length > 0 ? "joined" : listed;
  const reverse = sorting[0]?.isDescending ?? false;
  const records = await store.page(promoters, index, accountId, start, { limit, offset, reverse, total });
  return { records, total };
}

/** A page of the promoters who are accepted in a campaign. @throws Failure `not_found` */
export async function listAcceptedPromoters(
  store: Store,
  accountId: number,
  { campaignId, ...window }: Window & { campaignId: number },
): Promise<Found<Promoter>> {
  const campaign = await loadCampaign(store, accountId, campaignId);
  const start = ["accepted", campaign.id];
  const listing = { accountId, index: "stateCampaign", start, ...window } as const;
  const found = await findPage(store, promoterCampaigns, listing);
  const members = await Promise.all(
    found.records.map(({ promoterId }) => store.get(promoters, accountId, promoterId)),
  );
  // A promoter may have been deleted since the list was read.
  return { records: members.filter((member) => member !== null), total: found.total };
}

/** How many promoter campaigns wait for a decision. */
export function countPending(store: Store, accountId: number): Promise<number> {
  return store.sum(accountId, lengthCounter(promoterCampaigns, "state", ["pending"]));
}

/** Whether an index alone answers the query. */
function isPlain(query: PromoterQuery): boolean {
  const { isArchived, sorting, ...rest } = query;
  const isJoined = sorting.length === 1 && sorting[0]?.by === "joinedAt" && isArchived !== null;
  if (sorting.length > 0 && !isJoined) return false;
  return Object.entries(rest).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(ALL_PROMOTERS[name as keyof PromoterQuery]),
  );
}

import { Failure } from "../../failure.ts";
import type { Belonging, PromoterCampaign } from "./record.ts";
import type { Collection } from "../../storage/collection.ts";
import type { Reader, Store } from "../../storage/store.ts";
import {
  findPage,
  readInOrder,
  type Found,
  type Listing,
  type Window,
} from "../../storage/listing/page-search.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { findByRefToken } from "./ref-token.ts";
import { loadAccountStats, loadPromoterStats, loadStats, type TotalMetric } from "../report/counters.ts";

/** The indexes that all these records have. */
type BelongingIndex = "promoter" | "campaign";

/**
 * Limits a list to what belongs to a promoter campaign, promoter or campaign. All null: everything in the account.
 */
export interface BelongingFilter {
  promoterCampaignId: number | null;
  refToken: string | null;
  promoterId: number | null;
  campaignId: number | null;
}

interface Asked<R> {
  accountId: number;
  /** Newest first. */
  reverse?: boolean;
  scope: BelongingFilter;
  /** The metric that counts these records. It gives the length of their lists. */
  metric: TotalMetric;
  /** A further condition. Absent: all records are meant. */
  keeps?: ((record: R) => boolean) | undefined;
  /** Records that the metric counts and no list shows, with the name of their counters. */
  hidden?: { counter: string; is: (record: R) => boolean };
}

/**
 * A page of the records that belong to somebody, oldest first unless `reverse` is set.
 *
 * Choice: an unknown promotion is refused. A promoter or campaign that does not exist has an empty list.
 *
 * @throws Failure `not_found` for an unknown promotion
 */
export async function listBelongings<R extends Belonging>(
  store: Store,
  from: Collection<R, string, BelongingIndex>,
  { page, ...asked }: Asked<R> & { page: Window },
): Promise<Found<R>> {
  const { accountId, keeps, reverse = false } = asked;
  const listing = await listingOf(store, asked);
  if (listing === null) return { records: [], total: 0 };
  const { hiddenCount = 0, ...range } = listing;
  const { hidden } = asked;
  // The indexes leave hidden records out, but ids don't.
  const isMixed = hidden !== undefined && hiddenCount > 0 && range.index === "id";
  const shown = isMixed ? (record: R) => !hidden.is(record) : undefined;
  const length = range.length === undefined ? undefined : range.length - hiddenCount;
  const search = { accountId, ...range, ...page, reverse, ...(length !== undefined && { length }) };
  const others = both(listing.keeps, keeps);
  if (shown !== undefined && others === undefined && length !== undefined)
    return readInOrder(store, from, { ...search, keeps: shown, length });
  return findPage(store, from, { ...search, keeps: both(shown, others) });
}

type Keeps<R> = (record: R) => boolean;

/** The records of a scope. */
interface Scope<R> extends Pick<Listing<R, BelongingIndex>, "index" | "start" | "length"> {
  keeps?: Keeps<R>;
  /** How many of the counted records are hidden. */
  hiddenCount?: number;
}

function both<R>(one: Keeps<R> | undefined, other: Keeps<R> | undefined): Keeps<R> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return (record) => one(record) && other(record);
}

/**
 * A record stays with the campaign that it was earned in, even if the promoter moves on. So neither a promotion nor a
 * promoter determines a record's campaign.
 *
 * Choice: only promoters and campaigns have indexes. A promoter's records in one of several campaigns are found by
 * reading all of that promoter's records.
 */
async function listingOf<R extends Belonging>(
  store: Store,
  { accountId, scope, metric, hidden }: Asked<R>,
): Promise<Scope<R> | null> {
  const { campaignId } = scope;
  const countHidden = async (kind: string, ...of: number[]) =>
    hidden === undefined ? 0 : store.sum(accountId, [`${hidden.counter}${kind}`, ...of]);
  const named = await namedPromoterCampaigns(store, accountId, scope);
  const [first = null] = named;
  const promoterId = scope.promoterId ?? first?.promoterId ?? null;
  if (first !== null) {
    const fits = named.every(({ id }) => id === first.id) && promoterId === first.promoterId;
    if (!fits) return null;
  }
  if (promoterId === null && campaignId === null) {
    const length = (await loadAccountStats(store, accountId))[metric];
    return { index: "id", start: [], length, hiddenCount: await countHidden("") };
  }
  if (promoterId === null) {
    const start = [campaignId as number];
    return {
      index: "campaign",
      start,
      length: await store.sum(accountId, ["stats.campaign", ...start, metric]),
      hiddenCount: await countHidden("/campaign", ...start),
    };
  }
  const length = (await loadPromoterStats(store, accountId, promoterId))[metric];
  const hiddenCount = await countHidden("/promoter", promoterId);
  const whole = { index: "promoter", start: [promoterId], length, hiddenCount } as const;
  // Nearly all promoters have such records in one promoter campaign only.
  const isWhole = first === null || (await loadStats(store, first))[metric] === length;
  if (campaignId === null && isWhole) return whole;
  const keeps = (record: R) =>
    (first === null || record.promoterCampaignId === first.id) &&
    (campaignId === null || record.campaignId === campaignId);
  return { ...whole, keeps };
}

async function namedPromoterCampaigns(
  reader: Reader,
  accountId: number,
  { promoterCampaignId, refToken }: BelongingFilter,
): Promise<PromoterCampaign[]> {
  const named: (PromoterCampaign | null)[] = [];
  if (promoterCampaignId !== null)
    named.push(await reader.get(promoterCampaigns, accountId, promoterCampaignId));
  if (refToken !== null) named.push(await findByRefToken(reader, accountId, refToken));
  return named.map((one) => {
    if (one === null) throw new Failure("not_found", "Promotion not found.");
    return one;
  });
}

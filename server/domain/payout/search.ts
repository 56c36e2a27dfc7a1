import type { Account } from "../account/record.ts";
import type { Payout } from "./record.ts";
import { lengthCounter } from "../../storage/collection.ts";
import type { Key } from "../../storage/keys.ts";
import type { Store } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import { payeeReader, type PayeeReader } from "./payee.ts";
import { BY_PAYEE, BY_PAYOUT, type PayoutDay, type PayoutFilter } from "./filter.ts";
import { groupKey, payouts } from "./payout.ts";
import { unlessGone } from "../show.ts";

/** The field that payouts are sorted by, and the direction. */
export interface PayoutSort {
  by: "amount" | "periodStart" | "periodEnd";
  isDescending: boolean;
}

interface PayoutRequest extends Window {
  filter: PayoutFilter;
  /** The first one decides, then the next. Ties are sorted by id, in the direction of the first. */
  sorting: PayoutSort[];
}

/** An index range that holds every match, and the filters that all its records pass. */
interface Listing {
  index: "id" | keyof typeof payouts.indexes;
  start: Key;
  passes: (keyof PayoutFilter)[];
}

/**
 * Payouts that pass a filter, sorted by id unless told otherwise.
 *
 * If one index holds exactly these records in this order, only the page is read. Otherwise the shortest range that
 * holds every match is read, with pauses for other requests.
 */
export async function listPayouts(
  context: Context,
  account: Account,
  request: PayoutRequest,
): Promise<Found<Payout>> {
  const { store } = context;
  const given = givenFilters(request.filter);
  const listing = await shortest(store, account.id, listings(request.filter));
  const isExact = given.every((name) => listing.passes.includes(name));
  const [sort, ...others] = request.sorting;
  if (isExact && (sort === undefined || (given.length === 0 && others.length === 0))) {
    const total = await lengthOf(store, account.id, listing);
    const page = {
      limit: request.limit,
      offset: request.offset,
      total,
      reverse: sort?.isDescending ?? false,
    };
    const index = sort?.by ?? listing.index;
    return { records: await store.page(payouts, index, account.id, listing.start, page), total };
  }
  return walk(context, account, { ...request, listing });
}

function givenFilters(filter: PayoutFilter): (keyof PayoutFilter)[] {
  return (Object.keys(filter) as (keyof PayoutFilter)[]).filter((name) => filter[name] !== undefined);
}

/** Every index range that holds all records which the filter can let through. */
function listings({ status, promoterId, groupRef, ...filter }: PayoutFilter): Listing[] {
  const [campaignId, ...otherCampaigns] = filter.campaignIds ?? [];
  const [batchId, ...otherBatches] = filter.paymentsBatchIds ?? [];
  const hasCampaign = campaignId !== undefined && otherCampaigns.length === 0;
  const found: Listing[] = [{ index: "id", start: [], passes: [] }];
  const add = (index: keyof typeof payouts.indexes, start: Key, passes: Listing["passes"]) =>
    found.push({ index, start, passes });
  if (status) add("status", [status], ["status"]);
  if (promoterId) add("promoter", [promoterId], ["promoterId"]);
  if (groupRef) add("group", groupKey(groupRef), ["groupRef"]);
  if (hasCampaign) add("campaign", [campaignId], ["campaignIds"]);
  if (batchId !== undefined && otherBatches.length === 0) add("batch", [batchId], ["paymentsBatchIds"]);
  if (status && hasCampaign) add("statusCampaign", [status, campaignId], ["status", "campaignIds"]);
  if (status && promoterId) add("statusPromoter", [status, promoterId], ["status", "promoterId"]);
  return found;
}

async function shortest(store: Store, accountId: number, candidates: Listing[]): Promise<Listing> {
  const counted = [];
  for (const listing of candidates) {
    counted.push({ listing, total: await lengthOf(store, accountId, listing) });
  }
  // Of ranges with equal length, the last one covers the most filters.
  return counted.reduce((best, next) => (next.total <= best.total ? next : best)).listing;
}

function lengthOf(store: Store, accountId: number, { index, start }: Listing): Promise<number> {
  return store.sum(accountId, lengthCounter(payouts, index, start));
}

async function walk(
  context: Context,
  account: Account,
  request: PayoutRequest & { listing: Listing },
): Promise<Found<Payout>> {
  const { store } = context;
  const { filter, sorting, offset, limit } = request;
  const passes = await newJudge(context, account, filter);
  const matches: { id: number; ranks: number[] }[] = [];
  for await (const chunk of candidates(store, account.id, request)) {
    for (const payout of chunk) {
      if (await passes(payout))
        matches.push({ id: payout.id, ranks: sorting.map(({ by }) => rank(payout, by)) });
    }
  }
  if (sorting.length > 0) sortMatches(matches, sorting);
  const page = matches.slice(offset, offset + limit);
  const found = await Promise.all(page.map(({ id }) => store.get(payouts, account.id, id)));
  return { records: found.filter((payout) => payout !== null), total: matches.length };
}

async function* candidates(
  store: Store,
  accountId: number,
  { filter: { ids }, listing }: { filter: PayoutFilter; listing: Listing },
): AsyncGenerator<Payout[]> {
  if (ids === undefined) return yield* store.scan(payouts, listing.index, accountId, listing.start);
  const unique = [...new Set(ids)].sort((left, right) => left - right);
  const found = await Promise.all(unique.map((id) => store.get(payouts, accountId, id)));
  yield found.filter((payout) => payout !== null);
}

/** Makes the test for one request. Conditions on the payout itself come first, because they need no read. */
async function newJudge(context: Context, account: Account, filter: PayoutFilter) {
  const { store, now } = context;
  const today = now.toISOString().slice(0, 10);
  const nextDueDate = filter.duePeriod === "next" ? await findNextDueDate(store, account.id, today) : null;
  const day: PayoutDay = { account, today, nextDueDate };
  const readers = payeeReader(store, account.id);
  const given = givenFilters(filter);
  const byPayout = given.flatMap((name) =>
    BY_PAYOUT[name] ? [[BY_PAYOUT[name], filter[name]] as const] : [],
  );
  const byPayee = given.flatMap((name) => (BY_PAYEE[name] ? [[BY_PAYEE[name], filter[name]] as const] : []));
  return async (payout: Payout): Promise<boolean> => {
    if (!byPayout.every(([test, wanted]) => test(payout, wanted as never, day))) return false;
    if (filter.payoutMethod && (await methodName(readers, payout)) !== filter.payoutMethod) return false;
    if (byPayee.length === 0) return true;
    const payee = await unlessGone(readers.payee(payout.promoterId));
    return payee !== null && byPayee.every(([test, wanted]) => test(payee, wanted as never, day));
  };
}

/** The method that a payout was paid by, otherwise the one that its promoter selected. */
async function methodName(readers: PayeeReader, payout: Payout): Promise<string> {
  const { payoutMethodId, promoterId } = payout;
  const method =
    payoutMethodId === null
      ? (await unlessGone(readers.payee(promoterId)))?.selected
      : await readers.method(payoutMethodId);
  return method?.method ?? "not_set";
}

/** The first due date of any payout from a day on, or null. */
async function findNextDueDate(store: Store, accountId: number, today: string): Promise<string | null> {
  let next: string | null = null;
  for await (const sums of store.sums(accountId, ["payout.due"])) {
    for (const [[, , dueDate]] of sums) {
      if (typeof dueDate === "string" && dueDate >= today && (next === null || dueDate < next))
        next = dueDate;
    }
  }
  return next;
}

function rank(payout: Payout, by: PayoutSort["by"]): number {
  return by === "amount" ? payout.amount : Date.parse(payout[by]);
}

function sortMatches(matches: { id: number; ranks: number[] }[], sorting: PayoutSort[]): void {
  const signs = sorting.map(({ isDescending }) => (isDescending ? -1 : 1));
  matches.sort((left, right) => {
    for (const [at, sign] of signs.entries()) {
      const difference = (left.ranks[at] ?? 0) - (right.ranks[at] ?? 0);
      if (difference !== 0) return sign * difference;
    }
    return (signs[0] ?? 1) * (left.id - right.id);
  });
}

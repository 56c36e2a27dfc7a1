import type { Account } from "../account/record.ts";
import { dayIn, timeZoneOf } from "../account/time-zone.ts";
import type { Payout } from "./record.ts";
import type { Key } from "../../storage/keys.ts";
import { searchPage, type SearchRange, type Sort } from "../../storage/listing/filter-search.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import type { Store } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { payeeReader, type PayeeReader } from "./payee.ts";
import { BY_PAYEE, BY_PAYOUT, type PayoutDay, type PayoutFilter } from "./filter.ts";
import { groupKey, payouts } from "./payout.ts";
import { unlessGone } from "../show.ts";

/** The field that payouts are sorted by, and the direction. */
export type PayoutSort = Sort<"amount" | "periodStart" | "periodEnd">;

interface PayoutRequest extends Window {
  filter: PayoutFilter;
  sorting: PayoutSort[];
}

type Range = SearchRange<keyof typeof payouts.indexes, keyof PayoutFilter>;

/** Payouts that pass a filter, sorted by id unless told otherwise. */
export function listPayouts(
  context: Context,
  account: Account,
  { filter, sorting, ...window }: PayoutRequest,
): Promise<Found<Payout>> {
  return searchPage(context.store, payouts, {
    accountId: account.id,
    given: givenFilters(filter),
    ranges: ranges(filter),
    ids: filter.ids,
    sorting,
    newJudge: () => newJudge(context, account, filter),
    ...window,
  });
}

function givenFilters(filter: PayoutFilter): (keyof PayoutFilter)[] {
  return (Object.keys(filter) as (keyof PayoutFilter)[]).filter((name) => filter[name] !== undefined);
}

/** Every index range that holds all records which the filter can let through. */
function ranges({ status, promoterId, groupRef, ...filter }: PayoutFilter): Range[] {
  const [campaignId, ...otherCampaigns] = filter.campaignIds ?? [];
  const [batchId, ...otherBatches] = filter.paymentsBatchIds ?? [];
  const hasCampaign = campaignId !== undefined && otherCampaigns.length === 0;
  const found: Range[] = [{ index: "id", start: [], passes: [] }];
  const add = (index: keyof typeof payouts.indexes, start: Key, passes: Range["passes"]) =>
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

/** Makes the test for one request. Conditions on the payout itself come first, because they need no read. */
async function newJudge(context: Context, account: Account, filter: PayoutFilter) {
  const { store } = context;
  const day = await payoutDay(context, account, filter);
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

/**
 * The account and the day of a request. The next due date is read only for the period that needs it.
 *
 * Choice: it is the next one among the payouts of the wanted status and campaigns, as in `dueStats`. A payout that was
 * paid before its day does not hide those that are due after it.
 */
export async function payoutDay(
  { store, now }: Context,
  account: Account,
  filter: Pick<PayoutFilter, "duePeriod" | "status" | "campaignIds">,
): Promise<PayoutDay> {
  const today = dayIn(timeZoneOf(account), now);
  const nextDueDate =
    filter.duePeriod === "next" ? await findNextDueDate(store, account.id, { ...filter, today }) : null;
  return { account, today, nextDueDate };
}

/** The method that a payout was paid by, otherwise the one that its promoter selected. */
export async function methodName(readers: PayeeReader, payout: Payout): Promise<string> {
  const { payoutMethodId, promoterId } = payout;
  const method = await (payoutMethodId === null
    ? readers.selected(promoterId)
    : readers.method(payoutMethodId));
  return method?.method ?? "not_set";
}

/** The first due date of these payouts from a day on, or null. */
async function findNextDueDate(
  store: Store,
  accountId: number,
  { status, campaignIds, today }: Pick<PayoutFilter, "status" | "campaignIds"> & { today: string },
): Promise<string | null> {
  let next: string | null = null;
  for await (const sums of store.sums(accountId, ["payout.due"])) {
    for (const [[ofStatus, campaignId, dueDate]] of sums) {
      if (status !== undefined && ofStatus !== status) continue;
      if (campaignIds !== undefined && !campaignIds.includes(Number(campaignId))) continue;
      if (typeof dueDate === "string" && dueDate >= today && (next === null || dueDate < next))
        next = dueDate;
    }
  }
  return next;
}

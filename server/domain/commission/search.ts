import type { Account } from "../account/record.ts";
import type { Context } from "../context.ts";
import { leads } from "../lead/lead.ts";
import { once } from "../once.ts";
import { BY_PAYOUT } from "../payout/filter.ts";
import { payouts } from "../payout/payout.ts";
import { payoutDay } from "../payout/search.ts";
import { loadPromoterStats } from "../report/counters.ts";
import { searchPage, type Search, type SearchRange, type Sort } from "../../storage/listing/filter-search.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import { lengthCounter } from "../../storage/collection.ts";
import type { Store } from "../../storage/store.ts";
import { commissions } from "./commission.ts";
import { COUNTED_BY_DAY, countByDay, isOfWholeDays } from "./day-counts.ts";
import { BY_COMMISSION, type CommissionFilter } from "./filter.ts";
import type { Commission } from "./record.ts";

/**
 * The field that commissions are sorted by, and the direction. Choice: leads are sorted by id, which is the order in
 * which they came, because their e-mail addresses change.
 */
export type CommissionSort = Sort<"saleAmount" | "amount" | "createdAt" | "lead">;

interface CommissionRequest extends Window {
  filter: CommissionFilter;
  sorting: CommissionSort[];
}

/** Commissions that pass a filter, sorted by id unless told otherwise. */
export function listCommissions(
  context: Context,
  account: Account,
  { filter, sorting, ...window }: CommissionRequest,
): Promise<Found<Commission>> {
  return searchPage(context.store, commissions, {
    accountId: account.id,
    given: givenFilters(filter),
    ranges: ranges(context.store, account.id, filter),
    counted: counted(context.store, account.id, filter),
    ids: filter.ids,
    sorting,
    newJudge: () => newJudge(context, account, filter),
    ...window,
  });
}

function givenFilters(filter: CommissionFilter): (keyof CommissionFilter)[] {
  return (Object.keys(filter) as (keyof CommissionFilter)[]).filter((name) => filter[name] !== undefined);
}

type Range = SearchRange<keyof typeof commissions.indexes, keyof CommissionFilter>;
type Counted = NonNullable<Search<Commission, string, keyof CommissionFilter>["counted"]>;

/** The latest instant of a Date. */
const LAST_MS = 8_640_000_000_000_000;

/** Every index range that holds all records which the filter can let through. */
function ranges(
  store: Store,
  accountId: number,
  { status, promoterId, campaignIds = [], payoutIds = [], createdAt }: CommissionFilter,
): Range[] {
  const campaignId = onlyOf(campaignIds);
  const payoutId = onlyOf(payoutIds);
  const found: Range[] = [{ index: "id", start: [], passes: [] }];
  if (status !== undefined) found.push({ index: "status", start: [status], passes: ["status"] });
  if (payoutId !== undefined) found.push({ index: "payout", start: [payoutId], passes: ["payoutIds"] });
  if (campaignId !== undefined) {
    const length = () => store.sum(accountId, ["stats.campaign", campaignId, "commissions"]);
    found.push({ index: "campaign", start: [campaignId], passes: ["campaignIds"], length });
  }
  if (createdAt !== undefined) {
    const between = { from: createdAt.from ?? -LAST_MS, before: createdAt.before ?? LAST_MS };
    const length = () => store.count(commissions, "createdAt", accountId, [], between);
    const sorted = { index: "createdAt", sortedBy: "createdAt" } as const;
    found.push({ ...sorted, start: [], between, passes: ["createdAt"], length });
  }
  if (promoterId !== undefined) {
    const length = async () => (await loadPromoterStats(store, accountId, promoterId)).commissions;
    found.push({ index: "promoter", start: [promoterId], passes: ["promoterId"], length });
  }
  return found;
}

/** The numbers of matches that are known for several filters together. */
function counted(store: Store, accountId: number, filter: CommissionFilter): Counted {
  const { status, campaignIds = [], createdAt } = filter;
  const campaignId = onlyOf(campaignIds);
  const found: Counted = [];
  if (status !== undefined && campaignId !== undefined) {
    const counter = lengthCounter(commissions, "statusCampaign", [status, campaignId]);
    found.push({ passes: ["status", "campaignIds"], length: () => store.sum(accountId, counter) });
  }
  if (createdAt === undefined || isOfWholeDays(createdAt)) {
    found.push({ passes: [...COUNTED_BY_DAY], length: () => countByDay(store, accountId, filter) });
  }
  return found;
}

function onlyOf(ids: number[]): number | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}

/** Makes the test for one request. Conditions on the commission itself come first, because they need no read. */
async function newJudge(context: Context, account: Account, filter: CommissionFilter) {
  const given = givenFilters(filter);
  const own = given.flatMap((name) =>
    BY_COMMISSION[name] ? [[BY_COMMISSION[name], filter[name]] as const] : [],
  );
  const others = [
    await payoutTest(context, account, filter),
    textTest(context.store, filter),
    firstTest(context.store, filter),
  ].filter((test) => test !== null);
  return async (commission: Commission): Promise<boolean> => {
    if (!own.every(([test, wanted]) => test(commission, wanted as never))) return false;
    for (const test of others) if (!(await test(commission))) return false;
    return true;
  };
}

type AsyncTest = (commission: Commission) => Promise<boolean>;

/** Whether it is paid, and when its payout is due. Choice: a commission without a payout has no due date. */
async function payoutTest(
  context: Context,
  account: Account,
  { isPaid, isFulfilled, duePeriod }: CommissionFilter,
): Promise<AsyncTest | null> {
  if (isPaid === undefined && isFulfilled === undefined && duePeriod === undefined) return null;
  const day = await payoutDay(context, account, { duePeriod, status: "pending" });
  const payoutOf = once((id) => context.store.get(payouts, account.id, id));
  return async ({ payoutId, isPaidElsewhere }) => {
    const payout = payoutId === null ? null : await payoutOf(payoutId);
    const isDone = isPaidElsewhere || payout?.status === "completed";
    if (isDone !== (isPaid ?? isDone) || isDone !== (isFulfilled ?? isDone)) return false;
    return (
      duePeriod === undefined || (payout !== null && BY_PAYOUT.duePeriod?.(payout, duePeriod, day) === true)
    );
  };
}

function textTest(store: Store, { text }: CommissionFilter): AsyncTest | null {
  if (text === undefined) return null;
  const wanted = text.trim().toLowerCase();
  return async ({ accountId, eventId, leadId }) => {
    if (eventId?.toLowerCase().includes(wanted)) return true;
    const lead = leadId === null ? null : await store.get(leads, accountId, leadId);
    return `${lead?.email ?? ""}\n${lead?.uid ?? ""}`.toLowerCase().includes(wanted);
  };
}

/** Choice: a commission without a lead is never the first. */
function firstTest(store: Store, { isFirst }: CommissionFilter): AsyncTest | null {
  if (isFirst === undefined) return null;
  return async (commission) => {
    const { accountId, leadId, saleId } = commission;
    if (leadId === null) return !isFirst;
    const [first] = await store.page(commissions, "lead", accountId, [leadId], { limit: 1 });
    const isOfFirst = first?.id === commission.id || (saleId !== null && first?.saleId === saleId);
    return isOfFirst === isFirst;
  };
}

import type { Account } from "../account/record.ts";
import { dayIn, timeZoneOf } from "../account/time-zone.ts";
import type { Context } from "../context.ts";
import { UNITS, type Unit } from "../money/unit.ts";
import { unlessGone } from "../show.ts";
import { isNamed } from "./filter.ts";
import { payeeReader } from "./payee.ts";
import { payouts, periodEndDateOf } from "./payout.ts";
import type { Payout, PayoutStatus } from "./record.ts";
import type { Key } from "../../storage/keys.ts";
import { methodName } from "./search.ts";

/** The payouts that statistics count. Absent filters do not matter. */
export interface StatsFilter {
  /** Part of the promoter's name or e-mail address, ignoring case. */
  text?: string | undefined;
  status?: PayoutStatus | undefined;
  campaignIds?: number[] | undefined;
  promoterId?: number | undefined;
}

/** Sums of payouts. */
export interface PayoutSummary {
  promotersCount: number;
  /** The sum of each unit, without tax. */
  amounts: Record<Unit, number>;
  /** Cash in cents. Choice: other units can't be added to money. */
  centsInclTax: number;
}

/** The sums of completed payouts of one period. */
export interface PaidPeriod extends PayoutSummary {
  periodStart: string;
  periodEnd: string;
}

/** Sums by the values that payouts share. */
export interface PayoutStats {
  /** Newest first. */
  byPaidPeriod: PaidPeriod[];
  byStatus: Map<string, PayoutSummary>;
  byMethod: Map<string, PayoutSummary>;
}

/** Adds up payouts by the period that was paid for, by status, and by the method of payment. */
export async function payoutStats(
  context: Context,
  account: Account,
  filter: StatsFilter,
): Promise<PayoutStats> {
  const readers = payeeReader(context.store, account.id);
  const [periods, statuses, methods] = [newTally(), newTally(), newTally()];
  for await (const payout of matching(context, account, filter)) {
    const { status, periodStart, periodEnd } = payout;
    if (status === "completed") periods.add(`${periodEnd} ${periodStart}`, payout);
    statuses.add(status, payout);
    methods.add(await methodName(readers, payout), payout);
  }
  const byPaidPeriod = [...periods.summaries()].toSorted(([left], [right]) => (left < right ? 1 : -1));
  return {
    byPaidPeriod: byPaidPeriod.map(([key, summary]) => {
      const [periodEnd = "", periodStart = ""] = key.split(" ");
      return { periodStart, periodEnd, ...summary };
    }),
    byStatus: statuses.summaries(),
    byMethod: methods.summaries(),
  };
}

/** Sums of the payouts that are due on one day, or earlier. */
export interface DueSummary extends PayoutSummary {
  /** Its due date and its period's end: the coming one, or the oldest that has passed. null: there is none. */
  due: { dueDate: string; periodEndDate: string } | null;
}

/** The payouts that are due next, those that are overdue, and those that are due apart from the account's cycle. */
export interface DueStats {
  next: DueSummary;
  overdue: DueSummary;
  custom: PayoutSummary;
}

/** Adds up pending payouts, unless the filter names another status, by when they are due. */
export async function dueStats(
  context: Context,
  account: Account,
  { status = "pending", ...filter }: StatsFilter,
): Promise<DueStats> {
  const today = dayIn(timeZoneOf(account), context.now);
  const days = newTally();
  const overdue = newTally();
  const custom = newTally();
  const firstPeriods = new Map<string, string>();
  for await (const payout of matching(context, account, { ...filter, status })) {
    const { dueDate, hasOwnTerms } = payout;
    if (hasOwnTerms) {
      custom.add(ALL, payout);
      continue;
    }
    (dueDate < today ? overdue : days).add(dueDate < today ? ALL : dueDate, payout);
    const known = firstPeriods.get(dueDate);
    const endDate = periodEndDateOf(payout);
    if (known === undefined || endDate < known) firstPeriods.set(dueDate, endDate);
  }
  const dueOn = (dueDate: string | undefined) =>
    dueDate === undefined ? null : { dueDate, periodEndDate: firstPeriods.get(dueDate) ?? "" };
  const dates = [...firstPeriods.keys()].toSorted();
  const nextDate = dates.find((date) => date >= today);
  return {
    next: { ...days.summary(nextDate ?? ALL), due: dueOn(nextDate) },
    overdue: { ...overdue.summary(ALL), due: dueOn(dates.find((date) => date < today)) },
    custom: custom.summary(ALL),
  };
}

const ALL = "all";

async function* matching(
  { store }: Context,
  account: Account,
  { text, status, campaignIds, promoterId }: StatsFilter,
): AsyncGenerator<Payout> {
  const readers = payeeReader(store, account.id);
  const [index, start] = shortestRange(status, promoterId);
  for await (const chunk of store.scan(payouts, index, account.id, start)) {
    for (const payout of chunk) {
      if (campaignIds !== undefined && !campaignIds.includes(payout.campaignId)) continue;
      if (text !== undefined) {
        const payee = await unlessGone(readers.payee(payout.promoterId));
        if (payee === null || !isNamed(payee.promoter, text)) continue;
      }
      yield payout;
    }
  }
}

/** The index that holds the payouts of a status and a promoter. */
function shortestRange(
  status: PayoutStatus | undefined,
  promoterId: number | undefined,
): [index: "id" | "status" | "promoter" | "statusPromoter", start: Key] {
  if (promoterId === undefined) return status === undefined ? ["id", []] : ["status", [status]];
  return status === undefined ? ["promoter", [promoterId]] : ["statusPromoter", [status, promoterId]];
}

/** Adds up payouts by a key. */
function newTally() {
  const sums = new Map<string, PayoutSummary & { promoterIds: Set<number> }>();
  const empty = () => ({
    promotersCount: 0,
    amounts: Object.fromEntries(UNITS.map((unit) => [unit, 0])) as Record<Unit, number>,
    centsInclTax: 0,
    promoterIds: new Set<number>(),
  });
  const summaryOf = ({ promoterIds, ...sum }: PayoutSummary & { promoterIds: Set<number> }) => ({
    ...sum,
    promotersCount: promoterIds.size,
  });
  return {
    add(key: string, { unit, amount, totalInclTax, promoterId }: Payout): void {
      const sum = sums.get(key) ?? empty();
      sums.set(key, sum);
      sum.amounts[unit] += amount;
      if (unit === "cash") sum.centsInclTax += totalInclTax;
      sum.promoterIds.add(promoterId);
    },
    summary: (key: string): PayoutSummary => summaryOf(sums.get(key) ?? empty()),
    summaries: (): Map<string, PayoutSummary> =>
      new Map([...sums].map(([key, sum]) => [key, summaryOf(sum)])),
  };
}

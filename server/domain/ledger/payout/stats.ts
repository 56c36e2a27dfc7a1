import { sql, type RawBuilder } from "kysely";
import type { Account } from "../../program/account/account.ts";
import { dayIn, timeZoneOf } from "../../program/account/time-zone.ts";
import type { Context } from "../../context.ts";
import { UNITS, type Unit } from "../../money.ts";
import { methodName, payoutQuery, type PayoutQuery, type PayoutScope } from "./search.ts";

/** Sums of payouts. */
export interface PayoutSummary {
  promotersCount: number;
  /** The sum of each unit, without tax. */
  amounts: Record<Unit, number>;
  /** Cash in cents. Other units can't be added to money. */
  centsInclTax: number;
}

/** The sums of completed payouts of one period. */
export interface PaidPeriod extends PayoutSummary {
  period_start: string;
  period_end: string;
}

/** Sums by common values. */
export interface PayoutStats {
  /** Newest first. */
  byPaidPeriod: PaidPeriod[];
  byStatus: Map<string, PayoutSummary>;
  byMethod: Map<string, PayoutSummary>;
}

/** Sums payouts by the period that was paid for, by status, and by payout method. */
export async function payoutStats(
  { store }: Context,
  account: Account,
  filter: PayoutScope,
): Promise<PayoutStats> {
  const all = payoutQuery(store, account.id, filter);
  const periods = summed(all)
    .select(["payouts.period_start as start", "payouts.period_end as end"])
    .where("payouts.status", "=", "completed")
    .groupBy(["payouts.period_end", "payouts.period_start"])
    .orderBy("payouts.period_end", "desc")
    .orderBy("payouts.period_start", "desc");
  const [byPeriod, byStatus, byMethod] = await Promise.all([
    store.rows(periods),
    store.rows(groupedBy(all, sql<string>`payouts.status`)),
    store.rows(groupedBy(all, methodName)),
  ]);
  return {
    byPaidPeriod: byPeriod.map(({ start, end, ...sums }) => ({
      period_start: start ?? "",
      period_end: end ?? "",
      ...summaryOf(sums),
    })),
    byStatus: summaries(byStatus),
    byMethod: summaries(byMethod),
  };
}

/** Sums of the payouts that are due on one day, or earlier. */
export interface DueSummary extends PayoutSummary {
  /** Its due date and its period's end: the coming one, or the oldest one, or null. */
  due: { due_date: string; period_end_date: string } | null;
}

/**
 * The payouts that are due next, those that are overdue, and those that are due independently of the
 * account's cycle.
 */
export interface DueStats {
  next: DueSummary;
  overdue: DueSummary;
  custom: DueSummary;
}

/** Sums pending payouts by when they are due. The filter may name another status. */
export async function dueStats(
  { store, now }: Context,
  account: Account,
  { status = "pending", ...filter }: PayoutScope,
): Promise<DueStats> {
  const today = dayIn(timeZoneOf(account), now);
  const all = payoutQuery(store, account.id, { ...filter, status });
  const coming = all
    .select("payouts.due_date as day")
    .where("payouts.has_own_terms", "=", 0)
    .where("payouts.due_date", ">=", today)
    .orderBy("payouts.due_date")
    .limit(1);
  const [next] = await store.rows(coming);
  const part = sql<string>`case when payouts.has_own_terms then 'custom'
    when payouts.due_date < ${today} then 'overdue'
    when payouts.due_date = ${next?.day ?? ""} then 'next' else 'later' end`;
  const rows = await store.rows(groupedBy(all, part).select(firstDue));
  const sums = summaries(rows);
  const dueOf = (wanted: string) => dueDayOf(rows.find(({ key }) => key === wanted)?.first);
  return {
    next: { ...(sums.get("next") ?? NOTHING), due: dueOf("next") },
    overdue: { ...(sums.get("overdue") ?? NOTHING), due: dueOf("overdue") },
    custom: { ...(sums.get("custom") ?? NOTHING), due: dueOf("custom") },
  };
}

/** The first due date with the first end of its periods. Both have ten characters. */
const firstDue = sql<string>`min(payouts.due_date || payouts.period_end_date)`.as("first");
const DAY_LENGTH = 10;

/** A due date and the end of its period, from a text that contains both. */
export function dueDayOf(days: string | null | undefined): DueSummary["due"] {
  return days ? { due_date: days.slice(0, DAY_LENGTH), period_end_date: days.slice(DAY_LENGTH) } : null;
}

const NOTHING = summaryOf({ promoters: 0, incl_tax: 0 });

interface SumRow extends Partial<Record<Unit, number>> {
  promoters: number;
  incl_tax: number;
}

/** Selects the sums of payouts, for `summaryOf`. */
function summed(query: PayoutQuery) {
  return query.select([
    sql<number>`count(distinct payouts.promoter_id)`.as("promoters"),
    sql<number>`sum(case when payouts.unit = 'cash' then payouts.total_incl_tax else 0 end)`.as("incl_tax"),
    ...UNITS.map((unit) =>
      sql<number>`sum(case when payouts.unit = ${unit} then payouts.amount else 0 end)`.as(unit),
    ),
  ]);
}

/** Selects the sums of the payouts that share a text. */
function groupedBy(query: PayoutQuery, key: RawBuilder<string>) {
  return summed(query).select(key.as("key")).groupBy(sql.ref("key"));
}

function summaries(rows: (SumRow & { key: string })[]): Map<string, PayoutSummary> {
  return new Map(rows.map(({ key, ...sums }) => [key, summaryOf(sums)]));
}

function summaryOf({ promoters, incl_tax: centsInclTax, ...amounts }: SumRow): PayoutSummary {
  return {
    promotersCount: Number(promoters),
    amounts: Object.fromEntries(UNITS.map((unit) => [unit, Number(amounts[unit] ?? 0)])) as Record<
      Unit,
      number
    >,
    centsInclTax: Number(centsInclTax),
  };
}

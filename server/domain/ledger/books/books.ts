import { sql, type Kysely, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import { allOf, among, type Schema } from "../../../storage/query.ts";
import type { View } from "../../../storage/store.ts";
import { promoterName, promoters } from "../../people/promoter/promoter.ts";
import type { Account } from "../../program/account/account.ts";
import { dayIn, startOfDay, timeZoneOf } from "../../program/account/time-zone.ts";
import type { commissions } from "../commission/commission.ts";
import type { payouts } from "../payout/payout.ts";
import { ENTRY_KINDS, type BookedRecord, type bookEntries, type EntryKind } from "./entry.ts";
import { DAY_MS } from "../../span.ts";

/** Calendar days in the account's time zone, both included. */
export interface BookDays {
  from: string;
  to: string;
}

/** What happened between two days, in the currency's minor unit. Each is positive unless it went the other way. */
export interface Movements {
  /** Owed at the beginning of the first day. */
  opening: number;
  earned: number;
  reversed: number;
  /** From other promoters, less what was moved to others. */
  moved: number;
  paid: number;
  returned: number;
  /** Owed at the end of the last day. */
  closing: number;
  /** Tax that was paid beside `paid`, less what came back. */
  tax: number;
  /** Fees of payment providers. */
  fees: number;
}

/** The books of one promoter. */
export interface PromoterBooks extends Movements {
  promoter_id: number;
}

/** The days as instants: from the first one, before the second one. */
interface Instants {
  from: string;
  before: string;
}

function instantsOf(account: Account, { from, to }: BookDays): Instants {
  const timeZone = timeZoneOf(account);
  const after = new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  return {
    from: startOfDay(timeZone, from).toISOString(),
    before: startOfDay(timeZone, after).toISOString(),
  };
}

type BooksSchema = Schema<{
  book_entries: typeof bookEntries;
  commissions: typeof commissions;
  payouts: typeof payouts;
}> & {
  daily: {
    account_id: number;
    series: string;
    subject_id: number;
    earnings_cents: number;
    paid_cents: number;
  };
};

/**
 * The books of all promoters who were owed anything, or for whom anything happened, in the order of their ids. Of
 * what is owed now, everything that happened later is taken back, so that records from before the books count, too.
 */
export async function loadBooks(view: View, account: Account, days: BookDays): Promise<PromoterBooks[]> {
  const { from, before } = instantsOf(account, days);
  const query = view.query<BooksSchema>();
  const changes = changesSince(query, account.id, { from, before: null });
  const sums = query
    .selectFrom(changes.unionAll(owedNow(query, account.id)).as("changes"))
    .groupBy("promoter_id")
    .select("promoter_id")
    .select(sumOf("opening", sql<SqlBool>`kind = 'now'`, sql`amount`))
    .select(sumOf("later", sql<SqlBool>`kind not in ('now', 'fee') and at >= ${before}`, sql`amount`))
    .select(sumOf("tax", sql<SqlBool>`kind <> 'now' and at < ${before}`, sql`tax`))
    .select(
      ENTRY_KINDS.map((kind) =>
        sumOf(kind, sql<SqlBool>`kind = ${sql.lit(kind)} and at < ${before}`, sql`amount`),
      ),
    )
    .orderBy("promoter_id");
  const rows = await view.rows(sums);
  return rows
    .map((row) => movementsOf(row as Record<string, unknown>))
    .filter((books) => NAMES.some((name) => books[name] !== 0));
}

/** The sums of all promoters. */
export function totalOf(books: Movements[]): Movements {
  const total = { ...NOTHING };
  for (const movements of books) for (const name of NAMES) total[name] += movements[name];
  return total;
}

const NOTHING: Movements = {
  opening: 0,
  earned: 0,
  reversed: 0,
  moved: 0,
  paid: 0,
  returned: 0,
  closing: 0,
  tax: 0,
  fees: 0,
};
const NAMES = Object.keys(NOTHING) as (keyof Movements)[];

/** One entry of the books. */
export interface Entry {
  at: string;
  kind: EntryKind;
  promoter_id: number;
  record: BookedRecord;
  record_id: number;
  /** What it adds to what the promoter is owed. Of a fee: the fee. */
  amount: number;
  tax: number;
}

/** The entries of some days, oldest first, a calendar day after the other. */
export async function* entriesOf(view: View, account: Account, wanted: BookDays): AsyncGenerator<Entry[]> {
  const { from, to } = await filledDays(view, account, wanted);
  for (let day = from; day <= to; day = dayAfter(day)) {
    const instants = instantsOf(account, { from: day, to: day });
    const query = view.query<BooksSchema>();
    const entries = query
      .selectFrom(changesSince(query, account.id, instants).as("changes"))
      .selectAll()
      .orderBy("at")
      .orderBy("record")
      .orderBy("record_id")
      .orderBy("number");
    yield (await view.rows(entries)).map((row) => ({
      at: row.at as string,
      kind: row.kind as EntryKind,
      promoter_id: Number(row.promoter_id),
      record: row.record as BookedRecord,
      record_id: Number(row.record_id),
      amount: Number(row.amount),
      tax: Number(row.tax),
    }));
  }
}

/** The days from the first to the last entry among some days. Most of a thousand years would be empty. */
async function filledDays(view: View, account: Account, days: BookDays): Promise<BookDays> {
  const query = view.query<BooksSchema>();
  const [ends] = await view.rows(
    query
      .selectFrom(changesSince(query, account.id, instantsOf(account, days)).as("changes"))
      .select([sql<string | null>`min(at)`.as("first"), sql<string | null>`max(at)`.as("last")]),
  );
  const { first, last } = ends ?? { first: null, last: null };
  if (first === null || last === null) return { from: days.to, to: days.from };
  const timeZone = timeZoneOf(account);
  return { from: dayIn(timeZone, new Date(first)), to: dayIn(timeZone, new Date(last)) };
}

/** The names and addresses of promoters, by id. Deleted ones are missing. */
export async function loadPayees(
  view: View,
  accountId: number,
  ids: number[],
): Promise<Map<number, { name: string; email: string }>> {
  const found = new Map<number, { name: string; email: string }>();
  for (let at = 0; at < ids.length; at += MOST_IDS) {
    const query = view
      .query<Schema<{ promoters: typeof promoters }>>()
      .selectFrom("promoters")
      .select(allOf(promoters))
      .where("account_id", "=", accountId)
      .where(among("id", ids.slice(at, at + MOST_IDS)));
    for (const row of await view.rows(query)) {
      const promoter = view.record(promoters, row)!;
      found.set(promoter.id, { name: promoterName(promoter), email: promoter.email });
    }
  }
  return found;
}

const MOST_IDS = 500;

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

type Changes = SelectQueryBuilder<
  BooksSchema,
  keyof BooksSchema,
  {
    promoter_id: number;
    kind: string;
    at: string;
    amount: number;
    tax: number;
    record: string;
    record_id: number;
    number: number;
  }
>;

/** Instants from the first one, and before the second one. Null: until now. */
interface Since {
  from: string;
  before: string | null;
}

/**
 * Everything that changed what promoters are owed, and fees. Records without entries are as they were on their own
 * day.
 */
function changesSince(query: Kysely<BooksSchema>, accountId: number, since: Since): Changes {
  const entries = query
    .selectFrom("book_entries")
    .where("account_id", "=", accountId)
    .where(isSince(sql`at`, since))
    .select(["promoter_id", "kind", "at", "amount", "tax", "record", "record_id", "number"]);
  const earned = unbookedEarnings(query, accountId, since);
  const isPositive = sql<SqlBool>`amount > 0`;
  return entries
    .unionAll(
      earned.select([
        "promoter_id",
        sql<string>`case when ${isPositive} then 'earned' else 'reversed' end`.as("kind"),
        ...unbooked("commission", { at: "created_at", amount: "amount", tax: "0", number: 1 }),
      ]),
    )
    .unionAll(
      earned
        .where("is_paid_elsewhere", "=", 1)
        .select([
          "promoter_id",
          sql<string>`case when ${isPositive} then 'paid' else 'returned' end`.as("kind"),
          ...unbooked("commission", { at: "created_at", amount: "-amount", tax: "0", number: 2 }),
        ]),
    )
    .unionAll(
      unbookedPayments(query, accountId, since).select([
        "promoter_id",
        sql<string>`'paid'`.as("kind"),
        ...unbooked("payout", { at: PAID_AT, amount: "-amount", tax: "total_incl_tax - amount", number: 1 }),
      ]),
    ) as unknown as Changes;
}

/** When a payout was paid. */
const PAID_AT = "coalesce(paid_at, created_at)";

/** The columns of a record without entries, as one entry. */
function unbooked(
  record: BookedRecord,
  { at, amount, tax, number }: { at: string; amount: string; tax: string; number: number },
) {
  return [
    sql.raw<string>(at).as("at"),
    sql.raw<number>(amount).as("amount"),
    sql.raw<number>(tax).as("tax"),
    sql<string>`${sql.lit(record)}`.as("record"),
    sql<number>`id`.as("record_id"),
    sql<number>`${sql.lit(number)}`.as("number"),
  ] as const;
}

function unbookedEarnings(query: Kysely<BooksSchema>, accountId: number, since: Since) {
  return query
    .selectFrom("commissions")
    .where("account_id", "=", accountId)
    .where(isSince(sql`created_at`, since))
    .where("status", "=", "approved")
    .where("unit", "=", "cash")
    .where("amount", "<>", 0)
    .where(isUnbooked("commission", "commissions"));
}

function unbookedPayments(query: Kysely<BooksSchema>, accountId: number, since: Since) {
  return query
    .selectFrom("payouts")
    .where("account_id", "=", accountId)
    .where(isSince(sql.raw(PAID_AT), since))
    .where("status", "=", "completed")
    .where("unit", "=", "cash")
    .where(isUnbooked("payout", "payouts"));
}

function isSince(at: RawBuilder<unknown>, { from, before }: Since): RawBuilder<SqlBool> {
  return before === null
    ? sql<SqlBool>`${at} >= ${from}`
    : sql<SqlBool>`${at} >= ${from} and ${at} < ${before}`;
}

/** What each promoter is owed now, as one change. */
function owedNow(query: Kysely<BooksSchema>, accountId: number): Changes {
  return query
    .selectFrom("daily")
    .where("account_id", "=", accountId)
    .where("series", "=", "promoter-month")
    .groupBy("subject_id")
    .select([
      "subject_id as promoter_id",
      sql<string>`'now'`.as("kind"),
      sql<null>`null`.as("at"),
      sql<number>`sum(earnings_cents) - sum(paid_cents)`.as("amount"),
      sql<number>`0`.as("tax"),
      sql<string>`''`.as("record"),
      sql<number>`0`.as("record_id"),
      sql<number>`0`.as("number"),
    ]) as unknown as Changes;
}

/** Whether a record has no entries. */
function isUnbooked(record: BookedRecord, from: "commissions" | "payouts") {
  return sql<SqlBool>`not exists (select 1 from book_entries as booked where booked.account_id = ${sql.ref(`${from}.account_id`)} and booked.record = ${sql.lit(record)} and booked.record_id = ${sql.ref(`${from}.id`)})`;
}

function sumOf(name: string, condition: RawBuilder<SqlBool>, amount: RawBuilder<unknown>) {
  return sql<number>`coalesce(sum(case when ${condition} then ${amount} else 0 end), 0)`.as(name);
}

function movementsOf(row: Record<string, unknown>): PromoterBooks {
  const of = (name: string) => Number(row[name]);
  // Otherwise the difference would be -0.
  const less = (name: string) => 0 - of(name);
  const closing = of("opening") - of("later");
  const [earned, reversed, moved] = [of("earned"), less("reversed"), of("moved")];
  const [paid, returned] = [less("paid"), of("returned")];
  const opening = closing - earned + reversed - moved + paid - returned;
  const promoterId = Number(row["promoter_id"]);
  return {
    promoter_id: promoterId,
    opening,
    earned,
    reversed,
    moved,
    paid,
    returned,
    closing,
    tax: of("tax"),
    fees: of("fee"),
  };
}

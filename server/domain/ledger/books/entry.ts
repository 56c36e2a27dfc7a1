import type { Transaction } from "../../../storage/store.ts";
import { integer, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Context } from "../../context.ts";
import type { Commission } from "../commission/commission.ts";
import type { Payment } from "../payment/payment.ts";
import type { Payout } from "../payout/payout.ts";

/**
 * `moved`: owed to another promoter from now on, or in another campaign. `returned`: a payout counts as unpaid again. `fee`: a provider's fee
 * for a payment, which changes no balance.
 */
export const ENTRY_KINDS = ["earned", "reversed", "moved", "paid", "returned", "fee"] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

export const BOOKED_RECORDS = ["commission", "payout", "payment"] as const;

export type BookedRecord = (typeof BOOKED_RECORDS)[number];

const fields = {
  record: text<BookedRecord>(),
  record_id: integer(),
  /** Counts the entries of a record, from 1. */
  number: integer(),
  /** When it was recorded. */
  at: time(),
  kind: text<EntryKind>(),
  promoter_id: integer(),
  /** In the currency's minor unit: what it adds to the balance of the promoter. Of a fee: the fee. */
  amount: integer(),
  /** The tax that was paid with it, or came back. */
  tax: integer(),
};

/**
 * A change of what a promoter is owed in money, or a fee. It is written with the change and never changes, so that
 * the books of a past day stay as they were. A record without entries has not changed since it was imported, or
 * since a release that had no books. The books then show it on its own day.
 *
 * @see docs/spec/money.md "The books"
 */
export type BookEntry = RowOf<typeof fields>;

export const bookEntries = table("book-entry", fields, {
  key: ["record", "record_id", "number"],
  indexes: { at: { on: ["at"] } },
});

/** What a record adds to the books. */
interface Share {
  promoter_id: number;
  earned: number;
  paid: number;
  tax: number;
  /** When it was earned, or paid. */
  at: string;
}

/** A change of a record. `before` is null if it is new, `after` if it was deleted. */
export type BookedChange =
  | { entity: "commission"; before: Commission | null; after: Commission | null }
  | { entity: "payout"; before: Payout | null; after: Payout | null };

type Booking = Pick<BookEntry, "kind" | "promoter_id" | "amount" | "tax" | "at">;

/**
 * Books a change of a commission or a payout, in its commit. History without entries keeps its own days, until
 * something here changes it.
 */
export async function book(
  tx: Transaction,
  { now, isHistory = false }: Pick<Context, "now" | "isHistory">,
  change: BookedChange,
): Promise<void> {
  const record = change.after ?? change.before;
  if (record === null) return;
  const [before, after] = sharesOf(change);
  const bookings =
    change.entity === "commission" && change.after?.set_off !== undefined
      ? setOffBookings(change.after, now)
      : bookingsOf(before, after, now.toISOString());
  if (bookings.length === 0) return;
  const { account_id, id: recordId } = record;
  const last =
    change.before === null
      ? 0
      : await lastNumber(tx, { account_id, record: change.entity, record_id: recordId });
  if (isHistory && last === 0) return;
  const opening = last === 0 && before !== null ? bookingsOf(null, before, before.at) : [];
  await insert(tx, [...opening, ...bookings], {
    account_id,
    record: change.entity,
    record_id: recordId,
    last,
  });
}

/** Books what a report of a provider has changed of the fee of a payment. */
export async function bookFee(tx: Transaction, now: Date, before: Payment, after: Payment): Promise<void> {
  const amount = (after.fee ?? 0) - (before.fee ?? 0);
  if (amount === 0) return;
  const { account_id, id: recordId, promoter_id } = after;
  const key = { account_id, record: "payment" as const, record_id: recordId };
  const fee: Booking = { kind: "fee", promoter_id, amount, tax: 0, at: now.toISOString() };
  await insert(tx, [fee], { ...key, last: await lastNumber(tx, key) });
}

type EntryKey = Pick<BookEntry, "account_id" | "record" | "record_id">;

async function insert(
  tx: Transaction,
  bookings: Booking[],
  { last, ...key }: EntryKey & { last: number },
): Promise<void> {
  for (const [at, booking] of bookings.entries())
    await tx.insert(bookEntries, { ...key, number: last + 1 + at, ...booking });
}

async function lastNumber(tx: Transaction, { account_id, record, record_id }: EntryKey): Promise<number> {
  const page = { limit: 1, reverse: true };
  const [last] = await tx.view.page(bookEntries, "id", account_id, [record, record_id], page);
  return last?.number ?? 0;
}

function sharesOf(change: BookedChange): [before: Share | null, after: Share | null] {
  return change.entity === "commission"
    ? [change.before && commissionShare(change.before), change.after && commissionShare(change.after)]
    : [change.before && payoutShare(change.before), change.after && payoutShare(change.after)];
}

function commissionShare({
  promoter_id,
  unit,
  status,
  amount,
  is_paid_elsewhere,
  created_at,
}: Commission): Share {
  const earned = unit === "cash" && status === "approved" ? amount : 0;
  return { promoter_id, earned, paid: is_paid_elsewhere ? earned : 0, tax: 0, at: created_at };
}

function payoutShare({
  promoter_id,
  unit,
  status,
  amount,
  total_incl_tax,
  paid_at,
  created_at,
}: Payout): Share {
  const isPaid = unit === "cash" && status === "completed";
  const [paid, tax] = isPaid ? [amount, total_incl_tax - amount] : [0, 0];
  return { promoter_id, earned: 0, paid, tax, at: paid_at ?? created_at };
}

/** What is set off goes from one campaign to another of the same promoter, and never changes. */
function setOffBookings({ promoter_id, unit, amount }: Commission, now: Date): Booking[] {
  return unit === "cash" ? [{ kind: "moved", promoter_id, amount, tax: 0, at: now.toISOString() }] : [];
}

/** The entries by which one share becomes another. */
function bookingsOf(before: Share | null, after: Share | null, at: string): Booking[] {
  const from = { earned: 0, paid: 0, tax: 0, ...before };
  const to = { earned: 0, paid: 0, tax: 0, ...after };
  const promoterId = (after ?? before)!.promoter_id;
  const owed = from.earned - from.paid;
  const isMoved = before !== null && before.promoter_id !== promoterId;
  const all: Booking[] = [
    ...(isMoved ? [move(before.promoter_id, -owed), move(promoterId, owed)] : []),
    booking(to.earned > from.earned ? "earned" : "reversed", to.earned - from.earned, 0),
    booking(to.paid > from.paid ? "paid" : "returned", from.paid - to.paid, to.tax - from.tax),
  ];
  return all.filter(({ amount, tax }) => amount !== 0 || tax !== 0);

  function move(of: number, amount: number): Booking {
    return { kind: "moved", promoter_id: of, amount, tax: 0, at };
  }

  function booking(kind: EntryKind, amount: number, tax: number): Booking {
    return { kind, promoter_id: promoterId, amount, tax, at };
  }
}

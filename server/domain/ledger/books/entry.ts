import type { Transaction } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
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

/**
 * A change of what a promoter is owed in money, or a fee. It is written with the change and never changes, so that
 * the books of a past day stay as they were. A record without entries has not changed since it was imported, or
 * since a release that had no books. The books then show it on its own day.
 *
 * @see docs/spec/money.md "The books"
 */
export interface BookEntry {
  accountId: number;
  record: BookedRecord;
  recordId: number;
  /** Counts the entries of a record, from 1. */
  number: number;
  /** When it was recorded. */
  at: string;
  kind: EntryKind;
  promoterId: number;
  /** In the currency's minor unit: what it adds to the balance of the promoter. Of a fee: the fee. */
  amount: number;
  /** The tax that was paid with it, or came back. */
  tax: number;
}

export const bookEntries = table<BookEntry>()({
  name: "book-entry",
  key: ["record", "record_id", "number"],
  columns: {
    record: "text",
    record_id: "integer",
    number: "integer",
    at: "text",
    kind: "text",
    promoter_id: "integer",
    amount: "integer",
    tax: "integer",
  },
  indexes: { at: { on: ["at"] } },
});

/** What a record adds to the books. */
interface Share {
  promoterId: number;
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

type Booking = Pick<BookEntry, "kind" | "promoterId" | "amount" | "tax" | "at">;

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
    change.entity === "commission" && change.after?.setOff !== undefined
      ? setOffBookings(change.after, now)
      : bookingsOf(before, after, now.toISOString());
  if (bookings.length === 0) return;
  const { accountId, id: recordId } = record;
  const last =
    change.before === null ? 0 : await lastNumber(tx, { accountId, record: change.entity, recordId });
  if (isHistory && last === 0) return;
  const opening = last === 0 && before !== null ? bookingsOf(null, before, before.at) : [];
  await insert(tx, [...opening, ...bookings], { accountId, record: change.entity, recordId, last });
}

/** Books what a report of a provider has changed of the fee of a payment. */
export async function bookFee(tx: Transaction, now: Date, before: Payment, after: Payment): Promise<void> {
  const amount = (after.fee ?? 0) - (before.fee ?? 0);
  if (amount === 0) return;
  const { accountId, id: recordId, promoterId } = after;
  const key = { accountId, record: "payment" as const, recordId };
  const fee: Booking = { kind: "fee", promoterId, amount, tax: 0, at: now.toISOString() };
  await insert(tx, [fee], { ...key, last: await lastNumber(tx, key) });
}

type EntryKey = Pick<BookEntry, "accountId" | "record" | "recordId">;

async function insert(
  tx: Transaction,
  bookings: Booking[],
  { last, ...key }: EntryKey & { last: number },
): Promise<void> {
  for (const [at, booking] of bookings.entries())
    await tx.insert(bookEntries, { ...key, number: last + 1 + at, ...booking });
}

async function lastNumber(tx: Transaction, { accountId, record, recordId }: EntryKey): Promise<number> {
  const page = { limit: 1, reverse: true };
  const [last] = await tx.view.page(bookEntries, "id", accountId, [record, recordId], page);
  return last?.number ?? 0;
}

function sharesOf(change: BookedChange): [before: Share | null, after: Share | null] {
  return change.entity === "commission"
    ? [change.before && commissionShare(change.before), change.after && commissionShare(change.after)]
    : [change.before && payoutShare(change.before), change.after && payoutShare(change.after)];
}

function commissionShare({
  promoterId,
  unit,
  status,
  amount,
  isPaidElsewhere,
  createdAt,
}: Commission): Share {
  const earned = unit === "cash" && status === "approved" ? amount : 0;
  return { promoterId, earned, paid: isPaidElsewhere ? earned : 0, tax: 0, at: createdAt };
}

function payoutShare({ promoterId, unit, status, amount, totalInclTax, paidAt, createdAt }: Payout): Share {
  const isPaid = unit === "cash" && status === "completed";
  const [paid, tax] = isPaid ? [amount, totalInclTax - amount] : [0, 0];
  return { promoterId, earned: 0, paid, tax, at: paidAt ?? createdAt };
}

/** What is set off goes from one campaign to another of the same promoter, and never changes. */
function setOffBookings({ promoterId, unit, amount }: Commission, now: Date): Booking[] {
  return unit === "cash" ? [{ kind: "moved", promoterId, amount, tax: 0, at: now.toISOString() }] : [];
}

/** The entries by which one share becomes another. */
function bookingsOf(before: Share | null, after: Share | null, at: string): Booking[] {
  const from = { earned: 0, paid: 0, tax: 0, ...before };
  const to = { earned: 0, paid: 0, tax: 0, ...after };
  const promoterId = (after ?? before)!.promoterId;
  const owed = from.earned - from.paid;
  const isMoved = before !== null && before.promoterId !== promoterId;
  const all: Booking[] = [
    ...(isMoved ? [move(before.promoterId, -owed), move(promoterId, owed)] : []),
    booking(to.earned > from.earned ? "earned" : "reversed", to.earned - from.earned, 0),
    booking(to.paid > from.paid ? "paid" : "returned", from.paid - to.paid, to.tax - from.tax),
  ];
  return all.filter(({ amount, tax }) => amount !== 0 || tax !== 0);

  function move(of: number, amount: number): Booking {
    return { kind: "moved", promoterId: of, amount, tax: 0, at };
  }

  function booking(kind: EntryKind, amount: number, tax: number): Booking {
    return { kind, promoterId, amount, tax, at };
  }
}

import { sql } from "kysely";
import { Failure, isOutage } from "../../../failure.ts";
import { withoutPersonal } from "../../../storage/marks.ts";
import { type Table, integer, json, table, text, time } from "../../../storage/table.ts";
import { digest } from "../../../storage/digests.ts";
import type { Schema } from "../../../storage/query.ts";
import type { Reader, Store, Transaction, View } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import type { Lead } from "../../people/lead/lead.ts";
import { missingRate, type MissingRate } from "../rate.ts";
import type { Promoter } from "../../people/promoter/promoter.ts";
import type { CommissionNotes } from "../commission/commission.ts";
import type { InstalmentPlan } from "./instalment.ts";
import type { Reported } from "./payment.ts";
import { alreadyRecorded, type BillingPeriod } from "./sale.ts";

/** The data of a sale as given, stored completely while it waits. Null fields are not given. */
export interface SaleFacts {
  /** In the minor unit of its currency. Positive. */
  amount: number;
  /** ISO 4217 code, or null for the account's currency. */
  currency: string | null;
  quantity: number;
  plan_id: string | null;
  billing_period: BillingPeriod | null;
  /** In the minor unit of the sale's currency. */
  mrr: number | null;
  subscription_id: string | null;
  skip_email_notification: boolean;
  /** The commissions that come later without a sale, or null. */
  instalments: InstalmentPlan | null;
  /** Notes on each of its commissions. Absent: none. */
  notes?: CommissionNotes;
  /** A billing provider's report on the payment. Absent: the account sent the sale itself. */
  reported?: Reported;
}

/** An event that could not be converted when it arrived. It is recorded once there is a rate. */
interface Waiting {
  account_id: number;
  /** The id that the sale or the refund gets. */
  id: number;
  event_id: string;
  lead_id: number;
  /** The missing rate. A refund of a waiting sale has that of its sale. */
  rate: MissingRate;
  /** Why it could not be recorded although there was a rate, or null if it was not tried yet. */
  fault: string | null;
  /** When it happened, and when it arrived. */
  created_at: string;
  kept_at: string;
}

export interface WaitingSale extends Waiting {
  kind: "sale";
  facts: SaleFacts;
  /** The promo code that was used, or null. */
  promo_code_id: number | null;
}

export interface RateRefund extends Waiting {
  kind: "refund";
  sale_event_id: string;
  /** In the minor unit of its currency. */
  amount: number;
  currency: string;
}

export type WaitingEvent = WaitingSale | RateRefund;

/** A waiting event with its lead, and the lead's promoter. */
export interface ShownWaiting {
  waiting: WaitingEvent;
  lead: Lead;
  promoter: Promoter;
}

/**
 * What was recorded, of an event that must not wait for an exchange rate. Call it in the event's transaction.
 *
 * @throws Failure `rule_broken` if it would wait
 */
export function unlessWaiting<R extends object>(outcome: R | ShownWaiting): R {
  if (isWaiting(outcome)) throw new Failure("rule_broken", missingRate(outcome.waiting.rate));
  return outcome;
}

function isWaiting(outcome: object): outcome is ShownWaiting {
  return "waiting" in outcome;
}

const fields = {
  kind: text<WaitingEvent["kind"]>(),
  /** The id that the sale or the refund gets. */
  id: integer(),
  event_id: text(),
  lead_id: integer(),
  /** The missing rate. A refund of a waiting sale has that of its sale. */
  rate: json<MissingRate>(),
  /** Why it could not be recorded although there was a rate, or null if it was not tried yet. */
  fault: text().nullable(),
  /** When it happened, and when it arrived. */
  created_at: time(),
  kept_at: time(),
  facts: json<SaleFacts>()
    .optional()
    .personal((facts) => ({ ...withoutNotes(facts), subscription_id: null })),
  promo_code_id: integer().nullable(),
  sale_event_id: text().optional(),
  amount: integer().optional(),
  currency: text().optional(),
};

const rows = table("waiting-event", fields, {
  derived: {
    /** Clients' event ids may be too long for an index. */
    event_hash: ["text", ({ event_id }) => digest(event_id)],
    sale_event_hash: ["text", ({ sale_event_id: id }) => (id === undefined ? null : digest(id))],
    rate_from: ["text", ({ rate }) => rate.from],
    has_failed: ["flag", ({ fault }) => fault !== null],
  },
  unique: { event: ["kind", "event_hash"] },
  indexes: {
    lead: { on: ["lead_id"] },
    /** The refunds of a waiting sale. */
    sale: { on: ["sale_event_hash"], where: "sale_event_hash is not null" },
  },
});
/** Sales and refunds are in one table. */
export const waitingEvents = rows as unknown as Table<
  WaitingEvent,
  keyof (typeof rows)["unique"],
  keyof (typeof rows)["indexes"],
  (typeof rows)["columns"]
>;

/** The waiting sale with this event id, or null. */
export async function findWaitingSale(
  reader: Reader,
  accountId: number,
  eventId: string,
): Promise<WaitingSale | null> {
  const found = await reader.find(waitingEvents, "event", accountId, ["sale", digest(eventId)]);
  return found?.kind === "sale" ? found : null;
}

/** The waiting sales of a lead, the latest first. */
export async function waitingSalesOf(view: View, { account_id, id }: Lead): Promise<WaitingSale[]> {
  const found = await view.list(waitingEvents, "lead", account_id, [id]);
  return found
    .filter((event) => event.kind === "sale")
    .toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at));
}

/** Whether sales or refunds of a lead wait. It must be locked, so that none are added meanwhile. */
export async function hasWaiting(tx: Transaction, { account_id, id }: Lead): Promise<boolean> {
  return (await tx.view.count(waitingEvents, "lead", account_id, [id])) > 0;
}

/** The part of a waiting sale that is left after waiting refunds in its currency. */
export async function leftOfWaiting(
  tx: Transaction,
  { account_id, id, event_id, facts }: WaitingSale,
): Promise<number> {
  // A concurrent refund comes after this one, and sees it.
  await tx.lock(waitingEvents, account_id, id);
  let left = facts.amount;
  for await (const chunk of tx.view.scan(waitingEvents, "sale", account_id, [digest(event_id)])) {
    for (const event of chunk) {
      if (event.kind === "refund" && event.currency === facts.currency) left -= event.amount;
    }
  }
  return left;
}

/**
 * Refuses an event that waits already. `kept` is the waiting event that is recorded now.
 *
 * @throws Failure `already_registered`; `not_found` if `kept` was dropped meanwhile
 */
export async function refuseWaiting(
  reader: Reader,
  { kind, account_id, event_id }: { kind: WaitingEvent["kind"]; account_id: number; event_id: string },
  kept: WaitingEvent | undefined,
): Promise<void> {
  const known = await reader.find(waitingEvents, "event", account_id, [kind, digest(event_id)]);
  if (kept === undefined && known !== null) throw alreadyRecorded(kind, event_id);
  if (kept !== undefined && known?.id !== kept.id) throw new Failure("not_found", "The event was dropped");
}

/** The fields of a waiting event that sales and refunds share. */
export function waitingOf(
  { account_id, id: leadId }: Lead,
  { now }: Context,
  { id, event_id, rate, at }: { id: number; event_id: string; rate: MissingRate; at: Date },
): Waiting {
  const times = { created_at: at.toISOString(), kept_at: now.toISOString() };
  return { account_id, id, event_id, lead_id: leadId, rate, fault: null, ...times };
}

/**
 * Records a waiting event. If it is refused, the event stays with the reason, because its sender will not
 * repeat it.
 *
 * @returns whether it is recorded, or was before
 */
export async function recordKept(
  { store }: Pick<Context, "store">,
  waiting: WaitingEvent,
  record: () => Promise<"recorded" | "waiting">,
): Promise<boolean> {
  try {
    return (await record()) === "recorded";
  } catch (error) {
    if (!(error instanceof Failure) || isOutage(error) || error.kind === "conflict") throw error;
    if (error.kind === "already_registered") return true;
    await setFault(store, waiting, error.message);
    return false;
  }
}

async function setFault(store: Store, { account_id, id }: WaitingEvent, fault: string): Promise<void> {
  await store.transact(async (tx) => {
    const event = await tx.get(waitingEvents, account_id, id);
    if (event !== null && event.fault !== fault) await tx.put(waitingEvents, { ...event, fault });
  });
}

/** Removes a waiting event that was recorded, or that the company drops. Null if it is gone already. */
export async function forgetWaiting(
  tx: Transaction,
  accountId: number,
  id: number,
): Promise<WaitingEvent | null> {
  const event = await tx.get(waitingEvents, accountId, id);
  if (event !== null) await tx.remove(waitingEvents, accountId, id);
  return event;
}

/** The facts without the texts of notes, which may name someone. */
export function withoutNotes({ notes, ...facts }: SaleFacts): SaleFacts {
  return { ...facts, ...(notes && { notes: { ...notes, internal_note: null, external_note: null } }) };
}

/** Removes the provider's subscription id, and notes, from the waiting events of an erased lead. */
export async function eraseWaiting(tx: Transaction, { account_id, id }: Lead): Promise<void> {
  for await (const chunk of tx.view.scan(waitingEvents, "lead", account_id, [id]))
    for (const event of chunk) await tx.put(waitingEvents, withoutPersonal(waitingEvents, event));
}

/** The waiting events and their missing rates. */
export interface WaitingCount {
  count: number;
  /** Those that were refused although there was a rate. They are included in `count`. */
  failed_count: number;
  /** The currencies whose rates are missing, in order. */
  currencies: string[];
}

/** Counts the waiting events of an account. */
export async function countWaitingEvents(view: View, accountId: number): Promise<WaitingCount> {
  const query = view
    .query<Schema<{ waiting_events: typeof waitingEvents }>>()
    .selectFrom("waiting_events")
    .where("account_id", "=", accountId)
    .select(["rate_from", "has_failed", sql<number>`count(*)`.as("total")])
    .groupBy(["rate_from", "has_failed"])
    .orderBy("rate_from");
  const found: WaitingCount = { count: 0, failed_count: 0, currencies: [] };
  for (const { rate_from: currency, has_failed, total } of await view.rows(query)) {
    found.count += Number(total);
    if (Number(has_failed) === 1) found.failed_count += Number(total);
    else found.currencies.push(String(currency));
  }
  return found;
}

import type { LeasedContext } from "../../context.ts";
import { digest, numberOf } from "../../../storage/digests.ts";
import { keyOf } from "../../../storage/record.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { flag, integer, table, text, time, type RowOf } from "../../../storage/table.ts";
import { servedAccounts } from "../../program/account/account.ts";
import { missingRate } from "../rate.ts";
import { cancellations, refunds, sales, type Sale } from "../sale/sale.ts";
import { findWaitingSale } from "../sale/waiting.ts";
import type { BillingProvider } from "./connection.ts";
import { findObject } from "./object.ts";
import { DAY_MS } from "../../span.ts";

/** What can become of an event that was understood. */
export const OUTCOMES = [
  "sale",
  "signup",
  "refund",
  "cancellation",
  "known",
  "waiting",
  "ignored",
  "other_mode",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** What can become of an event. */
export const RECEIVED_OUTCOMES = [...OUTCOMES, "refused"] as const;

export type ReceivedOutcome = (typeof RECEIVED_OUTCOMES)[number];

const fields = {
  /** Made of the event's name, so that a repetition is the same record. */
  id: integer(),
  provider: text<BillingProvider>(),
  /** The provider's id. Null: the event could not be read, or was not the provider's. */
  event_id: text().nullable(),
  type: text().nullable(),
  outcome: text<ReceivedOutcome>(),
  /** Why nothing was recorded. */
  reason: text().nullable(),
  /** In the minor unit of the currency, with tax. Null: no money moved. */
  amount: integer().nullable(),
  currency: text().nullable(),
  /** Null: unknown, or a person without a promoter. */
  lead_id: integer().nullable(),
  /** An object of the payment, such as its invoice, which leads to the sale. */
  object: text().nullable(),
  /** The digest of the event id of the refund or the cancellation, or null for a payment. */
  record_hash: text().nullable(),
  /** Whether a user sent it to try the connection. */
  is_test: flag(),
  /** How often it arrived. */
  count: integer(),
  happened_at: time().nullable(),
  first_at: time(),
  last_at: time(),
};

/**
 * An event that a billing provider sent, and what became of it, for the people who connect the two. It has no
 * name of a person: the lead's are read when it is shown, so that an erasure forgets them here too.
 */
export type ReceivedEvent = RowOf<typeof fields>;

export const receivedEvents = table("received-event", fields, {
  indexes: { age: { on: ["last_at"] } },
});

/** An arrival of an event. `name` distinguishes events without an id. */
export type Arrival = Omit<ReceivedEvent, "id" | "count" | "first_at" | "last_at"> & {
  name: string;
  at: Date;
  /** How often it arrived since the last note. */
  times: number;
};

/** What an event recorded stays its outcome when the provider repeats it. */
const LASTING = new Set<ReceivedOutcome>(["sale", "signup", "refund", "cancellation", "known", "waiting"]);

/** The line of an event, or null if it has none. */
export function findLine(
  reader: Reader,
  accountId: number,
  { provider, name }: Pick<Arrival, "provider" | "name">,
): Promise<ReceivedEvent | null> {
  return reader.get(receivedEvents, accountId, lineId(provider, name));
}

function lineId(provider: BillingProvider, name: string): number {
  return numberOf(digest(`${provider} ${name}`));
}

/** Notes what became of an event. */
export async function noteReceived(
  tx: Transaction,
  { name, at, times, ...arrival }: Arrival,
): Promise<ReceivedEvent> {
  const { account_id, provider } = arrival;
  const id = lineId(provider, name);
  const before = await findLine(tx, account_id, { provider, name });
  const lastAt = at.toISOString();
  const count = (before?.count ?? 0) + times;
  const isRepetition = before !== null && arrival.outcome === "known" && LASTING.has(before.outcome);
  const told = isRepetition ? before : { ...arrival, id, first_at: before?.first_at ?? lastAt };
  const received = { ...told, count, last_at: lastAt };
  await tx.put(receivedEvents, received);
  return received;
}

/** What has become of an event by now. */
export interface Whereabouts extends Pick<ReceivedEvent, "outcome" | "reason" | "lead_id"> {
  /** The sale of its payment, or null. */
  sale: Sale | null;
}

/** Finds out what has become of an event. One that waited may have been recorded since. */
export async function followReceived(view: View, received: ReceivedEvent): Promise<Whereabouts> {
  const { account_id, provider, object, record_hash, outcome, reason } = received;
  const payment = object === null ? null : await findObject(view, account_id, { provider, id: object });
  const saleEventId = payment?.sale_event_id ?? object;
  const isNamed = saleEventId !== null && !received.is_test;
  const sale = isNamed ? await view.find(sales, "event", account_id, [digest(saleEventId)]) : null;
  const found = { outcome, reason, sale, lead_id: received.lead_id ?? sale?.lead_id ?? null };
  if (outcome !== "waiting") return found;
  if (record_hash !== null) {
    const refund = await view.find(refunds, "event", account_id, [record_hash]);
    if (refund !== null) return { ...found, outcome: "refund", reason: null };
    const cancellation = await view.find(cancellations, "event", account_id, [record_hash]);
    if (cancellation === null) return found;
    return { ...found, outcome: "cancellation", reason: null, lead_id: cancellation.lead_id };
  }
  if (sale !== null) return { ...found, outcome: "sale", reason: null };
  const waiting = saleEventId === null ? null : await findWaitingSale(view, account_id, saleEventId);
  if (waiting === null) return found;
  return { ...found, reason: waiting.fault ?? missingRate(waiting.rate), lead_id: waiting.lead_id };
}

/** How many events an account keeps, and for how long. */
export const RECEIVED_KEPT = { count: 1_000, days: 30 };
/** Enough to share the cost of a commit, few enough to let other requests in. */
const REMOVED_AT_ONCE = 100;

/** Removes old events, and the oldest of accounts that have too many. */
export async function* sweepReceived({ store, clock, guard }: LeasedContext): AsyncGenerator<void> {
  for await (const { id: accountId } of servedAccounts(store)) {
    for (;;) {
      const spare = (await store.count(receivedEvents, "id", accountId, [])) - RECEIVED_KEPT.count;
      const oldest = await store.page(receivedEvents, "age", accountId, [], { limit: REMOVED_AT_ONCE });
      const earliest = new Date(clock().getTime() - RECEIVED_KEPT.days * DAY_MS).toISOString();
      const dropped = oldest.filter(({ last_at }, index) => index < spare || last_at < earliest);
      if (dropped.length === 0) break;
      await store.transact(async (tx) => {
        await guard(tx);
        for (const each of dropped)
          await tx.remove(receivedEvents, accountId, ...keyOf(receivedEvents, each));
      });
      yield;
    }
  }
}

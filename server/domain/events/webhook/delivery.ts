import { sql, type SqlBool } from "kysely";
import { Failure } from "../../../failure.ts";
import type { Schema } from "../../../storage/query.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import { SYSTEM, type Context } from "../../context.ts";
import type { Email, OwnEmail } from "../email.ts";
import { causeOf, EVENT_TYPES, isV1EventType, type Entity, type EventMessage } from "../event-type.ts";
import { loadWebhook } from "./webhook.ts";

/** `held`: an e-mail that waits until mail is set up. */
export const DELIVERY_STATUSES = ["pending", "delivered", "retrying", "failed", "held"] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const deliveryFields = {
  id: integer(),
  owner_id: integer(),
  /** The receiving webhook, or null for an e-mail. */
  webhook_id: integer().nullable(),
  /** Deliveries of one lane to one destination are sent one after another. */
  lane: text(),
  /** The position in its lane. */
  place: integer(),
  message: json<EventMessage>().nullable().personal().sealed(),
  email: json<Email | OwnEmail>().nullable().personal(),
  status: text<DeliveryStatus>(),
  /** Attempts since it was made or restarted by hand, successful or not. */
  attempts: integer(),
  /** When to try it, in milliseconds. Null: never by itself, or after those ahead of it in its lane. */
  due_at: integer().nullable(),
  response_code: integer().nullable(),
  response_body: text().nullable().personal().sealed(),
  last_error: text().nullable().personal(),
  created_at: time(),
  delivered_at: time().nullable(),
  /** When it ended, or null while it is open. */
  finished_at: time().nullable(),
};

/** One event for one webhook, or one e-mail. It is kept for a month after it was sent. */
export type Delivery = RowOf<typeof deliveryFields>;

const laneFields = {
  destination: text(),
  lane: text(),
  /** Deliveries that are not finished. */
  count: integer(),
  last_place: integer(),
};

/** The state of one lane of a destination. Absent if nothing waits there. */
export type Lane = RowOf<typeof laneFields>;

/** The deliveries of all accounts, because one process sends them all. */
export const deliveries = table("delivery", deliveryFields, {
  derived: {
    destination: ["text", destinationOf],
  },
  indexes: {
    due: { on: ["destination", "due_at"], where: "due_at is not null" },
    // @see `isOpen`
    lane: { on: ["destination", "lane", "place"], where: "finished_at is null and status <> 'held'" },
    open: { on: ["owner_id", "created_at"], where: "finished_at is null and status <> 'held'" },
    status: { on: ["destination", "status", "created_at"] },
    webhook: { on: ["webhook_id", "created_at"], where: "webhook_id is not null" },
    held: { on: ["created_at"], where: "status = 'held'" },
    finished: { on: ["finished_at"], where: "finished_at is not null" },
  },
  owner: ({ owner_id }) => owner_id,
  sealed: {
    isSecret: ({ message }) => message?.entity === "payout" || message?.entity === "payout_method",
    without: (delivery) => ({
      ...delivery,
      message: withoutDetails(delivery.message) as EventMessage | null,
      // Receivers may repeat the event in their answers.
      response_body: null,
    }),
  },
});

/** A copy in which the details of all payout methods are null. */
function withoutDetails(value: unknown, isWithin = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutDetails(each, isWithin));
  if (typeof value !== "object" || value === null) return isWithin ? null : value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, withoutDetails(inner, isWithin || name === "details")]),
  );
}

/** The deliveries, for queries. */
export type DeliverySchema = Schema<{ deliveries: typeof deliveries }>;

export const lanes = table("lane", laneFields, {
  key: ["destination", "lane"],
});

/** The name of a delivery's destination. All e-mails of an account share one. */
export function destinationOf({ webhook_id, owner_id }: Pick<Delivery, "webhook_id" | "owner_id">): string {
  return webhook_id === null ? `mail/${owner_id}` : `webhook/${webhook_id}`;
}

/**
 * The destinations with deliveries to send, now or later. Each may have many, so the query skips from one
 * destination to the next.
 */
export async function dueDestinations(view: View): Promise<string[]> {
  const db = view.query<DeliverySchema>();
  const first = db
    .selectFrom("deliveries")
    .select("destination")
    .where("account_id", "=", SYSTEM)
    .where("due_at", "is not", null)
    .orderBy("destination")
    .limit(1);
  const found = await view.rows(
    db
      .withRecursive("due(destination)", () =>
        db.selectNoFrom(first.as("destination")).unionAll(
          db
            .selectFrom("due" as never)
            .select(first.where("destination", ">", sql<string>`due.destination`).as("destination"))
            .where(sql<SqlBool>`due.destination is not null`),
        ),
      )
      .selectFrom("due")
      .select("due.destination")
      .where("due.destination", "is not", null),
  );
  return found.map(({ destination }) => destination!);
}

/** A delivery that has not been tried yet. */
export function newDelivery(
  given: Pick<Delivery, "id" | "owner_id" | "lane" | "created_at"> &
    Partial<Pick<Delivery, "webhook_id" | "message" | "email" | "status">>,
): Delivery {
  return {
    account_id: SYSTEM,
    webhook_id: null,
    place: 0,
    message: null,
    email: null,
    status: "pending",
    attempts: 0,
    due_at: null,
    response_code: null,
    response_body: null,
    last_error: null,
    delivered_at: null,
    finished_at: null,
    ...given,
  };
}

/** Appends a delivery to its lane. It is due immediately if the lane is empty. */
export async function enqueue(tx: Transaction, delivery: Delivery, now: Date): Promise<Delivery> {
  const destination = destinationOf(delivery);
  const lane = await tx.get(lanes, SYSTEM, destination, delivery.lane);
  const place = (lane?.last_place ?? 0) + 1;
  const queued = { ...delivery, place, due_at: lane === null ? now.getTime() : null };
  await tx.put(deliveries, queued);
  const count = (lane?.count ?? 0) + 1;
  await tx.put(lanes, { account_id: SYSTEM, destination, lane: delivery.lane, count, last_place: place });
  return queued;
}

/** Writes a finished delivery and makes the next one in its lane due. */
export async function finish(tx: Transaction, delivery: Delivery, now: Date): Promise<void> {
  const destination = destinationOf(delivery);
  await tx.put(deliveries, { ...delivery, due_at: null, finished_at: now.toISOString() });
  const lane = await tx.get(lanes, SYSTEM, destination, delivery.lane);
  if (lane === null) return;
  if (lane.count <= 1) return tx.remove(lanes, SYSTEM, destination, delivery.lane);
  await tx.put(lanes, { ...lane, count: lane.count - 1 });
  const start = [destination, delivery.lane];
  const [next] = await tx.view.page(deliveries, "lane", SYSTEM, start, { limit: 1 });
  if (next !== undefined) await tx.put(deliveries, { ...next, due_at: now.getTime() });
}

/** Removes a delivery, sent or not. The next one in its lane becomes due. */
export async function dropDelivery(tx: Transaction, delivery: Delivery, now: Date): Promise<void> {
  if (isOpen(delivery)) await finish(tx, delivery, now);
  await tx.remove(deliveries, SYSTEM, delivery.id);
}

/** A delivery to a webhook. @throws Failure `not_found` for either */
export async function loadDelivery(
  reader: Reader,
  accountId: number,
  { webhook_id, id }: { webhook_id: number; id: number },
): Promise<Delivery> {
  const delivery = await reader.get(deliveries, SYSTEM, id);
  if (delivery === null || delivery.owner_id !== accountId || delivery.webhook_id !== webhook_id) {
    throw new Failure("not_found", "Delivery not found.");
  }
  return delivery;
}

/**
 * Restarts a delivery immediately, whether it waits for its next attempt, has failed or was delivered.
 *
 * @throws Failure `not_found`, or `refused` if its attempts are used up or the webhook is switched off
 * @see docs/spec/events.md
 */
export async function retryDelivery(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  { webhook_id, id }: { webhook_id: number; id: number },
): Promise<Delivery> {
  const webhook = await loadWebhook(tx, accountId, webhook_id);
  const delivery = await loadDelivery(tx, accountId, { webhook_id, id });
  // Otherwise the delivery might wait for ever.
  if (!webhook.is_active) throw new Failure("refused", SWITCHED_OFF);
  if (delivery.attempts > 0 && delivery.attempts >= webhook.max_retries) {
    throw new Failure("refused", "The delivery has used up its retries; allow the webhook more of them");
  }
  const restarted: Delivery = {
    ...delivery,
    status: "pending",
    attempts: 0,
    finished_at: null,
    delivered_at: null,
  };
  if (delivery.finished_at !== null) return enqueue(tx, restarted, now);
  // A delivery that is not first in its lane keeps waiting.
  const next = { ...restarted, due_at: delivery.due_at === null ? null : now.getTime() };
  await tx.put(deliveries, next);
  return next;
}

const SWITCHED_OFF = "The webhook is switched off; make it active first";

/** Whether a delivery is still in its lane. */
export function isOpen({ status, finished_at }: Delivery): boolean {
  return finished_at === null && status !== "held";
}

/**
 * Puts a test event for a webhook into the outbox. It is signed, sent and retried like any other, in a lane
 * of its own, so it delays no event.
 *
 * @throws Failure `not_found`, `invalid` for an event type of the other format, `refused` if the webhook is
 * off
 * @see docs/spec/events.md "Test"
 */
export async function sendTestEvent(
  tx: Transaction,
  { now, chance }: Context,
  accountId: number,
  { webhook_id, type: wanted }: { webhook_id: number; type: string | null },
): Promise<Delivery> {
  const { format, event_types, is_active } = await loadWebhook(tx, accountId, webhook_id);
  const type = wanted ?? event_types[0] ?? "";
  if (!(format === "v1" ? isV1EventType(type) : EVENT_TYPES.includes(type))) {
    const fields = { event_type: [`must be an event type of the format ${format}`] };
    throw new Failure("invalid", `Validation failed: event_type ${fields.event_type[0]}`, fields);
  }
  if (!is_active) throw new Failure("refused", SWITCHED_OFF);
  const id = await tx.nextId("delivery");
  const eventId = format === "v1" ? String(await tx.nextId("v1-event")) : chance.uuid();
  const delivery = newDelivery({
    id,
    owner_id: accountId,
    webhook_id,
    lane: `test/${id}`,
    message: testMessage(eventId, type, now),
    created_at: now.toISOString(),
  });
  return enqueue(tx, delivery, now);
}

/** An event of this type without a record. `data` marks it as a test. */
export function testMessage(eventId: string, type: string, now: Date): EventMessage {
  const [entity, name = ""] = causeOf(type).split(/\.(.*)/);
  return {
    format: isV1EventType(type) ? "v1" : "v2",
    event_id: eventId,
    type,
    action: name === "created" || name === "deleted" ? name : "updated",
    entity: entity as Entity,
    entity_id: 0,
    changes: {},
    data: { test: true },
    at: now.toISOString(),
  };
}

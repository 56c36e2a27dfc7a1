import { Failure } from "../../failure.ts";
import { digest } from "../../storage/digests.ts";
import { table, type Table } from "../../storage/table.ts";
import type { Reader, View } from "../../storage/store.ts";
import type { Lead } from "../lead/lead.ts";
import { dailySums } from "../report/daily.ts";
import { isoRange } from "../span.ts";
import type { Cancellation, Refund, Sale } from "./record.ts";

export const sales = table<Sale>()({
  name: "sale",
  columns: {
    id: "integer",
    promoter_campaign_id: "integer",
    promoter_id: "integer",
    campaign_id: "integer",
    lead_id: "integer",
    event_id: "text",
    /** The client's own ids of events may be too long for an index. */
    event_hash: ["text", ({ eventId }) => digest(eventId)],
    amount_cents: "integer",
    refunded_cents: "integer",
    mrr_cents: "integer",
    product_id: "integer",
    plan_id: "text",
    billing_period: "text",
    referral_reward_id: "integer",
    is_duplicate: ["integer", ({ isDuplicate }) => isDuplicate === true],
    created_at: "text",
  },
  unique: { event: ["event_hash"] },
  indexes: {
    /** By date. */
    lead: { on: ["lead_id", "created_at"] },
    product: { on: ["product_id"], where: "product_id is not null" },
  },
  sums: dailySums(({ isDuplicate, amountCents, createdAt: at }) => [
    ...(isDuplicate ? [] : [{ metric: "sales" as const, at }]),
    { metric: "salesCents", at, amount: amountCents },
  ]),
});

/** The lead's first sale after an instant. null: none. */
export async function findNextSale(view: View, { accountId, id }: Lead, at: string): Promise<Sale | null> {
  const between = isoRange({ from: Date.parse(at) + 1, before: null });
  const [next] = await view.page(sales, "lead", accountId, [id], { limit: 1, between });
  return next ?? null;
}

export const refunds = table<Refund>()({
  name: "refund",
  columns: {
    id: "integer",
    promoter_campaign_id: "integer",
    promoter_id: "integer",
    campaign_id: "integer",
    lead_id: "integer",
    sale_id: "integer",
    event_id: "text",
    event_hash: ["text", ({ eventId }) => digest(eventId)],
    amount_cents: "integer",
    created_at: "text",
  },
  unique: { event: ["event_hash"] },
  indexes: { lead: { on: ["lead_id"] } },
  sums: dailySums(({ amountCents, createdAt: at }) => [
    // Money that comes back is no refund, but lowers their sum.
    ...(amountCents < 0 ? [] : [{ metric: "refunds" as const, at }]),
    { metric: "refundsCents", at, amount: amountCents },
  ]),
});

export const cancellations = table<Cancellation>()({
  name: "cancellation",
  columns: {
    id: "integer",
    lead_id: "integer",
    event_hash: ["text", ({ eventId }) => (eventId === null ? null : digest(eventId))],
    created_at: "text",
  },
  unique: { event: ["event_hash"] },
});

/** The kinds of events with ids of the client. No two events of one kind share an id. */
export type EventKind = "sale" | "refund" | "cancellation";

/** The error for a second event of one kind with the same id. */
export function alreadyRecorded(kind: EventKind, eventId: string): Failure {
  return new Failure("already_registered", `The '${kind}' event with the id '${eventId}' already exists.`);
}

/** Refuses an event that was recorded before. @throws Failure `already_registered` */
export async function refuseRepeated<R>(
  reader: Reader,
  from: Table<R, "event">,
  { kind, accountId, eventId }: { kind: EventKind; accountId: number; eventId: string },
): Promise<void> {
  const known = await reader.find(from, "event", accountId, [digest(eventId)]);
  if (known !== null) throw alreadyRecorded(kind, eventId);
}

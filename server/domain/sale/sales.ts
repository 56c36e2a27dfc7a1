import { Failure } from "../../failure.ts";
import { collection, type Collection } from "../../storage/collection.ts";
import type { Reader, View } from "../../storage/store.ts";
import type { Lead } from "../lead/record.ts";
import { productUses } from "../product/product.ts";
import { factCounts } from "../report/counters.ts";
import type { Cancellation, Refund, Sale } from "./record.ts";

export const sales = collection<Sale>()({
  name: "sale",
  id: (sale) => [sale.id],
  claims: { event: ({ eventId }) => [eventId] },
  indexes: {
    /** By date. */
    lead: ({ leadId, createdAt }) => [leadId, Date.parse(createdAt)],
  },
  counts: (sale) => [
    ...factCounts(sale, [
      ...(sale.isDuplicate ? [] : [{ metric: "sales" as const, at: sale.createdAt }]),
      { metric: "salesCents", at: sale.createdAt, amount: sale.amountCents },
    ]),
    ...(sale.productId === null ? [] : productUses([sale.productId])),
  ],
});

/** The lead's latest sale, by its date. null: none. */
export async function findLatestSale(view: View, { accountId, id }: Lead): Promise<Sale | null> {
  const [last] = await view.page(sales, "lead", accountId, [id], { limit: 1, reverse: true });
  return last ?? null;
}

/** The lead's first sale after an instant. null: none. */
export async function findNextSale(view: View, { accountId, id }: Lead, at: string): Promise<Sale | null> {
  const between = { from: Date.parse(at) + 1, before: Number.MAX_SAFE_INTEGER };
  const [next] = await view.page(sales, "lead", accountId, [id], { limit: 1, between });
  return next ?? null;
}

export const refunds = collection<Refund>()({
  name: "refund",
  id: (refund) => [refund.id],
  claims: { event: ({ eventId }) => [eventId] },
  indexes: { lead: ({ leadId }) => [leadId] },
  counts: (refund) =>
    factCounts(refund, [
      // Money that comes back is no refund, but lowers their sum.
      ...(refund.amountCents < 0 ? [] : [{ metric: "refunds" as const, at: refund.createdAt }]),
      { metric: "refundsCents", at: refund.createdAt, amount: refund.amountCents },
    ]),
});

export const cancellations = collection<Cancellation>()({
  name: "cancellation",
  id: (cancellation) => [cancellation.id],
  claims: { event: ({ eventId }) => (eventId === null ? null : [eventId]) },
  indexes: {},
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
  from: Collection<R, "event">,
  { kind, accountId, eventId }: { kind: EventKind; accountId: number; eventId: string },
): Promise<void> {
  const known = await reader.find(from, "event", accountId, [eventId]);
  if (known !== null) throw alreadyRecorded(kind, eventId);
}

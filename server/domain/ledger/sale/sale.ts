import { Failure } from "../../../failure.ts";
import { digest } from "../../../storage/digests.ts";
import type { Reader, View } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf, type Table } from "../../../storage/table.ts";
import type { Lead } from "../../people/lead/lead.ts";
import { share } from "../../money.ts";
import { originFields } from "../../people/origin.ts";
import { dailySums } from "../../people/daily.ts";
import { isoRange } from "../../span.ts";

export const BILLING_PERIODS = ["monthly", "yearly", "one_time"] as const;

/** How often the sold plan is paid. */
export type BillingPeriod = (typeof BILLING_PERIODS)[number];

const saleFields = {
  id: integer(),
  promoter_campaign_id: integer(),
  promoter_id: integer(),
  campaign_id: integer(),
  lead_id: integer(),
  /** The lead's origin. */
  ...originFields,
  /** The client's own id, unique among the account's sales. */
  event_id: text(),
  amount_cents: integer(),
  /** The amount before it was converted, in the minor unit of its own currency. */
  original_amount: integer(),
  /** ISO 4217 code, or null for the account's currency. */
  original_currency: text().nullable(),
  quantity: integer(),
  /** The sold price or plan, by the client's own id. */
  plan_id: text().nullable(),
  /** The product that has this price, or null. */
  product_id: integer().nullable(),
  billing_period: text<BillingPeriod>().nullable(),
  /** The promo code that was used, if it is the promoter's. Absent: none, or an older release recorded the sale. */
  promo_code_id: integer().optional(),
  /** Monthly recurring revenue in the account's currency, for statistics only. */
  mrr_cents: integer().nullable(),
  /** The reward for the referred person. It earns no promoter money. */
  referral_reward_id: integer().nullable(),
  /** Its commissions, including those of later instalments. */
  commission_ids: json<number[]>(),
  /** The sum of its refunds, in the account's currency and in its own. */
  refunded_cents: integer(),
  refunded_original_amount: integer(),
  /**
   * Whether it turned out to be the same payment as an earlier sale, so that it counts for nothing. Absent:
   * no.
   */
  is_duplicate: flag().optional(),
  created_at: time(),
};

/** A payment of a referred person. Its owner is the lead's promoter at that time. */
export type Sale = RowOf<typeof saleFields>;

const refundFields = {
  id: integer(),
  promoter_campaign_id: integer(),
  promoter_id: integer(),
  campaign_id: integer(),
  lead_id: integer(),
  sale_id: integer(),
  /** As for the sale. */
  ...originFields,
  /** The client's own id, unique among the account's refunds. */
  event_id: text(),
  /** Negative if a bank returned the money of a dispute. */
  amount_cents: integer(),
  original_amount: integer(),
  original_currency: text().nullable(),
  commission_ids: json<number[]>(),
  created_at: time(),
};

/** Takes back a sale, or a part of it. */
export type Refund = RowOf<typeof refundFields>;

const cancellationFields = {
  id: integer(),
  lead_id: integer(),
  /** The client's own id, or null if it gave none. */
  event_id: text().nullable(),
  created_at: time(),
};

/** Says that a customer has left. */
export type Cancellation = RowOf<typeof cancellationFields>;

export const sales = table("sale", saleFields, {
  derived: {
    /** Clients' event ids may be too long for an index. */
    event_hash: ["text", ({ event_id }) => digest(event_id)],
  },
  unique: { event: ["event_hash"] },
  indexes: {
    /** By date. */
    lead: { on: ["lead_id", "created_at"] },
    product: { on: ["product_id"], where: "product_id is not null" },
  },
  sums: dailySums(({ is_duplicate, amount_cents, created_at: at }) => [
    ...(is_duplicate ? [] : [{ metric: "sales" as const, at }]),
    { metric: "sales_cents", at, amount: amount_cents },
  ]),
});

/** The lead's first sale after an instant, or null. */
export async function findNextSale(view: View, { account_id, id }: Lead, at: string): Promise<Sale | null> {
  const between = isoRange({ from: Date.parse(at) + 1, before: null });
  const [next] = await view.page(sales, "lead", account_id, [id], { limit: 1, between });
  return next ?? null;
}

export const refunds = table("refund", refundFields, {
  derived: {
    event_hash: ["text", ({ event_id }) => digest(event_id)],
  },
  unique: { event: ["event_hash"] },
  indexes: { lead: { on: ["lead_id"] } },
  sums: dailySums(({ amount_cents, created_at: at }) => [
    // Returned money is no refund, but lowers their sum.
    ...(amount_cents < 0 ? [] : [{ metric: "refunds" as const, at }]),
    { metric: "refunds_cents", at, amount: amount_cents },
  ]),
});

export const cancellations = table("cancellation", cancellationFields, {
  derived: {
    event_hash: ["text", ({ event_id }) => (event_id === null ? null : digest(event_id))],
  },
  unique: { event: ["event_hash"] },
});

/** The kinds of events with ids of the client. An id is unique within its kind. */
type EventKind = "sale" | "refund" | "cancellation";

/** The error for a second event of one kind with the same id. */
export function alreadyRecorded(kind: EventKind, eventId: string): Failure {
  return new Failure("already_registered", `The '${kind}' event with the id '${eventId}' already exists.`);
}

/** Refuses an event that was recorded before. @throws Failure `already_registered` */
export async function refuseRepeated<R>(
  reader: Reader,
  from: Table<R, "event">,
  { kind, account_id, event_id }: { kind: EventKind; account_id: number; event_id: string },
): Promise<void> {
  const known = await reader.find(from, "event", account_id, [digest(event_id)]);
  if (known !== null) throw alreadyRecorded(kind, event_id);
}

/** Whether nothing is left of a sale. One in another currency may be worth zero in the account's. */
export function isRefunded(sale: Sale): boolean {
  if (sale.amount_cents === 0) return sale.refunded_original_amount >= sale.original_amount;
  return sale.refunded_cents >= sale.amount_cents;
}

/**
 * Whether refunds took back all of a sale. A sale of zero has nothing left either, but it was not refunded.
 */
export function isTakenBack(sale: Sale): boolean {
  return sale.refunded_original_amount > 0 && isRefunded(sale);
}

/** The part of an amount that is left after the sale's refunds. */
export function leftPart(sale: Sale, amount: number): number {
  const { amount_cents, refunded_cents, original_amount, refunded_original_amount } = sale;
  if (amount_cents === 0) return share(amount, original_amount - refunded_original_amount, original_amount);
  return share(amount, amount_cents - refunded_cents, amount_cents);
}

import { Failure } from "../../../failure.ts";
import { digest } from "../../../storage/digests.ts";
import type { Reader, View } from "../../../storage/store.ts";
import { table, type Table } from "../../../storage/table.ts";
import type { Lead } from "../../people/lead/lead.ts";
import { share } from "../../money.ts";
import type { Origin } from "../../people/origin.ts";
import { dailySums } from "../../people/daily.ts";
import { isoRange } from "../../span.ts";

export const BILLING_PERIODS = ["monthly", "yearly", "one_time"] as const;

/** How often the sold plan is paid. */
export type BillingPeriod = (typeof BILLING_PERIODS)[number];

/** A payment of a referred person. Its owner is the lead's promoter at that time. */
export interface Sale {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  leadId: number;
  /** The lead's origin, or null without a visit. */
  origin: Origin | null;
  /** The client's own id, unique among the account's sales. */
  eventId: string;
  amountCents: number;
  /** The amount before it was converted, in the minor unit of its own currency. */
  originalAmount: number;
  /** ISO 4217 code, or null for the account's currency. */
  originalCurrency: string | null;
  quantity: number;
  /** The sold price or plan, by the client's own id. */
  planId: string | null;
  /** The product that has this price, or null. */
  productId: number | null;
  billingPeriod: BillingPeriod | null;
  /** The promo code that was used, if it is the promoter's. Absent: none, or an older release recorded the sale. */
  promoCodeId?: number;
  /** Monthly recurring revenue in the account's currency, for statistics only. */
  mrrCents: number | null;
  /** The reward for the referred person. It earns no promoter money. */
  referralRewardId: number | null;
  /** Its commissions, including those of later instalments. */
  commissionIds: number[];
  /** The sum of its refunds, in the account's currency and in its own. */
  refundedCents: number;
  refundedOriginalAmount: number;
  /**
   * Whether it turned out to be the same payment as an earlier sale, so that it counts for nothing. Absent:
   * no.
   */
  isDuplicate?: true;
  createdAt: string;
}

/** Takes back a sale, or a part of it. */
export interface Refund {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  leadId: number;
  saleId: number;
  /** As for the sale. */
  origin: Origin | null;
  /** The client's own id, unique among the account's refunds. */
  eventId: string;
  /** Negative if a bank returned the money of a dispute. */
  amountCents: number;
  originalAmount: number;
  originalCurrency: string | null;
  commissionIds: number[];
  createdAt: string;
}

/** Says that a customer has left. */
export interface Cancellation {
  accountId: number;
  id: number;
  leadId: number;
  /** The client's own id, or null if it gave none. */
  eventId: string | null;
  createdAt: string;
}

export const sales = table<Sale>()({
  name: "sale",
  columns: {
    id: "integer",
    promoter_campaign_id: "integer",
    promoter_id: "integer",
    campaign_id: "integer",
    lead_id: "integer",
    event_id: "text",
    /** Clients' event ids may be too long for an index. */
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

/** The lead's first sale after an instant, or null. */
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
    // Returned money is no refund, but lowers their sum.
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
  { kind, accountId, eventId }: { kind: EventKind; accountId: number; eventId: string },
): Promise<void> {
  const known = await reader.find(from, "event", accountId, [digest(eventId)]);
  if (known !== null) throw alreadyRecorded(kind, eventId);
}

/** Whether nothing is left of a sale. One in another currency may be worth zero in the account's. */
export function isRefunded(sale: Sale): boolean {
  if (sale.amountCents === 0) return sale.refundedOriginalAmount >= sale.originalAmount;
  return sale.refundedCents >= sale.amountCents;
}

/**
 * Whether refunds took back all of a sale. A sale of zero has nothing left either, but it was not refunded.
 */
export function isTakenBack(sale: Sale): boolean {
  return sale.refundedOriginalAmount > 0 && isRefunded(sale);
}

/** The part of an amount that is left after the sale's refunds. */
export function leftPart(sale: Sale, amount: number): number {
  const { amountCents, refundedCents, originalAmount, refundedOriginalAmount } = sale;
  if (amountCents === 0) return share(amount, originalAmount - refundedOriginalAmount, originalAmount);
  return share(amount, amountCents - refundedCents, amountCents);
}

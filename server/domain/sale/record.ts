import type { Origin } from "../origin/origin.ts";

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
  /** How the lead came. null: without a visit. */
  origin: Origin | null;
  /** The client's own id. No two sales of an account share one. */
  eventId: string;
  amountCents: number;
  /** The amount before it was converted, in the minor unit of its own currency. */
  originalAmount: number;
  /** ISO 4217 code. null: the account's currency. */
  originalCurrency: string | null;
  quantity: number;
  /** The sold price or plan, by the client's own id. */
  planId: string | null;
  /** The product that has this price. null: none. */
  productId: number | null;
  billingPeriod: BillingPeriod | null;
  /** Monthly recurring revenue in the account's currency, for statistics only. */
  mrrCents: number | null;
  /** The reward that the referred person got. It earns nobody money. */
  referralRewardId: number | null;
  /** The commissions that it earned, those of later instalments included. */
  commissionIds: number[];
  /** The sum of its refunds, in the account's currency and in its own. */
  refundedCents: number;
  refundedOriginalAmount: number;
  /** It turned out to be the same payment as an earlier sale, so it counts nothing. Absent: it is a sale of its own. */
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
  /** The client's own id. No two refunds of an account share one. */
  eventId: string;
  /** Negative: a bank gave back the money of a dispute. */
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
  /** The client's own id. null: the client gave none. */
  eventId: string | null;
  createdAt: string;
}

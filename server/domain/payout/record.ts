import type { Unit } from "../money/unit.ts";

export const PAYOUT_STATUSES = ["pending", "completed", "failed", "processing", "cancelled"] as const;

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** The amount that a promoter is paid for one campaign, unit and period. */
export interface Payout {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  status: PayoutStatus;
  unit: Unit;
  /** In cents for `cash`, otherwise in whole units. Without tax. */
  amount: number;
  /** In hundredths of a percent. */
  taxRateHundredths: number;
  /** In the unit of `amount`. */
  totalInclTax: number;
  periodStart: string;
  periodEnd: string;
  /** The calendar day (UTC) by which it must be paid. */
  dueDate: string;
  /** Whether the due date comes from the promoter's own terms. */
  hasOwnTerms: boolean;
  /** Payouts made by the same run share it. */
  groupRef: string | null;
  paymentsBatchId: number | null;
  /** The method that pays or paid it. null: the one that the promoter has selected. */
  payoutMethodId: number | null;
  /** Why it failed. */
  error: string | null;
  paidAt: string | null;
  processingStartedAt: string | null;
  failedAt: string | null;
  createdAt: string;
}

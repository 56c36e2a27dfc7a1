import type { Unit } from "../money/money.ts";

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
  /**
   * The sum of its commissions, without tax. In cents for `cash`, otherwise in whole units. A cancelled payout keeps its
   * last amount and has no commissions.
   */
  amount: number;
  /** In hundredths of a percent. */
  taxRateHundredths: number;
  /** In the unit of `amount`. */
  totalInclTax: number;
  periodStart: string;
  periodEnd: string;
  /** The calendar day on which the period ended in the account's time zone. Absent: the day of `periodEnd` in UTC. */
  periodEndDate?: string;
  /** The calendar day by which it must be paid. */
  dueDate: string;
  /**
   * Whether it is due apart from the account's cycle: by the promoter's own terms, or because no run of a period made
   * it.
   */
  hasOwnTerms: boolean;
  /** The run of a period that made it. null: it was made by hand, or with the approval of its commission. */
  runId: number | null;
  /** Payouts that were made together share it. */
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

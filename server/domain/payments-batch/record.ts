import type { PayoutMethodName } from "../payout-method/record.ts";

export const PAYMENTS_BATCH_STATUSES = [
  "awaiting_confirmation",
  "pending",
  "processing",
  "completed",
  "failed",
] as const;

export type PaymentsBatchStatus = (typeof PAYMENTS_BATCH_STATUSES)[number];

/** Pending payouts that are paid together by one method. Its payouts name it. */
export interface PaymentsBatch {
  accountId: number;
  id: number;
  method: PayoutMethodName;
  status: PaymentsBatchStatus;
  processingStartedAt: string | null;
  completedAt: string | null;
  /** Why it failed. */
  error: string | null;
  createdAt: string;
}

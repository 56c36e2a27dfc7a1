import type { PayoutMethodName } from "../payout-method/record.ts";

/**
 * The documented statuses of a batch.
 *
 * Choice: no batch is ever `pending`, which is a confirmed batch that waits for a payment provider to begin. No provider is
 * connected, so a confirmed batch is `processing` at once.
 */
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
  /**
   * The promoters with whom its files begin, if it needs several. A payout may leave the batch, but nobody may move to
   * another file, because the first one may have been uploaded.
   */
  partStarts?: number[];
  createdAt: string;
}

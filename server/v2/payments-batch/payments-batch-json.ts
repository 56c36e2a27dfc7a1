import { z } from "zod";
import {
  batchReference,
  loadBatchTotals,
  PAYMENTS_BATCH_STATUSES,
  type PaymentsBatch,
} from "../../domain/payments-batch/batch.ts";
import { PAYABLE, RETRIABLE } from "../../domain/payments-batch/changes.ts";
import { PAYOUT_METHODS } from "../../domain/payout-method/payout-method.ts";
import type { View } from "../../storage/store.ts";

const instant = z.iso.datetime();

/** @see docs/spec/v2.md "Payments batch" */
export const paymentsBatchAnswer = z
  .object({
    id: z.int(),
    method: z.enum(PAYOUT_METHODS),
    status: z.enum(PAYMENTS_BATCH_STATUSES),
    ext_reference: z.string(),
    ext_id: z.string().nullable(),
    scheduled_at: instant.nullable(),
    processing_started_at: instant.nullable(),
    completed_at: instant.nullable(),
    is_payable: z.boolean(),
    is_retriable: z.boolean(),
    is_payment_otp_required: z.boolean(),
    total: z.number(),
    promoters_count: z.int(),
    error: z.string().nullable(),
  })
  .meta({ id: "PaymentsBatch" });

/**
 * A payments batch. Choice: `total` includes tax, because that is what is paid. Without a payment provider, `ext_id`
 * and `scheduled_at` are null, and nobody asks for a one-time password.
 */
export async function showPaymentsBatch(
  view: View,
  batch: PaymentsBatch,
): Promise<z.output<typeof paymentsBatchAnswer>> {
  const { totalInclTax, promotersCount } = await loadBatchTotals(view, batch);
  return {
    id: batch.id,
    method: batch.method,
    status: batch.status,
    ext_reference: batchReference(batch),
    ext_id: null,
    scheduled_at: null,
    processing_started_at: batch.processingStartedAt,
    completed_at: batch.completedAt,
    is_payable: PAYABLE.includes(batch.status),
    is_retriable: RETRIABLE.includes(batch.status),
    is_payment_otp_required: false,
    total: totalInclTax,
    promoters_count: promotersCount,
    error: batch.error,
  };
}

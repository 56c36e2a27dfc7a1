import { z } from "zod";
import {
  batchReference,
  loadBatchTotals,
  PAYMENTS_BATCH_STATUSES,
  type PaymentsBatch,
} from "../../domain/ledger/payments-batch/batch.ts";
import { PAYABLE, RETRIABLE } from "../../domain/ledger/payments-batch/changes.ts";
import { PAYOUT_METHODS } from "../../domain/ledger/payout-method/payout-method.ts";
import type { View } from "../../storage/store.ts";
import { field, recordId } from "../../http/fields.ts";

const instant = z.iso.datetime();

/** @see docs/spec/v2.md "Payments batch" */
export const paymentsBatchAnswer = z
  .object({
    id: recordId,
    method: field(z.enum(PAYOUT_METHODS), "Way of payment of all its payouts."),
    status: field(z.enum(PAYMENTS_BATCH_STATUSES), "State of the record."),
    ext_reference: field(z.string(), "Name of the batch in its files and at the bank.", "BATCH-5"),
    ext_id: field(
      z.string().nullable(),
      "The payment provider's own id, or null if no provider is connected.",
      null,
    ),
    scheduled_at: field(instant.nullable(), "When the provider pays, or null if that is not planned.", null),
    processing_started_at: field(instant.nullable(), "When the payment began, or null if it has not."),
    completed_at: field(instant.nullable(), "When the last payout was paid, or null if it was not yet."),
    is_payable: field(z.boolean(), "Whether it can be confirmed."),
    is_retriable: field(z.boolean(), "Whether it has failed and can be tried again."),
    is_payment_otp_required: field(z.boolean(), "Whether the provider asks for a one-time password.", false),
    total: field(z.number(), "Sum of its payouts with tax, in cents.", 24000),
    promoters_count: field(z.int(), "How many promoters it pays.", 8),
    error: field(z.string().nullable(), "Why it failed, or null if it did not.", null),
  })
  .meta({ id: "PaymentsBatch" });

/**
 * A payments batch. `ext_id` and `scheduled_at` are null, because providers get an order per payment and don't know the
 * batch. No provider asks for a one-time password.
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

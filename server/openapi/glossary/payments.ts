import type { Fields } from "./entry.ts";

/** Fields of payments batches and of the statistics of payouts. */
export const PAYMENT_FIELDS: Fields = {
  ext_reference: ["Name of the batch in its files and at the bank.", "BATCH-5"],
  "PaymentsBatch.ext_id": ["The payment provider's own id. null: no provider is connected.", null],
  "PaymentsBatch.total": ["Sum of its payouts with tax, in cents.", 24_000],
  "PaymentsBatch.error": ["Why it failed. null: it did not.", null],
  "PaymentsBatch.promoters_count": ["How many promoters it pays.", 8],
  scheduled_at: ["When the provider pays. null: not planned.", null],
  completed_at: "When the last payout was paid. null: not yet.",
  is_payable: "Whether it can be confirmed.",
  is_retriable: "Whether it has failed and can be tried again.",
  is_payment_otp_required: ["Whether the provider asks for a one-time password.", false],
  otp: ["Ignored: no provider asks for a one-time password.", "123456"],
  otp_code: ["Ignored, like `otp`.", "123456"],
  "meta.failed": "Pending payouts of this method that can't be paid yet.",
};

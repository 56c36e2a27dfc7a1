import { changeBankAccountOperation, showBankAccountOperation } from "../account/bank-account.ts";
import type { V2Row } from "../operation.ts";
import {
  decidePaymentOperation,
  listPaymentsOperation,
  planPaymentsOperation,
  sendPaymentsOperation,
} from "../payment/payments.ts";
import {
  approvePaymentsBatchOperation,
  createPaymentsBatchOperation,
  listPaymentsBatchesOperation,
  payPaymentsBatchOperation,
  removePaymentsBatchOperation,
  listPaymentFilesOperation,
  paymentFileOperation,
} from "../payments-batch/payments-batches.ts";
import { listPayoutRunsOperation, previewPayoutRunOperation } from "../payout-run/payout-runs.ts";
import {
  cancelPayoutsOperation,
  destroyPayoutsOperation,
  generatePayoutsOperation,
  markAsFailedOperation,
  markAsPaidOperation,
  markAsUnpaidOperation,
} from "./payout-batches.ts";
import {
  bankFormsOperation,
  createPayoutMethodOperation,
  getPayoutMethodOperation,
  listPayoutMethodsOperation,
  removePayoutMethodOperation,
  updatePayoutMethodOperation,
} from "./payout-methods.ts";
import { listPayoutHoldsOperation, releasePayoutsOperation } from "./payout-holds.ts";
import { dueStatsOperation, payoutStatsOperation } from "./payout-stats.ts";

/**
 * Further operations for paying promoters. The paths are below `/api/v2/company`. Only owners may pay, change where
 * the money goes, or cancel payouts.
 */
export const PAYOUT_OPERATIONS: V2Row[] = [
  ["POST", "/commissions/generate_payouts", generatePayoutsOperation],
  ["GET", "/payouts/stats", payoutStatsOperation],
  ["GET", "/payouts/due_stats", dueStatsOperation],
  ["POST", "/payouts/mark_as_paid", markAsPaidOperation, "owner"],
  ["POST", "/payouts/mark_as_unpaid", markAsUnpaidOperation, "owner"],
  ["POST", "/payouts/mark_as_failed", markAsFailedOperation, "owner"],
  ["POST", "/payouts/cancel", cancelPayoutsOperation, "owner"],
  ["DELETE", "/payouts/destroy", destroyPayoutsOperation, "owner"],
  ["GET", "/payout_runs", listPayoutRunsOperation],
  ["GET", "/payout_runs/preview", previewPayoutRunOperation],
  ["POST", "/payouts/create_payments_batch", createPaymentsBatchOperation, "owner"],
  ["GET", "/payments_batches", listPaymentsBatchesOperation],
  ["POST", "/payments_batches/:id/pay", payPaymentsBatchOperation, "owner"],
  ["GET", "/payments_batches/:id/file", paymentFileOperation, "owner"],
  ["GET", "/payments_batches/:id/files", listPaymentFilesOperation],
  ["GET", "/payments_batches/:id/plan", planPaymentsOperation, "owner"],
  ["POST", "/payments_batches/:id/approve", approvePaymentsBatchOperation, "owner"],
  ["POST", "/payments_batches/:id/send", sendPaymentsOperation, "owner"],
  ["GET", "/payments", listPaymentsOperation],
  ["POST", "/payments/:id/decide", decidePaymentOperation, "owner"],
  ["DELETE", "/payments_batches/:id", removePaymentsBatchOperation, "owner"],
  ["GET", "/bank_account", showBankAccountOperation, "owner"],
  ["PUT", "/bank_account", changeBankAccountOperation, "owner"],
  ["GET", "/payout_holds", listPayoutHoldsOperation],
  ["POST", "/promoters/:id/release_payouts", releasePayoutsOperation, "owner"],
  ["GET", "/bank_forms", bankFormsOperation],
  ["GET", "/payout_methods", listPayoutMethodsOperation],
  ["POST", "/payout_methods", createPayoutMethodOperation, "owner"],
  ["GET", "/payout_methods/:id", getPayoutMethodOperation],
  ["PUT", "/payout_methods/:id", updatePayoutMethodOperation, "owner"],
  ["PATCH", "/payout_methods/:id", updatePayoutMethodOperation, "owner"],
  ["DELETE", "/payout_methods/:id", removePayoutMethodOperation, "owner"],
];

import { ASSET_OPERATIONS } from "./asset/assets.ts";
import { BRAND_OPERATIONS } from "./brand/brand.ts";
import { EMAIL_OPERATIONS } from "./email/emails.ts";
import { batchProgressOperation, listBatchesOperation, showBatchOperation } from "./batch/batch-processes.ts";
import { BOOKS_OPERATIONS } from "./books/books.ts";
import {
  createCampaignOperation,
  deleteCampaignOperation,
  getCampaignOperation,
  listCampaignsOperation,
  updateCampaignOperation,
} from "./campaign/campaigns.ts";
import { previewEmailOperation } from "./campaign/email-preview.ts";
import {
  COMMISSION_BATCHES,
  destroyCommissionsOperation,
  createCommissionOperation,
  updateCommissionOperation,
} from "./commission/commission-changes.ts";
import { listCommissionsOperation } from "./commission/commissions.ts";
import { CONTRACT_OPERATIONS } from "./contract/contracts.ts";
import { CUSTOM_STATUS_OPERATIONS, OWN_STATUS_OPERATIONS } from "./custom-status/custom-statuses.ts";
import { DASHBOARD_OPERATIONS } from "./dashboard/dashboards.ts";
import { EXPORT_OPERATIONS } from "./export/exports.ts";
import { homeOperation } from "./home/home.ts";
import { importOperation } from "./import/imports.ts";
import { checkScriptOperation, setupOperation } from "./home/setup.ts";
import { accessOf, type V2Row } from "./operation.ts";
import { groupPayoutsOperation, listPayoutsOperation } from "./payout/payouts.ts";
import {
  archivePromoCodeOperation,
  createPromoCodeOperation,
  getPromoCodeOperation,
  listPromoCodesOperation,
  updatePromoCodeOperation,
} from "./promo-code/promo-codes.ts";
import { PRODUCT_OPERATIONS } from "./product/products.ts";
import { ERASURES } from "./erasures.ts";
import { PORTAL_ACCESS } from "./promoter/portal-access.ts";
import { invitePromotersOperation } from "./promoter/invitations.ts";
import {
  PROMOTER_BATCHES,
  createPromoterOperation,
  updatePromoterOperation,
} from "./promoter/promoter-changes.ts";
import {
  listPromoterCampaignsOperation,
  searchPromoterCampaignsOperation,
  updatePromoterCampaignOperation,
  listReferralLinksOperation,
} from "./promoter-campaign/promoter-campaigns.ts";
import { listPromotersOperation, showPromoterOperation } from "./promoter/promoters.ts";
import { promoterCampaignChart, promoterChart } from "./report/charts.ts";
import { downloadReport } from "./report/download.ts";
import { ORIGIN_REPORTS } from "./report/origins.ts";
import { campaignsReport, overviewReport, promotersReport } from "./report/reports.ts";
import {
  createRewardOperation,
  hideRewardOperation,
  listRewardsOperation,
  updateRewardOperation,
  previewRewardsOperation,
} from "./reward/rewards.ts";
import {
  createReferralOperation,
  getReferralOperation,
  importEventsOperation,
  listReferralsOperation,
  updateReferralOperation,
} from "./referral/referrals.ts";
import {
  approveReferralsOperation,
  deleteReferralsOperation,
  disableReferralsOperation,
  enableReferralsOperation,
  moveReferralsOperation,
} from "./referral/referral-batches.ts";
import { referralTimelineOperation } from "./referral/timeline.ts";
import { MIGRATION_OPERATIONS } from "./migration/migrations.ts";
import { SAVED_VIEW_OPERATIONS } from "./saved-view/saved-views.ts";
import { SWITCH_OPERATIONS } from "./switch/switch.ts";
import { USER_OPERATIONS } from "./user-operations.ts";
import { refundReferralOperation, trackSale, trackSignup } from "./referral/tracking.ts";
import {
  connectBillingOperation,
  disconnectBillingOperation,
  listBillingOperation,
  listProvidersOperation,
  listBillingEventsOperation,
  testBillingOperation,
  syncBillingOperation,
} from "./billing/billing.ts";
import { showMailOperation, testMailOperation } from "./mail/mail.ts";
import {
  connectPaymentsOperation,
  disconnectPaymentsOperation,
  listPaymentConnectionsOperation,
  setFeeRuleOperation,
} from "./payment/payment-connections.ts";
import { listRatesOperation, storeRatesOperation } from "./rate/rates.ts";
import { dropWaitingOperation, listWaitingOperation } from "./waiting/waiting-events.ts";
import {
  getDeliveryOperation,
  listDeliveriesOperation,
  retryDeliveryOperation,
  sendTestOperation,
  testWebhookOperation,
} from "./webhook/webhook-deliveries.ts";
import {
  createWebhookOperation,
  deleteWebhookOperation,
  getWebhookOperation,
  listEventTypesOperation,
  listWebhooksOperation,
  rotateSecretOperation,
  updateWebhookOperation,
} from "./webhook/webhooks.ts";
import { changeBankAccountOperation, showBankAccountOperation } from "./account/bank-account.ts";
import {
  decidePaymentOperation,
  listPaymentsOperation,
  planPaymentsOperation,
  sendPaymentsOperation,
} from "./payment/payments.ts";
import {
  approvePaymentsBatchOperation,
  createPaymentsBatchOperation,
  listPaymentsBatchesOperation,
  payPaymentsBatchOperation,
  removePaymentsBatchOperation,
  listPaymentFilesOperation,
  paymentFileOperation,
} from "./payments-batch/payments-batches.ts";
import { listPayoutRunsOperation, previewPayoutRunOperation } from "./payout-run/payout-runs.ts";
import {
  cancelPayoutsOperation,
  destroyPayoutsOperation,
  generatePayoutsOperation,
  markAsFailedOperation,
  markAsPaidOperation,
  markAsUnpaidOperation,
} from "./payout/payout-batches.ts";
import {
  bankFormsOperation,
  createPayoutMethodOperation,
  getPayoutMethodOperation,
  listPayoutMethodsOperation,
  removePayoutMethodOperation,
  updatePayoutMethodOperation,
  listPayoutHoldsOperation,
  releasePayoutsOperation,
} from "./payout/payout-methods.ts";
import { dueStatsOperation, payoutStatsOperation } from "./payout/payout-stats.ts";
import {
  exportInvoicesOperation,
  exportZipOperation,
  invoicesZipOperation,
} from "./invoice/invoice-exports.ts";
import {
  createInvoicesOperation,
  destroyInvoicesOperation,
  finalizeInvoicesOperation,
  invoicePdfOperation,
  listInvoicesOperation,
  showInvoiceOperation,
  voidInvoicesOperation,
} from "./invoice/invoices.ts";
import {
  customTemplateOperation,
  previewInvoiceOperation,
  previewTemplateOperation,
  showInvoicingOperation,
  showTemplateOperation,
  updateInvoicingOperation,
} from "./invoice/invoicing.ts";
import { exportIrisOperation, exportTaxFormsOperation } from "./invoice/tax-forms.ts";

/** The operations that connect an account with other systems. The paths are below `/api/v2/company`. */
const CONNECTION_OPERATIONS: V2Row[] = [
  ["GET", "/billing", listBillingOperation],
  ["POST", "/billing", connectBillingOperation, "owner"],
  ["DELETE", "/billing", disconnectBillingOperation, "owner"],
  ["GET", "/billing/events", listBillingEventsOperation],
  ["GET", "/billing/providers", listProvidersOperation],
  ["POST", "/billing/test", testBillingOperation, "owner"],
  ["POST", "/billing/sync", syncBillingOperation, "owner"],
  ["GET", "/mail", showMailOperation],
  ["POST", "/mail/test", testMailOperation],
  ["GET", "/payment_connections", listPaymentConnectionsOperation],
  ["POST", "/payment_connections", connectPaymentsOperation, "owner"],
  ["PUT", "/payment_connections", setFeeRuleOperation, "owner"],
  ["DELETE", "/payment_connections", disconnectPaymentsOperation, "owner"],
  ["GET", "/rates", listRatesOperation],
  ["POST", "/rates", storeRatesOperation],
  ["GET", "/waiting_events", listWaitingOperation],
  ["DELETE", "/waiting_events/:id", dropWaitingOperation],
  ["GET", "/webhooks", listWebhooksOperation],
  ["POST", "/webhooks", createWebhookOperation],
  ["GET", "/webhooks/event_types", listEventTypesOperation],
  ["POST", "/webhooks/test", testWebhookOperation],
  ["GET", "/webhooks/:id", getWebhookOperation],
  ["PUT", "/webhooks/:id", updateWebhookOperation],
  ["PATCH", "/webhooks/:id", updateWebhookOperation],
  ["DELETE", "/webhooks/:id", deleteWebhookOperation],
  ["POST", "/webhooks/:id/rotate_secret", rotateSecretOperation],
  ["POST", "/webhooks/:id/test", sendTestOperation],
  ["GET", "/webhooks/:webhook_id/webhook_deliveries", listDeliveriesOperation],
  ["GET", "/webhooks/:webhook_id/webhook_deliveries/:id", getDeliveryOperation],
  ["POST", "/webhooks/:webhook_id/webhook_deliveries/:id/retry_delivery", retryDeliveryOperation],
];

/**
 * Further operations for paying promoters. The paths are below `/api/v2/company`. Only owners may pay, change where
 * the money goes, or cancel payouts.
 */
const PAYOUT_OPERATIONS: V2Row[] = [
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

/** The operations for invoices and tax forms. The paths are below `/api/v2/company`. Only owners change what tax offices see. */
const INVOICE_OPERATIONS: V2Row[] = [
  ["GET", "/invoices", listInvoicesOperation],
  ["POST", "/invoices", createInvoicesOperation, "owner"],
  ["POST", "/invoices/void", voidInvoicesOperation, "owner"],
  ["POST", "/invoices/finalize", finalizeInvoicesOperation, "owner"],
  ["DELETE", "/invoices/destroy", destroyInvoicesOperation, "owner"],
  ["GET", "/invoices/export", exportInvoicesOperation, "manager"],
  ["GET", "/invoices/export_zip", exportZipOperation, "manager"],
  ["GET", "/invoices/zip", invoicesZipOperation, "manager"],
  ["GET", "/invoices/template", showTemplateOperation],
  ["POST", "/invoices/preview_template", previewTemplateOperation, "viewer"],
  ["PUT", "/invoices/custom_template", customTemplateOperation, "owner"],
  ["GET", "/invoices/preview", previewInvoiceOperation],
  ["GET", "/invoices/:id", showInvoiceOperation],
  ["GET", "/invoices/:id/pdf", invoicePdfOperation],
  ["GET", "/tax_forms/export", exportTaxFormsOperation, "owner"],
  ["GET", "/tax_forms/iris", exportIrisOperation, "owner"],
  ["GET", "/invoicing", showInvoicingOperation],
  ["PUT", "/invoicing", updateInvoicingOperation, "owner"],
];

/** The paths are below `/api/v2/company`. */
const COMPANY_OPERATIONS: V2Row[] = [
  ["GET", "/promoters/:id", showPromoterOperation],
  ["GET", "/promoter_campaigns", listPromoterCampaignsOperation],
  ["GET", "/promoter_campaigns/search", searchPromoterCampaignsOperation],
  ["PUT", "/promoter_campaigns/:id", updatePromoterCampaignOperation],
  ["PATCH", "/promoter_campaigns/:id", updatePromoterCampaignOperation],
  ["POST", "/promo_codes", createPromoCodeOperation],
  ["PUT", "/promo_codes/:id", updatePromoCodeOperation],
  ["PATCH", "/promo_codes/:id", updatePromoCodeOperation],
  ["GET", "/payouts", listPayoutsOperation],
  ["GET", "/payouts/group_by_promoters", groupPayoutsOperation],

  ["GET", "/promoters", listPromotersOperation],
  ["POST", "/promoters", createPromoterOperation],
  ["POST", "/promoters/invite", invitePromotersOperation],
  ["PUT", "/promoters/:id", updatePromoterOperation],
  ["PATCH", "/promoters/:id", updatePromoterOperation],
  ...Object.entries(PROMOTER_BATCHES).map(([name, batch]): V2Row => ["POST", `/promoters/${name}`, batch]),
  ["GET", "/batch_processes", listBatchesOperation],
  ["GET", "/batch_processes/progress", batchProgressOperation],
  ["GET", "/batch_processes/:id", showBatchOperation],
  ["GET", "/promo_codes", listPromoCodesOperation],
  ["GET", "/promo_codes/:id", getPromoCodeOperation],
  ["DELETE", "/promo_codes/:id", archivePromoCodeOperation],
  ...ASSET_OPERATIONS,
  ...BRAND_OPERATIONS,
  ...EMAIL_OPERATIONS,
  ...CONTRACT_OPERATIONS,
  ["GET", "/campaigns", listCampaignsOperation],
  ["POST", "/campaigns", createCampaignOperation],
  ["GET", "/campaigns/:id", getCampaignOperation],
  ["PUT", "/campaigns/:id", updateCampaignOperation],
  ["PATCH", "/campaigns/:id", updateCampaignOperation],
  ["DELETE", "/campaigns/:id", deleteCampaignOperation],
  ["GET", "/campaigns/:id/email_preview", previewEmailOperation],
  ["GET", "/rewards", listRewardsOperation],
  ["POST", "/rewards", createRewardOperation],
  ["PUT", "/rewards/:id", updateRewardOperation],
  ["PATCH", "/rewards/:id", updateRewardOperation],
  ["POST", "/rewards/:id/hide", hideRewardOperation],
  ["POST", "/rewards/preview", previewRewardsOperation, "viewer"],
  ["GET", "/referrals", listReferralsOperation],
  ["POST", "/referrals", createReferralOperation],
  ["DELETE", "/referrals", deleteReferralsOperation],
  ["GET", "/referrals/:id", getReferralOperation],
  ["PUT", "/referrals/:id", updateReferralOperation],
  ["PATCH", "/referrals/:id", updateReferralOperation],
  ["POST", "/referrals/approve", approveReferralsOperation],
  ["POST", "/referrals/disable", disableReferralsOperation],
  ["POST", "/referrals/enable", enableReferralsOperation],
  ["POST", "/referrals/move_to_promoter", moveReferralsOperation],
  ["POST", "/referrals/:id/import_events", importEventsOperation],
  ["POST", "/referrals/:id/refund", refundReferralOperation],
  ["GET", "/referrals/:id/timeline", referralTimelineOperation],
  ...OWN_STATUS_OPERATIONS,
  ["GET", "/promoters/:id/chart_data", promoterChart],
  ["GET", "/promoter_campaigns/:id/chart_data", promoterCampaignChart],
  ["GET", "/promoter_campaigns/:id/referral_links", listReferralLinksOperation],
  ["GET", "/home", homeOperation],
  ["GET", "/setup", setupOperation],
  ["POST", "/setup/script", checkScriptOperation],
  ...DASHBOARD_OPERATIONS,
  ["GET", "/reports/overview", overviewReport],
  ["GET", "/reports/campaigns", campaignsReport],
  ["GET", "/reports/promoters", promotersReport],
  ...Object.entries(ORIGIN_REPORTS).map(([name, { operation }]): V2Row => [
    "GET",
    `/reports/${name}`,
    operation,
  ]),
  ["GET", "/reports/download", downloadReport],
  ...PRODUCT_OPERATIONS,
  ["GET", "/commissions", listCommissionsOperation],
  ["POST", "/commissions", createCommissionOperation],
  ["PUT", "/commissions/:id", updateCommissionOperation],
  ["PATCH", "/commissions/:id", updateCommissionOperation],
  ...Object.entries(COMMISSION_BATCHES).map(([name, batch]): V2Row => [
    "POST",
    `/commissions/${name}`,
    batch,
  ]),
  ["DELETE", "/commissions/destroy", destroyCommissionsOperation],
  ...PAYOUT_OPERATIONS,
  ...INVOICE_OPERATIONS,
  ...CONNECTION_OPERATIONS,
  ...EXPORT_OPERATIONS,
  ...BOOKS_OPERATIONS,
  ["POST", "/imports", importOperation],
  ...SAVED_VIEW_OPERATIONS,
  ...SWITCH_OPERATIONS,
  ...USER_OPERATIONS,
  ...MIGRATION_OPERATIONS,
];

/** Every operation of V2. Those of the specification come first, in its order. @see docs/spec/README.md */
export const V2_OPERATIONS: V2Row[] = [
  ...COMPANY_OPERATIONS.map((row): V2Row => [row[0], `/api/v2/company${row[1]}`, row[2], accessOf(row)]),
  ...PORTAL_ACCESS,
  ...ERASURES,
  ...CUSTOM_STATUS_OPERATIONS,
  ["POST", "/api/v2/track/signup", trackSignup, "key"],
  ["POST", "/api/v2/track/sale", trackSale, "key"],
];

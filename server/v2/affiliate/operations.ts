import type { EventHandler } from "h3";
import { listOwnAssetsOperation, listOwnCategoriesOperation } from "./campaign/assets.ts";
import { joinCampaignOperation, listOpenCampaignsOperation } from "./campaign/campaigns.ts";
import {
  createOwnLinkOperation,
  listOwnLinksOperation,
  removeOwnLinkOperation,
  showOwnLinkOperation,
  updateOwnLinkOperation,
} from "./campaign/links.ts";
import {
  archiveOwnPromoCodeOperation,
  createOwnPromoCodeOperation,
  listOwnPromoCodesOperation,
  updateOwnPromoCodeOperation,
} from "./campaign/promo-codes.ts";
import {
  listOwnPromoterCampaignsOperation,
  updateOwnPromoterCampaignOperation,
} from "./campaign/promoter-campaigns.ts";
import { acceptAgreementsOperation, listAgreementsOperation } from "./contract/agreements.ts";
import {
  draftDocumentOperation,
  listOwnDocumentsOperation,
  showOwnDocumentOperation,
  signOwnDocumentOperation,
} from "./contract/contract-documents.ts";
import { exportOwnCommissionsOperation, listOwnCommissionsOperation } from "./money/commissions.ts";
import { showInvoiceDetailsOperation, updateInvoiceDetailsOperation } from "./money/invoice-details.ts";
import {
  agreeOperation,
  listOwnInvoicesOperation,
  ownInvoicePdfOperation,
  showAgreementOperation,
} from "./money/invoices.ts";
import { showTaxDetailsOperation, updateTaxDetailsOperation } from "./money/tax-details.ts";
import {
  createOwnMethodOperation,
  listBankFormsOperation,
  listOwnMethodsOperation,
  removeOwnMethodOperation,
  selectOwnMethodOperation,
  showOwnMethodOperation,
  updateOwnMethodOperation,
} from "./money/payout-methods.ts";
import {
  ownDueStatsOperation,
  payoutReceiptOperation,
  exportOwnPayoutsOperation,
  listOwnPayoutsOperation,
} from "./money/payouts.ts";
import {
  checkStripeAccountOperation,
  showStripeAccountOperation,
  startStripeAccountOperation,
} from "./money/stripe-account.ts";
import { listOwnPaymentsOperation } from "./money/payments.ts";
import { affiliateRoute, entranceRoute, type AffiliateRow, type OpenRow } from "./operation.ts";
import {
  archiveCurrentOperation,
  showCurrentOperation,
  updateCurrentOperation,
  setLanguageOperation,
  noteVisitOperation,
} from "./profile/current.ts";
import {
  emailFromIdOperation,
  setPasswordByLinkOperation,
  setPasswordOperation,
} from "./profile/password.ts";
import { showEmailSettingsOperation, updateEmailSettingsOperation } from "./profile/email-settings.ts";
import {
  addOwnReferralOperation,
  removeOwnReferralOperation,
  updateOwnReferralOperation,
  exportOwnReferralsOperation,
  listOwnReferralsOperation,
  showOwnReferralOperation,
} from "./referral/referrals.ts";
import {
  ownChartOperation,
  ownDownloadOperation,
  ownOverviewOperation,
  ownSubIdsDownloadOperation,
  ownSubIdsOperation,
  listSubAffiliatesOperation,
  ownOriginsDownloadOperation,
  ownOriginsOperation,
} from "./report/reports.ts";
import { joinOperation, showInvitationOperation, showJoinOperation } from "../join/join.ts";
import { checkLinkOperation, sendLinkOperation, useLinkOperation } from "./session/links.ts";
import {
  showSessionOperation,
  signInOperation,
  signOutEverywhereOperation,
  signOutOperation,
} from "./session/sessions.ts";
import type { Method } from "../../http/operation.ts";
import type { Services } from "../../request/services.ts";

/** The operations for signed-in promoters. The paths are below `/api/v2/affiliate`. */
const OWN_OPERATIONS: AffiliateRow[] = [
  ["GET", "/session", showSessionOperation],
  ["DELETE", "/session", signOutOperation],
  ["DELETE", "/sessions", signOutEverywhereOperation],
  ["GET", "/promoters/current", showCurrentOperation],
  ["PUT", "/promoters/current", updateCurrentOperation],
  ["POST", "/promoters/set_password", setPasswordOperation],
  ["POST", "/promoters/archive", archiveCurrentOperation],
  ["GET", "/promoters/chart_data", ownChartOperation],
  ["GET", "/promoters/sub_affiliates", listSubAffiliatesOperation],
  ["GET", "/campaigns", listOpenCampaignsOperation],
  ["POST", "/campaigns/:id/join", joinCampaignOperation],
  ["GET", "/assets", listOwnAssetsOperation],
  ["GET", "/asset_categories", listOwnCategoriesOperation],
  ["GET", "/agreements", listAgreementsOperation],
  ["POST", "/agreements", acceptAgreementsOperation],
  ["GET", "/contract_documents", listOwnDocumentsOperation],
  ["POST", "/contract_documents/draft", draftDocumentOperation],
  ["GET", "/contract_documents/:id", showOwnDocumentOperation],
  ["POST", "/contract_documents/:id/sign", signOwnDocumentOperation],
  ["GET", "/promoter_campaigns", listOwnPromoterCampaignsOperation],
  ["PUT", "/promoter_campaigns/:id", updateOwnPromoterCampaignOperation],
  ["GET", "/referral_links", listOwnLinksOperation],
  ["POST", "/referral_links", createOwnLinkOperation],
  ["GET", "/referral_links/:id", showOwnLinkOperation],
  ["PUT", "/referral_links/:id", updateOwnLinkOperation],
  ["DELETE", "/referral_links/:id", removeOwnLinkOperation],
  ["GET", "/referrals", listOwnReferralsOperation],
  ["POST", "/referrals", addOwnReferralOperation],
  ["GET", "/referrals/export", exportOwnReferralsOperation],
  ["GET", "/referrals/:id", showOwnReferralOperation],
  ["PUT", "/referrals/:id", updateOwnReferralOperation],
  ["DELETE", "/referrals/:id", removeOwnReferralOperation],
  ["GET", "/commissions", listOwnCommissionsOperation],
  ["GET", "/commissions/export", exportOwnCommissionsOperation],
  ["GET", "/payments", listOwnPaymentsOperation],
  ["GET", "/payouts", listOwnPayoutsOperation],
  ["GET", "/payouts/due_stats", ownDueStatsOperation],
  ["GET", "/payouts/export", exportOwnPayoutsOperation],
  ["GET", "/payouts/:id/receipt", payoutReceiptOperation],
  ["GET", "/bank_forms", listBankFormsOperation],
  ["GET", "/payout_methods", listOwnMethodsOperation],
  ["POST", "/payout_methods", createOwnMethodOperation],
  ["GET", "/payout_methods/:id", showOwnMethodOperation],
  ["PUT", "/payout_methods/:id", updateOwnMethodOperation],
  ["DELETE", "/payout_methods/:id", removeOwnMethodOperation],
  ["POST", "/payout_methods/:id/select", selectOwnMethodOperation],
  ["GET", "/stripe_account", showStripeAccountOperation],
  ["POST", "/stripe_account", startStripeAccountOperation],
  ["POST", "/stripe_account/check", checkStripeAccountOperation],
  ["GET", "/invoice_details", showInvoiceDetailsOperation],
  ["PUT", "/invoice_details", updateInvoiceDetailsOperation],
  ["GET", "/invoices", listOwnInvoicesOperation],
  ["GET", "/invoices/:id/pdf", ownInvoicePdfOperation],
  ["GET", "/invoice_agreement", showAgreementOperation],
  ["POST", "/invoice_agreement", agreeOperation],
  ["GET", "/tax_details", showTaxDetailsOperation],
  ["PUT", "/tax_details", updateTaxDetailsOperation],
  ["GET", "/promo_codes", listOwnPromoCodesOperation],
  ["POST", "/promo_codes", createOwnPromoCodeOperation],
  ["PUT", "/promo_codes/:id", updateOwnPromoCodeOperation],
  ["DELETE", "/promo_codes/:id", archiveOwnPromoCodeOperation],
  ["PUT", "/language", setLanguageOperation],
  ["POST", "/visits", noteVisitOperation],
  ["GET", "/email_settings", showEmailSettingsOperation],
  ["PUT", "/email_settings/:id", updateEmailSettingsOperation],
  ["GET", "/reports/overview", ownOverviewOperation],
  ["GET", "/reports/sub_ids", ownSubIdsOperation],
  ["GET", "/reports/sub_ids/download", ownSubIdsDownloadOperation],
  ["GET", "/reports/origins", ownOriginsOperation],
  ["GET", "/reports/origins/download", ownOriginsDownloadOperation],
  ["GET", "/reports/download", ownDownloadOperation],
];

/** The operations that start a session. */
const OPEN_OPERATIONS: OpenRow[] = [
  ["POST", "/session", signInOperation],
  ["POST", "/session/link", useLinkOperation],
  ["POST", "/session/link/send", sendLinkOperation],
  ["POST", "/session/link/check", checkLinkOperation],
  ["GET", "/promoters/email_from_encrypted_id", emailFromIdOperation],
  ["PUT", "/promoters/set_password", setPasswordByLinkOperation],
];

/** All operations for signed-in promoters, with full paths. */
export const AFFILIATE_OPERATIONS = OWN_OPERATIONS.map(([method, path, operation]): AffiliateRow => [
  method,
  `/api/v2/affiliate${path}`,
  operation,
]);

/** All operations without a session: those of the portal and of the sign-up page. */
export const ENTRANCES: OpenRow[] = [
  ...OPEN_OPERATIONS.map(([method, path, operation]): OpenRow => [
    method,
    `/api/v2/affiliate${path}`,
    operation,
  ]),
  ["GET", "/api/v2/join/:campaign", showJoinOperation],
  ["POST", "/api/v2/join/:campaign", joinOperation],
  ["POST", "/api/v2/join/:campaign/invitation", showInvitationOperation],
];

/** Every route of the portal's operations. */
export function affiliateRoutes(services: Services): [Method, path: string, handler: EventHandler][] {
  return [
    ...AFFILIATE_OPERATIONS.map(([method, path, operation]): [Method, string, EventHandler] => [
      method,
      path,
      affiliateRoute(services, operation),
    ]),
    ...ENTRANCES.map(([method, path, operation]): [Method, string, EventHandler] => [
      method,
      path,
      entranceRoute(services, operation),
    ]),
  ];
}

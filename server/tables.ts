import { accounts } from "./domain/program/account/account.ts";
import { apiKeys } from "./domain/program/account/api-key.ts";
import { firstStarts } from "./domain/access/account-creation.ts";
import { assetCategories, assets } from "./domain/people/asset.ts";
import { auditEntries } from "./domain/access/audit/audit.ts";
import { batchProcesses, csvImports, csvParts, emailRuns } from "./domain/batch.ts";
import { billingConnections } from "./domain/ledger/billing/connection.ts";
import { bookEntries } from "./domain/ledger/books/entry.ts";
import { billingObjects } from "./domain/ledger/billing/object.ts";
import { receivedEvents } from "./domain/ledger/billing/received.ts";
import { waitingCancellations, waitingRefunds } from "./domain/ledger/billing/waiting.ts";
import { campaigns } from "./domain/program/campaign/campaign.ts";
import { invoiceAgreements, invoiceTexts } from "./domain/ledger/invoice/company.ts";
import { invoicedPayouts, invoices, invoiceSeries } from "./domain/ledger/invoice/invoice.ts";
import { taxDetails } from "./domain/ledger/invoice/tax-details.ts";
import { companyEmails, emailLayouts } from "./domain/program/company-email/company-email.ts";
import { leadHours } from "./domain/people/mailing/digest.ts";
import { plannedEmails, sentEmails } from "./domain/people/mailing/mailing.ts";
import { commissions, commissionSources } from "./domain/ledger/commission/commission.ts";
import { contracts, contractVersions } from "./domain/people/contract/contract.ts";
import { contractDocuments } from "./domain/people/contract/document.ts";
import { unsubscriptions } from "./domain/events/email.ts";
import { erasureCounts, unfinishedErasures } from "./domain/people/erased.ts";
import { facts, wantedEvents } from "./domain/events/event.ts";
import { customStatuses, statusesOfLeads } from "./domain/people/lead/custom-status.ts";
import { leads } from "./domain/people/lead/lead.ts";
import { promoterAddresses } from "./domain/people/lead/suspicion.ts";
import { migrationReports, migrations } from "./domain/program/migration/migration.ts";
import { sourceIds } from "./domain/program/migration/source-id.ts";
import { dayRates } from "./domain/ledger/rate.ts";
import { originNames, subIdNames } from "./domain/people/origin.ts";
import { paymentConnections } from "./domain/ledger/payment/connection.ts";
import { paymentGroups } from "./domain/ledger/payment/group.ts";
import { paymentOrders, payments, payoutClaims } from "./domain/ledger/payment/payment.ts";
import { stripeAccounts } from "./domain/ledger/payment/stripe-account.ts";
import { paymentsBatches } from "./domain/ledger/payments-batch/batch.ts";
import { payoutHolds } from "./domain/ledger/payout-method/changes.ts";
import { payoutMethods } from "./domain/ledger/payout-method/payout-method.ts";
import { payoutRuns } from "./domain/ledger/payout-run/payout-run.ts";
import { payouts } from "./domain/ledger/payout/payout.ts";
import { productPrices, products } from "./domain/program/product.ts";
import { promoCodes } from "./domain/people/promo-code/promo-code.ts";
import {
  promoterCampaigns,
  forgottenTokens,
  refTokens,
} from "./domain/people/promoter-campaign/promoter-campaign.ts";
import { archivedStates } from "./domain/people/promoter/changes.ts";
import { mailboxes, promoters } from "./domain/people/promoter/promoter.ts";
import { ownLinks } from "./domain/people/referral-link.ts";
import { rewards } from "./domain/program/reward/reward.ts";
import { instalments } from "./domain/ledger/sale/instalment.ts";
import { salePayments } from "./domain/ledger/sale/payment.ts";
import { cancellations, refunds, sales } from "./domain/ledger/sale/sale.ts";
import { waitingEvents } from "./domain/ledger/sale/waiting.ts";
import { savedViews } from "./domain/access/saved-view.ts";
import { sessions } from "./domain/access/session.ts";
import { serverSetups, sightings } from "./domain/people/sighting.ts";
import { mailedLinks, switches } from "./domain/switch/switch.ts";
import { userLinks } from "./domain/access/user/sign-in.ts";
import { users } from "./domain/access/user/user.ts";
import { pastClicks, visitors } from "./domain/people/visitor/visitor.ts";
import { deliveries, lanes } from "./domain/events/webhook/delivery.ts";
import { webhooks } from "./domain/events/webhook/webhook.ts";
import { leases } from "./process/lease.ts";
import { freezes } from "./storage/freeze.ts";
import { sumTablesOf, type SumTable } from "./storage/sums.ts";
import type { Table } from "./storage/table.ts";

/** A record of any kind. */
export interface AnyRecord {
  account_id: number;
}
export type AnyTable = Table<AnyRecord>;

/** Every table of a store, in alphabetical order. A test compares the list with the code. */
export const TABLES: readonly AnyTable[] = [
  accounts,
  apiKeys,
  archivedStates,
  assets,
  assetCategories,
  auditEntries,
  batchProcesses,
  billingConnections,
  billingObjects,
  bookEntries,
  campaigns,
  cancellations,
  commissions,
  companyEmails,
  contracts,
  contractDocuments,
  contractVersions,
  csvImports,
  csvParts,
  customStatuses,
  dayRates,
  deliveries,
  emailLayouts,
  emailRuns,
  erasureCounts,
  facts,
  firstStarts,
  forgottenTokens,
  freezes,
  commissionSources,
  instalments,
  invoices,
  invoiceAgreements,
  invoiceSeries,
  invoiceTexts,
  invoicedPayouts,
  lanes,
  leads,
  statusesOfLeads,
  leadHours,
  leases,
  wantedEvents,
  mailboxes,
  mailedLinks,
  migrations,
  migrationReports,
  originNames,
  ownLinks,
  pastClicks,
  payments,
  paymentConnections,
  paymentGroups,
  paymentOrders,
  paymentsBatches,
  payouts,
  payoutClaims,
  payoutHolds,
  payoutMethods,
  payoutRuns,
  plannedEmails,
  products,
  productPrices,
  promoCodes,
  promoters,
  promoterAddresses,
  promoterCampaigns,
  receivedEvents,
  refTokens,
  refunds,
  rewards,
  sales,
  salePayments,
  savedViews,
  sentEmails,
  serverSetups,
  sessions,
  sightings,
  sourceIds,
  stripeAccounts,
  subIdNames,
  switches,
  taxDetails,
  unfinishedErasures,
  unsubscriptions,
  users,
  userLinks,
  visitors,
  waitingCancellations,
  waitingEvents,
  waitingRefunds,
  webhooks,
] as unknown as AnyTable[];

/** The tables of sums that their records add to. */
export const SUM_TABLES: readonly SumTable[] = sumTablesOf(TABLES as unknown as Table<never>[]);

const byName = new Map(TABLES.map((each) => [each.name, each]));

/** The table of this name, or null. */
export function tableNamed(name: string): AnyTable | null {
  return byName.get(name) ?? null;
}

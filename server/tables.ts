import { accounts } from "./domain/account/account.ts";
import { apiKeys } from "./domain/account/api-key.ts";
import { firstStarts } from "./domain/account/creation.ts";
import { assetCategories, assets } from "./domain/asset/asset.ts";
import { auditEntries } from "./domain/audit/audit.ts";
import { batchProcesses } from "./domain/batch/batch.ts";
import { csvImports, csvParts } from "./domain/batch/csv-import.ts";
import { billingConnections } from "./domain/billing/connection.ts";
import { billingObjects } from "./domain/billing/object.ts";
import { waitingCancellations, waitingRefunds } from "./domain/billing/waiting.ts";
import { campaigns } from "./domain/campaign/campaign.ts";
import { commissions, commissionSources } from "./domain/commission/commission.ts";
import { unsubscriptions } from "./domain/email/email.ts";
import { erasureCounts, unfinishedErasures } from "./domain/erasure/erased.ts";
import { facts, wantedEvents } from "./domain/event/event.ts";
import { leads } from "./domain/lead/lead.ts";
import { promoterAddresses } from "./domain/lead/suspicion.ts";
import { migrationReports, migrations } from "./domain/migration/migration.ts";
import { sourceIds } from "./domain/migration/source-id.ts";
import { dayRates } from "./domain/money/rate.ts";
import { originNames, subIdNames } from "./domain/origin/origin.ts";
import { paymentConnections } from "./domain/payment/connection.ts";
import { paymentOrders, payments, payoutClaims } from "./domain/payment/payment.ts";
import { paymentsBatches } from "./domain/payments-batch/batch.ts";
import { payoutMethods } from "./domain/payout-method/payout-method.ts";
import { payoutRuns } from "./domain/payout-run/run.ts";
import { payouts } from "./domain/payout/payout.ts";
import { productPrices, products } from "./domain/product/product.ts";
import { promoCodes } from "./domain/promo-code/promo-code.ts";
import { promoterCampaigns } from "./domain/promoter-campaign/promoter-campaign.ts";
import { forgottenTokens, refTokens } from "./domain/promoter-campaign/ref-token.ts";
import { archivedStates } from "./domain/promoter/changes.ts";
import { mailboxes, promoters } from "./domain/promoter/promoter.ts";
import { ownLinks } from "./domain/referral-link/referral-link.ts";
import { rewards } from "./domain/reward/reward.ts";
import { instalments } from "./domain/sale/instalment.ts";
import { salePayments } from "./domain/sale/payment.ts";
import { cancellations, refunds, sales } from "./domain/sale/sale.ts";
import { waitingEvents } from "./domain/sale/waiting.ts";
import { sessions } from "./domain/session/session.ts";
import { serverSetups, sightings } from "./domain/sighting/sighting.ts";
import { mailedLinks } from "./domain/switch/new-links.ts";
import { switches } from "./domain/switch/switch.ts";
import { userLinks } from "./domain/user/sign-in.ts";
import { users } from "./domain/user/user.ts";
import { pastClicks, visitors } from "./domain/visitor/visitor.ts";
import { deliveries, lanes } from "./domain/webhook/delivery.ts";
import { webhooks } from "./domain/webhook/webhook.ts";
import { leases } from "./process/lease.ts";
import { freezes } from "./storage/freeze.ts";
import { sumTablesOf, type SumTable } from "./storage/sums.ts";
import type { Table } from "./storage/table.ts";

/** A record of any kind. */
export interface AnyRecord {
  accountId: number;
}
export type AnyTable = Table<AnyRecord>;

/** Every table of a store, in the order of their names. A test compares the list with the code. */
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
  campaigns,
  cancellations,
  commissions,
  csvImports,
  csvParts,
  dayRates,
  deliveries,
  erasureCounts,
  facts,
  firstStarts,
  forgottenTokens,
  freezes,
  commissionSources,
  instalments,
  lanes,
  leads,
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
  paymentOrders,
  paymentsBatches,
  payouts,
  payoutClaims,
  payoutMethods,
  payoutRuns,
  products,
  productPrices,
  promoCodes,
  promoters,
  promoterAddresses,
  promoterCampaigns,
  refTokens,
  refunds,
  rewards,
  sales,
  salePayments,
  serverSetups,
  sessions,
  sightings,
  sourceIds,
  subIdNames,
  switches,
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

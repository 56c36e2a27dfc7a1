import { accounts } from "../domain/account/account.ts";
import { firstStarts } from "../domain/account/first-account.ts";
import { apiKeys } from "../domain/account/api-key.ts";
import { auditEntries } from "../domain/audit/audit.ts";
import { batchProcesses } from "../domain/batch/batch.ts";
import { billingConnections } from "../domain/billing/connection.ts";
import { billingObjects } from "../domain/billing/object.ts";
import { waitingCancellations } from "../domain/billing/waiting-cancellation.ts";
import { waitingRefunds } from "../domain/billing/waiting-refund.ts";
import { campaigns } from "../domain/campaign/campaign.ts";
import { commissions } from "../domain/commission/commission.ts";
import { commissionSources } from "../domain/commission/source.ts";
import { deliveries, lanes } from "../domain/webhook/delivery.ts";
import { erasureCounts } from "../domain/erasure/count.ts";
import { unfinishedErasures } from "../domain/erasure/unfinished.ts";
import { dayRates } from "../domain/money/rate.ts";
import { facts, wantedEvents } from "../domain/event/event.ts";
import { leads } from "../domain/lead/lead.ts";
import { mailboxes } from "../domain/promoter/mailbox.ts";
import { pastClicks } from "../domain/visitor/past-clicks.ts";
import { paymentsBatches } from "../domain/payments-batch/batch.ts";
import { originNames } from "../domain/origin/origin.ts";
import { subIdNames } from "../domain/origin/sub-id.ts";
import { payoutMethods } from "../domain/payout-method/payout-method.ts";
import { payouts } from "../domain/payout/payout.ts";
import { productPrices, products } from "../domain/product/product.ts";
import { payoutRuns } from "../domain/payout-run/run.ts";
import { promoCodes } from "../domain/promo-code/promo-code.ts";
import { archivedStates } from "../domain/promoter/archiving.ts";
import { promoterCampaigns } from "../domain/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../domain/promoter/promoter.ts";
import { forgottenTokens, refTokens } from "../domain/promoter-campaign/ref-token.ts";
import { ownLinks } from "../domain/referral-link/own-link.ts";
import { rewards } from "../domain/reward/reward.ts";
import { instalments } from "../domain/sale/instalment.ts";
import { salePayments } from "../domain/sale/payment.ts";
import { cancellations, refunds, sales } from "../domain/sale/sales.ts";
import { waitingEvents } from "../domain/sale/waiting.ts";
import { serverSetups, sightings } from "../domain/sighting/sighting.ts";
import { sessions } from "../domain/session/session.ts";
import { promoterAddresses } from "../domain/lead/suspicion.ts";
import { unsubscriptions } from "../domain/email/unsubscription.ts";
import { userLinks } from "../domain/user/link.ts";
import { users } from "../domain/user/user.ts";
import { visitors } from "../domain/visitor/visitor.ts";
import { webhooks } from "../domain/webhook/webhooks.ts";
import { leases } from "../process/lease.ts";
import { derivedOf, type Collection } from "../storage/collection.ts";
import { readSum } from "../storage/driver.ts";
import { freezes } from "../storage/freeze.ts";
import { decodeKey, type Key } from "../storage/keys.ts";

/** A record of any kind. */
export interface AnyRecord {
  accountId: number;
}
export type AnyCollection = Collection<AnyRecord>;

/**
 * Every kind of record that a store holds. Exports lose any kind that is missing here; a test compares it
 * with the code.
 */
export const COLLECTIONS = [
  accounts,
  apiKeys,
  archivedStates,
  auditEntries,
  batchProcesses,
  billingConnections,
  billingObjects,
  campaigns,
  cancellations,
  commissions,
  commissionSources,
  dayRates,
  deliveries,
  erasureCounts,
  facts,
  firstStarts,
  forgottenTokens,
  freezes,
  instalments,
  lanes,
  leads,
  leases,
  wantedEvents,
  mailboxes,
  originNames,
  ownLinks,
  pastClicks,
  paymentsBatches,
  payoutMethods,
  payoutRuns,
  payouts,
  productPrices,
  products,
  promoCodes,
  promoterAddresses,
  promoterCampaigns,
  promoters,
  refTokens,
  refunds,
  rewards,
  salePayments,
  sales,
  serverSetups,
  sessions,
  sightings,
  subIdNames,
  unfinishedErasures,
  unsubscriptions,
  userLinks,
  users,
  visitors,
  waitingCancellations,
  waitingEvents,
  waitingRefunds,
  webhooks,
] as unknown as AnyCollection[];

const byName = new Map(COLLECTIONS.map((each) => [each.name, each]));

/** The kinds of entries in a store. */
export type Kind =
  /** A record of this collection. */
  | { kind: "record"; from: AnyCollection }
  /** A claim, or an entry of an index. */
  | { kind: "pointer"; from: AnyCollection }
  | { kind: "counter" }
  /** The layout mark and the next ids. */
  | { kind: "system" }
  | { kind: "unknown" };

/** The collection of this name, or null. */
export function collectionNamed(name: string): AnyCollection | null {
  return byName.get(name) ?? null;
}

/** The kinds by the names in keys, in their encoded form. The names come from the code, so they are few. */
const knownKinds = new Map<string, Kind>();

/** Tells an entry's kind by its key. */
export function kindOf(key: string): Kind {
  const [account = "", name = ""] = key.split(":", 2);
  const known = knownKinds.get(name);
  if (known !== undefined) return known;
  const kind = kindNamed(decodeKey(`${account}:${name}`));
  // Those of the system are no names of other accounts.
  if (kind.kind !== "system" && kind.kind !== "unknown") knownKinds.set(name, kind);
  return kind;
}

function kindNamed([accountId, name]: Key): Kind {
  const text = String(name);
  const records = byName.get(text);
  if (records !== undefined) return { kind: "record", from: records };
  if (text.endsWith("=")) return { kind: "counter" };
  if (accountId === 0 && (text === "ids" || text === "layout")) return { kind: "system" };
  const from = byName.get(text.replace(/[./].*/, ""));
  return from === undefined ? { kind: "unknown" } : { kind: "pointer", from };
}

/** What is damaged about an entry, and what to do, in a sentence. null: it can be read. */
export function damageOf(key: string, text: string): string | null {
  const sorted = kindOf(key);
  const which = `the value of ${JSON.stringify(decodeKey(key))} is damaged`;
  try {
    if (sorted.kind === "counter") readSum(text);
    else if (sorted.kind === "record") derivedOf(sorted.from, JSON.parse(text) as AnyRecord);
    else if (!Array.isArray(JSON.parse(text)) && sorted.kind === "pointer") throw new TypeError("no pointer");
    return null;
  } catch {
    const isMadeAgain = sorted.kind === "counter" || sorted.kind === "pointer";
    return `${which}: ${isMadeAgain ? "`tidemark rebuild` makes it again" : "restore a backup that has it"}`;
  }
}

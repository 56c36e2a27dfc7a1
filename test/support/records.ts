import { leadHours } from "../../server/domain/people/mailing/digest.ts";
import { plannedEmails } from "../../server/domain/people/mailing/mailing.ts";
import { accounts } from "../../server/domain/program/account/account.ts";
import { apiKeys } from "../../server/domain/program/account/api-key.ts";
import { auditEntries } from "../../server/domain/access/audit/audit.ts";
import { csvImports, csvParts } from "../../server/domain/batch.ts";
import { campaigns } from "../../server/domain/program/campaign/campaign.ts";
import { commissions } from "../../server/domain/ledger/commission/commission.ts";
import { unsubscriptions } from "../../server/domain/events/email.ts";
import { unfinishedErasures } from "../../server/domain/people/erased.ts";
import { facts } from "../../server/domain/events/event.ts";
import { leads } from "../../server/domain/people/lead/lead.ts";
import { promoterAddresses } from "../../server/domain/people/lead/suspicion.ts";
import { migrations } from "../../server/domain/program/migration/migration.ts";
import { originNames, subIdNames } from "../../server/domain/people/origin.ts";
import { payments } from "../../server/domain/ledger/payment/payment.ts";
import { paymentsBatches } from "../../server/domain/ledger/payments-batch/batch.ts";
import { payoutHolds } from "../../server/domain/ledger/payout-method/changes.ts";
import { payoutMethods } from "../../server/domain/ledger/payout-method/payout-method.ts";
import { payoutRuns } from "../../server/domain/ledger/payout-run/payout-run.ts";
import { payouts } from "../../server/domain/ledger/payout/payout.ts";
import { productPrices, products } from "../../server/domain/program/product.ts";
import { promoCodes } from "../../server/domain/people/promo-code/promo-code.ts";
import { promoterCampaigns } from "../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import { archivedStates } from "../../server/domain/people/promoter/changes.ts";
import { promoters } from "../../server/domain/people/promoter/promoter.ts";
import { rewards } from "../../server/domain/program/reward/reward.ts";
import { instalments } from "../../server/domain/ledger/sale/instalment.ts";
import { refunds, sales } from "../../server/domain/ledger/sale/sale.ts";
import { sightings } from "../../server/domain/people/sighting.ts";
import { users } from "../../server/domain/access/user/user.ts";
import { pastClicks, visitors } from "../../server/domain/people/visitor/visitor.ts";
import { deliveries, lanes } from "../../server/domain/events/webhook/delivery.ts";
import { openStore } from "../../server/storage/open.ts";
import type { Store } from "../../server/storage/store.ts";
import type { KeyPart, Table } from "../../server/storage/table.ts";
import { TABLES } from "../../server/tables.ts";
import { TEST_SEAL } from "./memory-engine.ts";

/** The records that tests look at or change without an operation, each with the noun that names it. */
const NOUNS = {
  account: accounts,
  apiKey: apiKeys,
  archivedState: archivedStates,
  auditEntry: auditEntries,
  campaign: campaigns,
  commission: commissions,
  csvImport: csvImports,
  csvPart: csvParts,
  delivery: deliveries,
  fact: facts,
  instalment: instalments,
  lane: lanes,
  lead: leads,
  leadHour: leadHours,
  migration: migrations,
  originName: originNames,
  pastClick: pastClicks,
  paymentsBatch: paymentsBatches,
  payout: payouts,
  payment: payments,
  payoutHold: payoutHolds,
  payoutMethod: payoutMethods,
  payoutRun: payoutRuns,
  product: products,
  plannedEmail: plannedEmails,
  productPrice: productPrices,
  promoCode: promoCodes,
  promoter: promoters,
  promoterAddress: promoterAddresses,
  promoterCampaign: promoterCampaigns,
  refund: refunds,
  reward: rewards,
  sale: sales,
  sighting: sightings,
  subIdName: subIdNames,
  unfinishedErasure: unfinishedErasures,
  unsubscription: unsubscriptions,
  user: users,
  visitor: visitors,
};

export type Noun = keyof typeof NOUNS;
/** A record as its table keeps it. */
export type RecordOf<N extends Noun> = Parameters<NonNullable<(typeof NOUNS)[N]["owner"]>>[0];

/** Kept for the whole server, not for one account. */
const OF_SERVER: ReadonlySet<Noun> = new Set(["account", "apiKey", "delivery", "fact", "lane", "user"]);

/** The records of an account, for what no operation shows or makes. Operations are the first choice. */
export interface Records {
  /** The record with this key, or null. */
  get<N extends Noun>(noun: N, ...key: KeyPart[]): Promise<RecordOf<N> | null>;
  /** All records of a noun, in the order of their keys. */
  all<N extends Noun>(noun: N): Promise<RecordOf<N>[]>;
  count(noun: Noun): Promise<number>;
  /** Writes records, new or not, in one commit. */
  put<N extends Noun>(noun: N, ...records: RecordOf<N>[]): Promise<void>;
  /** Changes some fields of a record. Resolves to the whole. */
  change<N extends Noun>(
    noun: N,
    key: KeyPart | KeyPart[],
    changes: Partial<RecordOf<N>>,
  ): Promise<RecordOf<N>>;
  remove(noun: Noun, ...key: KeyPart[]): Promise<void>;
}

/** The records of an account in a store. */
export function recordsIn(store: Store, accountId: number): Records {
  const owner = (noun: Noun) => (OF_SERVER.has(noun) ? 0 : accountId);
  const tableOf = <N extends Noun>(noun: N) => NOUNS[noun] as unknown as Table<RecordOf<N>>;
  return {
    get: (noun, ...key) => store.get(tableOf(noun), owner(noun), ...key),
    async all(noun) {
      const found = [];
      for await (const chunk of store.scan(tableOf(noun), "id", owner(noun), [])) found.push(...chunk);
      return found;
    },
    count: (noun) => store.count(tableOf(noun), "id", owner(noun), []),
    put: (noun, ...records) =>
      store.transact(async (tx) => {
        for (const record of records) await tx.put(tableOf(noun), record);
      }),
    change: (noun, key, changes) =>
      store.transact(async (tx) => {
        const before = await tx.get(tableOf(noun), owner(noun), ...[key].flat());
        if (before === null) throw new Error(`There is no ${noun} ${[key].flat().join(" ")}`);
        const after = { ...before, ...changes };
        await tx.put(tableOf(noun), after);
        return after;
      }),
    remove: (noun, ...key) => store.transact((tx) => tx.remove(tableOf(noun), owner(noun), ...key)),
  };
}

/** Opens the store at an address, beside its servers. */
export function storeAt(url: string, options: { connections?: number } = {}): Promise<Store> {
  return openStore(url, { tables: TABLES, seal: TEST_SEAL, ...options });
}

/** Writes records into the store at an address, which needs no account. */
export async function putRecords<N extends Noun>(
  url: string,
  noun: N,
  ...records: RecordOf<N>[]
): Promise<void> {
  const store = await storeAt(url);
  await recordsIn(store, 0).put(noun, ...records);
  await store.close();
}

/** Reads or changes the first account's records in the store at an address. */
export async function withRecords<T>(url: string, work: (records: Records) => Promise<T>): Promise<T> {
  const store = await storeAt(url);
  try {
    const [account] = await store.page(accounts, "id", 0, [], { limit: 1 });
    return await work(recordsIn(store, account!.id));
  } finally {
    await store.close();
  }
}

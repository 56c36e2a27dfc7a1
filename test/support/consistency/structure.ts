import { accounts } from "../../../server/domain/account.ts";
import { apiKeys } from "../../../server/domain/api-key.ts";
import { batchProcesses } from "../../../server/domain/batch-process.ts";
import { campaigns } from "../../../server/domain/campaign.ts";
import { commissions } from "../../../server/domain/commission.ts";
import { deliveries, lanes } from "../../../server/domain/delivery.ts";
import { facts, listenings } from "../../../server/domain/event.ts";
import { leads } from "../../../server/domain/lead.ts";
import { mailboxes } from "../../../server/domain/mailbox.ts";
import { pastClicks } from "../../../server/domain/past-clicks.ts";
import { payoutMethods } from "../../../server/domain/payout-method.ts";
import { payouts } from "../../../server/domain/payout.ts";
import { promoCodes } from "../../../server/domain/promo-code.ts";
import { archivedStates } from "../../../server/domain/promoter-archive.ts";
import { promoterCampaigns } from "../../../server/domain/promoter-campaign.ts";
import { promoters } from "../../../server/domain/promoter.ts";
import { refTokens } from "../../../server/domain/ref-token.ts";
import { rewards } from "../../../server/domain/reward.ts";
import { promoterAddresses } from "../../../server/domain/suspicion.ts";
import { visitors } from "../../../server/domain/visitor.ts";
import { webhooks } from "../../../server/domain/webhook-list.ts";
import { leases } from "../../../server/outbox/lease.ts";
import {
  claimKeyOf,
  counterKey,
  indexKeyOf,
  recordKey,
  type Collection,
} from "../../../server/storage/collection.ts";
import { readSum } from "../../../server/storage/driver.ts";
import { decodeKey, encodeKey } from "../../../server/storage/keys.ts";
import type { Entry } from "../../../server/storage/snapshot.ts";

type Stored = { accountId: number };

/** Every kind of record that claims, is listed or is counted, or that others point to. */
export const COLLECTIONS = [
  accounts,
  apiKeys,
  archivedStates,
  batchProcesses,
  campaigns,
  commissions,
  deliveries,
  facts,
  lanes,
  leads,
  leases,
  listenings,
  mailboxes,
  pastClicks,
  payoutMethods,
  payouts,
  promoCodes,
  promoterAddresses,
  promoterCampaigns,
  promoters,
  refTokens,
  rewards,
  visitors,
  webhooks,
] as unknown as Collection<Stored>[];
/** Kinds of record that nothing hangs on. */
const PLAIN = new Set([
  "erasure-count",
  "first-start",
  "forgotten-token",
  "imported-commission",
  "layout",
  "server-setup",
  "sighting",
  "unsubscription",
]);

/** All records of one kind. */
export type RecordsOf = <R extends Stored>(from: Collection<R>) => R[];

/** A store's records by kind. */
export interface Holdings {
  of: RecordsOf;
  /** The first id of each kind that was not leased yet. */
  nextIds: Map<string, number>;
}

/** Sorts out what a store holds; whatever does not hang together is told to `report`. */
export function readHoldings(entries: Entry[], report: (fault: string) => void): Holdings {
  const records = new Map<string, Stored[]>();
  const nextIds = new Map<string, number>();
  const derived = new Map<string, string>();
  for (const [key, text] of entries) {
    const parts = decodeKey(key.split(":", 4).join(":"));
    const name = String(parts[1]);
    const known = COLLECTIONS.find((from) => from.name === name);
    if (known !== undefined) {
      const record = JSON.parse(text) as Stored;
      if (recordKey(known, record.accountId, known.id(record)) !== key) report(`${key} holds another record`);
      const others = records.get(name);
      if (others === undefined) records.set(name, [record]);
      else others.push(record);
    } else if (name === "ids") {
      nextIds.set(String(parts[2]), (JSON.parse(text) as { next: number }).next);
    } else if (!PLAIN.has(name)) derived.set(key, text);
  }
  const of = <R extends Stored>({ name }: Collection<R>) => (records.get(name) ?? []) as R[];
  compareDerived(of, derived, report);
  return { of, nextIds };
}

/** Claims, index entries and counters are exactly those that the records make. */
function compareDerived(of: RecordsOf, derived: Map<string, string>, report: (fault: string) => void): void {
  const expected = new Map<string, string>();
  const sums = new Map<string, number>();
  for (const from of COLLECTIONS) {
    for (const record of of(from)) {
      const pointer = JSON.stringify(from.id(record));
      const label = `${from.name} ${JSON.stringify(from.id(record))}`;
      for (const claim of Object.keys(from.claims)) {
        const key = claimKeyOf(from, claim, record);
        if (key === null) continue;
        if (expected.has(key)) report(`${label} claims ${claim}, as another does`);
        expected.set(key, pointer);
      }
      for (const index of Object.keys(from.indexes)) {
        const key = indexKeyOf(from, index, record);
        if (key !== null) expected.set(key, pointer);
      }
      for (const [counter, amount] of from.counts?.(record) ?? []) {
        const key = encodeKey(counterKey(record.accountId, counter));
        sums.set(key, (sums.get(key) ?? 0) + amount);
      }
    }
  }
  for (const [key, pointer] of expected) {
    if (derived.get(key) !== pointer) report(`${key} should hold ${pointer} and holds ${derived.get(key)}`);
  }
  for (const [key, sum] of sums) {
    const found = readSum(derived.get(key));
    if (found !== sum) report(`${readable(key)} counts ${found} of ${sum}`);
  }
  for (const [key, text] of derived) {
    const isCounter = /"sum":/.test(text);
    const isFounded = isCounter ? sums.has(key) || readSum(text) === 0 : expected.has(key);
    if (!isFounded) report(`${readable(key)} holds ${text}, for no record`);
  }
}

/** A key as people read it. */
export function readable(key: string): string {
  return JSON.stringify(decodeKey(key));
}

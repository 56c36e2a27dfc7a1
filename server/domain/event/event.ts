import type { Reader, Transaction } from "../../storage/store.ts";
import { table, type Table } from "../../storage/table.ts";
import { SYSTEM, type Context } from "../context.ts";
import {
  balanceBefore,
  balanceMoves,
  earned,
  loadBalance,
  paid,
  type BalanceMove,
} from "../commission/balance.ts";
import { commissions } from "../commission/commission.ts";
import { leads } from "../lead/lead.ts";
import { paymentsBatches } from "../payments-batch/batch.ts";
import { payoutMethods } from "../payout-method/payout-method.ts";
import { payouts } from "../payout/payout.ts";
import { promoCodes } from "../promo-code/promo-code.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import {
  BALANCE_EVENT,
  causeOf,
  eventTypesOf,
  isConfirmation,
  v1EventTypesOf,
  type BalanceChange,
  type Entity,
  type EntityRecords,
  type RecordChange,
} from "./event-type.ts";

/**
 * Records that a record was created, changed or deleted. It is written in the same commit, and removed once its
 * deliveries are made. A created record is copied into it only when it changes again. Until then the record itself
 * tells what was created.
 */
export interface Fact {
  accountId: typeof SYSTEM;
  ownerId: number;
  entity: Entity;
  entityId: number;
  /** Numbers the waiting facts of one entity. */
  number: number;
  at: string;
  /** null: the record is new. */
  before: EntityRecords[Entity] | null;
  /** null: the record was deleted. If `before` is null too, the record itself has the data. */
  after: EntityRecords[Entity] | null;
  /** If only the promoter's balance changed: how. Otherwise absent, and `before` and `after` tell the change. */
  balance?: BalanceChange;
}

/**
 * Events that wait to be sent, of all accounts, because one process sends them all. Each sign-up writes one, so they
 * are small and have no index besides the id.
 */
export const facts = table<Fact>()({
  name: "fact",
  key: ["owner_id", "entity", "entity_id", "number"],
  columns: { owner_id: "integer", entity: "text", entity_id: "integer", number: "integer", at: "text" },
  owner: ({ ownerId }) => ownerId,
});

/**
 * The event types that somebody in an account wants. Written with webhooks and campaigns. Absent if there never were
 * any.
 */
interface WantedEvents {
  accountId: number;
  eventTypes: string[];
  /** Grows with each write, so that two simultaneous writers conflict. */
  version: number;
}

export const wantedEvents = table<WantedEvents>()({
  name: "listening",
  columns: { id: ["integer", () => 1] },
});

/** The number of an entity's first waiting fact. */
const FIRST = 1;

/**
 * Records a change as a fact, in the same commit, if somebody wants its event. The same transaction must read and
 * write the changed record, so that two commits can't use one number.
 */
export async function announce(
  tx: Transaction,
  { now, isHistory = false }: Pick<Context, "now" | "isHistory">,
  change: RecordChange,
): Promise<void> {
  const { entity, before, after } = change;
  const record = after ?? before;
  if (record === null || isHistory) return;
  // Receivers know an archived lead as deleted.
  if (change.entity === "referral" && change.before?.archivedAt) return;
  const wanted = await tx.get(wantedEvents, record.accountId, 1);
  if (wanted === null) return;
  if (wanted.eventTypes.includes(BALANCE_EVENT)) await announceBalances(tx, now, change);
  const key = [record.accountId, entity, record.id] as const;
  if (before !== null) await writeDown(tx, key, before);
  if (!isWanted(wanted, change)) return;
  await tx.insert(facts, {
    accountId: SYSTEM,
    ownerId: record.accountId,
    entity,
    entityId: record.id,
    // A new record can't have other facts waiting.
    number: before === null ? FIRST : await nextNumber(tx, key),
    at: now.toISOString(),
    before,
    after: before === null ? null : after,
  });
}

/** The change that a fact is about. null: its record is gone. */
export async function recordChangeOf(reader: Reader, fact: Fact): Promise<RecordChange | null> {
  const { entity, before, after } = fact;
  if (before !== null || after !== null) return fact as Fact & RecordChange;
  const made = await recordOf(reader, entity, fact);
  return made && ({ entity, before, after: made } as RecordChange);
}

/** A fact about a balance, and what its transaction has added to the balance so far. */
interface BalanceFact {
  fact: Fact;
  moves: BalanceMove[];
}

/** The facts about balances that a transaction has written, by promoter. */
const balanceFacts = new WeakMap<Transaction, Map<number, BalanceFact>>();

/**
 * Records what a change adds to the balances of promoters. All changes of one commit to one balance are one fact. The records
 * are added up after each change, because the transaction may have written some that it has not announced yet.
 */
async function announceBalances(tx: Transaction, now: Date, change: RecordChange): Promise<void> {
  const accountId = (change.after ?? change.before)?.accountId;
  if (accountId === undefined) return;
  const own = balanceFacts.get(tx) ?? new Map<number, BalanceFact>();
  balanceFacts.set(tx, own);
  const moves = movesOf(change);
  for (const promoterId of new Set(moves.map((move) => move.promoterId))) {
    const known = own.get(promoterId);
    const fact = known?.fact ?? (await newBalanceFact(tx, now, { accountId, promoterId }));
    if (fact === null) continue;
    const all = [...(known?.moves ?? []), ...moves.filter((move) => move.promoterId === promoterId)];
    const after = await loadBalance(tx.view, accountId, promoterId);
    await tx.put(facts, { ...fact, balance: { before: balanceBefore(after, all), after } });
    own.set(promoterId, { fact, moves: all });
  }
}

function movesOf(change: RecordChange): BalanceMove[] {
  if (change.entity === "commission") return balanceMoves(earned, change);
  return change.entity === "payout" ? balanceMoves(paid, change) : [];
}

/**
 * A new fact about a balance. Other commits that change the balance wait for this one, so that each begins where the one before
 * ended. null: the promoter is gone.
 */
async function newBalanceFact(
  tx: Transaction,
  now: Date,
  { accountId, promoterId }: { accountId: number; promoterId: number },
): Promise<Fact | null> {
  const promoter = await tx.lock(promoters, accountId, promoterId);
  if (promoter === null) return null;
  const key = [accountId, "promoter", promoterId] as const;
  await writeDown(tx, key, promoter);
  return {
    accountId: SYSTEM,
    ownerId: accountId,
    entity: "promoter",
    entityId: promoterId,
    number: await nextNumber(tx, key),
    at: now.toISOString(),
    before: promoter,
    after: promoter,
  };
}

/** The account, the kind and the id of the record that a fact is about. */
type EntityKey = readonly [ownerId: number, entity: Entity, entityId: number];

/**
 * If the fact that a record was created still waits, writes the record's first state into it.
 *
 * Choice: imports and erasures don't announce their changes and don't do this. The event then shows the record as
 * they left it.
 */
async function writeDown(tx: Transaction, key: EntityKey, asMade: EntityRecords[Entity]): Promise<void> {
  const fact = await tx.get(facts, SYSTEM, ...key, FIRST);
  if (fact?.before === null && fact.after === null) await tx.put(facts, { ...fact, after: asMade });
}

/** The number for the next fact of an entity, after those that still wait. */
async function nextNumber(tx: Transaction, key: EntityKey): Promise<number> {
  const [last] = await tx.view.page(facts, "id", SYSTEM, key, { limit: 1, reverse: true });
  return (last?.number ?? 0) + 1;
}

function isWanted({ eventTypes }: WantedEvents, change: RecordChange): boolean {
  const { before, after } = change;
  if (before !== null && after !== null && JSON.stringify(before) === JSON.stringify(after)) return false;
  if (isConfirmation(change)) return true;
  if (eventTypesOf(change).some((type) => eventTypes.includes(type))) return true;
  return v1EventTypesOf(change).some((type) => eventTypes.includes(causeOf(type)));
}

const COLLECTIONS: { [E in Entity]: Table<EntityRecords[E]> } = {
  commission: commissions,
  payments_batch: paymentsBatches,
  payout: payouts,
  payout_method: payoutMethods,
  promo_code: promoCodes,
  promoter: promoters,
  promoter_campaign: promoterCampaigns,
  referral: leads,
};

function recordOf<E extends Entity>(
  reader: Reader,
  entity: E,
  { ownerId, entityId }: Fact,
): Promise<EntityRecords[E] | null> {
  return reader.get<EntityRecords[E]>(COLLECTIONS[entity], ownerId, entityId);
}

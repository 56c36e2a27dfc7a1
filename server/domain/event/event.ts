import { SYSTEM } from "../account/record.ts";
import type { Entity, EntityRecords, Fact, WantedEvents } from "./record.ts";
import { collection } from "../../storage/collection.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { balanceMoves, loadBalance, movedBalance, type BalanceMove } from "../commission/balance.ts";
import { commissions } from "../commission/commission.ts";
import { payouts } from "../payout/payout.ts";
import { promoters } from "../promoter/promoter.ts";
import { BALANCE_EVENT, eventTypesOf, type RecordChange, isConfirmation } from "./event-type.ts";
import { causeOf, v1EventTypesOf } from "./v1-event-type.ts";

/**
 * Events that wait to be sent, of all accounts, because one process sends them all. Each sign-up writes one, so they
 * are small and have no index besides the id.
 */
export const facts = collection<Fact>()({
  name: "fact",
  id: ({ ownerId, entity, entityId, number }) => [ownerId, entity, entityId, number],
  claims: {},
  indexes: {},
  owner: ({ ownerId }) => ownerId,
});

/** The number of an entity's first waiting fact. */
const FIRST = 1;

export const wantedEvents = collection<WantedEvents>()({
  name: "listening",
  id: () => [1],
  claims: {},
  indexes: {},
});

/**
 * Records a change as a fact, in the same commit, if somebody wants its event. The same transaction must read and
 * write the changed record, so that two commits can't use one number.
 */
export async function announce(
  tx: Transaction,
  { store, now, isHistory = false }: Pick<Context, "store" | "now" | "isHistory">,
  change: RecordChange,
): Promise<void> {
  const { entity, before, after } = change;
  const record = after ?? before;
  if (record === null || isHistory) return;
  // Receivers know an archived lead as deleted.
  if (change.entity === "referral" && change.before?.archivedAt) return;
  const wanted = await tx.get(wantedEvents, record.accountId, 1);
  if (wanted === null) return;
  if (wanted.eventTypes.includes(BALANCE_EVENT)) await announceBalances(tx, { store, now }, change);
  const key = [record.accountId, entity, record.id] as const;
  if (before !== null) await writeDown(tx, key, before);
  if (!isWanted(wanted, change)) return;
  await tx.insert(facts, {
    accountId: SYSTEM,
    ownerId: record.accountId,
    entity,
    entityId: record.id,
    // A new record can't have other facts waiting.
    number: before === null ? FIRST : await nextNumber(tx, store, key),
    at: now.toISOString(),
    before,
    after: before === null ? null : after,
  });
}

/** The facts about balances that a transaction has written, by promoter. */
const balanceFacts = new WeakMap<Transaction, Map<number, Fact>>();

/** Records what a change adds to the balances of promoters. All changes of one commit to one balance are one fact. */
async function announceBalances(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  change: RecordChange,
): Promise<void> {
  const accountId = (change.after ?? change.before)?.accountId;
  if (accountId === undefined) return;
  const own = balanceFacts.get(tx) ?? new Map<number, Fact>();
  balanceFacts.set(tx, own);
  for (const move of movesOf(change)) {
    const { promoterId } = move;
    const fact = own.get(promoterId) ?? (await newBalanceFact(tx, context, { accountId, promoterId }));
    if (fact?.balance === undefined) continue;
    const after = movedBalance(fact.balance.after, move);
    const moved = { ...fact, balance: { ...fact.balance, after } };
    await tx.put(facts, moved);
    own.set(promoterId, moved);
  }
}

function movesOf(change: RecordChange): BalanceMove[] {
  if (change.entity === "commission") return balanceMoves(commissions, change);
  return change.entity === "payout" ? balanceMoves(payouts, change) : [];
}

/** A fact about a balance that has not changed yet. null: the promoter is gone. */
async function newBalanceFact(
  tx: Transaction,
  { store, now }: Pick<Context, "store" | "now">,
  { accountId, promoterId }: { accountId: number; promoterId: number },
): Promise<Fact | null> {
  const promoter = await tx.get(promoters, accountId, promoterId);
  if (promoter === null) return null;
  const key = [accountId, "promoter", promoterId] as const;
  await writeDown(tx, key, promoter);
  const balance = await loadBalance(tx, accountId, promoterId);
  return {
    accountId: SYSTEM,
    ownerId: accountId,
    entity: "promoter",
    entityId: promoterId,
    number: await nextNumber(tx, store, key),
    at: now.toISOString(),
    before: promoter,
    after: promoter,
    balance: { before: balance, after: balance },
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
async function nextNumber(tx: Transaction, store: Store, key: EntityKey): Promise<number> {
  const [last] = await store.page(facts, "id", SYSTEM, key, { limit: 1, reverse: true });
  let number = (last?.number ?? 0) + 1;
  // The listing does not show facts that this transaction has added.
  while ((await tx.get(facts, SYSTEM, ...key, number)) !== null) number += 1;
  return number;
}

function isWanted({ eventTypes }: WantedEvents, change: RecordChange): boolean {
  const { before, after } = change;
  if (before !== null && after !== null && JSON.stringify(before) === JSON.stringify(after)) return false;
  if (isConfirmation(change)) return true;
  if (eventTypesOf(change).some((type) => eventTypes.includes(type))) return true;
  return v1EventTypesOf(change).some((type) => eventTypes.includes(causeOf(type)));
}

import type { Reader, Transaction } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import {
  balanceBefore,
  balanceMoves,
  earned,
  loadBalance,
  paid,
  type Balance,
  type BalanceMove,
} from "./commission/balance.ts";
import { commissions, type Commission } from "./commission/commission.ts";
import type { Entity } from "../events/event-type.ts";
import { announceWithBalances, facts, newBalanceFact, type Fact } from "../events/event.ts";
import { contractDocuments, type ContractDocument } from "../people/contract/document.ts";
import { leads, type Lead } from "../people/lead/lead.ts";
import { paymentsBatches, type PaymentsBatch } from "./payments-batch/batch.ts";
import { payoutMethods, type PayoutMethod } from "./payout-method/payout-method.ts";
import { payouts, type Payout } from "./payout/payout.ts";
import { promoCodes, type PromoCode } from "../people/promo-code/promo-code.ts";
import { promoterCampaigns, type PromoterCampaign } from "../people/promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../people/promoter/promoter.ts";
import type { Context } from "../context.ts";
import { book, type BookedChange } from "./books/entry.ts";

/** The record of each entity. */
interface EntityRecords {
  commission: Commission;
  contract_document: ContractDocument;
  payments_batch: PaymentsBatch;
  payout: Payout;
  payout_method: PayoutMethod;
  promo_code: PromoCode;
  promoter: Promoter;
  promoter_campaign: PromoterCampaign;
  referral: Lead;
}

/**
 * A change to one record. `before` is null if it is new, `after` if it was deleted. With a `balance`, the record is a
 * promoter and only the balance changed.
 */
export type RecordChange = {
  [E in Entity]: {
    entity: E;
    before: EntityRecords[E] | null;
    after: EntityRecords[E] | null;
    /** The balance of a promoter, before and after one commit. */
    balance?: { before: Balance; after: Balance };
    /** The first password that the request gave a new promoter. */
    temp_password?: string | undefined;
  };
}[Entity];

const TABLES: { [E in Entity]: Table<EntityRecords[E]> } = {
  commission: commissions,
  contract_document: contractDocuments,
  payments_batch: paymentsBatches,
  payout: payouts,
  payout_method: payoutMethods,
  promo_code: promoCodes,
  promoter: promoters,
  promoter_campaign: promoterCampaigns,
  referral: leads,
};

/** The change described by a fact, with the whole record, or null if its record is gone. */
export async function recordChangeOf(reader: Reader, fact: Fact): Promise<RecordChange | null> {
  const { entity, before, after, temp_password } = fact;
  // Facts are written with whole records.
  if (before !== null || after !== null) return fact as unknown as RecordChange;
  const made = await recordOf(reader, entity, fact);
  return made && ({ entity, before, after: made, temp_password } as RecordChange);
}

function recordOf<E extends Entity>(
  reader: Reader,
  entity: E,
  { owner_id, entity_id }: Fact,
): Promise<EntityRecords[E] | null> {
  return reader.get<EntityRecords[E]>(TABLES[entity], owner_id, entity_id);
}

/**
 * Books a change of a commission or a payout, and announces it with its effect on the promoter's balance.
 *
 * @see `announce`
 */
export async function announceMoney(
  tx: Transaction,
  context: Pick<Context, "now" | "isHistory">,
  change: BookedChange,
): Promise<void> {
  await book(tx, context, change);
  const announceBalances = () => writeBalances(tx, context.now, change);
  return announceWithBalances(tx, context, { change, announceBalances });
}

/** A fact about a balance, and what its transaction has added to the balance so far. */
interface BalanceFact {
  fact: Fact;
  moves: BalanceMove[];
}

/** The facts about balances that a transaction has written, by promoter. */
const balanceFacts = new WeakMap<Transaction, Map<number, BalanceFact>>();

/**
 * Records the effect of a change on the balances of promoters. All changes of one commit to one balance are
 * one fact. The records are summed after each change, because the transaction may have written some that it
 * has not announced yet.
 */
async function writeBalances(tx: Transaction, now: Date, change: BookedChange): Promise<void> {
  const accountId = (change.after ?? change.before)?.account_id;
  if (accountId === undefined) return;
  const own = balanceFacts.get(tx) ?? new Map<number, BalanceFact>();
  balanceFacts.set(tx, own);
  const moves = movesOf(change);
  for (const promoterId of new Set(moves.map((move) => move.promoter_id))) {
    const known = own.get(promoterId);
    const fact = known?.fact ?? (await newFact(tx, now, { account_id: accountId, promoter_id: promoterId }));
    if (fact === null) continue;
    const all = [...(known?.moves ?? []), ...moves.filter((move) => move.promoter_id === promoterId)];
    const after = await loadBalance(tx.view, accountId, promoterId);
    await tx.put(facts, { ...fact, balance: { before: balanceBefore(after, all), after } });
    own.set(promoterId, { fact, moves: all });
  }
}

function movesOf(change: BookedChange): BalanceMove[] {
  return change.entity === "commission" ? balanceMoves(earned, change) : balanceMoves(paid, change);
}

/**
 * A new fact about a balance. Other commits that change the balance wait for this one, so that each begins
 * where the one before ended. Null if the promoter is gone.
 */
async function newFact(
  tx: Transaction,
  now: Date,
  { account_id, promoter_id }: { account_id: number; promoter_id: number },
): Promise<Fact | null> {
  const promoter = await tx.lock(promoters, account_id, promoter_id);
  return promoter && newBalanceFact(tx, now, promoter);
}

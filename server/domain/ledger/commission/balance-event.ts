import type { Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { announceWithBalances, facts, newBalanceFact, type Fact } from "../../events/event.ts";
import { book, type BookedChange } from "../books/entry.ts";
import { promoters } from "../../people/promoter/promoter.ts";
import { balanceBefore, balanceMoves, earned, loadBalance, paid, type BalanceMove } from "./balance.ts";

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
  const accountId = (change.after ?? change.before)?.accountId;
  if (accountId === undefined) return;
  const own = balanceFacts.get(tx) ?? new Map<number, BalanceFact>();
  balanceFacts.set(tx, own);
  const moves = movesOf(change);
  for (const promoterId of new Set(moves.map((move) => move.promoterId))) {
    const known = own.get(promoterId);
    const fact = known?.fact ?? (await newFact(tx, now, { accountId, promoterId }));
    if (fact === null) continue;
    const all = [...(known?.moves ?? []), ...moves.filter((move) => move.promoterId === promoterId)];
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
  { accountId, promoterId }: { accountId: number; promoterId: number },
): Promise<Fact | null> {
  const promoter = await tx.lock(promoters, accountId, promoterId);
  return promoter && newBalanceFact(tx, now, promoter);
}

import { Failure } from "../../failure.ts";
import type { Context } from "../context.ts";
import { loadPayout } from "../payout/payout.ts";
import type { Payout } from "../payout/record.ts";
import { moveWithin } from "../payout/status-moves.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Commission } from "./record.ts";
import { loadCommission } from "./status.ts";

/**
 * Records that the promoter got something that is not money, such as credits, or takes that back: the payout of the
 * commission is completed, or pending again.
 *
 * @throws Failure `not_found`, or `refused` for money and for commissions without a payout
 */
export function setFulfilment(
  context: Context,
  accountId: number,
  { id, isFulfilled }: { id: number; isFulfilled: boolean },
): Promise<Payout> {
  return context.store.transact(async (tx) => {
    const payout = await payoutOf(tx, await loadCommission(tx, accountId, id));
    if (isFulfilled === (payout.status === "completed")) {
      throw new Failure("refused", `Commission ${id} is ${isFulfilled ? "already" : "not"} fulfilled`);
    }
    return moveWithin(tx, context, { payout, to: isFulfilled ? "completed" : "pending" });
  });
}

async function payoutOf(tx: Transaction, commission: Commission): Promise<Payout> {
  const { accountId, id, unit, status, payoutId } = commission;
  if (unit === "cash") throw new Failure("refused", `Commission ${id} is money, which payouts pay`);
  if (status !== "approved") throw new Failure("refused", `Commission ${id} is ${status}`);
  if (payoutId === null) throw new Failure("refused", `Commission ${id} has no payout yet`);
  return loadPayout(tx, accountId, payoutId);
}

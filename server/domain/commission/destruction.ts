import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { refuseSettled, withdrawFromPayouts } from "../payout/withdrawal.ts";
import { refunds, sales } from "../sale/sales.ts";
import type { Transaction } from "../../storage/store.ts";
import { commissions } from "./commission.ts";
import type { Commission } from "./record.ts";
import { loadCommission, withTakeBacks } from "./status.ts";

/**
 * Deletes a commission, together with those that take it back. They leave their pending payout.
 *
 * @throws Failure `not_found`, or `refused` if it is paid, or its payout is not pending
 */
export function destroyCommission(context: Context, accountId: number, id: number): Promise<void> {
  return context.store.transact(async (tx) => {
    const family = await withTakeBacks(tx, await loadCommission(tx, accountId, id));
    for (const each of family) await refuseSettled(tx, each);
    await withdrawFromPayouts(tx, context, family);
    for (const each of family) {
      await forget(tx, each);
      await tx.remove(commissions, accountId, each.id);
      await announce(tx, context, { entity: "commission", before: each, after: null });
    }
  });
}

/** Takes a commission off the records that name it: its sale, its refund, and the commission that it takes back. */
async function forget(
  tx: Transaction,
  { accountId, id, saleId, refundId, takesBackId }: Commission,
): Promise<void> {
  const others = (ids: number[]) => ids.filter((each) => each !== id);
  const sale = saleId === null ? null : await tx.get(sales, accountId, saleId);
  if (sale !== null) await tx.put(sales, { ...sale, commissionIds: others(sale.commissionIds) });
  const refund = refundId === null ? null : await tx.get(refunds, accountId, refundId);
  if (refund !== null) await tx.put(refunds, { ...refund, commissionIds: others(refund.commissionIds) });
  const original = takesBackId === null ? null : await tx.get(commissions, accountId, takesBackId);
  if (original !== null) {
    const { takenBackByIds, correctedByIds } = original;
    await tx.put(commissions, {
      ...original,
      takenBackByIds: others(takenBackByIds),
      ...(correctedByIds && { correctedByIds: others(correctedByIds) }),
    });
  }
}

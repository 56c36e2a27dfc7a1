import { Failure } from "../../failure.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { refuseSettled, withdrawFromPayouts } from "../payout/withdrawal.ts";
import { commissions } from "./commission.ts";
import type { Commission, CommissionStatus } from "./record.ts";

/**
 * Sets the status of a commission. The last word counts, so any status may follow any other, and a commission that
 * was held back is held no longer. Commissions that take it back get the same status, because they would otherwise
 * take back what the promoter never got.
 *
 * @throws Failure `refused` if it is paid, or its payout is not pending
 */
export async function setCommissionStatus(
  tx: Transaction,
  context: Context,
  { commission, status }: { commission: Commission; status: CommissionStatus },
): Promise<Commission> {
  const family = await withTakeBacks(tx, commission);
  for (const each of family) await refuseSettled(tx, each);
  const changing = family.filter((each) => each.status !== status);
  const leaving = status === "approved" ? changing : await withdrawFromPayouts(tx, context, changing);
  const statusUpdatedAt = context.now.toISOString();
  for (const [at, freed] of leaving.entries()) {
    const after = { ...freed, status, approveAt: null, statusUpdatedAt };
    await tx.put(commissions, after);
    await announce(tx, context, { entity: "commission", before: changing[at]!, after });
  }
  return loadCommission(tx, commission.accountId, commission.id);
}

/** Sets the status of the commission with this id, in a commit of its own. @throws Failure `not_found`, `refused` */
export function changeCommissionStatus(
  context: Context,
  accountId: number,
  { id, status }: { id: number; status: CommissionStatus },
): Promise<Commission> {
  return context.store.transact(async (tx) =>
    setCommissionStatus(tx, context, { commission: await loadCommission(tx, accountId, id), status }),
  );
}

/** @throws Failure `not_found` */
export async function loadCommission(reader: Reader, accountId: number, id: number): Promise<Commission> {
  const commission = await reader.get(commissions, accountId, id);
  if (commission === null) throw new Failure("not_found", "Commission not found.");
  return commission;
}

/** A commission, and those that take it back. */
export async function withTakeBacks(reader: Reader, commission: Commission): Promise<Commission[]> {
  const family = [commission];
  for (const id of commission.takenBackByIds) {
    const takeBack = await reader.get(commissions, commission.accountId, id);
    if (takeBack !== null) family.push(takeBack);
  }
  return family;
}

import { Failure } from "../../failure.ts";
import type { Context } from "../context.ts";
import { accounts, changeAccount } from "./account.ts";
import { SYSTEM, type Account, type CommissionBase } from "./record.ts";

/** Revenue is what a company keeps, so without tax. */
export const USUAL_BASE: CommissionBase = { isLessTax: true, isLessShipping: false, feeTenThousandths: 0 };

/** What sales of an account count of a payment. */
export function commissionBase({ commissionBase: base }: Account): CommissionBase {
  return { ...USUAL_BASE, ...base };
}

/** Changes to what sales count. undefined: unchanged. */
export type BaseChanges = { [K in keyof CommissionBase]?: CommissionBase[K] | undefined };

/** The base with the changes. */
export function changedBase(account: Account, changes: BaseChanges): CommissionBase {
  const before = commissionBase(account);
  return {
    isLessTax: changes.isLessTax ?? before.isLessTax,
    isLessShipping: changes.isLessShipping ?? before.isLessShipping,
    feeTenThousandths: changes.feeTenThousandths ?? before.feeTenThousandths,
  };
}

/**
 * Changes what later sales of an account count. Earlier ones keep their own terms.
 *
 * @throws Failure `not_found`
 */
export function changeCommissionBase(
  { store }: Pick<Context, "store">,
  accountId: number,
  changes: BaseChanges,
): Promise<Account> {
  return store.transact(async (tx) => {
    const before = await tx.get(accounts, SYSTEM, accountId);
    if (before === null) throw new Failure("not_found", "Account not found.");
    return changeAccount(tx, accountId, { commissionBase: changedBase(before, changes) });
  });
}

import { Failure } from "../../failure.ts";
import type { Transaction } from "../../storage/store.ts";
import { commissions } from "../commission/commission.ts";
import type { Context } from "../context.ts";
import { isCurrency } from "../money/currency.ts";
import { payouts } from "../payout/payout.ts";
import { sales } from "../sale/sales.ts";
import { changeAccount } from "./account.ts";
import type { Account } from "./record.ts";

/**
 * Changes the currency of an account's `cash` amounts. Amounts that exist are never converted, so it is refused once
 * there are any.
 *
 * @throws Failure `not_found`, `invalid` for an unknown currency, `refused` once there is a sale, a commission or a
 * payout
 */
export function setCurrency({ store }: Context, account: Account, code: string): Promise<Account> {
  const currency = code.trim().toUpperCase();
  if (!isCurrency(currency)) throw new Failure("invalid", `${code} is not an ISO 4217 currency`);
  return store.transact(async (tx) => {
    if (currency !== account.currency && (await hasMoney(tx, account.id))) {
      throw new Failure("refused", `${account.publicId} has amounts in ${account.currency} already`);
    }
    return changeAccount(tx, account.id, { currency });
  });
}

async function hasMoney({ view }: Transaction, accountId: number): Promise<boolean> {
  const one = { limit: 1 };
  const [commission] = await view.page(commissions, "id", accountId, [], one);
  const [payout] = await view.page(payouts, "id", accountId, [], one);
  const [sale] = await view.page(sales, "id", accountId, [], one);
  return commission !== undefined || payout !== undefined || sale !== undefined;
}

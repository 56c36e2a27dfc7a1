import { Failure } from "../../failure.ts";
import type { Transaction } from "../../storage/store.ts";
import { commissions } from "../commission/commission.ts";
import type { Context } from "../context.ts";
import { isCurrency } from "../money/currency.ts";
import { payouts } from "../payout/payout.ts";
import { sales } from "../sale/sales.ts";
import { accounts, changeAccount } from "./account.ts";
import { SYSTEM, type Account } from "./record.ts";

/**
 * Changes the currency of an account's `cash` amounts. Amounts that exist are never converted, so it is refused once
 * there are any.
 *
 * @throws Failure `not_found`, `invalid` for an unknown currency, `refused` once there is a sale, a commission or a
 * payout
 */
export function setCurrency({ store }: Context, account: Account, code: string): Promise<Account> {
  return store.transact(async (tx) => {
    const currency = await checkedCurrency(tx, account, code);
    return changeAccount(tx, account.id, { currency });
  });
}

/** The code of a currency that the account may have. @throws Failure `invalid` or `refused` */
export async function checkedCurrency(tx: Transaction, account: Account, code: string): Promise<string> {
  const currency = code.trim().toUpperCase();
  if (!isCurrency(currency)) throw new Failure("invalid", `${code} is not an ISO 4217 currency`);
  // Otherwise the first sale could come after the look for it.
  await tx.lock(accounts, SYSTEM, account.id);
  if (currency === account.currency || !(await hasMoney(tx, account.id))) return currency;
  throw new Failure(
    "refused",
    `${account.publicId} has amounts in ${account.currency} already, so its currency stays`,
  );
}

/** Whether the account has amounts. */
async function hasMoney({ view }: Transaction, accountId: number): Promise<boolean> {
  const found = [
    await view.page(sales, "id", accountId, [], { limit: 1 }),
    await view.page(commissions, "id", accountId, [], { limit: 1 }),
    await view.page(payouts, "id", accountId, [], { limit: 1 }),
  ];
  return found.some(({ length }) => length > 0);
}

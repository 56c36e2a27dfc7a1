import { Failure } from "../../failure.ts";
import type { Transaction } from "../../storage/store.ts";
import { campaigns } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { isCurrency } from "../money/currency.ts";
import { changeAccount } from "./account.ts";
import type { Account } from "./record.ts";

/** As many as lists of campaigns show. */
const MAX_CAMPAIGNS = 10_000;

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
  if (currency === account.currency || !(await hasMoney(tx, account.id))) return currency;
  throw new Failure(
    "refused",
    `${account.publicId} has amounts in ${account.currency} already, so its currency stays`,
  );
}

/** Whether the account has amounts. It reads counters, because the commit checks them again, unlike listings. */
async function hasMoney(tx: Transaction, accountId: number): Promise<boolean> {
  if ((await tx.sum(accountId, ["payout"])) > 0) return true;
  for (const { id } of await tx.view.page(campaigns, "id", accountId, [], { limit: MAX_CAMPAIGNS })) {
    for (const metric of ["sales", "commissions"]) {
      if ((await tx.sum(accountId, ["stats.campaign", id, metric])) > 0) return true;
    }
  }
  return false;
}

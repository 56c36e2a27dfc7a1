import { Failure } from "../../failure.ts";
import type { Context } from "../context.ts";
import { accounts, changeAccount } from "./account.ts";
import { changedBase, type BaseChanges } from "./commission-base.ts";
import { checkedCurrency } from "./currency.ts";
import { checkedPayoutSettings, type PayoutSettingsChanges } from "./payout-settings.ts";
import { SYSTEM, type Account } from "./record.ts";
import { checkedTracker, type TrackerChanges } from "./tracker-names.ts";

/** Changes to an account. undefined: unchanged. */
export interface AccountChanges {
  name?: string | undefined;
  currency?: string | undefined;
  timeZone?: string | undefined;
  honoursPrivacyControl?: boolean | undefined;
  requiresSecondFactor?: boolean | undefined;
  mailSender?: string | null | undefined;
  maxAutoApproveCents?: number | null | undefined;
  /** The sites that may show the portal in a frame. */
  portalOrigins?: string[] | undefined;
  payout: PayoutSettingsChanges;
  base?: BaseChanges | undefined;
  tracker?: TrackerChanges | undefined;
}

/**
 * Changes an account's settings, all or none.
 *
 * @throws Failure `not_found`, `invalid`, `taken` if another account has the script's name, `refused` for the currency
 */
export function updateAccount(
  { store }: Context,
  accountId: number,
  { payout, tracker, currency, base, ...given }: AccountChanges,
): Promise<Account> {
  const settings = checkedPayoutSettings(payout);
  return store.transact(async (tx) => {
    const before = await tx.get(accounts, SYSTEM, accountId);
    if (before === null) throw new Failure("not_found", "Account not found.");
    const plain = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return changeAccount(tx, accountId, {
      ...(plain as Partial<Account>),
      ...settings,
      ...(currency !== undefined && { currency: await checkedCurrency(tx, before, currency) }),
      ...(base !== undefined && { commissionBase: changedBase(before, base) }),
      ...(tracker !== undefined && { tracker: checkedTracker(before, tracker) }),
    });
  });
}

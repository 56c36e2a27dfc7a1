import { Failure, type FieldErrors } from "../../failure.ts";
import type { Context } from "../context.ts";
import { changeAccount } from "./account.ts";
import type { Account } from "./record.ts";

/** When and whom an account pays. */
export type PayoutSettings = Pick<
  Account,
  | "payoutCycle"
  | "netPayoutDays"
  | "minPaymentCents"
  | "minPayingCustomers"
  | "requiresPayoutMethod"
  | "requiresInvoiceDetails"
>;

/** The largest value of each number. Larger ones are slips of the keyboard. */
export const MOST_PAYOUT_SETTINGS = {
  netPayoutDays: 365,
  minPaymentCents: 1e12,
  minPayingCustomers: 1e6,
} as const;

/** Changes to the settings. undefined: unchanged. */
export type PayoutSettingsChanges = { [K in keyof PayoutSettings]?: PayoutSettings[K] | undefined };

/**
 * Changes when and whom an account pays. Payouts that exist stay as they are.
 *
 * @throws Failure `not_found`, or `invalid` for a number out of its range
 */
export function setPayoutSettings(
  { store }: Context,
  accountId: number,
  given: PayoutSettingsChanges,
): Promise<Account> {
  const changes = checkedPayoutSettings(given);
  return store.transact((tx) => changeAccount(tx, accountId, changes));
}

/** The changes that were given. @throws Failure `invalid` for a number out of its range */
export function checkedPayoutSettings(given: PayoutSettingsChanges): Partial<PayoutSettings> {
  const changes: Partial<PayoutSettings> = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const fields: FieldErrors = {};
  for (const [name, most] of Object.entries(MOST_PAYOUT_SETTINGS)) {
    const value = changes[name as keyof typeof MOST_PAYOUT_SETTINGS];
    const isFine = value === undefined || (Number.isInteger(value) && value >= 0 && value <= most);
    if (!isFine) fields[name] = [`must be a whole number from 0 to ${most}`];
  }
  const [fault] = Object.entries(fields);
  if (fault) throw new Failure("invalid", fault.flat().join(" "), fields);
  return changes;
}

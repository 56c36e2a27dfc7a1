import type { Account } from "../account/account.ts";
import type { Unit } from "../money/money.ts";
import type { PayoutMethod } from "../payout-method/record.ts";

/** Why commissions get no payout yet. The next run looks at them again. */
export const CARRY_REASONS = {
  nothing_to_pay: "There is nothing to pay: the sum is not above zero",
  below_minimum: "The sum is below the minimum payment",
  too_few_customers: "The promoter has too few paying customers",
  no_payout_method: "The promoter has no payout method",
} as const;
export type CarryReason = keyof typeof CARRY_REASONS;

/** The unpaid commissions of one promoter, campaign and unit, and the facts about the promoter that matter. */
export interface UnpaidSum {
  unit: Unit;
  /** The sum of the commissions. Negative if refunds took back more than was earned. */
  amount: number;
  /** Customers of the promoter who still pay. */
  activeCustomers: number;
  /** The method that the promoter has selected. */
  method: Pick<PayoutMethod, "isDisabled"> | null;
}

type Rules = Pick<Account, "minPaymentCents" | "minPayingCustomers" | "requiresPayoutMethod">;

/**
 * Decides whether a run pays commissions now. null: it does.
 *
 * Choice: the account's rules are about money. Other units are paid whenever their sum is above zero.
 *
 * @see docs/spec/states.md "Payout runs"
 */
export function carryReason({ unit, amount, activeCustomers, method }: UnpaidSum, rules: Rules) {
  if (amount <= 0) return "nothing_to_pay";
  if (unit !== "cash") return null;
  if (amount < rules.minPaymentCents) return "below_minimum";
  if (activeCustomers < rules.minPayingCustomers) return "too_few_customers";
  if (rules.requiresPayoutMethod && (method === null || method.isDisabled)) return "no_payout_method";
  return null;
}

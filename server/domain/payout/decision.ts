import type { Account } from "../account/record.ts";
import { share } from "../money/amount.ts";
import type { Unit } from "../money/unit.ts";
import type { PayoutMethod } from "../payout-method/record.ts";
import type { Promoter } from "../promoter/record.ts";
import type { Payout } from "./record.ts";
import { dayAfter, type Period } from "./period.ts";

/** A hundred percent, in hundredths of a percent. */
const WHOLE = 10_000;

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

/** The fields of a payout that follow from its commissions, its period and its promoter. */
export type PayoutTerms = Pick<
  Payout,
  | "unit"
  | "amount"
  | "taxRateHundredths"
  | "totalInclTax"
  | "periodStart"
  | "periodEnd"
  | "dueDate"
  | "hasOwnTerms"
>;

/** Works out a payout's tax and due date. Choice: tax is on money only. */
export function payoutTerms(
  { unit, amount }: Pick<UnpaidSum, "unit" | "amount">,
  { start, end }: Pick<Period, "start" | "end">,
  {
    netPayoutDays,
    promoter,
  }: Pick<Account, "netPayoutDays"> & { promoter: Pick<Promoter, "netPayoutDays" | "taxRateHundredths"> },
): PayoutTerms {
  const taxRateHundredths = unit === "cash" ? promoter.taxRateHundredths : 0;
  return {
    unit,
    amount,
    taxRateHundredths,
    totalInclTax: withTax(amount, taxRateHundredths),
    periodStart: start,
    periodEnd: end,
    dueDate: dayAfter(end, promoter.netPayoutDays ?? netPayoutDays),
    hasOwnTerms: promoter.netPayoutDays !== null,
  };
}

/** An amount with its tax, rounded once. */
export function withTax(amount: number, taxRateHundredths: number): number {
  return share(amount, WHOLE + taxRateHundredths, WHOLE);
}

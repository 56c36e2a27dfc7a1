import type { Account } from "../account/account.ts";
import { dayIn, timeZoneOf } from "../account/time-zone.ts";
import { share, type Unit } from "../money/money.ts";
import type { Promoter } from "../promoter/record.ts";
import type { Payout } from "./record.ts";
import { dayAfter, type Period } from "./period.ts";

/** A hundred percent, in hundredths of a percent. */
const WHOLE = 10_000;

/** The fields of a payout that follow from its commissions, its period and its promoter. */
export type PayoutTerms = Pick<
  Payout,
  | "unit"
  | "amount"
  | "taxRateHundredths"
  | "totalInclTax"
  | "periodStart"
  | "periodEnd"
  | "periodEndDate"
  | "dueDate"
  | "hasOwnTerms"
>;

/**
 * Works out a payout's tax and due date. Choice: tax is on money only.
 *
 * @see docs/spec/money.md "Payouts"
 */
export function payoutTerms(
  { unit, amount }: { unit: Unit; amount: number },
  { start, end }: Pick<Period, "start" | "end">,
  {
    netPayoutDays,
    timeZone,
    promoter,
  }: Pick<Account, "netPayoutDays" | "timeZone"> & {
    promoter: Pick<Promoter, "netPayoutDays" | "taxRateHundredths">;
  },
): PayoutTerms {
  const taxRateHundredths = unit === "cash" ? promoter.taxRateHundredths : 0;
  const endDate = dayIn(timeZoneOf({ timeZone }), new Date(end));
  return {
    unit,
    amount,
    taxRateHundredths,
    totalInclTax: withTax(amount, taxRateHundredths),
    periodStart: start,
    periodEnd: end,
    ...(endDate !== end.slice(0, 10) && { periodEndDate: endDate }),
    dueDate: dayAfter(endDate, promoter.netPayoutDays ?? netPayoutDays),
    hasOwnTerms: promoter.netPayoutDays !== null,
  };
}

/** An amount with its tax, rounded once. */
export function withTax(amount: number, taxRateHundredths: number): number {
  return share(amount, WHOLE + taxRateHundredths, WHOLE);
}

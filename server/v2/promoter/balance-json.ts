import { z } from "zod";
import type { Balance } from "../../domain/ledger/commission/balance.ts";
import { field } from "../../http/fields.ts";

/** The amounts of each unit. `cash` is in cents. */
export const balanceAnswer = z
  .object({
    cash: field(z.number(), "Money, in cents.", 2000),
    credits: field(z.number(), "Credits.", 0),
    points: field(z.number(), "Points.", 0),
    free_months: field(z.number(), "Free months.", 0),
    discount: field(z.number(), "Discount in percent.", 0),
  })
  .meta({ id: "Balance" });

export const balancesAnswer = balanceAnswer
  .extend({
    current_balance: field(balanceAnswer, "What the promoter has earned and has not been paid yet."),
    earnings_balance: field(balanceAnswer, "What the promoter has earned so far."),
    paid_balance: field(balanceAnswer, "What the promoter has been paid so far."),
  })
  .meta({ id: "Balances" });

/**
 * The balances. The current amounts are also at the top level.
 */
export function balancesJson(balance: Balance): z.output<typeof balancesAnswer> {
  const current = balanceJson(balance, "current");
  return {
    ...current,
    current_balance: current,
    earnings_balance: balanceJson(balance, "earnings"),
    paid_balance: balanceJson(balance, "paid"),
  };
}

/** The amounts of one balance, by unit. */
export function balanceJson(
  { units }: Balance,
  kind: "current" | "earnings" | "paid",
): z.output<typeof balanceAnswer> {
  return {
    cash: units["cash"]?.[kind] ?? 0,
    credits: units["credits"]?.[kind] ?? 0,
    points: units["points"]?.[kind] ?? 0,
    free_months: units["free_months"]?.[kind] ?? 0,
    discount: units["discount_per"]?.[kind] ?? 0,
  };
}

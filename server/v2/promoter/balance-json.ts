import { z } from "zod";
import type { Balance } from "../../domain/commission/balance.ts";

/** The amounts of each unit. `cash` is in cents. */
export const balanceAnswer = z
  .object({
    cash: z.number(),
    credits: z.number(),
    points: z.number(),
    free_months: z.number(),
    discount: z.number(),
  })
  .meta({ id: "Balance" });

export const balancesAnswer = balanceAnswer
  .extend({
    current_balance: balanceAnswer,
    earnings_balance: balanceAnswer,
    paid_balance: balanceAnswer,
  })
  .meta({ id: "Balances" });

/**
 * The balance: the current amounts at the top level and again in a group, beside all earnings and what was
 * paid.
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

/** One part of a balance. */
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

import { describe, expect, it } from "vitest";
import { payoutTerms, withTax } from "../../server/domain/ledger/payout/payout.ts";
import { carryReason } from "../../server/domain/ledger/payout-run/payout-run.ts";

const NO_RULES = { min_payment_cents: 0, min_paying_customers: 0, requires_payout_method: false };
const RULES = { min_payment_cents: 5_000, min_paying_customers: 2, requires_payout_method: true };
const FINE = { unit: "cash", amount: 5_000, active_customers: 2, method: { is_disabled: false } } as const;

describe("a run of payouts", () => {
  it.each([
    ["pays any sum above zero", { ...FINE, amount: 1, active_customers: 0, method: null }, NO_RULES, null],
    ["carries nothing over", { ...FINE, amount: 0 }, NO_RULES, "nothing_to_pay"],
    ["carries a negative sum over", { ...FINE, amount: -1 }, NO_RULES, "nothing_to_pay"],
    ["pays who meets every rule, just", FINE, RULES, null],
    ["carries less than the minimum over", { ...FINE, amount: 4_999 }, RULES, "below_minimum"],
    ["waits for enough customers", { ...FINE, active_customers: 1 }, RULES, "too_few_customers"],
    ["waits for a payout method", { ...FINE, method: null }, RULES, "no_payout_method"],
    ["waits for a method in use", { ...FINE, method: { is_disabled: true } }, RULES, "no_payout_method"],
    ["names the first reason", { ...FINE, amount: 1, method: null }, RULES, "below_minimum"],
    [
      "pays credits without these rules",
      { unit: "credits", amount: 1, active_customers: 0, method: null },
      RULES,
      null,
    ],
    ["carries negative credits over", { ...FINE, unit: "credits", amount: -1 }, RULES, "nothing_to_pay"],
  ] as const)("%s", (_name, sum, rules, reason) => {
    expect(carryReason(sum, rules)).toBe(reason);
  });
});

describe("a payout's terms", () => {
  const march = { start: "2026-03-01T00:00:00.000Z", end: "2026-03-31T23:59:59.999Z" };
  const period = { period_start: march.start, period_end: march.end, period_end_date: "2026-03-31" };

  it("count the due date from the period's end by the account's days", () => {
    const promoter = { net_payout_days: null, tax_rate_hundredths: 1_900 };
    expect(payoutTerms({ unit: "cash", amount: 10_001 }, march, { net_payout_days: 30, promoter })).toEqual({
      unit: "cash",
      amount: 10_001,
      tax_rate_hundredths: 1_900,
      total_incl_tax: 11_901,
      ...period,
      due_date: "2026-04-30",
      has_own_terms: false,
    });
  });

  it("prefer the promoter's own days, and tax no credits", () => {
    const promoter = { net_payout_days: 0, tax_rate_hundredths: 1_900 };
    expect(payoutTerms({ unit: "credits", amount: 7 }, march, { net_payout_days: 30, promoter })).toEqual({
      unit: "credits",
      amount: 7,
      tax_rate_hundredths: 0,
      total_incl_tax: 7,
      ...period,
      due_date: "2026-03-31",
      has_own_terms: true,
    });
  });

  it.each([
    [0, 1_900, 0],
    [1, 5_000, 2], // half a cent is rounded away from zero
    [3, 1_900, 4],
    [10_000, 0, 10_000],
    [99_999_999_999, 1_925, 119_249_999_999],
  ])("round %i cents and %i hundredths of a percent once to %i", (amount, rate, total) => {
    expect(withTax(amount, rate)).toBe(total);
  });
});

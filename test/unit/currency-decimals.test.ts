import * as published from "dinero.js/currencies";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sentenceOf, type RewardTerms } from "../../client/dashboard/rewards/sentence.ts";
import { digitsOf } from "../../client/ui/currency.ts";
import { money, writing } from "../../client/ui/format.ts";
import { centsOf, typedAmount } from "../../client/ui/form/amount.ts";
import { exponentOf, formatAmount } from "../../server/domain/money.ts";

/** `Intl` writes forint and dinars without decimals, which people no longer use. Amounts are stored with them. */
describe.each([
  { currency: "HUF", stored: 123_456, server: "HUF 1,234.56", typed: "1234.56", whole: "HUF 1,235" },
  { currency: "IQD", stored: 1_500, server: "IQD 1.500", typed: "1.500", whole: "IQD 1.500" },
  { currency: "JPY", stored: 1_235, server: "¥1,235", typed: "1235", whole: "¥1,235" },
  { currency: "USD", stored: 123_456, server: "$1,234.56", typed: "1234.56", whole: "$1,235" },
])("an amount in $currency", ({ currency, stored, server, typed, whole }) => {
  const before = writing.value;
  beforeEach(() => {
    writing.value = { ...before, currency };
  });
  afterEach(() => {
    writing.value = before;
  });
  const inEnglish = (text: string) => text.replaceAll("\u{a0}", " ");

  it("is written by the server with the decimals of ISO 4217", () => {
    expect(inEnglish(formatAmount(stored, "cash", currency))).toBe(server);
  });

  it("is written by the pages with the same decimals", () => {
    expect(inEnglish(money(stored))).toBe(server);
    expect(inEnglish(money(stored, { isRound: true }))).toBe(whole);
  });

  it("of a fixed reward is written with them too", () => {
    const units = stored / 10 ** (exponentOf(currency) ?? 2);
    expect(inEnglish(sentenceOf(cashReward(units)))).toBe(`The promoter gets ${server} for each sale`);
  });

  it("is read from a field as it is written into it", () => {
    expect(typedAmount(stored)).toBe(typed);
    expect(centsOf(typed)).toBe(stored);
  });
});

it("the pages and the server agree on the decimals of each currency", () => {
  const codes = Object.keys(published);
  expect(codes.map(digitsOf)).toEqual(codes.map(exponentOf));
  expect(digitsOf("XXX")).toBe(2);
});

function cashReward(amount: number): RewardTerms {
  return {
    is_promoter_reward: true,
    promoter_reward_type: "sale",
    tier_level: null,
    tier_reward_mode: null,
    duration: "forever",
    duration_in_months: null,
    schemas: [{ unit: "cash", amount, flat_amount: true }],
  };
}

import { beforeAll, describe, expect, it } from "vitest";
import { readinessOf } from "../../client/dashboard/payouts/words.ts";
import { sentenceOf, type RewardTerms } from "../../client/dashboard/rewards/sentence.ts";
import { amountOf } from "../../client/ui/amount.ts";
import { formatAmount } from "../../server/domain/money.ts";
import { speakEnglish } from "../support/catalogue.ts";

beforeAll(speakEnglish);

describe("a promoter who waits for money", () => {
  const free = { unit: "cash", payments_batch_id: null } as const;
  const batched = { unit: "cash", payments_batch_id: 3 } as const;
  const months = { unit: "free_months", payments_batch_id: null } as const;
  const noMethod = "The promoter has chosen no payout method";

  it.each([
    ["can be paid", [free, months], null, "Now"],
    ["can be paid what no batch holds", [free, batched], null, "Now"],
    ["waits for a batch that exists", [batched, months], null, "In a batch already"],
    ["gets no money", [months], noMethod, "Rewards other than money"],
    ["has chosen no method", [free], noMethod, noMethod],
  ])("%s", (_, payouts, why, words) => {
    expect(readinessOf({ payouts, not_payable_because: why })).toMatchObject({ words });
  });
});

it.each([
  [1, "1 free month"],
  [2, "2 free months"],
  [0, "0 free months"],
])("%i of another unit than money is told as %s", (amount, words) => {
  expect(formatAmount(amount, "free_months", "USD")).toBe(words);
});

it.each(["credits", "points", "free_months", "mon_discount", "discount_per"] as const)(
  "%s are called the same on pages and in e-mails",
  (unit) => {
    for (const amount of [1, 5]) expect(amountOf({ amount, unit })).toBe(formatAmount(amount, unit, "USD"));
  },
);

it("a reward for the first sale is told once", () => {
  const reward: RewardTerms = {
    is_promoter_reward: true,
    promoter_reward_type: "sale",
    tier_level: null,
    tier_reward_mode: null,
    duration: "once",
    duration_in_months: null,
    schemas: [{ unit: "free_months", amount: 1, flat_amount: true }],
  };
  expect(sentenceOf(reward)).toBe("The promoter gets 1 free month, for the first sale only");
});

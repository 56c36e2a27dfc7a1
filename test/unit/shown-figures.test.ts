import { afterEach, expect, it } from "vitest";
import { givenBy, type RewardTerms } from "../../client/dashboard/rewards/sentence.ts";
import { periodWords, writing } from "../../client/ui/format.ts";
import { periodAt } from "../../server/domain/ledger/payout/payout.ts";

afterEach(() => void (writing.value = { currency: "USD", timeZone: "UTC" }));

/** Between the parts of a range stand thin spaces. */
const plain = (text: string) => text.replaceAll(/\s/g, " ");

it.each(["America/New_York", "Asia/Tokyo", "UTC"])(
  "a payout's period has the same days in %s",
  (timeZone) => {
    writing.value = { currency: "USD", timeZone };
    const { start, end } = periodAt({ payout_cycle: "monthly" }, new Date("2026-03-12T00:00:00Z"));
    expect(plain(periodWords(start, end))).toBe("Mar 1 – 31, 2026");
  },
);

it.each([
  [{ unit: "cash", amount: 7.25, flat_amount: false }, "7.25% of each sale"],
  [{ unit: "cash", amount: 0.0025, flat_amount: false }, "0.0025% of each sale"],
  [{ unit: "cash", amount: 30, flat_amount: false }, "30% of each sale"],
  [{ unit: "cash", amount: 0.125, flat_amount: true }, "$0.125 for each sale"],
  [{ unit: "cash", amount: 5, flat_amount: true }, "$5.00 for each sale"],
] as const)("a reward of %j is called %s", (schema, words) => {
  const reward: RewardTerms = {
    is_promoter_reward: true,
    promoter_reward_type: "sale",
    tier_level: null,
    tier_reward_mode: null,
    duration: "forever",
    duration_in_months: null,
    schemas: [schema],
  };
  expect(givenBy(reward)).toBe(words);
});

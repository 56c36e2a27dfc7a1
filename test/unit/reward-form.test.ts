import { afterEach, expect, it } from "vitest";
import { bodyOf, draftOf } from "../../client/dashboard/rewards/draft.ts";
import type { Reward } from "../../client/dashboard/rewards/sentence.ts";
import { writing } from "../../client/ui/format.ts";

afterEach(() => void (writing.value = { currency: "USD", timeZone: "UTC" }));

it.each([
  ["USD", 123_456, "1234.56"],
  ["JPY", 123_456, "123456"],
  ["KWD", 123_456, "123.456"],
])("a goal of revenue is typed in %s", (currency, value, typed) => {
  writing.value = { currency, timeZone: "UTC" };
  const rule = { type: "promoter_campaign_revenue", operator: "greater than or equal to", value };
  const schemas = [{ unit: "cash", amount: 50, flat_amount: true, rules: [rule] }];
  const draft = draftOf({ is_promoter_reward: true, promoter_reward_type: "target", schemas } as Reward);
  expect(draft.goalValue).toBe(typed);
  expect(bodyOf(draft).schemas[0]?.rules).toEqual([rule]);
});

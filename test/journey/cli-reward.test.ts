import { expect, it } from "vitest";
import { callCli, useAccountOnDisk } from "../support/cli.ts";
import { withRecords } from "../support/records.ts";

const folder = useAccountOnDisk();

it("rewards are added to the default campaign one after the other", async () => {
  const added: unknown[] = [];
  for (const words of [
    ["--percent", "20"],
    ["--amount", "2.50", "--unit", "points"],
    ["--percent", "10", "--tier", "2"],
  ]) {
    const { code, stdout } = await callCli(folder(), ["reward", "add", "acme", ...words]);
    added.push([code, JSON.parse(stdout)]);
  }
  expect(added).toEqual([
    [0, { id: 1, name: "20 % of each sale", campaign_id: 1 }],
    [0, { id: 2, name: "2.5 points of each sale", campaign_id: 1 }],
    [0, { id: 3, name: "10 % for level 2", campaign_id: 1 }],
  ]);
  const [campaign, reward] = await withRecords(
    `sqlite:${folder()}`,
    async (records) => [await records.get("campaign", 1), await records.get("reward", 3)] as const,
  );
  expect(campaign?.rewards_for_promoters.map(({ reward_id }) => reward_id)).toEqual([1, 2, 3]);
  expect(reward).toMatchObject({
    promoter_reward_type: "tier",
    tier_level: 2,
    tier_reward_mode: "tier_commission_mode",
    schemas: [{ unit: "cash", amount_ten_thousandths: 100_000, is_flat: false, rules: [] }],
  });
});

it.each([
  [[], "--percent or --amount is missing"],
  [["--percent", "1.23456"], "1.23456 must be a number of at most four decimals"],
  [["--percent", "1", "--tier", "1"], "--tier must be a level from 2 to 10"],
  [["--percent", "1", "--campaign", "9"], "Campaign not found."],
])("%j is refused with one sentence", async (words, message) => {
  const { code, stderr } = await callCli(folder(), ["reward", "add", "acme", ...words]);
  expect([code, stderr.split("\n").includes(message)]).toEqual([1, true]);
});

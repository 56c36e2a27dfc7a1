import { Option, type Command } from "commander";
import { refuseOwnCode } from "../domain/people/promo-code/promo-code.ts";
import { loadAccount } from "../domain/program/account/account.ts";
import { loadCampaign } from "../domain/program/campaign/campaign.ts";
import { updateCampaign } from "../domain/program/campaign/changes.ts";
import { UNITS, type Unit } from "../domain/money.ts";
import { createReward } from "../domain/program/reward/reward.ts";
import { tenThousandths } from "../input/fields.ts";
import { print, withStore } from "./store.ts";

interface Given {
  percent?: number;
  amount?: number;
  unit: Unit;
  tier?: number;
  campaign?: number;
  name?: string;
}

/** Adds the command that gives a campaign a reward. Rewards with rules need the API. */
export function rewardCommands(program: Command): void {
  const rewards = program.command("reward").description("what promoters earn");
  rewards
    .command("add <account-id>")
    .description("give a campaign's promoters a reward for each sale of their leads")
    .addOption(
      new Option("--percent <number>", "percentage of the sale").argParser(decimal).conflicts("amount"),
    )
    .addOption(new Option("--amount <number>", "fixed amount, such as 5 or 2.50").argParser(decimal))
    .addOption(new Option("--unit <unit>", "unit of the reward").choices(UNITS).default("cash"))
    .option(
      "--tier <level>",
      "for parents instead: 2 for the parent, and so on; a percentage is of the level below",
      level,
    )
    .option("--campaign <id>", "which campaign (usually the default one)", Number)
    .option("--name <name>", "its name")
    .action((accountId: string, given: Given) =>
      withStore(async (context) => {
        const account = await loadAccount(context.store, accountId);
        const id = given.campaign ?? account.default_campaign_id;
        const reward = await context.store.transact(async (tx) => {
          const { rewards_for_promoters } = await loadCampaign(tx, account.id, id);
          const made = await createReward(tx, context, account.id, { ...newReward(given), refuseOwnCode });
          const entry = { apply_on: "all" as const, product_ids: [], reward_id: made.id };
          const changes = { rewards_for_promoters: [...rewards_for_promoters, entry] };
          await updateCampaign(tx, context, account.id, { id, changes });
          return made;
        });
        print({ id: reward.id, name: reward.name, campaign_id: id });
      }),
    );
}

function newReward({ percent, amount, unit, tier = 1, name }: Given) {
  const amountTenThousandths = percent ?? amount;
  if (amountTenThousandths === undefined) throw new Error("--percent or --amount is missing");
  const worth = `${amountTenThousandths / 10_000}${percent === undefined ? ` ${unit}` : " %"}`;
  return {
    name: name ?? `${worth} ${tier === 1 ? "of each sale" : `for level ${tier}`}`,
    is_promoter_reward: true,
    promoter_reward_type: tier === 1 ? ("sale" as const) : ("tier" as const),
    tier_reward_mode: tier === 1 ? null : ("tier_commission_mode" as const),
    tier_level: tier === 1 ? null : tier,
    coupon: null,
    is_hidden: false,
    provider_coupon_id: null,
    duration: null,
    duration_months: null,
    max_redemptions: null,
    new_customers_only: false,
    schemas: [
      { unit, amount_ten_thousandths: amountTenThousandths, is_flat: percent === undefined, rules: [] },
    ],
  };
}

function decimal(value: string): number {
  const parsed = tenThousandths.safeParse(value);
  if (!parsed.success) throw new Error(`${value} must be a number of at most four decimals`);
  return parsed.data;
}

function level(value: string): number {
  if (/^([2-9]|10)$/.test(value)) return Number(value);
  throw new Error("--tier must be a level from 2 to 10");
}

import type { SourceRecord, SourceReward } from "../model.ts";
import { readRows, tenThousandths, type Duration } from "../shapes.ts";
import { campaignShape, rewardShape, type Campaign, type Reward } from "./firstpromoter-answers.ts";
import type { Reading } from "./firstpromoter-money.ts";

/** All rewards, by id. */
export async function rewardsIn(reading: Reading): Promise<Map<string, Reward>> {
  const rewards = new Map<string, Reward>();
  for (const list of ["rewards-promoters", "rewards-referrals"]) {
    for await (const row of readRows(reading, { list, shape: rewardShape, noun: "Reward" }))
      rewards.set(row.id, row);
  }
  return rewards;
}

export async function* campaigns(reading: Reading): AsyncGenerator<SourceRecord> {
  const rewards = await rewardsIn(reading);
  for await (const row of readRows(reading, { list: "campaigns", shape: campaignShape, noun: "Campaign" })) {
    const name = row.name ?? `Campaign ${row.id}`;
    for (const { reward_id: id } of row.rewards_for_referrals ?? []) {
      const shown = rewards.get(id ?? "")?.name ?? id ?? "?";
      reading.remarks.add(
        `campaign:${row.id}:referrals:${id}`,
        `Campaign "${name}": referred customers get the reward "${shown}". Make it by hand.`,
      );
    }
    yield {
      kind: "campaign",
      id: row.id,
      name,
      landing_url: row.landing_url,
      is_default: row.is_default,
      is_private: row.is_private,
      cookieDays: row.visitor_cookie_life,
      holdDays: null,
      minPayment: null,
      rewards: rewardsOf(reading, { ...row, name }, rewards),
    };
  }
}

function rewardsOf(
  { remarks }: Reading,
  campaign: Campaign,
  rewards: ReadonlyMap<string, Reward>,
): SourceReward[] {
  return (campaign.rewards_for_promoters ?? []).flatMap((entry) => {
    const { reward_id: id } = entry;
    const reward = rewards.get(id ?? "");
    const said = sayEntry(entry, rewards);
    if (said !== null) return said;
    remarks.add(
      `campaign:${campaign.id}:reward:${id}`,
      `Campaign "${campaign.name}": the reward "${reward?.name ?? id ?? "?"}" has conditions that can't be imported. Make it by hand.`,
    );
    return [];
  });
}

/** A reward in a campaign or of a promoter alone. */
export type Entry = NonNullable<Campaign["rewards_for_promoters"]>[number];

/** Null if the reward is for some products, or can't be expressed here. */
export function sayEntry(entry: Entry, rewards: ReadonlyMap<string, Reward>): SourceReward[] | null {
  const { reward_id: id, apply_on, product_ids: products } = entry;
  const reward = rewards.get(id ?? "");
  const isForAll = (apply_on ?? "all") === "all" && (products ?? []).length === 0;
  return reward && isForAll ? sayReward(reward) : null;
}

/** Null if it has a rule, a target or another condition. */
function sayReward(reward: Reward): SourceReward[] | null {
  const { promoter_reward_type: type, tier_level: tier } = reward;
  // Of the rewards for parents, only the share of the sale can be imported.
  const isTier =
    type === "tier" && tier !== null && tier > 1 && reward.tier_reward_mode === "tier_override_mode";
  const duration = durationOf(reward);
  if ((type !== "sale" && !isTier) || duration === null) return null;
  const schemas = reward.schemas ?? [];
  const said = schemas.flatMap(({ unit, amount, flat_amount: isFlat, rules }, place): SourceReward[] => {
    const amountTenThousandths = tenThousandths(amount);
    if (amountTenThousandths === null || (rules ?? []).length > 0) return [];
    const id = place === 0 ? reward.id : `${reward.id}:${place}`;
    const name = reward.name ?? `Reward ${reward.id}`;
    const tierLevel = isTier ? tier : 1;
    return [
      {
        id,
        name,
        unit,
        amount_ten_thousandths: amountTenThousandths,
        is_flat: isFlat,
        currency: null,
        ...duration,
        tier_level: tierLevel,
      },
    ];
  });
  return said.length === schemas.length && said.length > 0 ? said : null;
}

function durationOf({ duration, duration_in_months: months }: Reward): Duration | null {
  if (duration === "once") return { duration, duration_months: null };
  if (duration === "repeating") return months === null ? null : { duration, duration_months: months };
  return duration === null || duration === "forever" ? { duration: "forever", duration_months: null } : null;
}

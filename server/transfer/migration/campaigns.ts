import { webAddress } from "../../input/fields.ts";
import { accounts } from "../../domain/program/account/account.ts";
import { SYSTEM } from "../../domain/context.ts";
import {
  campaigns,
  loadCampaign,
  newCampaign,
  MAX_HOLD_DAYS,
  type Campaign,
} from "../../domain/program/campaign/campaign.ts";
import { findSourceId, pictureOf, sourceIds } from "../../domain/program/migration/source-id.ts";
import { formatAmount } from "../../domain/money.ts";
import { promoterCampaigns } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { rewards, type Reward, type RewardEntry } from "../../domain/program/reward/reward.ts";
import { keep, ownId, type Result, type Step } from "./keep.ts";
import type { SourceCampaign, SourceReward } from "./model.ts";

/** Imports a campaign with its rewards. */
export async function importCampaign(step: Step, said: SourceCampaign): Promise<Result> {
  const { tx, context, account } = step;
  const remarks = remarksOn(said, account.currency);
  const result = await keep<Campaign>(step, {
    kind: "campaign",
    id: said.id,
    said,
    table: campaigns,
    picture: ({ name, landing_url, is_private, visitor_cookie_days, commission_hold_days }) => [
      name,
      landing_url,
      is_private,
      visitor_cookie_days,
      commission_hold_days,
    ],
    async add() {
      const usual = await loadCampaign(tx, account.id, await defaultCampaignOf(step));
      const id = await context.store.nextId("campaign");
      const settings = { ...settingsOf(said, usual), account_id: account.id, id };
      const record = {
        ...newCampaign(context.now, settings),
        rewards_for_promoters: await addRewards(step, said.rewards),
      };
      await tx.insert(campaigns, record);
      if (said.is_default) await makeDefault(step, record);
      return { record };
    },
    change: async (before) => ({ ...before, ...settingsOf(said, before) }),
  });
  return result.outcome === "added" && remarks !== "" ? { ...result, remark: remarks } : result;
}

/** Our campaign, or the account's default one. A continued run must find the same one as the first run. */
export async function campaignOf(step: Step, campaignId: string | null): Promise<number> {
  return (await ownId(step, "campaign", campaignId)) ?? (await defaultCampaignOf(step));
}

async function defaultCampaignOf({ tx, account }: Step): Promise<number> {
  return (await tx.get(accounts, SYSTEM, account.id))?.default_campaign_id ?? account.default_campaign_id;
}

/** The hidden reward of a campaign's promo codes. The customers' discount is given by the shop. */
export async function codeRewardOf(step: Step, campaignId: number): Promise<number> {
  const { tx, context, account, program } = step;
  const sourceId = `codes of campaign ${campaignId}`;
  const known = await ownId(step, "reward", sourceId);
  if (known !== null && (await tx.get(rewards, account.id, known)) !== null) return known;
  const reward: Reward = {
    ...blankReward(step, await context.store.nextId("reward")),
    name: "Promo codes from before",
    is_promoter_reward: false,
    promoter_reward_type: null,
    is_hidden: true,
  };
  await tx.insert(rewards, reward);
  const row = {
    account_id: account.id,
    program,
    kind: "reward" as const,
    source_id: sourceId,
    record_id: reward.id,
  };
  await tx.put(sourceIds, { ...row, source_digest: "-", own_digest: "-" });
  return reward.id;
}

/** The campaign's rewards that are given once per customer. Imported customers count as already rewarded. */
export async function onceRewardsOf({ tx, account }: Step, campaignId: number): Promise<number[]> {
  const campaign = await tx.get(campaigns, account.id, campaignId);
  const ids: number[] = [];
  for (const { reward_id } of campaign?.rewards_for_promoters ?? []) {
    const reward = await tx.get(rewards, account.id, reward_id);
    if (reward?.duration === "once") ids.push(reward_id);
  }
  return ids;
}

function settingsOf(said: SourceCampaign, before: Campaign) {
  return {
    name: said.name,
    // Links are built from it.
    landing_url:
      said.landing_url !== null && webAddress.safeParse(said.landing_url).success
        ? said.landing_url
        : before.landing_url,
    is_private: said.is_private,
    visitor_cookie_days: said.cookieDays ?? before.visitor_cookie_days,
    commission_hold_days: Math.min(said.holdDays ?? before.commission_hold_days, MAX_HOLD_DAYS),
  };
}

/** The source's default campaign becomes ours, unless people have joined the existing one. */
async function makeDefault({ tx, account }: Step, { id }: Campaign): Promise<void> {
  const current = await tx.get(accounts, SYSTEM, account.id);
  if (current === null) return;
  const joined = await tx.view.count(promoterCampaigns, "campaign", account.id, [
    current.default_campaign_id,
  ]);
  if (joined === 0) await tx.put(accounts, { ...current, default_campaign_id: id });
}

/** Makes the rewards that can be expressed here. */
export async function addRewards(step: Step, all: SourceReward[]): Promise<RewardEntry[]> {
  const entries: RewardEntry[] = [];
  for (const said of all.filter((reward) => isSayable(reward, step.account.currency))) {
    entries.push({ apply_on: "all", product_ids: [], reward_id: await rewardIdOf(step, said) });
  }
  return entries;
}

/** Campaigns may share a reward. */
async function rewardIdOf(step: Step, said: SourceReward): Promise<number> {
  const { tx, context, account, program } = step;
  const name = { program, kind: "reward" as const, source_id: said.id };
  const known = await findSourceId(tx, account.id, name);
  if (known !== null && (await tx.get(rewards, account.id, known.record_id)) !== null) return known.record_id;
  const isTier = said.tier_level > 1;
  const reward: Reward = {
    ...blankReward(step, await context.store.nextId("reward")),
    name: said.name,
    promoter_reward_type: isTier ? "tier" : "sale",
    tier_reward_mode: isTier ? "tier_override_mode" : null,
    tier_level: isTier ? said.tier_level : null,
    duration: said.duration,
    duration_months: said.duration_months,
    schemas: [
      {
        unit: said.unit,
        amount_ten_thousandths: said.amount_ten_thousandths,
        is_flat: said.is_flat,
        rules: [],
      },
    ],
  };
  await tx.insert(rewards, reward);
  await tx.put(sourceIds, {
    ...name,
    account_id: account.id,
    record_id: reward.id,
    source_digest: pictureOf(said),
    own_digest: pictureOf(reward.schemas),
  });
  return reward.id;
}

function blankReward({ account, context }: Step, id: number): Reward {
  const createdAt = context.now.toISOString();
  return {
    account_id: account.id,
    id,
    name: "",
    is_promoter_reward: true,
    promoter_reward_type: "sale",
    tier_reward_mode: null,
    tier_level: null,
    coupon: null,
    is_hidden: false,
    provider_coupon_id: null,
    duration: null,
    duration_months: null,
    max_redemptions: null,
    new_customers_only: false,
    schemas: [],
    created_at: createdAt,
    updated_at: createdAt,
  };
}

/** A fixed amount in another currency would need an exchange rate for each sale. */
function isSayable({ unit, is_flat, currency }: SourceReward, own: string): boolean {
  return unit !== "cash" || !is_flat || currency === null || currency.toUpperCase() === own;
}

function remarksOn({ name, minPayment, rewards: all, holdDays }: SourceCampaign, own: string): string {
  const remarks = all
    .filter((reward) => !isSayable(reward, own))
    .map((reward) => `the reward "${reward.name}" is in ${reward.currency}, so make one in ${own}`);
  if (minPayment !== null && minPayment.amount > 0) {
    const amount = formatAmount(minPayment.amount, "cash", minPayment.currency.toUpperCase());
    remarks.push(`it pays out from ${amount} on: set that for the account under Settings`);
  }
  if ((holdDays ?? 0) > MAX_HOLD_DAYS) remarks.push(`commissions are held for ${MAX_HOLD_DAYS} days at most`);
  return remarks.length === 0 ? "" : `campaign "${name}": ${remarks.join("; ")}`;
}

import { refuseOwnCode } from "../people/promo-code/promo-code.ts";
import type { Account } from "../program/account/account.ts";
import {
  createCampaign,
  listCampaigns,
  loadCampaign,
  termsVersion,
  type Campaign,
} from "../program/campaign/campaign.ts";
import { updateCampaign } from "../program/campaign/changes.ts";
import type { Context } from "../context.ts";
import { createProduct } from "../program/product.ts";
import type { PromoterCampaign } from "../people/promoter-campaign/promoter-campaign.ts";
import { createReward, type NewReward, type Reward, type RewardEntry } from "../program/reward/reward.ts";
import { type SeedPlan } from "./plan.ts";
import { DAY_MS } from "../span.ts";

/** How long the campaign for creators holds commissions. */
export const HOLD_DAYS = 30;

/** The plans that customers pay for each month, in cents. */
export const PLANS = [
  { id: "starter", name: "Starter", cents: 2_900 },
  { id: "team", name: "Team", cents: 9_900 },
  { id: "business", name: "Business", cents: 24_900 },
] as const;

/** A day before the history begins. */
const FOUNDED_DAYS_AGO = 420;

/** The questions of the campaign for creators. */
const CREATORS_SIGNUP = {
  description: "For people with an audience: we pay a share of each sale for a year.",
  terms: "Say that you earn from the link. Don't bid on our name in ads.",
  questions: [
    {
      label: "Where is your audience?",
      is_long: false,
      is_required: true,
      choices: ["YouTube", "Blog", "Podcast"],
    },
    { label: "How would you present us?", is_long: true, is_required: false, choices: [] },
  ],
};

/**
 * Gives the account campaigns, rewards and products, and returns its campaigns. If the default campaign has
 * rewards, a user has set it up, and nothing is made.
 */
export async function seedProgram(given: Context, account: Account): Promise<Campaign[]> {
  const { store } = given;
  const { id: accountId, default_campaign_id: id } = account;
  const { rewards_for_promoters, landing_url } = await loadCampaign(store, accountId, id);
  if (rewards_for_promoters.length > 0) return listCampaigns(store, accountId);
  const context = { ...given, now: new Date(given.now.getTime() - FOUNDED_DAYS_AGO * DAY_MS) };
  for (const plan of PLANS) {
    const prices = [{ ext_id: plan.id, desc: `${plan.name}, monthly` }];
    await context.store.transact((tx) =>
      createProduct(tx, context, accountId, { name: plan.name, ext_id: null, prices }),
    );
  }
  const rewards = await createRewards(context, accountId);
  const changes = { rewards_for_promoters: entriesOf(rewards.sale, rewards.tier) };
  await store.transact(async (tx) => {
    await updateCampaign(tx, context, accountId, { id, changes });
    await createCampaign(tx, context, accountId, {
      name: "Creators",
      color: "#c2410c",
      landing_url,
      auto_approve_promoters: false,
      commission_hold_days: HOLD_DAYS,
      signup: CREATORS_SIGNUP,
      links: [{ id: await tx.nextId("campaign-link"), name: "Team plan", url: planPage(landing_url) }],
      rewards_for_promoters: entriesOf(rewards.year),
      rewards_for_referrals: entriesOf(rewards.welcome),
    });
    await createCampaign(tx, context, accountId, {
      name: "Refer a friend",
      color: "#15803d",
      landing_url,
      rewards_for_promoters: entriesOf(rewards.month),
    });
  });
  return listCampaigns(store, accountId);
}

/** Applicants' answers on how they would present the company. */
const PITCHES = [
  "A video about how we moved our whole team, with a link below it.",
  "In the newsletter that goes out each Sunday, beside two other tools.",
  "As a guest in each episode, and in the notes of the show.",
];

/** A promoter's answers to the questions of their campaign, or null if it asks none. */
export function answersOf({ campaigns }: SeedPlan, { campaign_id, promoter_id }: PromoterCampaign) {
  const questions = campaigns.find(({ id }) => id === campaign_id)?.signup?.questions ?? [];
  if (questions.length === 0) return null;
  const answers = questions.map(({ label, choices }) => {
    const possible = choices.length > 0 ? choices : PITCHES;
    return [label, possible[promoter_id % possible.length]];
  });
  return Object.fromEntries(answers) as Record<string, string>;
}

/** A promoter has accepted the terms of their campaign, if it has any. */
export function acceptanceOf(
  { campaigns }: SeedPlan,
  { campaign_id, created_at }: PromoterCampaign,
): Pick<PromoterCampaign, "accepted_terms"> {
  const campaign = campaigns.find(({ id }) => id === campaign_id);
  const version = campaign ? termsVersion(campaign) : null;
  return version === null ? {} : { accepted_terms: { version, at: created_at } };
}

const REWARD: NewReward = {
  name: "20% of each sale",
  is_promoter_reward: true,
  promoter_reward_type: "sale",
  tier_reward_mode: null,
  tier_level: null,
  coupon: null,
  is_hidden: false,
  provider_coupon_id: null,
  duration: "forever",
  duration_months: null,
  max_redemptions: null,
  new_customers_only: false,
  schemas: [{ unit: "cash", amount_ten_thousandths: 200_000, is_flat: false, rules: [] }],
};

async function createRewards(context: Context, accountId: number) {
  const make = (input: Partial<NewReward>) =>
    context.store.transact((tx) =>
      createReward(tx, context, accountId, { ...REWARD, ...input, refuseOwnCode }),
    );
  return {
    sale: await make({}),
    tier: await make({
      name: "10% of what your promoters earn",
      promoter_reward_type: "tier",
      tier_reward_mode: "tier_commission_mode",
      tier_level: 2,
      schemas: [{ unit: "cash", amount_ten_thousandths: 100_000, is_flat: false, rules: [] }],
    }),
    year: await make({
      name: "30% of each sale for 12 months",
      duration: "repeating",
      duration_months: 12,
      schemas: [{ unit: "cash", amount_ten_thousandths: 300_000, is_flat: false, rules: [] }],
    }),
    month: await make({
      name: "A free month for each new customer",
      duration: "once",
      schemas: [{ unit: "free_months", amount_ten_thousandths: 10_000, is_flat: true, rules: [] }],
    }),
    welcome: await make({
      name: "10% off the first year",
      is_promoter_reward: false,
      promoter_reward_type: null,
      duration: "repeating",
      duration_months: 12,
      coupon: "WELCOME10",
      schemas: [{ unit: "discount_per", amount_ten_thousandths: 100_000, is_flat: true, rules: [] }],
    }),
  };
}

function entriesOf(...rewards: Reward[]): RewardEntry[] {
  return rewards.map(({ id }) => ({ apply_on: "all", product_ids: [], reward_id: id }));
}

function planPage(landingUrl: string): string {
  const page = new URL(landingUrl);
  page.searchParams.set("plan", "team");
  return page.href;
}

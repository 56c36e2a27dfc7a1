import { z } from "zod";
import { refuseOwnCode } from "../../domain/people/promo-code/promo-code.ts";
import {
  createReward,
  updateReward,
  rewards,
  REWARD_SCOPES,
  PROMOTER_REWARD_TYPES,
  readRule,
  REWARD_DURATIONS,
  RULE_TYPES,
  TIER_REWARD_MODES,
  loadRewardEntries,
  refuseContradictions,
  type NewReward,
  type RewardSchema,
  type Reward,
  type RewardEntry,
} from "../../domain/program/reward/reward.ts";
import { oneOf, flag, id, tenThousandths, text, wholeAmount, wholeNumber } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import { recordError, type V2Operation, type V2Request } from "../operation.ts";
import { listed } from "../../resource/list.ts";
import { changes, does, lists, makes } from "../../resource/operations.ts";
import { rewardAnswer, ruleShape, rewardEntries } from "./reward-json.ts";
import { field } from "../../http/fields.ts";
import { UNITS, exponentOf } from "../../domain/money.ts";
import { previewEarnings } from "../../domain/ledger/sale/tiers.ts";
import { BILLING_PERIODS } from "../../domain/ledger/sale/sale.ts";

const answers = rewardAnswer.schema.shape;

const rewardList = listed(rewards)({
  params: {
    scope: field(oneOf(REWARD_SCOPES).optional(), "Whose rewards are listed. Default: all."),
  },
});

/** V2's names of the fields that may contradict each other. */
const REWARD_FIELDS = {
  duration_months: "duration_in_months",
};

const shape = recordError(REWARD_FIELDS);

export const listRewardsOperation: V2Operation = lists(rewardAnswer, {
  id: "listRewards",
  summary: "List rewards",
  description: "Lists rewards, both for promoters and for the people that they refer.",
  list: rewardList,
});

const MAX_SCHEMAS = 20;

const UNREADABLE = `needs a type (${RULE_TYPES.join(", ")}), an operator and a number as value`;

const { $schema: _, ...RULE_SHAPE } = z.toJSONSchema(ruleShape);

const rules = z
  .array(
    z
      .record(z.string(), z.unknown())
      .refine((rule) => readRule(rule) !== null, UNREADABLE)
      .meta({ documentedAs: RULE_SHAPE }),
    "is invalid",
  )
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_RULES_BYTES, "is too large");

const schemas = field(
  z
    .array(
      z
        .object(
          {
            unit: field(oneOf(UNITS), "Unit of the amount.", "cash"),
            amount: field(
              tenThousandths,
              "The fixed amount in units of the currency, or the percentage.",
              20,
            ),
            flat_amount: field(flag, "`true`: `amount` is fixed. `false`: it is a percentage of the sale."),
            rules: field(rules.nullish(), "Further conditions, each connected with those before it."),
          },
          "is invalid",
        )
        .transform((given): RewardSchema => ({
          unit: given.unit,
          amount_ten_thousandths: given.amount,
          is_flat: given.flat_amount,
          rules: given.rules ?? [],
        })),
      "is invalid",
    )
    .min(1, "can't be blank")
    .max(MAX_SCHEMAS, `is too long (maximum is ${MAX_SCHEMAS} entries)`),
  answers.schemas,
);
const needed = z.object({
  name: field(text.trim(), answers.name),
  is_promoter_reward: field(flag, answers.is_promoter_reward),
  schemas,
});

const count = id.pipe(z.number().max(1_000_000, "is too large"));

/** The fields that an update may clear. */
const clearable = z.object({
  promoter_reward_type: field(oneOf(PROMOTER_REWARD_TYPES).nullable(), answers.promoter_reward_type),
  tier_reward_mode: field(oneOf(TIER_REWARD_MODES).nullable(), answers.tier_reward_mode),
  tier_level: field(count.nullable(), answers.tier_level),
  coupon: field(text.trim().nullable(), answers.coupon),
  provider_coupon_id: field(text.trim().nullable(), answers.provider_coupon_id),
  duration: field(oneOf(REWARD_DURATIONS).nullable(), answers.duration),
  duration_in_months: field(count.nullable(), answers.duration_in_months),
  max_redemptions: field(count.nullable(), answers.max_redemptions),
});
const switches = z.object({
  hide_reward: field(flag, answers.hide_reward),
  new_customers_only: field(flag, answers.new_customers_only),
});

const optional = clearable.extend(switches.shape).partial();
/** The fields of a new reward. */
const createBody = optional.extend(needed.shape);

/** It answers 200; other creations answer 201. */
export const createRewardOperation: V2Operation = makes(rewardAnswer, {
  id: "createReward",
  summary: "Create a reward",
  description: "Adds a reward. Name it in a campaign's `rewards_for_promoters` to let promoters earn it.",
  status: 200,
  body: createBody,
  refusals: ["invalid", "taken", "rule_broken"],
  shape,
  run: (tx, { account, context }, body) =>
    createReward(tx, context, account.id, { ...newRewardOf(body), refuseOwnCode }),
});

/** The fields of a reward that can be changed. */
const updateBody = optional.extend(needed.partial().shape);

export const updateRewardOperation: V2Operation = changes(rewardAnswer, {
  id: "updateReward",
  summary: "Update a reward",
  description: "Changes a reward. What you leave out stays.",
  example: { name: "25% of each sale" },
  body: updateBody,
  refusals: ["not_found", "invalid", "taken", "rule_broken"],
  shape,
  run(tx, { account, context }, { id, changes: { hide_reward, duration_in_months, ...body } }) {
    const changes = { ...body, is_hidden: hide_reward, duration_months: duration_in_months };
    return updateReward(tx, context, account.id, { id, changes, refuseOwnCode });
  },
});

/** Answers with the hidden reward. */
export const hideRewardOperation: V2Operation = does(rewardAnswer, {
  id: "hideReward",
  summary: "Hide a reward from promoters",
  description: "Hides a reward from promoters. It still counts where it is used.",
  run: (tx, { account, context }, rewardId) =>
    updateReward(tx, context, account.id, { id: rewardId, changes: { is_hidden: true }, refuseOwnCode }),
});

const MAX_RULES_BYTES = 16 * 1024;

/** A new reward by the domain's names. A promoter's reward is for sales by default. */
function newRewardOf(body: z.output<typeof createBody>): NewReward {
  const usualType = body.is_promoter_reward ? "sale" : null;
  return {
    name: body.name,
    is_promoter_reward: body.is_promoter_reward,
    promoter_reward_type: body.promoter_reward_type ?? usualType,
    tier_reward_mode: body.tier_reward_mode ?? null,
    tier_level: body.tier_level ?? null,
    coupon: body.coupon ?? null,
    is_hidden: body.hide_reward ?? false,
    provider_coupon_id: body.provider_coupon_id ?? null,
    duration: body.duration ?? null,
    duration_months: body.duration_in_months ?? null,
    max_redemptions: body.max_redemptions ?? null,
    new_customers_only: body.new_customers_only ?? false,
    schemas: body.schemas,
  };
}

const MAX_DRAFTS = 20;
const counted = wholeAmount.refine((value) => value >= 0, "must not be negative");

const previewBody = z.object({
  drafts: field(
    z
      .array(createBody, "is invalid")
      .max(MAX_DRAFTS, `is too long (maximum is ${MAX_DRAFTS} entries)`)
      .optional(),
    "Rewards that are not saved. They are for all sales.",
  ),
  entries: field(rewardEntries.optional(), "Saved rewards with the sales that they are for."),
  sale_amount: field(
    wholeAmount.refine((value) => value > 0, "must be positive"),
    "What would be sold, in cents.",
    10000,
  ),
  quantity: field(wholeNumber(1, 999_999).optional(), "How many would be sold. Default: 1.", 1),
  billing_period: field(oneOf(BILLING_PERIODS).optional(), "How often the sold plan is paid."),
  product_id: field(id.optional(), "Id of the product that would be sold.", 5),
  sales_count: field(wholeNumber(1, 9_999).optional(), "How many sales were made.", 25),
  customer_age_in_months: field(
    wholeNumber(0, 9_999).optional(),
    "For how many months the customer has been one. Default: 0.",
    0,
  ),
  customers_count: field(counted.optional(), "The promoter's customers so far. Default: 1.", 1),
  revenue_amount: field(
    counted.optional(),
    "The promoter's revenue so far, in cents. Default: this sale's.",
    10000,
  ),
});

const previewAnswer = z
  .object({
    sale_amount: field(z.int(), "What would be sold, in cents.", 10000),
    currency: field(z.string(), "The account's currency.", "USD"),
    earnings: field(
      z.array(
        z.object({
          tier: field(z.int(), "1 for the promoter, 2 for their parent, and so on.", 1),
          reward: field(
            z.object({
              id: field(z.int().nullable(), "Id of the reward, or null if it is not saved.", 3),
              name: field(z.string(), "Name of the reward.", "20% of each sale"),
            }),
            "The reward.",
          ),
          unit: field(z.enum(UNITS), "Unit of the amount.", "cash"),
          amount: field(z.int(), "The amount: cents for `cash`, whole units otherwise.", 2000),
        }),
      ),
      "What each person would get. Empty if no promoter gets anything.",
    ),
  })
  .meta({ id: "RewardPreview" });

/** It changes nothing. */
export const previewRewardsOperation: V2Operation = {
  id: "previewRewards",
  summary: "Calculate what rewards would give for a sale",
  description:
    "Calculates what rewards would give for a sale, by the same rules as for a real one. It changes nothing. Send unsaved rewards as `drafts` and saved ones as `entries`.",
  example: {
    drafts: [
      {
        name: "20% of each sale",
        is_promoter_reward: true,
        schemas: [{ unit: "cash", amount: 20, flat_amount: false }],
      },
    ],
    sale_amount: 10000,
  },
  body: previewBody,
  answer: previewAnswer,
  refusals: ["not_found", "invalid", "rule_broken"],
  shape: recordError(REWARD_FIELDS),
  handle: preview,
};

async function preview({ event, account, context: { store } }: V2Request) {
  const body = shapeInput(previewBody, await readJson(event));
  const { drafts = [], entries = [], sale_amount: amountCents } = body;
  const saved = await loadRewardEntries(store, account.id, entries);
  const drafted = drafts.map((draft, at) => draftedEntry(newRewardOf(draft), at));
  const earnings = previewEarnings(account.id, {
    entries: [...drafted, ...saved],
    sale: {
      amount_cents: amountCents,
      currencyDigits: exponentOf(account.currency) ?? 2,
      quantity: body.quantity ?? 1,
      product_id: body.product_id ?? null,
      plan_id: null,
      billing_period: body.billing_period ?? null,
      sales_count: body.sales_count ?? 1,
      ageInMonths: body.customer_age_in_months ?? 0,
      customersCount: body.customers_count ?? 1,
      revenueCents: body.revenue_amount ?? amountCents,
    },
  });
  return {
    sale_amount: amountCents,
    currency: account.currency,
    earnings: earnings.map(({ tier_level, reward, unit, amount }) => ({
      tier: tier_level,
      reward: { id: reward.id > 0 ? reward.id : null, name: reward.name },
      unit,
      amount,
    })),
  };
}

/** An unsaved reward is for all sales. Its id only has to be unique. */
function draftedEntry(draft: NewReward, at: number): { entry: RewardEntry; reward: Reward } {
  const reward = { ...draft, account_id: 0, id: -1 - at, created_at: "", updated_at: "" };
  refuseContradictions(reward);
  return { entry: { apply_on: "all", product_ids: [], reward_id: reward.id }, reward };
}

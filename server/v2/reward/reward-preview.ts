import { z } from "zod";
import { previewEarnings } from "../../domain/ledger/sale/tiers.ts";
import { exponentOf, UNITS } from "../../domain/money.ts";
import {
  loadRewardEntries,
  refuseContradictions,
  type NewReward,
  type Reward,
  type RewardEntry,
} from "../../domain/program/reward/reward.ts";
import { BILLING_PERIODS } from "../../domain/ledger/sale/sale.ts";
import { readJson } from "../../http/parameters/json.ts";
import { id, oneOf, wholeAmount, wholeNumber } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { recordError, type V2Operation, type V2Request } from "../operation.ts";
import { rewardEntries } from "./reward-json.ts";
import { createBody, newRewardOf, REWARD_FIELDS } from "./rewards.ts";
import { field } from "../../http/fields.ts";

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

/** `POST /api/v2/company/rewards/preview`. It changes nothing. */
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
      amountCents,
      currencyDigits: exponentOf(account.currency) ?? 2,
      quantity: body.quantity ?? 1,
      productId: body.product_id ?? null,
      planId: null,
      billingPeriod: body.billing_period ?? null,
      salesCount: body.sales_count ?? 1,
      ageInMonths: body.customer_age_in_months ?? 0,
      customersCount: body.customers_count ?? 1,
      revenueCents: body.revenue_amount ?? amountCents,
    },
  });
  return {
    sale_amount: amountCents,
    currency: account.currency,
    earnings: earnings.map(({ tierLevel, reward, unit, amount }) => ({
      tier: tierLevel,
      reward: { id: reward.id > 0 ? reward.id : null, name: reward.name },
      unit,
      amount,
    })),
  };
}

/** An unsaved reward is for all sales. Its id only has to be unique. */
function draftedEntry(draft: NewReward, at: number): { entry: RewardEntry; reward: Reward } {
  const reward = { ...draft, accountId: 0, id: -1 - at, createdAt: "", updatedAt: "" };
  refuseContradictions(reward);
  return { entry: { applyOn: "all", productIds: [], rewardId: reward.id }, reward };
}

import { z } from "zod";
import { previewEarnings } from "../../domain/sale/tiers.ts";
import { exponentOf, UNITS } from "../../domain/money/money.ts";
import { loadRewardEntries } from "../../domain/reward/changes.ts";
import {
  refuseContradictions,
  type NewReward,
  type Reward,
  type RewardEntry,
} from "../../domain/reward/reward.ts";
import { BILLING_PERIODS } from "../../domain/sale/sale.ts";
import { readJson } from "../../http/parameters/json.ts";
import { id, oneOf, wholeAmount, wholeNumber } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { recordError } from "../record-error.ts";
import { rewardEntries } from "./reward-entry-json.ts";
import { createBody, newRewardOf, REWARD_FIELDS } from "./reward-input.ts";

const MAX_DRAFTS = 20;
const counted = wholeAmount.refine((value) => value >= 0, "must not be negative");

const previewBody = z.object({
  drafts: z
    .array(createBody, "is invalid")
    .max(MAX_DRAFTS, `is too long (maximum is ${MAX_DRAFTS} entries)`)
    .optional(),
  entries: rewardEntries.optional(),
  sale_amount: wholeAmount.refine((value) => value > 0, "must be positive"),
  quantity: wholeNumber(1, 999_999).optional(),
  billing_period: oneOf(BILLING_PERIODS).optional(),
  product_id: id.optional(),
  sales_count: wholeNumber(1, 9_999).optional(),
  customer_age_in_months: wholeNumber(0, 9_999).optional(),
  customers_count: counted.optional(),
  revenue_amount: counted.optional(),
});

const previewAnswer = z
  .object({
    sale_amount: z.int(),
    currency: z.string(),
    earnings: z.array(
      z.object({
        tier: z.int(),
        reward: z.object({ id: z.int().nullable(), name: z.string() }),
        unit: z.enum(UNITS),
        amount: z.int(),
      }),
    ),
  })
  .meta({ id: "RewardPreview" });

/** `POST /api/v2/company/rewards/preview`. It changes nothing. */
export const previewRewardsOperation: V2Operation = {
  summary: "Work out what rewards would give for a sale",
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

/** A reward that is not saved is for all sales. Its id only has to differ from those of the others. */
function draftedEntry(draft: NewReward, at: number): { entry: RewardEntry; reward: Reward } {
  const reward = { ...draft, accountId: 0, id: -1 - at, createdAt: "", updatedAt: "" };
  refuseContradictions(reward);
  return { entry: { applyOn: "all", productIds: [], rewardId: reward.id }, reward };
}

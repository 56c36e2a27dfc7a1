import { z } from "zod";
import { createReward, findRewards, REWARD_SCOPES, updateReward } from "../../domain/reward/reward.ts";
import { flag, id, oneOf, tenThousandths, text } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import {
  PROMOTER_REWARD_TYPES,
  REWARD_DURATIONS,
  TIER_REWARD_MODES,
  type RewardSchema,
} from "../../domain/reward/record.ts";
import { UNITS } from "../../domain/money/unit.ts";
import { readRule, RULE_TYPES } from "../../domain/reward/rule.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { recordError } from "../record-error.ts";
import { rewardAnswer, rewardJson } from "./reward-json.ts";

const MAX_SCHEMAS = 20;
const MAX_RULES_BYTES = 16 * 1024;

const count = id.pipe(z.number().max(1_000_000, "is too large"));

const UNREADABLE = `needs a type (${RULE_TYPES.join(", ")}), an operator and a number as value`;

const rules = z
  .array(
    z.record(z.string(), z.unknown()).refine((rule) => readRule(rule) !== null, UNREADABLE),
    "is invalid",
  )
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_RULES_BYTES, "is too large");

const schemas = z
  .array(
    z
      .object(
        {
          unit: oneOf(UNITS),
          amount: tenThousandths,
          flat_amount: flag,
          rules: rules.nullish(),
        },
        "is invalid",
      )
      .transform((given): RewardSchema => ({
        unit: given.unit,
        amountTenThousandths: given.amount,
        isFlat: given.flat_amount,
        rules: given.rules ?? [],
      })),
    "is invalid",
  )
  .min(1, "can't be blank")
  .max(MAX_SCHEMAS, `is too long (maximum is ${MAX_SCHEMAS} entries)`);

/** The fields that an update may clear. */
const clearable = z.object({
  promoter_reward_type: oneOf(PROMOTER_REWARD_TYPES).nullable(),
  tier_reward_mode: oneOf(TIER_REWARD_MODES).nullable(),
  tier_level: count.nullable(),
  coupon: text.trim().nullable(),
  provider_coupon_id: text.trim().nullable(),
  duration: oneOf(REWARD_DURATIONS).nullable(),
  duration_in_months: count.nullable(),
  max_redemptions: count.nullable(),
});
const switches = z.object({ hide_reward: flag, new_customers_only: flag });
const needed = z.object({ name: text.trim(), is_promoter_reward: flag, schemas });

const optional = clearable.extend(switches.shape).partial();
const createBody = optional.extend(needed.shape);
const updateBody = optional.extend(needed.partial().shape);

const listParams = pageParams.extend({ scope: oneOf(REWARD_SCOPES).optional() });

const shape = recordError({
  isPromoterReward: "is_promoter_reward",
  promoterRewardType: "promoter_reward_type",
  tierLevel: "tier_level",
  tierRewardMode: "tier_reward_mode",
  durationMonths: "duration_in_months",
});

/** `GET /api/v2/company/rewards` */
export const listRewardsOperation: V2Operation = {
  summary: "List rewards",
  params: listParams,
  answer: z.array(rewardAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `POST /api/v2/company/rewards`. The interface documents 200, not 201. */
export const createRewardOperation: V2Operation = {
  summary: "Create a reward",
  body: createBody,
  answer: rewardAnswer,
  refusals: ["invalid", "rule_broken"],
  shape,
  handle: create,
};

/** `PUT` and `PATCH /api/v2/company/rewards/{id}` */
export const updateRewardOperation: V2Operation = {
  summary: "Update a reward",
  body: updateBody,
  answer: rewardAnswer,
  refusals: ["not_found", "invalid", "rule_broken"],
  shape,
  handle: update,
};

/** `POST /api/v2/company/rewards/{id}/hide`. Choice: answers with the hidden reward. */
export const hideRewardOperation: V2Operation = {
  summary: "Hide a reward from promoters",
  answer: rewardAnswer,
  refusals: ["not_found"],
  handle: hide,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { params, page, window } = readListing(request, listParams);
  const { records, total } = await findRewards(context.store, account.id, {
    scope: params.scope ?? null,
    ...window,
  });
  setPageHeaders(request, page, total);
  return records.map(rewardJson);
}

async function create({ event, account, context }: V2Request) {
  const body = shapeInput(createBody, await readJson(event));
  const usualType = body.is_promoter_reward ? "sale" : null;
  const reward = await createReward(context, account.id, {
    name: body.name,
    isPromoterReward: body.is_promoter_reward,
    promoterRewardType: body.promoter_reward_type ?? usualType,
    tierRewardMode: body.tier_reward_mode ?? null,
    tierLevel: body.tier_level ?? null,
    coupon: body.coupon ?? null,
    isHidden: body.hide_reward ?? false,
    providerCouponId: body.provider_coupon_id ?? null,
    duration: body.duration ?? null,
    durationMonths: body.duration_in_months ?? null,
    maxRedemptions: body.max_redemptions ?? null,
    newCustomersOnly: body.new_customers_only ?? false,
    schemas: body.schemas,
  });
  return rewardJson(reward);
}

async function update({ event, account, context }: V2Request) {
  const id = readPathId(event);
  const body = shapeChanges(updateBody, await readJson(event));
  const changes = {
    name: body.name,
    isPromoterReward: body.is_promoter_reward,
    promoterRewardType: body.promoter_reward_type,
    tierRewardMode: body.tier_reward_mode,
    tierLevel: body.tier_level,
    coupon: body.coupon,
    isHidden: body.hide_reward,
    providerCouponId: body.provider_coupon_id,
    duration: body.duration,
    durationMonths: body.duration_in_months,
    maxRedemptions: body.max_redemptions,
    newCustomersOnly: body.new_customers_only,
    schemas: body.schemas,
  };
  return rewardJson(await updateReward(context, account.id, { id, changes }));
}

async function hide({ event, account, context }: V2Request) {
  const id = readPathId(event);
  return rewardJson(await updateReward(context, account.id, { id, changes: { isHidden: true } }));
}

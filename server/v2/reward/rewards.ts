import { refuseOwnCode } from "../../domain/people/promo-code/promo-code.ts";
import { z } from "zod";
import { createReward, updateReward } from "../../domain/program/reward/changes.ts";
import { findRewards, REWARD_SCOPES } from "../../domain/program/reward/reward.ts";
import { oneOf } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { recordError } from "../record-error.ts";
import { createBody, newRewardOf, REWARD_FIELDS, updateBody } from "./reward-input.ts";
import { rewardAnswer, rewardJson } from "./reward-json.ts";
import { field } from "../../http/fields.ts";

const listParams = pageParams.extend({
  scope: field(oneOf(REWARD_SCOPES).optional(), "Whose rewards are listed. Default: all."),
});

const shape = recordError(REWARD_FIELDS);

/** `GET /api/v2/company/rewards` */
export const listRewardsOperation: V2Operation = {
  id: "listRewards",
  summary: "List rewards",
  description: "Lists rewards, both for promoters and for the people that they refer.",
  params: listParams,
  answer: z.array(rewardAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/** `POST /api/v2/company/rewards`. It answers 200; other creations answer 201. */
export const createRewardOperation: V2Operation = {
  id: "createReward",
  summary: "Create a reward",
  description: "Adds a reward. Name it in a campaign's `rewards_for_promoters` to let promoters earn it.",
  body: createBody,
  answer: rewardAnswer,
  refusals: ["invalid", "taken", "rule_broken"],
  shape,
  handle: create,
};

/** `PUT` and `PATCH /api/v2/company/rewards/{id}` */
export const updateRewardOperation: V2Operation = {
  id: "updateReward",
  summary: "Update a reward",
  description: "Changes a reward. What you leave out stays.",
  example: { name: "25% of each sale" },
  body: updateBody,
  answer: rewardAnswer,
  refusals: ["not_found", "invalid", "taken", "rule_broken"],
  shape,
  handle: update,
};

/** `POST /api/v2/company/rewards/{id}/hide`. Answers with the hidden reward. */
export const hideRewardOperation: V2Operation = {
  id: "hideReward",
  summary: "Hide a reward from promoters",
  description: "Hides a reward from promoters. It still counts where it is used.",
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
  return rewardJson(await createReward(context, account.id, { ...newRewardOf(body), refuseOwnCode }));
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
  return rewardJson(await updateReward(context, account.id, { id, changes, refuseOwnCode }));
}

async function hide({ event, account, context }: V2Request) {
  const id = readPathId(event);
  return rewardJson(
    await updateReward(context, account.id, { id, changes: { isHidden: true }, refuseOwnCode }),
  );
}

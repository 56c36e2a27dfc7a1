import { Failure, type FieldErrors } from "../../failure.ts";
import { foldedCoupon } from "../promo-code/coupons.ts";
import type { Reward } from "./record.ts";
import { table } from "../../storage/table.ts";
import type { Reader, Store } from "../../storage/store.ts";
import { findPage, type Found, type Schema, type Window } from "../../storage/query.ts";

export const rewards = table<Reward>()({
  name: "reward",
  columns: {
    id: "integer",
    scope: ["text", ({ isPromoterReward }) => scopeOf(isPromoterReward)],
    name: "text",
    promoter_reward_type: "text",
    folded_coupon: ["text", ({ coupon }) => coupon && foldedCoupon(coupon)],
    is_hidden: "integer",
    created_at: "text",
    updated_at: "text",
  },
  indexes: {
    scope: { on: ["scope"] },
    foldedCoupon: { on: ["folded_coupon"], where: "folded_coupon is not null" },
  },
});

export const REWARD_SCOPES = ["promoters", "referrals"] as const;
/** Whether a reward is for promoters or for referred customers. */
export type RewardScope = (typeof REWARD_SCOPES)[number];

/** The input for a new reward. */
export type NewReward = Omit<Reward, "accountId" | "id" | "createdAt" | "updatedAt">;

/** Changes to a reward. undefined: unchanged. */
export type RewardChanges = { [F in keyof NewReward]?: NewReward[F] | undefined };

/** Rewards, hidden ones included, oldest first. May be limited to one scope. */
export function findRewards(
  store: Store,
  accountId: number,
  { scope, ...window }: { scope: RewardScope | null } & Window,
): Promise<Found<Reward>> {
  const all = store
    .question<Schema<{ rewards: typeof rewards }>>()
    .selectFrom("rewards")
    .where("account_id", "=", accountId)
    .orderBy("id");
  const question = scope === null ? all : all.where("scope", "=", scope);
  return findPage(store, rewards, { question, ...window });
}

/** @throws Failure `not_found` */
export async function loadReward(reader: Reader, accountId: number, id: number): Promise<Reward> {
  const reward = await reader.get(rewards, accountId, id);
  if (reward === null) throw new Failure("not_found", "Reward not found.");
  return reward;
}

/** Refuses a reward that lacks a field which another of its fields requires. @throws Failure `rule_broken` */
export function refuseContradictions(reward: Reward): void {
  const fields: FieldErrors = {};
  const { isPromoterReward, promoterRewardType, duration } = reward;
  if (isPromoterReward && promoterRewardType === null) fields["promoterRewardType"] = ["can't be blank"];
  if (!isPromoterReward && promoterRewardType !== null) {
    fields["promoterRewardType"] = ["must be blank in a reward for referrals"];
  }
  if (promoterRewardType === "tier") {
    // A parent's share of the money must be stated, never guessed.
    if (reward.tierLevel === null) fields["tierLevel"] = ["can't be blank in a tier reward"];
    if (reward.tierRewardMode === null) fields["tierRewardMode"] = ["can't be blank in a tier reward"];
  }
  if (duration === "repeating" && reward.durationMonths === null) {
    fields["durationMonths"] = ["can't be blank in a repeating reward"];
  }
  if (Object.keys(fields).length > 0) throw new Failure("rule_broken", "The record breaks a rule", fields);
}

function scopeOf(isPromoterReward: boolean): RewardScope {
  return isPromoterReward ? "promoters" : "referrals";
}

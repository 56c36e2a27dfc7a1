import { Failure } from "../failure.ts";
import type { Reward } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Reader } from "../storage/store.ts";

export const rewards = collection<Reward>()({
  name: "reward",
  id: (reward) => [reward.id],
  claims: {},
  indexes: {
    scope: ({ isPromoterReward }) => [isPromoterReward ? "promoters" : "referrals"],
  },
  tallies: ({ isPromoterReward }) => [
    [["all"], 1],
    [["scope", isPromoterReward ? "promoters" : "referrals"], 1],
  ],
});

/** @throws Failure `not_found` */
export async function loadReward(reader: Reader, accountId: number, id: number): Promise<Reward> {
  const reward = await reader.get(rewards, accountId, id);
  if (reward === null) throw new Failure("not_found", "Reward not found.");
  return reward;
}

import { Failure } from "../../failure.ts";
import type { Reward, RewardEntry } from "./record.ts";
import type { Reader } from "../../storage/store.ts";
import { loadReward, type RewardScope } from "./reward.ts";

/** A reward entry with its reward. */
export interface FullRewardEntry {
  entry: RewardEntry;
  reward: Reward;
}

const FIELDS = { promoters: "rewardsForPromoters", referrals: "rewardsForReferrals" } as const;

/**
 * Checks that every entry names a reward for the right kind of person.
 *
 * @throws Failure `not_found`, `rule_broken`
 */
export async function checkRewardEntries(
  reader: Reader,
  accountId: number,
  { scope, entries }: { scope: RewardScope; entries: RewardEntry[] },
): Promise<void> {
  for (const { rewardId } of entries) {
    const reward = await loadReward(reader, accountId, rewardId);
    if (reward.isPromoterReward === (scope === "promoters")) continue;
    const fault = `must not hold reward ${rewardId}, which is not for ${scope}`;
    throw new Failure("rule_broken", "The record breaks a rule", { [FIELDS[scope]]: [fault] });
  }
}

/** Entries with their rewards. @throws Failure `not_found` */
export async function loadRewardEntries(
  reader: Reader,
  accountId: number,
  entries: RewardEntry[],
): Promise<FullRewardEntry[]> {
  const full: FullRewardEntry[] = [];
  for (const entry of entries)
    full.push({ entry, reward: await loadReward(reader, accountId, entry.rewardId) });
  return full;
}

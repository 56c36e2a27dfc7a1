import { Failure } from "../../../failure.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { loadProduct, products, type Product } from "../product.ts";
import {
  loadReward,
  refuseContradictions,
  rewards,
  type NewReward,
  type Reward,
  type RewardChanges,
  type RewardEntry,
  type RewardScope,
} from "./reward.ts";

/** Refuses a coupon that is a promoter's own code, because customers of every promoter may enter it. */
type RefuseOwnCode = (tx: Transaction, accountId: number, coupon: string | null) => Promise<void>;

/** Makes a reward. @throws Failure `rule_broken` naming every contradiction, `taken` */
export async function createReward(
  { store, now }: Context,
  accountId: number,
  { refuseOwnCode, ...input }: NewReward & { refuseOwnCode: RefuseOwnCode },
): Promise<Reward> {
  const id = await store.nextId("reward");
  const createdAt = now.toISOString();
  const reward: Reward = { ...input, accountId, id, createdAt, updatedAt: createdAt };
  refuseContradictions(reward);
  return store.transact(async (tx) => {
    await refuseOwnCode(tx, accountId, reward.coupon);
    await tx.put(rewards, reward);
    return reward;
  });
}

/** Changes a reward. @throws Failure `not_found`, `rule_broken` naming every contradiction, `taken` */
export function updateReward(
  { store, now }: Context,
  accountId: number,
  { id, changes, refuseOwnCode }: { id: number; changes: RewardChanges; refuseOwnCode: RefuseOwnCode },
): Promise<Reward> {
  return store.transact(async (tx) => {
    const before = await loadReward(tx, accountId, id);
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const after: Reward = { ...before, ...Object.fromEntries(given), updatedAt: now.toISOString() };
    if (after.isPromoterReward !== before.isPromoterReward) {
      // Campaigns rely on who their rewards are for.
      throw new Failure("rule_broken", "The record breaks a rule", {
        isPromoterReward: ["can't be changed"],
      });
    }
    refuseContradictions(after);
    if (after.coupon !== before.coupon) await refuseOwnCode(tx, accountId, after.coupon);
    await tx.put(rewards, after);
    return after;
  });
}

/** A reward entry with its reward and its products. */
export interface FullRewardEntry {
  entry: RewardEntry;
  reward: Reward;
  products: Product[];
}

const FIELDS = { promoters: "rewardsForPromoters", referrals: "rewardsForReferrals" } as const;

/**
 * Checks that every entry names a reward for the right kind of person, and existing products.
 *
 * @throws Failure `not_found`, `rule_broken`
 */
export async function checkRewardEntries(
  reader: Reader,
  accountId: number,
  { scope, entries }: { scope: RewardScope; entries: RewardEntry[] },
): Promise<void> {
  for (const { rewardId, productIds } of entries) {
    for (const productId of productIds) await loadProduct(reader, accountId, productId);
    const reward = await loadReward(reader, accountId, rewardId);
    if (reward.isPromoterReward === (scope === "promoters")) continue;
    const fault = `must not hold reward ${rewardId}, which is not for ${scope}`;
    throw new Failure("rule_broken", "The record breaks a rule", { [FIELDS[scope]]: [fault] });
  }
}

/** Entries with their rewards and products. @throws Failure `not_found` */
export async function loadRewardEntries(
  reader: Reader,
  accountId: number,
  entries: RewardEntry[],
): Promise<FullRewardEntry[]> {
  const full: FullRewardEntry[] = [];
  for (const entry of entries) {
    const reward = await loadReward(reader, accountId, entry.rewardId);
    const named = await Promise.all(entry.productIds.map((id) => reader.get(products, accountId, id)));
    full.push({ entry, reward, products: named.filter((product) => product !== null) });
  }
  return full;
}

import { Failure } from "../../failure.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { TAKEN } from "../../storage/taken.ts";
import type { Context } from "../context.ts";
import { loadProduct, products, type Product } from "../product/product.ts";
import { findCodeInUse, lockCodes } from "../promo-code/promo-code.ts";
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

/** Makes a reward. @throws Failure `rule_broken` naming every contradiction, `taken` */
export async function createReward(
  { store, now }: Context,
  accountId: number,
  input: NewReward,
): Promise<Reward> {
  const id = await store.nextId("reward");
  const createdAt = now.toISOString();
  const reward: Reward = { ...input, accountId, id, createdAt, updatedAt: createdAt };
  refuseContradictions(reward);
  return store.transact(async (tx) => {
    await refuseOwnCode(tx, reward);
    await tx.put(rewards, reward);
    return reward;
  });
}

/** Changes a reward. @throws Failure `not_found`, `rule_broken` naming every contradiction, `taken` */
export function updateReward(
  { store, now }: Context,
  accountId: number,
  { id, changes }: { id: number; changes: RewardChanges },
): Promise<Reward> {
  return store.transact(async (tx) => {
    const before = await loadReward(tx, accountId, id);
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const after: Reward = { ...before, ...Object.fromEntries(given), updatedAt: now.toISOString() };
    if (after.isPromoterReward !== before.isPromoterReward) {
      // Campaigns rely on whom their rewards are for.
      throw new Failure("rule_broken", "The record breaks a rule", {
        isPromoterReward: ["can't be changed"],
      });
    }
    refuseContradictions(after);
    if (after.coupon !== before.coupon) await refuseOwnCode(tx, after);
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
 * Checks that every entry names a reward for the right kind of person, and products that exist.
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

/** Customers of every promoter may type a reward's coupon, so it can't be a code that one promoter made. */
async function refuseOwnCode(tx: Transaction, { accountId, coupon }: Reward): Promise<void> {
  if (coupon === null) return;
  await lockCodes(tx, accountId);
  const promoCode = await findCodeInUse(tx, accountId, coupon);
  if (promoCode?.madeByPromoterId === undefined) return;
  throw new Failure("taken", "The record breaks a rule", { coupon: [TAKEN] });
}

import { Failure } from "../../failure.ts";
import type { Transaction } from "../../storage/store.ts";
import { TAKEN } from "../../storage/taken.ts";
import type { Context } from "../context.ts";
import { lockCodes } from "../promo-code/code-owner.ts";
import { findCodeInUse } from "../promo-code/promo-code.ts";
import type { Reward } from "./record.ts";
import { loadReward, refuseContradictions, rewards, type NewReward, type RewardChanges } from "./reward.ts";

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

/** Customers of every promoter may type a reward's coupon, so it can't be a code that one promoter made. */
async function refuseOwnCode(tx: Transaction, { accountId, coupon }: Reward): Promise<void> {
  if (coupon === null) return;
  await lockCodes(tx, accountId);
  const promoCode = await findCodeInUse(tx, accountId, coupon);
  if (promoCode?.madeByPromoterId === undefined) return;
  throw new Failure("taken", "The record breaks a rule", { coupon: [TAKEN] });
}

import { Failure } from "../../failure.ts";
import type { Reward, RewardEntry } from "./record.ts";
import type { Reader } from "../../storage/store.ts";
import { loadProduct, products, type Product } from "../product/product.ts";
import { loadReward, type RewardScope } from "./reward.ts";

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

/** The ids of the products that entries name, with a blank before and after each. null: they name none. */
export function productsNamed(entries: RewardEntry[]): string | null {
  const ids = new Set(entries.flatMap(({ productIds }) => productIds));
  return ids.size === 0 ? null : ` ${[...ids].join(" ")} `;
}

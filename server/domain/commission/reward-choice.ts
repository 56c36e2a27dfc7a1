import type { Reward, RewardEntry, RewardSchema } from "../reward/record.ts";
import { rulesHold, type RuleFacts } from "../reward/rule.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { BillingPeriod } from "../sale/record.ts";

/** The values that the amounts of commissions are computed from. */
export interface EarningSale {
  amountCents: number;
  /** The decimals of the account's currency. */
  currencyDigits: number;
  quantity: number;
  productId: number | null;
  planId: string | null;
  billingPeriod: BillingPeriod | null;
}

/** A promoter who may earn from the sale. */
export interface Tier {
  /** 1: the lead's promoter; 2: their parent; and so on. */
  level: number;
  promoterCampaign: PromoterCampaign;
  entries: { entry: RewardEntry; reward: Reward }[];
  customersCount: number;
  revenueCents: number;
  /** What refunds took off these counts, as far as targets are concerned. Absent: nothing. */
  targetLoss?: { customersCount: number; revenueCents: number };
}

/** The lead's past, with this sale counted. */
export interface CustomerHistory {
  ageInMonths: number;
  salesCount: number;
  /** The once-only rewards that were given before. */
  onceRewardIds: number[];
  /** The months since the first sale that a reward applied to. Absent: as many as since the first sale of all. */
  monthsOf?: (rewardId: number) => number;
}

/** An amount that a reward gives. */
export interface Chosen {
  reward: Reward;
  schema: RewardSchema;
}

/**
 * The schemas that a promoter is paid by: for each unit those of one reward. The reward for the sale's product comes
 * first, then one for its billing period, then any other. An amount of zero excludes the sale.
 *
 * Choice: a reward that has ended for this customer, or whose rules don't hold, does not keep a less specific reward
 * from being given.
 */
export function chooseSchemas(
  { level, entries }: Tier,
  { sale, history, facts }: { sale: EarningSale; history: CustomerHistory; facts: RuleFacts },
): Chosen[] {
  const type = level === 1 ? "sale" : "tier";
  const candidates = entries
    .filter(({ reward }) => reward.promoterRewardType === type && (level === 1 || reward.tierLevel === level))
    .filter(({ reward }) => isRunning(reward, history))
    .map(({ entry, reward }) => ({ reward, rank: rankOf(entry, sale) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank);
  const chosen: Chosen[] = [];
  for (const { reward } of candidates) {
    const schemas = reward.schemas.filter(({ rules }) => rulesHold(rules, facts));
    const free = schemas.filter(({ unit }) => chosen.every((each) => each.schema.unit !== unit));
    chosen.push(...free.map((schema) => ({ reward, schema })));
  }
  return chosen;
}

/** How well an entry fits a sale. 0: not at all. */
export function rankOf(
  { applyOn, productIds }: RewardEntry,
  sale: Pick<EarningSale, "productId" | "billingPeriod">,
): number {
  if (applyOn === "specific") {
    return sale.productId !== null && productIds.includes(sale.productId) ? 3 : 0;
  }
  if (applyOn === "all") return 1;
  return applyOn === sale.billingPeriod ? 2 : 0;
}

/** Whether a reward is still given to a customer. */
export function isRunning(
  reward: Reward,
  { ageInMonths, onceRewardIds, monthsOf }: CustomerHistory,
): boolean {
  if (reward.duration === "once") return !onceRewardIds.includes(reward.id);
  const months = monthsOf === undefined ? ageInMonths : monthsOf(reward.id);
  return reward.duration !== "repeating" || months < (reward.durationMonths ?? 0);
}

/** The schemas of target rewards that the promoter reaches now. They are given once, and need a rule. */
export function reachedTargets({ level, entries, promoterCampaign }: Tier, facts: RuleFacts): Chosen[] {
  if (level !== 1) return [];
  const reachedIds = new Set(promoterCampaign.targetsReached.map(({ rewardId }) => rewardId));
  const targets = entries
    .map(({ reward }) => reward)
    .filter(({ id, promoterRewardType }) => promoterRewardType === "target" && !reachedIds.has(id));
  // Several entries may name one reward.
  return [...new Map(targets.map((reward) => [reward.id, reward])).values()].flatMap((reward) =>
    reward.schemas
      .filter(({ rules }) => rules.length > 0 && rulesHold(rules, facts))
      .map((schema) => ({ reward, schema })),
  );
}

import { Failure } from "../../../failure.ts";
import type { Split } from "../../people/lead/lead.ts";
import { cutUp, MAX_AMOUNT, share, WHOLE, type Unit } from "../../money.ts";
import type { PromoterCampaign } from "../../people/promoter-campaign/promoter-campaign.ts";
import {
  rulesHold,
  type Reward,
  type RewardEntry,
  type RewardSchema,
  type RuleFacts,
} from "../../program/reward/reward.ts";
import type { BillingPeriod } from "../sale/sale.ts";
import type { CommissionTerms } from "./commission.ts";

/** An amount that a promoter earns from a sale, and its reason. */
export interface Earning {
  tierLevel: number;
  promoterCampaignId: number;
  reward: Pick<Reward, "id" | "name" | "promoterRewardType" | "duration">;
  terms: CommissionTerms;
  unit: Unit;
  amount: number;
  /** The amount before the split. */
  wholeAmount: number;
  /** Null if it is not split. */
  splitTenThousandths: number | null;
  /** Whether it is the share of a promoter in another's lead. Absent: no. */
  isShare?: true;
  /** The rules of the target if it is a bonus for reaching one. Absent: it is none. */
  targetRules?: unknown[];
  /** The sum of the split's shares before this one. Absent: 0. */
  splitFromTenThousandths?: number;
}

/** A sale with everything that determines its commissions. */
export interface EarningInput {
  sale: EarningSale;
  /** From the lead's promoter upwards. */
  tiers: Tier[];
  history: CustomerHistory;
  splits: Split[];
}

/**
 * Computes the earnings of a sale, for each tier and part of a split. A pure function.
 *
 * @throws Failure `rule_broken` if an amount is too large
 * @see docs/spec/money.md "Rewards of a sale"
 */
export function earningsOf({ sale, tiers, history, splits }: EarningInput): Earning[] {
  const earnings: Earning[] = [];
  for (const tier of tiers) {
    const facts = ruleFacts(sale, history, tier);
    const below = earnings.filter(({ tierLevel }) => tierLevel < tier.level);
    const chosen = chooseSchemas(tier, { sale, history, facts });
    for (const { reward, schema } of [...chosen, ...reachedTargets(tier, facts)]) {
      const terms = termsOf(schema, { reward, sale, below, level: tier.level });
      const isBonus = reward.promoterRewardType === "target";
      const amount = amountOf(terms, schema.unit, isBonus ? { ...sale, quantity: 1 } : sale);
      if (amount === 0) continue;
      refuseTooLarge(amount, reward);
      earnings.push({
        tierLevel: tier.level,
        promoterCampaignId: tier.promoterCampaign.id,
        reward: pick(reward),
        terms,
        unit: schema.unit,
        amount,
        wholeAmount: amount,
        splitTenThousandths: null,
        ...(isBonus && { targetRules: schema.rules }),
      });
    }
  }
  return earnings.flatMap((earning) => divide(earning, splits));
}

/**
 * The same earnings by the same terms, for a sale whose amount or quantity was corrected, in the order of
 * `earningsOf`.
 *
 * @throws Failure `rule_broken` if an amount is too large
 */
export function earnAgain(
  earnings: Earning[],
  sale: Pick<EarningSale, "amountCents" | "quantity" | "currencyDigits">,
): Earning[] {
  const again: Earning[] = [];
  for (const earning of earnings) {
    const { tierLevel, unit, splitTenThousandths: part, splitFromTenThousandths: from = 0 } = earning;
    const below = again.filter((each) => each.tierLevel < tierLevel);
    const base = baseOf(earning.terms.tierRewardMode, { sale, below, level: tierLevel, unit });
    const terms = { ...earning.terms, base };
    const isBonus = earning.targetRules !== undefined;
    const wholeAmount = amountOf(terms, unit, isBonus ? { ...sale, quantity: 1 } : sale);
    refuseTooLarge(wholeAmount, earning.reward);
    const upTo = (percentage: number) => share(wholeAmount, percentage, WHOLE);
    const amount = part === null ? wholeAmount : upTo(from + part) - upTo(from);
    again.push({ ...earning, terms, wholeAmount, amount });
  }
  return again;
}

/** The rewards that apply to a sale, each once, even if they give nothing. Targets are excluded. */
export function appliedRewards({ sale, tiers, history }: Omit<EarningInput, "splits">): Reward[] {
  const applied = tiers.flatMap((tier) =>
    chooseSchemas(tier, { sale, history, facts: ruleFacts(sale, history, tier) }),
  );
  return [...new Set(applied.map(({ reward }) => reward))];
}

/** The values from which the amounts of commissions are computed. */
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
  /** 1 for the lead's promoter, 2 for their parent, and so on. */
  level: number;
  promoterCampaign: PromoterCampaign;
  entries: { entry: RewardEntry; reward: Reward }[];
  /** Customers and revenue without what was refunded. */
  customersCount: number;
  revenueCents: number;
}

/** The lead's past, including this sale. */
export interface CustomerHistory {
  ageInMonths: number;
  /** Without sales that were refunded whole. */
  salesCount: number;
  /** The one-time rewards that were given before. */
  onceRewardIds: number[];
  /**
   * The months since the first sale to which a reward applied. Absent: the months since the very first sale.
   */
  monthsOf?: (rewardId: number) => number;
}

/** How well an entry fits a sale, or 0 if it does not. */
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

/** Whether a customer's reward still continues. */
export function isRunning(
  reward: Reward,
  { ageInMonths, onceRewardIds, monthsOf }: CustomerHistory,
): boolean {
  if (reward.duration === "once") return !onceRewardIds.includes(reward.id);
  const months = monthsOf === undefined ? ageInMonths : monthsOf(reward.id);
  return reward.duration !== "repeating" || months < (reward.durationMonths ?? 0);
}

/** The facts of a sale that rules judge. */
export function ruleFacts(
  { planId }: Pick<EarningSale, "planId">,
  history: Pick<CustomerHistory, "ageInMonths" | "salesCount">,
  tier: Pick<Tier, "customersCount" | "revenueCents">,
): RuleFacts {
  return {
    planId,
    counts: {
      customer_age_in_months: history.ageInMonths,
      customer_sales_count: history.salesCount,
      promoter_campaign_customers_count: tier.customersCount,
      promoter_campaign_revenue: tier.revenueCents,
    },
  };
}

/** A reward's amount. */
interface Chosen {
  reward: Reward;
  schema: RewardSchema;
}

/**
 * The schemas by which a promoter is paid: for each unit those of one reward. The reward for the sale's
 * product comes first, then one for its billing period, then any other. An amount of zero excludes the sale.
 *
 * @see docs/spec/money.md "Rewards of a sale", 1
 */
function chooseSchemas(
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

/** The schemas of target rewards that the promoter reaches now. They are given once, and need a rule. */
function reachedTargets({ level, entries, promoterCampaign }: Tier, facts: RuleFacts): Chosen[] {
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

/** The rule of an amount, with the base of its percentage. */
function termsOf(
  { amountTenThousandths, isFlat, unit }: RewardSchema,
  { reward, sale, below, level }: { reward: Reward; sale: EarningSale; below: Earning[]; level: number },
): CommissionTerms {
  const mode = reward.promoterRewardType === "tier" ? reward.tierRewardMode : null;
  const base = baseOf(mode, { sale, below, level, unit });
  return { amountTenThousandths, isFlat, tierRewardMode: mode, base };
}

/** The base of a percentage. */
function baseOf(
  mode: CommissionTerms["tierRewardMode"],
  {
    sale,
    below,
    level,
    unit,
  }: { sale: Pick<EarningSale, "amountCents">; below: Earning[]; level: number; unit: Unit },
): number {
  const sumOf = (earnings: Earning[], ofUnit: Unit) =>
    earnings.filter((each) => each.unit === ofUnit).reduce((sum, { amount }) => sum + amount, 0);
  const oneBelow = below.filter(({ tierLevel }) => tierLevel === level - 1);
  if (mode === "tier_commission_mode") return sumOf(oneBelow, unit);
  if (mode === "tier_net_override_mode") return Math.max(0, sale.amountCents - sumOf(below, "cash"));
  return sale.amountCents;
}

/**
 * A percentage in another unit than cash counts whole units of the currency: 10 % of 50.00 dollars are 5
 * points.
 *
 * @see docs/spec/money.md "Amounts"
 */
function amountOf(
  terms: CommissionTerms,
  unit: Unit,
  { quantity, currencyDigits }: Pick<EarningSale, "quantity" | "currencyDigits">,
): number {
  const { amountTenThousandths, isFlat, base, tierRewardMode } = terms;
  const minorUnits = 10 ** currencyDigits;
  if (isFlat) return share(amountTenThousandths, quantity * (unit === "cash" ? minorUnits : 1), 10_000);
  const isOfCash = unit === "cash" || tierRewardMode === "tier_commission_mode";
  return share(base, amountTenThousandths, isOfCash ? WHOLE : WHOLE * minorUnits);
}

function refuseTooLarge(amount: number, { name }: { name: string }): void {
  if (amount > MAX_AMOUNT) throw new Failure("rule_broken", `The reward ${name} is too large`);
}

/** The part of a reward that later instalments need. */
function pick({ id, name, promoterRewardType, duration }: Reward): Earning["reward"] {
  return { id, name, promoterRewardType, duration };
}

/**
 * The parts of a split. The rest belongs to the lead's own promoter. The commissions of parents are not
 * split.
 *
 * @see docs/spec/money.md "Rewards of a sale", 5
 */
function divide(earning: Earning, splits: Split[]): Earning[] {
  const isOfSale = earning.reward.promoterRewardType === "sale";
  if (splits.length === 0 || !isOfSale) return [earning];
  const percentages = splits.map(({ percentTenThousandths }) => percentTenThousandths);
  const rest = WHOLE - percentages.reduce((sum, each) => sum + each, 0);
  const ids = [...splits.map(({ promoterCampaignId }) => promoterCampaignId), earning.promoterCampaignId];
  let from = 0;
  return cutUp(earning.amount, percentages)
    .map((amount, index) => {
      const part = percentages[index] ?? rest;
      const splitFromTenThousandths = from;
      from += part;
      return {
        ...earning,
        amount,
        promoterCampaignId: ids[index] ?? earning.promoterCampaignId,
        splitTenThousandths: part,
        splitFromTenThousandths,
        ...(index < splits.length && { isShare: true as const }),
      };
    })
    .filter(({ amount }) => amount !== 0);
}

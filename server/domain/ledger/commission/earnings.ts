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
  tier_level: number;
  promoter_campaign_id: number;
  reward: Pick<Reward, "id" | "name" | "promoter_reward_type" | "duration">;
  terms: CommissionTerms;
  unit: Unit;
  amount: number;
  /** The amount before the split. */
  whole_amount: number;
  /** Null if it is not split. */
  split_ten_thousandths: number | null;
  /** Whether it is the share of a promoter in another's lead. Absent: no. */
  is_share?: true;
  /** The rules of the target if it is a bonus for reaching one. Absent: it is none. */
  target_rules?: unknown[];
  /** The sum of the split's shares before this one. Absent: 0. */
  split_from_ten_thousandths?: number;
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
    const below = earnings.filter(({ tier_level }) => tier_level < tier.level);
    const chosen = chooseSchemas(tier, { sale, history, facts });
    for (const { reward, schema } of [...chosen, ...reachedTargets(tier, facts)]) {
      const terms = termsOf(schema, { reward, sale, below, level: tier.level });
      const isBonus = reward.promoter_reward_type === "target";
      const amount = amountOf(terms, schema.unit, isBonus ? { ...sale, quantity: 1 } : sale);
      if (amount === 0) continue;
      refuseTooLarge(amount, reward);
      earnings.push({
        tier_level: tier.level,
        promoter_campaign_id: tier.promoterCampaign.id,
        reward: pick(reward),
        terms,
        unit: schema.unit,
        amount,
        whole_amount: amount,
        split_ten_thousandths: null,
        ...(isBonus && { target_rules: schema.rules }),
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
  sale: Pick<EarningSale, "amount_cents" | "quantity" | "currencyDigits">,
): Earning[] {
  const again: Earning[] = [];
  for (const earning of earnings) {
    const { tier_level, unit, split_ten_thousandths: part, split_from_ten_thousandths: from = 0 } = earning;
    const below = again.filter((each) => each.tier_level < tier_level);
    const base = baseOf(earning.terms.tier_reward_mode, { sale, below, level: tier_level, unit });
    const terms = { ...earning.terms, base };
    const isBonus = earning.target_rules !== undefined;
    const wholeAmount = amountOf(terms, unit, isBonus ? { ...sale, quantity: 1 } : sale);
    refuseTooLarge(wholeAmount, earning.reward);
    const upTo = (percentage: number) => share(wholeAmount, percentage, WHOLE);
    const amount = part === null ? wholeAmount : upTo(from + part) - upTo(from);
    again.push({ ...earning, terms, whole_amount: wholeAmount, amount });
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
  amount_cents: number;
  /** The decimals of the account's currency. */
  currencyDigits: number;
  quantity: number;
  product_id: number | null;
  plan_id: string | null;
  billing_period: BillingPeriod | null;
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
  sales_count: number;
  /** The one-time rewards that were given before. */
  once_reward_ids: number[];
  /**
   * The months since the first sale to which a reward applied. Absent: the months since the very first sale.
   */
  monthsOf?: (rewardId: number) => number;
}

/** How well an entry fits a sale, or 0 if it does not. */
export function rankOf(
  { apply_on, product_ids }: RewardEntry,
  sale: Pick<EarningSale, "product_id" | "billing_period">,
): number {
  if (apply_on === "specific") {
    return sale.product_id !== null && product_ids.includes(sale.product_id) ? 3 : 0;
  }
  if (apply_on === "all") return 1;
  return apply_on === sale.billing_period ? 2 : 0;
}

/** Whether a customer's reward still continues. */
export function isRunning(
  reward: Reward,
  { ageInMonths, once_reward_ids, monthsOf }: CustomerHistory,
): boolean {
  if (reward.duration === "once") return !once_reward_ids.includes(reward.id);
  const months = monthsOf === undefined ? ageInMonths : monthsOf(reward.id);
  return reward.duration !== "repeating" || months < (reward.duration_months ?? 0);
}

/** The facts of a sale that rules judge. */
export function ruleFacts(
  { plan_id }: Pick<EarningSale, "plan_id">,
  history: Pick<CustomerHistory, "ageInMonths" | "sales_count">,
  tier: Pick<Tier, "customersCount" | "revenueCents">,
): RuleFacts {
  return {
    plan_id,
    counts: {
      customer_age_in_months: history.ageInMonths,
      customer_sales_count: history.sales_count,
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
    .filter(
      ({ reward }) => reward.promoter_reward_type === type && (level === 1 || reward.tier_level === level),
    )
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
  const reachedIds = new Set(promoterCampaign.targets_reached.map(({ reward_id }) => reward_id));
  const targets = entries
    .map(({ reward }) => reward)
    .filter(({ id, promoter_reward_type }) => promoter_reward_type === "target" && !reachedIds.has(id));
  // Several entries may name one reward.
  return [...new Map(targets.map((reward) => [reward.id, reward])).values()].flatMap((reward) =>
    reward.schemas
      .filter(({ rules }) => rules.length > 0 && rulesHold(rules, facts))
      .map((schema) => ({ reward, schema })),
  );
}

/** The rule of an amount, with the base of its percentage. */
function termsOf(
  { amount_ten_thousandths, is_flat, unit }: RewardSchema,
  { reward, sale, below, level }: { reward: Reward; sale: EarningSale; below: Earning[]; level: number },
): CommissionTerms {
  const mode = reward.promoter_reward_type === "tier" ? reward.tier_reward_mode : null;
  const base = baseOf(mode, { sale, below, level, unit });
  return { amount_ten_thousandths, is_flat, tier_reward_mode: mode, base };
}

/** The base of a percentage. */
function baseOf(
  mode: CommissionTerms["tier_reward_mode"],
  {
    sale,
    below,
    level,
    unit,
  }: { sale: Pick<EarningSale, "amount_cents">; below: Earning[]; level: number; unit: Unit },
): number {
  const sumOf = (earnings: Earning[], ofUnit: Unit) =>
    earnings.filter((each) => each.unit === ofUnit).reduce((sum, { amount }) => sum + amount, 0);
  const oneBelow = below.filter(({ tier_level }) => tier_level === level - 1);
  if (mode === "tier_commission_mode") return sumOf(oneBelow, unit);
  if (mode === "tier_net_override_mode") return Math.max(0, sale.amount_cents - sumOf(below, "cash"));
  return sale.amount_cents;
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
  const { amount_ten_thousandths, is_flat, base, tier_reward_mode } = terms;
  const minorUnits = 10 ** currencyDigits;
  if (is_flat) return share(amount_ten_thousandths, quantity * (unit === "cash" ? minorUnits : 1), 10_000);
  const isOfCash = unit === "cash" || tier_reward_mode === "tier_commission_mode";
  return share(base, amount_ten_thousandths, isOfCash ? WHOLE : WHOLE * minorUnits);
}

function refuseTooLarge(amount: number, { name }: { name: string }): void {
  if (amount > MAX_AMOUNT) throw new Failure("rule_broken", `The reward ${name} is too large`);
}

/** The part of a reward that later instalments need. */
function pick({ id, name, promoter_reward_type, duration }: Reward): Earning["reward"] {
  return { id, name, promoter_reward_type, duration };
}

/**
 * The parts of a split. The rest belongs to the lead's own promoter. The commissions of parents are not
 * split.
 *
 * @see docs/spec/money.md "Rewards of a sale", 5
 */
function divide(earning: Earning, splits: Split[]): Earning[] {
  const isOfSale = earning.reward.promoter_reward_type === "sale";
  if (splits.length === 0 || !isOfSale) return [earning];
  const percentages = splits.map(({ percent_ten_thousandths }) => percent_ten_thousandths);
  const rest = WHOLE - percentages.reduce((sum, each) => sum + each, 0);
  const ids = [
    ...splits.map(({ promoter_campaign_id }) => promoter_campaign_id),
    earning.promoter_campaign_id,
  ];
  let from = 0;
  return cutUp(earning.amount, percentages)
    .map((amount, index) => {
      const part = percentages[index] ?? rest;
      const splitFromTenThousandths = from;
      from += part;
      return {
        ...earning,
        amount,
        promoter_campaign_id: ids[index] ?? earning.promoter_campaign_id,
        split_ten_thousandths: part,
        split_from_ten_thousandths: splitFromTenThousandths,
        ...(index < splits.length && { is_share: true as const }),
      };
    })
    .filter(({ amount }) => amount !== 0);
}

import { Failure, type FieldErrors } from "../../../failure.ts";
import { indexed } from "../../../storage/digests.ts";
import { findMany } from "../../../storage/query.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Unit } from "../../money.ts";
import type { Context } from "../../context.ts";
import { loadProduct, products, type Product } from "../product.ts";

export const APPLY_ON = ["monthly", "yearly", "one_time", "all", "specific"] as const;

/** The kind of sales, or the products, that earn a reward. */
export interface RewardEntry {
  apply_on: (typeof APPLY_ON)[number];
  product_ids: number[];
  reward_id: number;
}

export const PROMOTER_REWARD_TYPES = ["sale", "tier", "target", "custom"] as const;

export const TIER_REWARD_MODES = [
  "tier_commission_mode",
  "tier_override_mode",
  "tier_net_override_mode",
] as const;

export const REWARD_DURATIONS = ["once", "forever", "repeating"] as const;

/** One amount that a reward gives. */
export interface RewardSchema {
  unit: Unit;
  /** In ten-thousandths: of a percent, or of a unit if it is flat. A unit of cash is a dollar, not a cent. */
  amount_ten_thousandths: number;
  /** False for a percentage of the sale. */
  is_flat: boolean;
  rules: unknown[];
}

const fields = {
  id: integer(),
  name: text(),
  is_promoter_reward: flag(),
  /** Null if it is for referred people. */
  promoter_reward_type: text<(typeof PROMOTER_REWARD_TYPES)[number]>().nullable(),
  tier_reward_mode: text<(typeof TIER_REWARD_MODES)[number]>().nullable(),
  /** 1 for the promoter, 2 for their parent, and so on. Null: no tier reward. */
  tier_level: integer().nullable(),
  coupon: text().nullable(),
  is_hidden: flag(),
  /** The payment processor's id of the coupon. */
  provider_coupon_id: text().nullable(),
  duration: text<(typeof REWARD_DURATIONS)[number]>().nullable(),
  duration_months: integer().nullable(),
  max_redemptions: integer().nullable(),
  new_customers_only: flag(),
  schemas: json<RewardSchema[]>(),
  created_at: time(),
  updated_at: time(),
};

/** A reward for promoters, or for the people they refer. */
export type Reward = RowOf<typeof fields>;

export const rewards = table("reward", fields, {
  derived: {
    scope: ["text", ({ is_promoter_reward }) => scopeOf(is_promoter_reward)],
    folded_coupon: ["text", ({ coupon }) => coupon && foldedCoupon(coupon)],
  },
  indexes: {
    scope: { on: ["scope"] },
    folded_coupon: { on: ["folded_coupon"], where: "folded_coupon is not null" },
  },
});

export const REWARD_SCOPES = ["promoters", "referrals"] as const;
/** Whether a reward is for promoters or for referred customers. */
type RewardScope = (typeof REWARD_SCOPES)[number];

/** The input for a new reward. */
export type NewReward = Omit<Reward, "account_id" | "id" | "created_at" | "updated_at">;

/** Changes to a reward. Undefined fields stay unchanged. */
type RewardChanges = { [F in keyof NewReward]?: NewReward[F] | undefined };

/** @throws Failure `not_found` */
export async function loadReward(reader: Reader, accountId: number, id: number): Promise<Reward> {
  const reward = await reader.get(rewards, accountId, id);
  if (reward === null) throw new Failure("not_found", "Reward not found.");
  return reward;
}

/**
 * Refuses a reward that lacks a field which another field requires.
 *
 * @throws Failure `rule_broken`
 */
export function refuseContradictions(reward: Reward): void {
  const fields: FieldErrors = {};
  const { is_promoter_reward, promoter_reward_type, duration } = reward;
  if (is_promoter_reward && promoter_reward_type === null)
    fields["promoter_reward_type"] = ["can't be blank"];
  if (!is_promoter_reward && promoter_reward_type !== null) {
    fields["promoter_reward_type"] = ["must be blank in a reward for referrals"];
  }
  if (promoter_reward_type === "tier") {
    // A parent's share of the money must be stated, never guessed.
    if (reward.tier_level === null) fields["tier_level"] = ["can't be blank in a tier reward"];
    if (reward.tier_reward_mode === null) fields["tier_reward_mode"] = ["can't be blank in a tier reward"];
  }
  if (duration === "repeating" && reward.duration_months === null) {
    fields["duration_months"] = ["can't be blank in a repeating reward"];
  }
  if (Object.keys(fields).length > 0) throw new Failure("rule_broken", "The record breaks a rule", fields);
}

/** The counts that a rule can check. Their words are `RULES` in `languages/languages.ts`. */
export const RULE_TYPES = [
  "customer_age_in_months",
  "customer_sales_count",
  "promoter_campaign_customers_count",
  "promoter_campaign_revenue",
] as const;

type RuleType = (typeof RULE_TYPES)[number];

/** The names of the operators. Symbols are accepted, too. */
export const OPERATOR_NAMES = [
  "less than",
  "less than or equal to",
  "equal to",
  "greater than or equal to",
  "greater than",
  "multiple of",
] as const;

/** The facts that rules check, at the moment of a sale and including it. */
export interface RuleFacts {
  /** Null if the reward is not for a customer. */
  counts: Record<RuleType, number>;
  plan_id: string | null;
}

/** A condition of a reward's amount. */
export interface Rule {
  type: RuleType;
  operator: Operator;
  /** The number to compare the count with. */
  value: number;
  holds: (count: number) => boolean;
  /** Whether it still holds after a refund, if it held before. */
  stillHolds: (count: number) => boolean;
  /** Whether it is joined by "or" to the rules before it, instead of "and". */
  isAlternative: boolean;
  /** The price that the sale must have, or null for any. */
  price: string | null;
}

type Fields = Record<string, unknown>;

type Operator = (typeof OPERATOR_NAMES)[number];

const SIGNS: Record<string, Operator> = {
  "<": "less than",
  "<=": "less than or equal to",
  "=": "equal to",
  "==": "equal to",
  ">=": "greater than or equal to",
  ">": "greater than",
  "%": "multiple of",
};

const OPERATORS: Record<Operator, (count: number, value: number) => boolean> = {
  "less than": (count, value) => count < value,
  "less than or equal to": (count, value) => count <= value,
  "equal to": (count, value) => count === value,
  "greater than or equal to": (count, value) => count >= value,
  "greater than": (count, value) => count > value,
  "multiple of": (count, value) => value > 0 && count > 0 && count % value === 0,
};

/**
 * Whether a count that a refund has reduced still passes. Further growth never breaks a rule that was met.
 */
const STILL_PASSES: typeof OPERATORS = {
  "less than": () => true,
  "less than or equal to": () => true,
  "equal to": (count, value) => count >= value,
  "greater than or equal to": (count, value) => count >= value,
  "greater than": (count, value) => count > value,
  "multiple of": (count, value) => count >= value,
};

/**
 * Reads a rule in its wire format, `{type, operator, value, join, filter_by}`, or returns null if it is
 * malformed.
 *
 * @see docs/spec/money.md "Rules of a reward"
 */
export function readRule(given: unknown): Rule | null {
  if (typeof given !== "object" || given === null) return null;
  const { type, operator = "equal to", value, join = "and", filter_by: price = null } = given as Fields;
  if (!isPlain(operator) || !isPlain(value)) return null;
  const ruleType = RULE_TYPES.find((known) => known === type);
  const words = String(operator).replaceAll("_", " ").trim().toLowerCase();
  const name = SIGNS[words] ?? OPERATOR_NAMES.find((known) => known === words);
  const limit = value === "" ? NaN : Number(value);
  if (ruleType === undefined || name === undefined || !Number.isFinite(limit)) return null;
  if (join !== "and" && join !== "or") return null;
  if (price !== null && typeof price !== "string" && typeof price !== "number") return null;
  return {
    type: ruleType,
    operator: name,
    value: limit,
    holds: (count) => OPERATORS[name](count, limit),
    stillHolds: (count) => STILL_PASSES[name](count, limit),
    isAlternative: join === "or",
    price: price === null ? null : String(price),
  };
}

/**
 * Whether all rules hold, each joined with those before it. A malformed rule never holds.
 *
 * @param how whether they hold for a sale, or still hold after a refund
 */
export function rulesHold(
  rules: unknown[],
  { counts, plan_id }: RuleFacts,
  how: "holds" | "stillHolds" = "holds",
): boolean {
  let holds = true;
  for (const [index, given] of rules.entries()) {
    const rule = readRule(given);
    const isMet =
      rule !== null && rule[how](counts[rule.type]) && (rule.price === null || rule.price === plan_id);
    if (index === 0) holds = isMet;
    else holds = rule?.isAlternative ? holds || isMet : holds && isMet;
  }
  return holds;
}

/** The ids of the products in entries, each surrounded by blanks, or null if there are none. */
export function productsNamed(entries: RewardEntry[]): string | null {
  const ids = new Set(entries.flatMap(({ product_ids }) => product_ids));
  return ids.size === 0 ? null : ` ${[...ids].join(" ")} `;
}

/** A coupon in the form for comparison without case. */
export function foldedCoupon(coupon: string): string {
  return indexed(coupon.toLowerCase());
}

function scopeOf(isPromoterReward: boolean): RewardScope {
  return isPromoterReward ? "promoters" : "referrals";
}

function isPlain(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** Refuses a coupon that is a promoter's own code, because customers of every promoter may enter it. */
type RefuseOwnCode = (tx: Transaction, accountId: number, coupon: string | null) => Promise<void>;

/** Makes a reward. @throws Failure `rule_broken` naming every contradiction, `taken` */
export async function createReward(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  accountId: number,
  { refuseOwnCode, ...input }: NewReward & { refuseOwnCode: RefuseOwnCode },
): Promise<Reward> {
  const createdAt = now.toISOString();
  const reward: Reward = {
    ...input,
    account_id: accountId,
    id: await tx.nextId("reward"),
    created_at: createdAt,
    updated_at: createdAt,
  };
  refuseContradictions(reward);
  await refuseOwnCode(tx, accountId, reward.coupon);
  await tx.put(rewards, reward);
  return reward;
}

/** Changes a reward. @throws Failure `not_found`, `rule_broken` naming every contradiction, `taken` */
export async function updateReward(
  tx: Transaction,
  { now }: Pick<Context, "now">,
  accountId: number,
  { id, changes, refuseOwnCode }: { id: number; changes: RewardChanges; refuseOwnCode: RefuseOwnCode },
): Promise<Reward> {
  const before = await loadReward(tx, accountId, id);
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const after: Reward = { ...before, ...Object.fromEntries(given), updated_at: now.toISOString() };
  if (after.is_promoter_reward !== before.is_promoter_reward) {
    // Campaigns rely on who their rewards are for.
    throw new Failure("rule_broken", "The record breaks a rule", {
      is_promoter_reward: ["can't be changed"],
    });
  }
  refuseContradictions(after);
  if (after.coupon !== before.coupon) await refuseOwnCode(tx, accountId, after.coupon);
  await tx.put(rewards, after);
  return after;
}

/** A reward entry with its reward and its products. */
export interface FullRewardEntry {
  entry: RewardEntry;
  reward: Reward;
  products: Product[];
}

const FIELDS = { promoters: "rewards_for_promoters", referrals: "rewards_for_referrals" } as const;

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
  for (const { reward_id, product_ids } of entries) {
    for (const productId of product_ids) await loadProduct(reader, accountId, productId);
    const reward = await loadReward(reader, accountId, reward_id);
    if (reward.is_promoter_reward === (scope === "promoters")) continue;
    const fault = `must not hold reward ${reward_id}, which is not for ${scope}`;
    throw new Failure("rule_broken", "The record breaks a rule", { [FIELDS[scope]]: [fault] });
  }
}

/**
 * Reads what entries name, all at once. Some of the entries can then be completed.
 *
 * @throws Failure `not_found`
 */
export async function readRewards(
  view: View,
  accountId: number,
  entries: RewardEntry[],
): Promise<(some: RewardEntry[]) => FullRewardEntry[]> {
  const [rewardsById, productsById] = await Promise.all([
    findMany(
      view,
      rewards,
      accountId,
      entries.map(({ reward_id }) => reward_id),
    ),
    findMany(
      view,
      products,
      accountId,
      entries.flatMap(({ product_ids }) => product_ids),
    ),
  ]);
  return (some) =>
    some.map((entry) => {
      const reward = rewardsById.get(entry.reward_id);
      if (reward === undefined) throw new Failure("not_found", "Reward not found.");
      return { entry, reward, products: entry.product_ids.flatMap((id) => productsById.get(id) ?? []) };
    });
}

/** Entries with their rewards and products. @throws Failure `not_found` */
export async function loadRewardEntries(
  view: View,
  accountId: number,
  entries: RewardEntry[],
): Promise<FullRewardEntry[]> {
  return (await readRewards(view, accountId, entries))(entries);
}

/** The counts that a rule can judge. */
export const RULE_TYPES = [
  "customer_age_in_months",
  "customer_sales_count",
  "promoter_campaign_customers_count",
  "promoter_campaign_revenue",
] as const;

export type RuleType = (typeof RULE_TYPES)[number];

/** The names of the operators. Signs stand for them, too. */
export const OPERATOR_NAMES = [
  "less than",
  "less than or equal to",
  "equal to",
  "greater than or equal to",
  "greater than",
  "multiple of",
] as const;

type Operator = (typeof OPERATOR_NAMES)[number];

const OPERATORS: Record<Operator, (count: number, value: number) => boolean> = {
  "less than": (count, value) => count < value,
  "less than or equal to": (count, value) => count <= value,
  "equal to": (count, value) => count === value,
  "greater than or equal to": (count, value) => count >= value,
  "greater than": (count, value) => count > value,
  "multiple of": (count, value) => value > 0 && count > 0 && count % value === 0,
};
const SIGNS: Record<string, Operator> = {
  "<": "less than",
  "<=": "less than or equal to",
  "=": "equal to",
  "==": "equal to",
  ">=": "greater than or equal to",
  ">": "greater than",
  "%": "multiple of",
};

/** Whether a count that a refund has made smaller still passes. Growing further never breaks what was reached. */
const STILL_PASSES: typeof OPERATORS = {
  "less than": () => true,
  "less than or equal to": () => true,
  "equal to": (count, value) => count >= value,
  "greater than or equal to": (count, value) => count >= value,
  "greater than": (count, value) => count > value,
  "multiple of": (count, value) => count >= value,
};

/** A condition of a reward's amount. */
export interface Rule {
  type: RuleType;
  holds: (count: number) => boolean;
  /** Whether it still holds after a refund, if it held before. */
  stillHolds: (count: number) => boolean;
  /** Whether it, or the rule before it, must hold. Otherwise both must. */
  isAlternative: boolean;
  /** The price that the sale must have. null: any. */
  price: string | null;
}

/** The facts that rules judge, at the moment of a sale and with this sale counted. */
export interface RuleFacts {
  /** null: the reward is not for a customer. */
  counts: Record<RuleType, number>;
  planId: string | null;
}

/**
 * Reads a rule as clients write it: `{type, operator, value, join, filter_by}`. null: it can't be read.
 *
 * Choice: without an operator the count must equal the value. `join` is `and` or `or` and connects the rule with the
 * one before it. `filter_by` limits the rule to sales of one price. Operators may be written with underscores.
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
    holds: (count) => OPERATORS[name](count, limit),
    stillHolds: (count) => STILL_PASSES[name](count, limit),
    isAlternative: join === "or",
    price: price === null ? null : String(price),
  };
}

type Fields = Record<string, unknown>;

function isPlain(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/**
 * Whether all rules hold, each connected with those before it. A rule that can't be read never holds.
 *
 * @param how whether they hold for a sale, or still hold after a refund
 */
export function rulesHold(
  rules: unknown[],
  { counts, planId }: RuleFacts,
  how: "holds" | "stillHolds" = "holds",
): boolean {
  let holds = true;
  for (const [index, given] of rules.entries()) {
    const rule = readRule(given);
    const isMet =
      rule !== null && rule[how](counts[rule.type]) && (rule.price === null || rule.price === planId);
    if (index === 0) holds = isMet;
    else holds = rule?.isAlternative ? holds || isMet : holds && isMet;
  }
  return holds;
}

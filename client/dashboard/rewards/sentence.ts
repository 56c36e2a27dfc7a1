import type { components } from "../../ui/api/types.ts";
import { styleOf } from "../../ui/currency.ts";
import { exactPercent, money, several, writing } from "../../ui/format.ts";
import { amountOf as fixedAmountOf, type Unit } from "../../ui/amount.ts";

export type Reward = components["schemas"]["Reward"];
type Schema = Reward["schemas"][number];
/** The fields of a reward in a sentence. */
export type RewardTerms = Pick<
  Reward,
  | "is_promoter_reward"
  | "promoter_reward_type"
  | "tier_level"
  | "tier_reward_mode"
  | "duration"
  | "duration_in_months"
> & { schemas: (Pick<Schema, "unit" | "amount" | "flat_amount"> & Partial<Pick<Schema, "rules">>)[] };

/** The singular and plural of units other than money. */
export const UNITS: Record<Exclude<Unit, "cash">, [one: string, many: string]> = {
  credits: ["credit", "credits"],
  points: ["point", "points"],
  free_months: ["free month", "free months"],
  mon_discount: ["month of discount", "months of discount"],
  discount_per: ["% discount", "% discount"],
};

/** `The promoter gets 30% of each sale for 12 months`. */
export function sentenceOf(reward: RewardTerms): string {
  return `${whoOf(reward)} gets ${givenBy(reward)}`;
}

/** `30% of each sale for 12 months`: the default name of a reward. */
export function givenBy(reward: RewardTerms): string {
  const amounts = reward.schemas.map((schema) => amountOf(schema, reward)).join(" and ");
  if (reward.promoter_reward_type === "target") return `${amounts} once, for ${goalOf(reward)}`;
  return `${amounts}${lengthOf(reward)}`;
}

/** The goal of a bonus: `10 customers`. */
export function goalOf({ schemas }: RewardTerms): string {
  const [rule, ...more] = schemas[0]?.rules ?? [];
  if (rule === undefined || more.length > 0) return "reaching a goal";
  const value = Number(rule.value);
  if (rule.type === "promoter_campaign_revenue") return `${money(value)} of revenue`;
  if (rule.type === "promoter_campaign_customers_count") return several(value, "customer");
  return "reaching a goal";
}

function amountOf(
  { unit, amount, flat_amount: isFlat }: RewardTerms["schemas"][number],
  reward: RewardTerms,
): string {
  if (!isFlat)
    return `${exactPercent(amount)} ${baseOf(reward)}${unit === "cash" ? "" : ` in ${UNITS[unit][1]}`}`;
  const isGivenOnce = reward.promoter_reward_type === "target" || reward.duration === "once";
  const per = isGivenOnce || !reward.is_promoter_reward ? "" : " for each sale";
  return `${unit === "cash" ? wholeMoney(amount) : fixedAmountOf({ amount, unit })}${per}`;
}

function baseOf({
  promoter_reward_type: type,
  tier_reward_mode: mode,
  is_promoter_reward: isOfPromoter,
}: RewardTerms): string {
  if (!isOfPromoter) return "off";
  if (type === "target") return "of the sale that reaches the goal";
  if (type === "tier" && mode === "tier_commission_mode") return "of what the promoter below earns";
  if (type === "tier" && mode === "tier_net_override_mode") return "of what is left of each sale";
  return "of each sale";
}

function whoOf({
  is_promoter_reward: isOfPromoter,
  promoter_reward_type: type,
  tier_level: level,
}: RewardTerms): string {
  if (!isOfPromoter) return "The customer";
  if (type !== "tier") return "The promoter";
  if (level === null || level <= 2) return "The promoter's parent";
  return `The parent ${several(level - 1, "level")} above`;
}

function lengthOf({ duration, duration_in_months: months }: RewardTerms): string {
  if (duration === "once") return ", for the first sale only";
  if (duration === "repeating") return ` for ${several(months ?? 0, "month")}`;
  return "";
}

/** Fixed amounts of cash are in units of the currency, not in cents, and may be parts of a cent. */
function wholeMoney(amount: number): string {
  const style = { ...styleOf(writing.value.currency), maximumFractionDigits: 4 };
  return new Intl.NumberFormat(undefined, style).format(amount);
}

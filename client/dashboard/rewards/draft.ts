import type { components } from "../../ui/api/types.ts";
import { centsOf, typedAmount } from "../../ui/form/amount.ts";
import type { Reward, RewardTerms } from "./sentence.ts";

type Body = components["schemas"]["CreateRewardBody"];

type Goal = components["schemas"]["RewardRule"]["type"];

/** The values of a reward's form. */
export interface Draft extends Record<string, string | boolean> {
  name: string;
  /** Who gets it: `promoter`, `tier-2`, `target` and so on. */
  who: string;
  amount: string;
  /** `percent`, or the unit of a fixed amount. */
  kind: string;
  /** What a parent's percentage refers to. */
  mode: string;
  duration: string;
  months: string;
  /** The goal of a bonus: customers or revenue. */
  goal: string;
  /** The number of customers, or the amount in units of the currency. */
  goalValue: string;
  hide_reward: boolean;
}

export const WHO = [
  ["promoter", "The promoter gets"],
  ["tier-2", "The promoter's parent gets"],
  ["tier-3", "The parent two levels above gets"],
  ["target", "A promoter who reaches a goal gets"],
  ["customer", "The customer gets"],
] as const;
export const MODES = [
  ["tier_override_mode", "of each sale"],
  ["tier_commission_mode", "of what the promoter below earns"],
  ["tier_net_override_mode", "of what the levels below leave of each sale"],
] as const;
export const REVENUE = "promoter_campaign_revenue";

/** The form of a reward, or of a new one. */
export function draftOf(reward: Reward | null): Draft {
  const [schema] = reward?.schemas ?? [];
  const [rule] = schema?.rules ?? [];
  return {
    name: reward?.name ?? "",
    who: reward === null ? "promoter" : whoOf(reward),
    amount: schema === undefined ? "20" : String(schema.amount),
    kind: schema === undefined || !schema.flat_amount ? "percent" : schema.unit,
    mode: reward?.tier_reward_mode ?? "tier_override_mode",
    duration: reward?.duration ?? "forever",
    months: String(reward?.duration_in_months ?? 12),
    goal: rule?.type ?? "promoter_campaign_customers_count",
    goalValue: rule?.type === REVENUE ? typedAmount(Number(rule.value)) : String(rule?.value ?? 10),
    hide_reward: reward?.hide_reward ?? false,
  };
}

/** Whether the form can show the whole reward. Rewards with several amounts or rules can't be edited here. */
export function isSimple({ schemas, promoter_reward_type: type, tier_level: level }: Reward): boolean {
  const [schema, ...more] = schemas;
  if (schema === undefined || more.length > 0 || type === "custom" || (level ?? 2) > 3) return false;
  if (!schema.flat_amount && schema.unit !== "cash") return false;
  return schema.rules.length === (type === "target" ? 1 : 0);
}

/** The API's body for a draft. */
export function bodyOf(draft: Draft): Body & RewardTerms {
  const { who, mode, duration, months } = draft;
  const [kind, level] = who.split("-");
  const isTier = kind === "tier";
  const lasts = kind === "target" ? null : (duration as "once" | "forever" | "repeating");
  return {
    name: draft.name,
    is_promoter_reward: kind !== "customer",
    promoter_reward_type:
      kind === "customer" ? null : isTier ? "tier" : kind === "target" ? "target" : "sale",
    tier_level: isTier ? Number(level) : null,
    tier_reward_mode: isTier ? (mode as NonNullable<Body["tier_reward_mode"]>) : null,
    duration: lasts,
    duration_in_months: lasts === "repeating" ? Number(months) : null,
    hide_reward: draft.hide_reward,
    schemas: [schemaOf(draft)],
  };
}

function schemaOf({ amount, kind, who, goal, goalValue }: Draft): Reward["schemas"][number] {
  const isFlat = kind !== "percent";
  const value = goal === REVENUE ? centsOf(goalValue) : Number(goalValue);
  const rule = { type: goal as Goal, operator: "greater than or equal to", value: value ?? "" };
  return {
    unit: isFlat ? (kind as Reward["schemas"][number]["unit"]) : "cash",
    amount: Number(amount.replace(",", ".")),
    flat_amount: isFlat,
    rules: who === "target" ? [rule] : [],
  };
}

function whoOf({
  is_promoter_reward: isOfPromoter,
  promoter_reward_type: type,
  tier_level: level,
}: Reward): string {
  if (!isOfPromoter) return "customer";
  return type === "tier" ? `tier-${level ?? 2}` : type === "target" ? "target" : "promoter";
}

import type { Campaign } from "./choices.ts";

/** A reward of a campaign, with the sales that it applies to. */
export type Entry = Campaign["rewards_for_promoters"][number];
/** An entry as the API expects it. */
export type EntryInput = Pick<Entry, "reward_id" | "apply_on" | "product_ids">;

/** The kinds of sales that a reward applies to. */
export const SALES = [
  ["all", "all sales"],
  ["monthly", "monthly plans"],
  ["yearly", "yearly plans"],
  ["one_time", "single payments"],
  ["specific", "some products"],
] as const;
export const SALES_WORDS = Object.fromEntries(SALES) as Record<Entry["apply_on"], string>;

/** An entry as the API expects it. */
export function plain({ reward_id, apply_on, product_ids }: EntryInput): EntryInput {
  return { reward_id, apply_on, product_ids };
}

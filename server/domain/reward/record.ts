import type { Unit } from "../money/money.ts";

export const APPLY_ON = ["monthly", "yearly", "one_time", "all", "specific"] as const;

/** The kind of sales, or the products, that earn a reward. */
export interface RewardEntry {
  applyOn: (typeof APPLY_ON)[number];
  productIds: number[];
  rewardId: number;
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
  amountTenThousandths: number;
  /** false: a percentage of the sale. */
  isFlat: boolean;
  rules: unknown[];
}

/** A reward for promoters, or for the people they refer. */
export interface Reward {
  accountId: number;
  id: number;
  name: string;
  isPromoterReward: boolean;
  /** null: it is for referred people. */
  promoterRewardType: (typeof PROMOTER_REWARD_TYPES)[number] | null;
  tierRewardMode: (typeof TIER_REWARD_MODES)[number] | null;
  /** 1: the promoter; 2: their parent; and so on. null: no tier reward. */
  tierLevel: number | null;
  coupon: string | null;
  isHidden: boolean;
  /** The payment processor's id of the coupon. */
  providerCouponId: string | null;
  duration: (typeof REWARD_DURATIONS)[number] | null;
  durationMonths: number | null;
  maxRedemptions: number | null;
  newCustomersOnly: boolean;
  schemas: RewardSchema[];
  createdAt: string;
  updatedAt: string;
}

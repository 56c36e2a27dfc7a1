import type { RewardEntry } from "../reward/reward.ts";

export const PROMOTER_CAMPAIGN_STATES = ["pending", "accepted", "rejected", "blocked", "inactive"] as const;

export type PromoterCampaignState = (typeof PROMOTER_CAMPAIGN_STATES)[number];

/** A promoter in a campaign. V1 calls it a promotion. */
export interface PromoterCampaign {
  accountId: number;
  id: number;
  campaignId: number;
  promoterId: number;
  state: PromoterCampaignState;
  /** The referral id in links, lower case. */
  refToken: string;
  /** The code or id at the payment processor (V1 `promo_code`). */
  coupon: string | null;
  /** The code that customers type at the checkout (V1 `customer_promo_code`). */
  displayCoupon: string | null;
  /** The promoter's own landing page. null: the campaign's. */
  landingUrl: string | null;
  /** Whether a visit of `landingUrl` counts as a click even without a parameter. */
  usesUrlTracking: boolean;
  /** Rewards of this promoter campaign alone. null: the campaign's. */
  rewardsForPromoters: RewardEntry[] | null;
  rewardsForReferrals: RewardEntry[] | null;
  /** The target rewards that the promoter has got, each once. */
  targetsReached: { rewardId: number; at: string }[];
  /**
   * The sales that reached a target until a refund took the bonus back. What was refunded of them counts for no target.
   * Absent: none.
   */
  lostTargetSaleIds?: number[];
  createdAt: string;
}

/** A record that belongs to a promoter campaign: a lead, or a commission. */
export interface Belonging {
  accountId: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
}

/** The state of a promoter campaign before its promoter was archived, for the day when they are restored. */
export interface ArchivedState {
  accountId: number;
  promoterCampaignId: number;
  state: PromoterCampaignState;
}

/** The promoter campaign of a ref token. Kept for ever, so that a token can never lead to somebody else. */
export interface RefToken {
  accountId: number;
  token: string;
  /** null: retired. It leads to nobody. */
  promoterCampaignId: number | null;
  /**
   * The promoter campaign that a retired token belonged to. Absent: the token is in use, or that campaign is gone.
   */
  retiredFrom?: number;
}

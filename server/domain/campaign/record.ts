import type { RewardEntry } from "../reward/record.ts";
import type { EmailKind } from "../email/record.ts";

export const ATTRIBUTIONS = ["last", "first"] as const;

/** Which promoter keeps a visitor who followed two links: the last one's, or the first one's. */
export type Attribution = (typeof ATTRIBUTIONS)[number];

export const AD_TRAFFIC_POLICIES = ["pending", "allow", "block"] as const;

/** How visits from paid ads are treated: recorded as suspicious, as clean, or not at all. */
export type AdTrafficPolicy = (typeof AD_TRAFFIC_POLICIES)[number];

/** Choice: a refund that comes more than a year later is rare enough. */
export const MAX_HOLD_DAYS = 365;

export interface Campaign {
  accountId: number;
  id: number;
  name: string;
  color: string;
  landingUrl: string;
  /** Names of the URL parameter that carries the ref token. Links use the first. Empty: the script's usual names. */
  refParams: string[];
  visitorCookieDays: number;
  autoApprovePromoters: boolean;
  /** Whether commissions count without anybody's approval. */
  autoApproveCommissions: boolean;
  /** How long commissions are held back before they are approved. 0: not at all. */
  commissionHoldDays: number;
  attribution: Attribution;
  /** Sites that may send sign-ups from a browser. Empty: only the landing page's own site. */
  allowedOrigins: string[];
  trackAdTraffic: AdTrafficPolicy;
  /** Whether promoters join by invitation only. */
  isPrivate: boolean;
  /** Whether promoters may add leads by hand, which wait for approval. Absent: no. */
  promotersMayAddLeads?: boolean | undefined;
  /** Whether promoters may make promo codes for the campaign's rewards for customers. Absent: no. */
  promotersMayMakePromoCodes?: boolean | undefined;
  /** Further pages that promoters may link to. */
  links: CampaignLink[];
  /** The campaign for promoters who reach a goal. null: none. */
  upgrade: CampaignUpgrade | null;
  rewardsForPromoters: RewardEntry[];
  rewardsForReferrals: RewardEntry[];
  /** The texts and questions of its sign-up page. Absent: nothing but the name. */
  signup?: CampaignSignup;
  /** The e-mails that its promoters get. */
  emails: EmailKind[];
  createdAt: string;
}

/** The texts and questions of a campaign's sign-up page. null: none. */
export interface CampaignSignup {
  description: string | null;
  /** Whoever joins must accept them. */
  terms: string | null;
  questions: SignupQuestion[];
}

/** A question to those who want to join. */
export interface SignupQuestion {
  /** Names the answer, too. */
  label: string;
  /** Whether the answer may be several lines. */
  isLong: boolean;
  isRequired: boolean;
  /** The answers to choose from. Empty: any text. */
  choices: string[];
}

export interface CampaignLink {
  id: number;
  name: string;
  url: string;
}

export const UPGRADE_METRICS = ["customers", "revenue", "active_customers"] as const;

/** The campaign that promoters move to, and the amount of the metric that moves them. */
export interface CampaignUpgrade {
  campaignId: number;
  amount: number;
  metric: (typeof UPGRADE_METRICS)[number];
  /** Whether the promoters' leads move with them. */
  movesLeads: boolean;
}

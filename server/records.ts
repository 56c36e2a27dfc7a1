/** The space of what belongs to no single account: accounts themselves, keys, id blocks. */
export const SYSTEM = 0;

export const PROMOTER_CAMPAIGN_STATES = ["pending", "accepted", "rejected", "blocked", "inactive"] as const;
export type PromoterCampaignState = (typeof PROMOTER_CAMPAIGN_STATES)[number];

export const LEAD_STATES = ["signup", "active", "subscribed", "cancelled", "denied"] as const;
export type LeadState = (typeof LEAD_STATES)[number];

export const FRAUD_SUSPICIONS = ["same_promoter_email", "same_ip_suspicion", "ad_source"] as const;
export type FraudSuspicion = (typeof FRAUD_SUSPICIONS)[number];
export type Suspicion = FraudSuspicion | "no_suspicion";

export const ATTRIBUTIONS = ["last", "first"] as const;
/** Which promoter keeps a visitor that follows the links of two: the last one's, or the first one's. */
export type Attribution = (typeof ATTRIBUTIONS)[number];

export const AD_TRAFFIC_POLICIES = ["pending", "allow", "block"] as const;
/** What becomes of visits from paid ads: recorded as suspicious, as clean, or not at all. */
export type AdTrafficPolicy = (typeof AD_TRAFFIC_POLICIES)[number];

/** A company that runs an affiliate program. All other records belong to one. */
export interface Account {
  accountId: typeof SYSTEM;
  id: number;
  /** What the `Account-ID` header and the script's `cid` carry. Not a secret. */
  publicId: string;
  name: string;
  defaultCampaignId: number;
  /** Whether a browser's Global Privacy Control signal stops all tracking of its visitor. */
  honoursPrivacyControl: boolean;
  /** Key of the hashes that stand for network addresses. Never leaves the server. */
  addressKey: string;
  createdAt: string;
}

/** An API key. The key itself is shown once, at its making; only its hash is kept. */
export interface ApiKey {
  accountId: typeof SYSTEM;
  /** SHA-256 of the key, hexadecimal. */
  hash: string;
  ownerId: number;
  name: string;
  createdAt: string;
  /** null while the key is good. */
  revokedAt: string | null;
}

export interface Campaign {
  accountId: number;
  id: number;
  name: string;
  color: string;
  landingUrl: string;
  /** Names of the URL parameter that carries the ref token; the first is used in links. Empty: the script's usual names. */
  refParams: string[];
  visitorCookieDays: number;
  autoApprovePromoters: boolean;
  attribution: Attribution;
  /** Sites that may send sign-ups from a browser. Empty: the landing URL's own site. */
  allowedOrigins: string[];
  trackAdTraffic: AdTrafficPolicy;
  createdAt: string;
}

/** What a promoter says about themselves. null: not given. */
export interface PromoterProfile {
  firstName: string | null;
  lastName: string | null;
  website: string | null;
  companyName: string | null;
  phoneNumber: string | null;
  address: string | null;
  vatId: string | null;
  country: string | null;
  walletEmail: string | null;
  avatarUrl: string | null;
  description: string | null;
  twitterUrl: string | null;
  youtubeUrl: string | null;
  facebookUrl: string | null;
  linkedinUrl: string | null;
  instagramUrl: string | null;
}

export interface Promoter {
  accountId: number;
  id: number;
  email: string;
  /** The client's own user id for the promoter. */
  custId: string | null;
  note: string | null;
  tempPassword: string;
  /** Logs the promoter into the dashboard. 32 URL-safe characters. */
  authToken: string;
  parentPromoterId: number | null;
  defaultPromoterCampaignId: number;
  profile: PromoterProfile;
  customFields: Record<string, unknown> | null;
  /** What the promoter's own doings and leads have given cause for. */
  fraudSuspicions: FraudSuspicion[];
  /** null: the campaign's policy; true: ad traffic is clean; false: it is not recorded. */
  trackAdTraffic: boolean | null;
  skipEmailNotification: boolean;
  createdAt: string;
}

/** Whose a mailbox is, however an address of it is written. Kept for ever. */
export interface Mailbox {
  accountId: number;
  /** SHA-256 of the mailbox, hexadecimal. */
  mailboxHash: string;
  firstPromoterId: number;
}

/** A promoter's participation in a campaign. V1 calls it a promotion. */
export interface PromoterCampaign {
  accountId: number;
  id: number;
  campaignId: number;
  promoterId: number;
  state: PromoterCampaignState;
  /** The referral id in links, lower case. */
  refToken: string;
  /** Code or id at the billing provider (V1 `promo_code`). */
  coupon: string | null;
  /** What customers type at the checkout (V1 `customer_promo_code`). */
  displayCoupon: string | null;
  /** The promoter's own landing page. null: the campaign's. */
  landingUrl: string | null;
  /** Whether a visit of `landingUrl` itself names the promoter, without a parameter. */
  usesUrlTracking: boolean;
  createdAt: string;
}

/** Whose a ref token is. Kept for ever, so that no token can come to mean somebody else. */
export interface RefToken {
  accountId: number;
  token: string;
  /** null: retired; it resolves to nobody. */
  promoterCampaignId: number | null;
}

/** Who followed a referral link. */
export interface Visitor {
  accountId: number;
  /** UUID v4, made in the browser. */
  tid: string;
  promoterCampaignId: number;
  /** The page the link led to. */
  url: string | null;
  referrer: string | null;
  subId: string | null;
  isAdTraffic: boolean;
  addressHash: string | null;
  createdAt: string;
}

/** A referred person. */
export interface Lead {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  state: LeadState;
  email: string | null;
  /** The client's own id for the person, as the billing provider knows it. */
  uid: string | null;
  username: string | null;
  firstName: string | null;
  lastName: string | null;
  website: string | null;
  customFields: Record<string, unknown> | null;
  planName: string | null;
  suspicion: Suspicion;
  /** The visitor that became this lead. null: named by ref id or e-mail of the promoter. */
  tid: string | null;
  subId: string | null;
  /** Id of the sign-up event. null: imported, or made by a sale, and not signed up since. */
  signupEventId: number | null;
  skipEmailNotification: boolean;
  customerSince: string | null;
  cancelledAt: string | null;
  createdAt: string;
}

/** That a promoter, or a lead of theirs, came from an address. Only a keyed hash of it is kept. */
export interface PromoterAddress {
  accountId: number;
  promoterId: number;
  addressHash: string;
  /** Whether the promoter themselves was seen there. */
  isOwn: boolean;
  /** null: no lead came from there. */
  lastLeadAt: string | null;
}

/** Amounts of one unit, in cents for `cash`, else in whole units. */
export interface UnitBalance {
  earnings: number;
  current: number;
  paid: number;
}

/** What a promoter has earned, by unit. A unit that never occurred is absent. */
export interface Balance {
  accountId: number;
  promoterId: number;
  units: Record<string, UnitBalance>;
}

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
  /** ISO 4217 code of what `cash` amounts are in. */
  currency: string;
  /** Days from the end of a payout's period to its due date. */
  netPayoutDays: number;
  /** Cash payouts of a promoter below this, in cents, are not payable yet. */
  minPaymentCents: number;
  /** Whether promoters are paid only with approved invoice details. */
  requiresInvoiceDetails: boolean;
  /** Whom letters come from, as `Acme <partners@acme.example>`. null: the server's usual sender. */
  mailSender: string | null;
  /** Absent: the usual ones. */
  tracker?: TrackerNames;
  /** Key of the hashes that stand for network addresses. Never leaves the server. */
  addressKey: string;
  createdAt: string;
}

/** By which names pages use the browser script. */
export interface TrackerNames {
  /** The global function. */
  global: string;
  /** What the names of the cookies begin with. */
  cookie: string;
  /** The file that the script is served as besides `svc.js`, with these settings. null: none. */
  script: string | null;
  /** Whether the fragment of an address may name the promoter, as in `#/pricing?via=jane`. */
  readsFragment: boolean;
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
  /** Whether promoters join by invitation only. */
  isPrivate: boolean;
  /** Pages that promoters may link to besides the landing page. */
  links: CampaignLink[];
  /** Where promoters go who reach a goal. null: nowhere. */
  upgrade: CampaignUpgrade | null;
  rewardsForPromoters: RewardEntry[];
  rewardsForReferrals: RewardEntry[];
  /** The letters that its promoters get. */
  letters: EmailKind[];
  createdAt: string;
}

export const EMAIL_KINDS = [
  "signup_accepted",
  "accepted",
  "rejected",
  "new_referral",
  "payout_sent",
] as const;
/** A kind of e-mail to promoters. `signup_accepted` follows their making, `accepted` a review. */
export type EmailKind = (typeof EMAIL_KINDS)[number];

export interface CampaignLink {
  id: number;
  name: string;
  url: string;
}

export const UPGRADE_METRICS = ["customers", "revenue", "active_customers"] as const;

/** The campaign that promoters are moved to, and the amount of the metric that takes them there. */
export interface CampaignUpgrade {
  campaignId: number;
  amount: number;
  metric: (typeof UPGRADE_METRICS)[number];
  /** Whether the promoters' leads go with them. */
  movesLeads: boolean;
}

export const APPLY_ON = ["monthly", "yearly", "one_time", "all", "specific"] as const;

/** That sales of some kind, or of some products, earn a reward. */
export interface RewardEntry {
  applyOn: (typeof APPLY_ON)[number];
  productIds: number[];
  rewardId: number;
}

export const UNITS = ["cash", "credits", "points", "free_months", "mon_discount", "discount_per"] as const;
/** What an amount is of: `cash` in cents, all others in whole units. */
export type Unit = (typeof UNITS)[number];

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
  /** In hundredths: cents of a flat cash amount, hundredths of a percent, or of a unit. */
  amountHundredths: number;
  /** false: a percentage of the sale. */
  isFlat: boolean;
  rules: unknown[];
}

/** What promoters earn, or what referred people get. */
export interface Reward {
  accountId: number;
  id: number;
  name: string;
  isPromoterReward: boolean;
  /** null: for the referred. */
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

/** A coupon of the payment processor that belongs to a promoter's participation. */
export interface PromoCode {
  accountId: number;
  id: number;
  /** As customers type it; compared without case. */
  code: string;
  rewardId: number;
  promoterCampaignId: number;
  /** The payment processor's id. null: none is linked yet. */
  extId: string | null;
  description: string | null;
  metadata: Record<string, unknown> | null;
  details: Record<string, unknown> | null;
  createdAt: string;
  /** null: in use. */
  archivedAt: string | null;
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
  companyNumber: string | null;
  twitterUrl: string | null;
  youtubeUrl: string | null;
  facebookUrl: string | null;
  linkedinUrl: string | null;
  instagramUrl: string | null;
  twitchUrl: string | null;
  tiktokUrl: string | null;
}

export const INVOICE_DETAILS_STATUSES = ["pending", "approved", "denied"] as const;
export type InvoiceDetailsStatus = (typeof INVOICE_DETAILS_STATUSES)[number];

export interface Promoter {
  accountId: number;
  id: number;
  email: string;
  /** The client's own user id for the promoter. */
  custId: string | null;
  note: string | null;
  /** Hash of the password that the client gave or was shown at the promoter's making. null: nobody knows one. */
  tempPasswordHash: string | null;
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
  invoiceDetailsStatus: InvoiceDetailsStatus;
  /** Days from a period's end to the due date where the promoter has terms of their own. null: the account's. */
  netPayoutDays: number | null;
  /** Percent in hundredths that is added to payouts. */
  taxRateHundredths: number;
  createdAt: string;
  lastLoginAt: string | null;
  /** null: not archived. */
  archivedAt: string | null;
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
  /** Rewards of this participation alone. null: the campaign's. */
  rewardsForPromoters: RewardEntry[] | null;
  rewardsForReferrals: RewardEntry[] | null;
  createdAt: string;
}

/** The state that a participation of an archived promoter had, for the day when they are restored. */
export interface ArchivedState {
  accountId: number;
  promoterCampaignId: number;
  state: PromoterCampaignState;
}

/** Whose a ref token is. Kept for ever, so that no token can come to mean somebody else. */
export interface RefToken {
  accountId: number;
  token: string;
  /** null: retired; it resolves to nobody. */
  promoterCampaignId: number | null;
  /** The participation that a retired one belonged to. Absent: it is in use, or its participation is gone. */
  retiredFrom?: number;
}

/** Who followed a referral link. */
export interface Visitor {
  accountId: number;
  /** UUID v4, made in the browser. */
  tid: string;
  promoterCampaignId: number;
  promoterId: number;
  /** The campaign that the click belongs to, also when the promoter moves on to another. */
  campaignId: number;
  /** The page the link led to. */
  url: string | null;
  referrer: string | null;
  subId: string | null;
  isAdTraffic: boolean;
  /** Absent: the page did not ask for consent. */
  hasConsent?: true;
  addressHash: string | null;
  createdAt: string;
  /** When the cookie ends that the browser was given. From then on the visitor is nobody. */
  expiresAt: string;
}

/** Clicks of one day whose visitors are gone. */
export interface PastClicks {
  accountId: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  /** Calendar day (UTC). */
  day: string;
  count: number;
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

export const COMMISSION_STATUSES = ["pending", "approved", "denied"] as const;
export type CommissionStatus = (typeof COMMISSION_STATUSES)[number];

/** What a promoter earns by one event. V1 calls it a reward. */
export interface Commission {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  /** null: not earned by a lead. */
  leadId: number | null;
  status: CommissionStatus;
  unit: Unit;
  /** In cents for `cash`, else in whole units. */
  amount: number;
  /** The client's own id of the sale. */
  eventId: string | null;
  /** The sale's amount. */
  conversionCents: number;
  tierLevel: number;
  /** Whether another program has paid it, before it was imported. Such a one goes into no payout. */
  isPaidElsewhere: boolean;
  createdAt: string;
}

export const PAYOUT_STATUSES = ["pending", "completed", "failed", "processing", "cancelled"] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** What a promoter is paid for one campaign, unit and period. */
export interface Payout {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  status: PayoutStatus;
  unit: Unit;
  /** In cents for `cash`, else in whole units; without tax. */
  amount: number;
  /** Percent in hundredths. */
  taxRateHundredths: number;
  /** In the unit of `amount`. */
  totalInclTax: number;
  periodStart: string;
  periodEnd: string;
  /** The calendar day (UTC) by which it is to be paid. */
  dueDate: string;
  /** Whether the due date comes from the promoter's own terms. */
  hasOwnTerms: boolean;
  /** Payouts made by the same generation run share it. */
  groupRef: string | null;
  paymentsBatchId: number | null;
  /** How it is, or was, paid. null: by what the promoter has selected. */
  payoutMethodId: number | null;
  /** Why it failed. */
  error: string | null;
  paidAt: string | null;
  processingStartedAt: string | null;
  failedAt: string | null;
  createdAt: string;
}

export const PAYOUT_METHODS = ["bank", "crypto", "custom", "paypal", "wise", "dots"] as const;
export type PayoutMethodName = (typeof PAYOUT_METHODS)[number];

/** A way to pay a promoter. */
export interface PayoutMethod {
  accountId: number;
  id: number;
  promoterId: number;
  method: PayoutMethodName;
  /** Where the money goes to: an account, a wallet. */
  details: Record<string, unknown>;
  meta: Record<string, unknown>;
  /** At most one of a promoter's is. */
  isSelected: boolean;
  isDisabled: boolean;
  isManaged: boolean;
  createdAt: string;
}

/** What an operation on many records did. */
export interface BatchProcess {
  accountId: number;
  id: number;
  /** What was done, for people. */
  label: string;
  total: number;
  processedCount: number;
  /** One sentence for each record that was left as it was. */
  errors: string[];
  meta: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

export const ENTITIES = ["payout", "promo_code", "promoter", "promoter_campaign", "referral"] as const;
/** What events are about, as receivers name it. */
export type Entity = (typeof ENTITIES)[number];

/** The record of each entity. */
export interface EntityRecords {
  payout: Payout;
  promo_code: PromoCode;
  promoter: Promoter;
  promoter_campaign: PromoterCampaign;
  referral: Lead;
}

/**
 * That a record came to be, changed or went. Written in the commit that did it, and gone once it is fanned out.
 * What came to be is written down here only once it changes again: until then the record itself tells of it.
 */
export interface Fact {
  accountId: typeof SYSTEM;
  ownerId: number;
  entity: Entity;
  entityId: number;
  /** Counts the facts of one entity that wait at the same time. */
  number: number;
  at: string;
  /** null: it came to be. */
  before: EntityRecords[Entity] | null;
  /** null: it went or, where `before` is null too, is as its record says. */
  after: EntityRecords[Entity] | null;
}

/** Which events of an account anybody wants. Written with webhooks and campaigns; absent where there never was one that does. */
export interface WantedEvents {
  accountId: number;
  eventTypes: string[];
  /** Grows with each writing, so that two at the same time can't both find what they had read. */
  version: number;
}

/** How many people of an account were erased. Absent where nobody was. */
export interface ErasureCount {
  accountId: number;
  count: number;
}

/** A key that signs deliveries. */
export interface WebhookSecret {
  /** `whsec_` and 33 bytes in base64. */
  text: string;
  /** null: the newest one, good until it is replaced. */
  expiresAt: string | null;
}

/** A receiver of events. */
export interface Webhook {
  accountId: number;
  id: number;
  url: string;
  description: string | null;
  eventTypes: string[];
  /** Events of other campaigns are not sent. Empty: all. */
  campaignIds: number[];
  isActive: boolean;
  timeoutSeconds: number;
  /** Failed attempts after which a delivery is given up; at least one is made. */
  maxRetries: number;
  headers: Record<string, string>;
  basicAuthUser: string | null;
  basicAuthPassword: string | null;
  /** Newest first. */
  secrets: WebhookSecret[];
  createdAt: string;
  updatedAt: string;
}

/** `held`: a letter that waits for mail to be set up. */
export const DELIVERY_STATUSES = ["pending", "delivered", "retrying", "failed", "held"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An event as receivers get it. */
export interface EventMessage {
  eventId: string;
  type: string;
  action: "created" | "updated" | "deleted";
  entity: Entity;
  entityId: number;
  /** By wire name: what was and what is. Empty but on updates. */
  changes: Record<string, [old: unknown, now: unknown]>;
  data: Record<string, unknown>;
  at: string;
}

/** An e-mail to a promoter, before it is put into words. */
export interface Email {
  kind: EmailKind;
  promoterId: number;
  /** Their address when it was made; it is sent to the one that they have by then. */
  to: string;
  /** What templates may name. */
  values: Record<string, string>;
}

/** One event for one webhook, or one letter, until long after it was sent. */
export interface Delivery {
  accountId: typeof SYSTEM;
  id: number;
  ownerId: number;
  /** The webhook that it goes to. null: it is a letter. */
  webhookId: number | null;
  /** Deliveries of one lane to one destination go one after the other. */
  lane: string;
  /** The place in its lane. */
  place: number;
  message: EventMessage | null;
  letter: Email | null;
  status: DeliveryStatus;
  /** Failed and successful tries since it was made, or begun anew by hand. */
  attempts: number;
  /** When it is to be tried, in milliseconds. null: not by itself, or not before those ahead of it in its lane. */
  dueAt: number | null;
  responseCode: number | null;
  responseBody: string | null;
  lastError: string | null;
  createdAt: string;
  deliveredAt: string | null;
  /** When nothing remained to be done. null: something does. */
  finishedAt: string | null;
}

/** Where a destination's deliveries of one lane stand; absent where none is left to be sent. */
export interface Lane {
  accountId: typeof SYSTEM;
  destination: string;
  lane: string;
  /** Deliveries that are not finished. */
  count: number;
  lastPlace: number;
}

/** Who does the work that only one process may do at a time. */
export interface Lease {
  accountId: typeof SYSTEM;
  name: string;
  /** Blank: nobody. */
  holder: string;
  /** Grows with each renewal, which shows that the holder lives. */
  term: number;
}

/** That a promoter wants no more letters. */
export interface Unsubscription {
  accountId: number;
  promoterId: number;
  at: string;
}

export const SIGHTING_KINDS = ["refused-origin", "script", "host", "proxy"] as const;
/**
 * What servers see of their set-up: `refused-origin`, a site whose sign-ups were refused; `script`, a site that loads
 * the script; `host`, a name by which browsers reach the server; `proxy`, whether addresses were forwarded though
 * nobody was trusted to (`unexpected`), or not by all who were (`missing`).
 */
export type SightingKind = (typeof SIGHTING_KINDS)[number];

/** The latest things of one kind that were seen, newest first. */
export interface Sightings {
  /** Whose sites they are; SYSTEM for what concerns the server. */
  accountId: number;
  kind: SightingKind;
  seen: Sighting[];
}

export interface Sighting {
  value: string;
  /** Within an hour of the last time. */
  lastAt: string;
}

/** How the server that started last is set up. */
export interface ServerSetup {
  accountId: typeof SYSTEM;
  publicUrl: string;
  trustProxyHops: number;
  hasMail: boolean;
  startedAt: string;
}

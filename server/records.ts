/** The account id of records that belong to no single account: accounts themselves, keys, id blocks. */
export const SYSTEM = 0;

export const PROMOTER_CAMPAIGN_STATES = ["pending", "accepted", "rejected", "blocked", "inactive"] as const;
export type PromoterCampaignState = (typeof PROMOTER_CAMPAIGN_STATES)[number];

export const LEAD_STATES = ["signup", "active", "subscribed", "cancelled", "denied"] as const;
export type LeadState = (typeof LEAD_STATES)[number];

export const FRAUD_SUSPICIONS = ["same_promoter_email", "same_ip_suspicion", "ad_source"] as const;
export type FraudSuspicion = (typeof FRAUD_SUSPICIONS)[number];
export type Suspicion = FraudSuspicion | "no_suspicion";

export const ATTRIBUTIONS = ["last", "first"] as const;
/** Which promoter keeps a visitor who followed two links: the last one's, or the first one's. */
export type Attribution = (typeof ATTRIBUTIONS)[number];

export const AD_TRAFFIC_POLICIES = ["pending", "allow", "block"] as const;
/** How visits from paid ads are treated: recorded as suspicious, as clean, or not at all. */
export type AdTrafficPolicy = (typeof AD_TRAFFIC_POLICIES)[number];

/** A company that runs an affiliate program. All other records belong to one. */
export interface Account {
  accountId: typeof SYSTEM;
  id: number;
  /** The id in the `Account-ID` header and the script's `cid`. Not a secret. */
  publicId: string;
  name: string;
  defaultCampaignId: number;
  /** Whether a browser's Global Privacy Control signal stops all tracking of its visitor. */
  honoursPrivacyControl: boolean;
  /** ISO 4217 code of `cash` amounts. */
  currency: string;
  /** Days from the end of a payout's period to its due date. */
  netPayoutDays: number;
  /** Cash payouts of a promoter below this amount, in cents, are not payable yet. */
  minPaymentCents: number;
  /** Whether promoters are paid only with approved invoice details. */
  requiresInvoiceDetails: boolean;
  /** The sender of its e-mails, such as `Acme <partners@acme.example>`. null: the server's usual sender. */
  mailSender: string | null;
  /** Absent: the usual ones. */
  tracker?: TrackerNames;
  /** The key of the hashes that stand for network addresses. It never leaves the server. */
  addressKey: string;
  createdAt: string;
}

/** The names by which pages use the browser script. */
export interface TrackerNames {
  /** The global function. */
  global: string;
  /** The prefix of the cookies' names. */
  cookie: string;
  /** A second file name for the script, with these settings. null: only `svc.js`. */
  script: string | null;
  /** Whether the fragment of an address may name the promoter, as in `#/pricing?via=jane`. */
  readsFragment: boolean;
}

/** An API key. The key itself is shown once, when it is made. Only its hash is stored. */
export interface ApiKey {
  accountId: typeof SYSTEM;
  /** SHA-256 of the key, hexadecimal. */
  hash: string;
  ownerId: number;
  name: string;
  createdAt: string;
  /** null: the key is valid. */
  revokedAt: string | null;
}

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
  attribution: Attribution;
  /** Sites that may send sign-ups from a browser. Empty: only the landing page's own site. */
  allowedOrigins: string[];
  trackAdTraffic: AdTrafficPolicy;
  /** Whether promoters join by invitation only. */
  isPrivate: boolean;
  /** Further pages that promoters may link to. */
  links: CampaignLink[];
  /** The campaign for promoters who reach a goal. null: none. */
  upgrade: CampaignUpgrade | null;
  rewardsForPromoters: RewardEntry[];
  rewardsForReferrals: RewardEntry[];
  /** The e-mails that its promoters get. */
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
/** A kind of e-mail to promoters. `signup_accepted` is for new promoters, `accepted` follows a review. */
export type EmailKind = (typeof EMAIL_KINDS)[number];

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

export const APPLY_ON = ["monthly", "yearly", "one_time", "all", "specific"] as const;

/** The kind of sales, or the products, that earn a reward. */
export interface RewardEntry {
  applyOn: (typeof APPLY_ON)[number];
  productIds: number[];
  rewardId: number;
}

export const UNITS = ["cash", "credits", "points", "free_months", "mon_discount", "discount_per"] as const;
/** The unit of an amount: `cash` in cents, all others in whole units. */
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
  /** In hundredths: cents of a flat cash amount, otherwise hundredths of a percent or of a unit. */
  amountHundredths: number;
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

/** A coupon of the payment processor that belongs to a promoter campaign. */
export interface PromoCode {
  accountId: number;
  id: number;
  /** The code that customers type. Compared without case. */
  code: string;
  rewardId: number;
  promoterCampaignId: number;
  /** The payment processor's id. null: not linked yet. */
  extId: string | null;
  description: string | null;
  metadata: Record<string, unknown> | null;
  details: Record<string, unknown> | null;
  createdAt: string;
  /** null: in use. */
  archivedAt: string | null;
}

/** The data that promoters give about themselves. null: not given. */
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
  /** The client's own user id of the promoter. */
  custId: string | null;
  note: string | null;
  /** The hash of the password that was given, or shown, when the promoter was made. null: there is none. */
  tempPasswordHash: string | null;
  /** Logs the promoter into the dashboard. 32 URL-safe characters. */
  authToken: string;
  parentPromoterId: number | null;
  defaultPromoterCampaignId: number;
  profile: PromoterProfile;
  customFields: Record<string, unknown> | null;
  /** The suspicions that the promoter's own data and their leads have caused. */
  fraudSuspicions: FraudSuspicion[];
  /** null: the campaign's policy. true: ad traffic counts as clean. false: it is not recorded. */
  trackAdTraffic: boolean | null;
  skipEmailNotification: boolean;
  invoiceDetailsStatus: InvoiceDetailsStatus;
  /** Days from a period's end to the due date, if the promoter has terms of their own. null: the account's. */
  netPayoutDays: number | null;
  /** Added to payouts, in hundredths of a percent. */
  taxRateHundredths: number;
  createdAt: string;
  lastLoginAt: string | null;
  /** null: not archived. */
  archivedAt: string | null;
}

/** The first promoter of a mailbox, in whatever way its address is written. Kept for ever. */
export interface Mailbox {
  accountId: number;
  /** SHA-256 of the mailbox, hexadecimal. */
  mailboxHash: string;
  firstPromoterId: number;
}

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
  createdAt: string;
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

/** A person who followed a referral link. */
export interface Visitor {
  accountId: number;
  /** UUID v4, made in the browser. */
  tid: string;
  promoterCampaignId: number;
  promoterId: number;
  /** The campaign of the click. It stays, even if the promoter moves to another one. */
  campaignId: number;
  /** The page that the link led to. */
  url: string | null;
  referrer: string | null;
  subId: string | null;
  isAdTraffic: boolean;
  /** Absent: the page did not ask for consent. */
  hasConsent?: true;
  addressHash: string | null;
  createdAt: string;
  /** When the browser's cookie expires. From then on the visitor is unknown. */
  expiresAt: string;
}

/** The clicks of one day whose visitors have expired. */
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
  /** The client's own id of the person, as the payment processor knows it. */
  uid: string | null;
  username: string | null;
  firstName: string | null;
  lastName: string | null;
  website: string | null;
  customFields: Record<string, unknown> | null;
  planName: string | null;
  suspicion: Suspicion;
  /** The visitor that became this lead. null: the promoter was named by ref id or e-mail address. */
  tid: string | null;
  subId: string | null;
  /** The id of the sign-up event. null: the lead was imported or made by a sale, and has not signed up since. */
  signupEventId: number | null;
  skipEmailNotification: boolean;
  customerSince: string | null;
  cancelledAt: string | null;
  createdAt: string;
}

/** Records that a promoter, or a lead of theirs, came from an address. Only a keyed hash of it is stored. */
export interface PromoterAddress {
  accountId: number;
  promoterId: number;
  addressHash: string;
  /** Whether the promoter was seen there. */
  isOwn: boolean;
  /** null: no lead came from there. */
  lastLeadAt: string | null;
}

export const COMMISSION_STATUSES = ["pending", "approved", "denied"] as const;
export type CommissionStatus = (typeof COMMISSION_STATUSES)[number];

/** A promoter's earnings from one event. V1 calls it a reward. */
export interface Commission {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  /** null: it does not belong to a lead. */
  leadId: number | null;
  status: CommissionStatus;
  unit: Unit;
  /** In cents for `cash`, otherwise in whole units. */
  amount: number;
  /** The client's own id of the sale. */
  eventId: string | null;
  /** The sale's amount. */
  conversionCents: number;
  tierLevel: number;
  /** Whether another program paid it before the import. Such a commission goes into no payout. */
  isPaidElsewhere: boolean;
  createdAt: string;
}

export const PAYOUT_STATUSES = ["pending", "completed", "failed", "processing", "cancelled"] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** The amount that a promoter is paid for one campaign, unit and period. */
export interface Payout {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
  status: PayoutStatus;
  unit: Unit;
  /** In cents for `cash`, otherwise in whole units. Without tax. */
  amount: number;
  /** In hundredths of a percent. */
  taxRateHundredths: number;
  /** In the unit of `amount`. */
  totalInclTax: number;
  periodStart: string;
  periodEnd: string;
  /** The calendar day (UTC) by which it must be paid. */
  dueDate: string;
  /** Whether the due date comes from the promoter's own terms. */
  hasOwnTerms: boolean;
  /** Payouts made by the same run share it. */
  groupRef: string | null;
  paymentsBatchId: number | null;
  /** The method that pays or paid it. null: the one that the promoter has selected. */
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
  /** The destination of the money: an account, a wallet. */
  details: Record<string, unknown>;
  meta: Record<string, unknown>;
  /** At most one of a promoter's methods is selected. */
  isSelected: boolean;
  isDisabled: boolean;
  isManaged: boolean;
  createdAt: string;
}

/** The result of an operation on many records. */
export interface BatchProcess {
  accountId: number;
  id: number;
  /** The operation, in words for people. */
  label: string;
  total: number;
  processedCount: number;
  /** One sentence for each record that was not changed. */
  errors: string[];
  meta: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

export const ENTITIES = ["payout", "promo_code", "promoter", "promoter_campaign", "referral"] as const;
/** The kinds of records that have events, as receivers name them. */
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
 * Records that a record was created, changed or deleted. It is written in the same commit, and removed once its
 * deliveries are made. A created record is copied into it only when it changes again. Until then the record itself
 * tells what was created.
 */
export interface Fact {
  accountId: typeof SYSTEM;
  ownerId: number;
  entity: Entity;
  entityId: number;
  /** Numbers the waiting facts of one entity. */
  number: number;
  at: string;
  /** null: the record is new. */
  before: EntityRecords[Entity] | null;
  /** null: the record was deleted. If `before` is null too, the record itself has the data. */
  after: EntityRecords[Entity] | null;
}

/**
 * The event types that somebody in an account wants. Written with webhooks and campaigns. Absent if there never were
 * any.
 */
export interface WantedEvents {
  accountId: number;
  eventTypes: string[];
  /** Grows with each write, so that two simultaneous writers conflict. */
  version: number;
}

/** How many people of an account were erased. Absent if nobody was. */
export interface ErasureCount {
  accountId: number;
  count: number;
}

/** A secret that signs deliveries. */
export interface WebhookSecret {
  /** `whsec_` and 33 bytes in base64. */
  text: string;
  /** null: it is the newest one, valid until it is replaced. */
  expiresAt: string | null;
}

/** A receiver of events. */
export interface Webhook {
  accountId: number;
  id: number;
  url: string;
  description: string | null;
  eventTypes: string[];
  /** Only events of these campaigns are sent. Empty: all. */
  campaignIds: number[];
  isActive: boolean;
  timeoutSeconds: number;
  /** Failed attempts after which a delivery is given up. At least one attempt is made. */
  maxRetries: number;
  headers: Record<string, string>;
  basicAuthUser: string | null;
  basicAuthPassword: string | null;
  /** Newest first. */
  secrets: WebhookSecret[];
  createdAt: string;
  updatedAt: string;
}

/** `held`: an e-mail that waits for a mail server to be set up. */
export const DELIVERY_STATUSES = ["pending", "delivered", "retrying", "failed", "held"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** An event as receivers get it. */
export interface EventMessage {
  eventId: string;
  type: string;
  action: "created" | "updated" | "deleted";
  entity: Entity;
  entityId: number;
  /** By wire name: the old and the new value. Empty except for updates. */
  changes: Record<string, [old: unknown, now: unknown]>;
  data: Record<string, unknown>;
  at: string;
}

/** An e-mail to a promoter before its template is filled in. */
export interface Email {
  kind: EmailKind;
  promoterId: number;
  /** Their address when it was made. The e-mail goes to the address that they have when it is sent. */
  to: string;
  /** The values that templates can use. */
  values: Record<string, string>;
}

/** One event for one webhook, or one e-mail. It is kept long after it was sent. */
export interface Delivery {
  accountId: typeof SYSTEM;
  id: number;
  ownerId: number;
  /** The webhook that it goes to. null: it is an e-mail. */
  webhookId: number | null;
  /** Deliveries of one lane to one destination are sent one after the other. */
  lane: string;
  /** The place in its lane. */
  place: number;
  message: EventMessage | null;
  letter: Email | null;
  status: DeliveryStatus;
  /** Attempts since it was made or restarted by hand, successful or not. */
  attempts: number;
  /** When to try it, in milliseconds. null: not by itself, or not before those ahead of it in its lane. */
  dueAt: number | null;
  responseCode: number | null;
  responseBody: string | null;
  lastError: string | null;
  createdAt: string;
  deliveredAt: string | null;
  /** When it ended. null: it has not ended. */
  finishedAt: string | null;
}

/** The state of one lane of a destination. Absent if nothing waits there. */
export interface Lane {
  accountId: typeof SYSTEM;
  destination: string;
  lane: string;
  /** Deliveries that are not finished. */
  count: number;
  lastPlace: number;
}

/** The holder of a lease: the process that does work which only one may do at a time. */
export interface Lease {
  accountId: typeof SYSTEM;
  name: string;
  /** Blank: nobody. */
  holder: string;
  /** Grows with each renewal, which shows that the holder is alive. */
  term: number;
}

/** Records that a promoter wants no more e-mails. */
export interface Unsubscription {
  accountId: number;
  promoterId: number;
  at: string;
}

export const SIGHTING_KINDS = ["refused-origin", "script", "host", "proxy"] as const;
/**
 * The kinds of things that servers notice about their set-up. `refused-origin`: a site whose sign-ups were refused.
 * `script`: a site that loads the script. `host`: a name by which browsers reach the server. `proxy`: whether
 * addresses were forwarded although no proxy is trusted (`unexpected`), or not by all trusted ones (`missing`).
 */
export type SightingKind = (typeof SIGHTING_KINDS)[number];

/** The latest sightings of one kind, newest first. */
export interface Sightings {
  /** The account whose sites they are. SYSTEM: they concern the server. */
  accountId: number;
  kind: SightingKind;
  seen: Sighting[];
}

export interface Sighting {
  value: string;
  /** Exact to an hour. */
  lastAt: string;
}

/** The set-up of the server that started last. */
export interface ServerSetup {
  accountId: typeof SYSTEM;
  publicUrl: string;
  trustProxyHops: number;
  hasMail: boolean;
  startedAt: string;
}

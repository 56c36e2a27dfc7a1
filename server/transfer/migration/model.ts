/**
 * The records of a company's former program in our terms. Each source (`sources/`) converts its archived answers to them,
 * and the import converts them to ours, so neither depends on the other.
 *
 * Ids are the source's own, unique per kind. Amounts are integers in the minor unit of their currency, or whole units if
 * the unit is not cash. Dates are ISO 8601 in UTC. Missing values are null, never guessed.
 */
export type SourceRecord =
  | ({ kind: "campaign" } & SourceCampaign)
  | ({ kind: "promoter" } & SourcePromoter)
  | ({ kind: "promoter_campaign" } & SourcePromoterCampaign)
  | ({ kind: "code" } & SourceCode)
  | ({ kind: "customer" } & SourceCustomer)
  | ({ kind: "sale" } & SourceSale)
  | ({ kind: "commission" } & SourceCommission)
  | ({ kind: "payout" } & SourcePayout)
  | ({ kind: "remark" } & SourceRemark);

export type SourceKind = SourceRecord["kind"];

export interface SourceCampaign {
  id: string;
  name: string;
  landing_url: string | null;
  is_default: boolean;
  is_private: boolean;
  /** How long a click counts. */
  cookieDays: number | null;
  /** How long a commission waits until it is approved. */
  holdDays: number | null;
  minPayment: { amount: number; currency: string } | null;
  /** Only rewards that can be expressed exactly here. All others become remarks. */
  rewards: SourceReward[];
}

/** A reward for promoters that applies to every sale of the campaign. */
export interface SourceReward {
  id: string;
  name: string;
  unit: "cash" | "credits" | "points" | "free_months" | "mon_discount" | "discount_per";
  /** In ten-thousandths of a percent, or of a unit if it is flat. A unit of cash is a dollar, not a cent. */
  amount_ten_thousandths: number;
  is_flat: boolean;
  /** The currency of a flat amount of cash. Null for the program's currency, or other units. */
  currency: string | null;
  duration: "once" | "repeating" | "forever";
  /** Only with `repeating`. */
  duration_months: number | null;
  /** 1 for the promoter, 2 for their parent, and so on. */
  tier_level: number;
}

export interface SourcePromoter {
  id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  company_name: string | null;
  /** ISO 3166 code of two letters. */
  country: string | null;
  /** What invoices need. Absent if the source has no such fields. */
  contact?: SourceContact;
  /** The company's own id of the promoter. */
  cust_id: string | null;
  note: string | null;
  custom_fields: Record<string, unknown> | null;
  /** The promoter who recruited them. */
  parentId: string | null;
  isArchived: boolean;
  payoutMethod: SourcePayoutMethod | null;
  /** The source's own counts for the promoter, for the final report. Null if it has none. */
  counts: { clicks: number | null; leads: number | null; customers: number | null };
  created_at: string;
}

export interface SourceContact {
  website: string | null;
  phone_number: string | null;
  address: string | null;
  company_number: string | null;
  vat_id: string | null;
}

/** A promoter's payout method, as far as the source tells. */
export interface SourcePayoutMethod {
  method: "paypal" | "wise" | "bank" | "crypto" | "custom";
  /** The source's fields, such as `{ paypal_email: "jane@example.com" }`, in the names of our V2 `payout_methods`. */
  details: Record<string, string>;
}

/** A promoter's place in a campaign, with its links. */
export interface SourcePromoterCampaign {
  id: string;
  promoter_id: string;
  campaign_id: string;
  state: "pending" | "accepted" | "rejected" | "blocked" | "inactive";
  /** The first one is the usual link. Clicks that are only known as a total are counted here. */
  links: SourceLink[];
  /** Rewards of this promoter alone. Absent for the campaign's. */
  ownRewards?: SourceReward[];
  created_at: string;
}

/** A link of a promoter. */
export interface SourceLink {
  id: string;
  token: string;
  /** The published link, possibly on the source's own domain. Null for the campaign's page with the token. */
  url: string | null;
  /** The page that a link on the source's own domain leads to. Absent if unknown, or if it is `url` itself. */
  target?: string | null;
  clicks: number;
}

/** A code that customers type at the checkout. It may equal the token of another promoter's link. */
export interface SourceCode {
  id: string;
  code: string;
  promoter_id: string;
  /** Null for the promoter's only campaign. */
  campaign_id: string | null;
  /** The billing provider's id, such as Stripe's `promo_…`. */
  ext_id: string | null;
  archived_at: string | null;
}

export interface SourceCustomer {
  id: string;
  email: string | null;
  /** The company's own id. If null, the billing provider's id is used. */
  uid: string | null;
  /** The billing provider's id, such as Stripe's `cus_…`, which matches renewals. */
  billingId: string | null;
  subscription_id: string | null;
  /** The whole name, or the first one beside a last name. */
  name: string | null;
  /** Absent if the source has only whole names. */
  last_name?: string | null;
  /** Others who get a part of the commissions. Absent if the promoter gets everything. */
  splits?: { promoter_campaign_id: string; percent_ten_thousandths: number }[];
  promoter_id: string;
  campaign_id: string | null;
  state: "signup" | "active" | "cancelled" | "refunded" | "denied" | "pending";
  entry_source: "api" | "coupon" | "cookie" | "manual_admin" | "manual_affiliate";
  plan_id: string | null;
  custom_fields: Record<string, unknown> | null;
  created_at: string;
  customer_since: string | null;
  cancelled_at: string | null;
}

export interface SourceSale {
  id: string;
  /** The id with which the billing provider would report it again, such as Stripe's `ch_…`. If null, `id` is used. */
  event_id: string | null;
  customerId: string;
  promoter_id: string;
  campaign_id: string | null;
  amount: number;
  /** Null for the program's currency, which the source does not name. */
  currency: string | null;
  /** In the sale's currency. It is never more than `amount`. */
  refunded: number;
  plan_id: string | null;
  created_at: string;
}

/** Two commissions of one sale are two records, even with equal amounts. */
export interface SourceCommission {
  id: string;
  /** Null if the source has no sale for it, for example if it was given by hand. */
  sale_id: string | null;
  customerId: string | null;
  promoter_id: string;
  campaign_id: string | null;
  unit: SourceReward["unit"];
  /** Negative if it takes back an earlier one. */
  amount: number;
  /** Null for the program's currency, which the source does not name, or for units other than cash. */
  currency: string | null;
  status: "pending" | "approved" | "denied";
  isPaid: boolean;
  /** The payout that it is in, if the source says so. */
  payout_id: string | null;
  tier_level: number;
  note: string | null;
  created_at: string;
  paid_at: string | null;
}

export interface SourcePayout {
  id: string;
  promoter_id: string;
  campaign_id: string | null;
  unit: SourceReward["unit"];
  amount: number;
  currency: string | null;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  method: SourcePayoutMethod["method"] | null;
  error: string | null;
  period_start: string | null;
  period_end: string | null;
  created_at: string;
  paid_at: string | null;
}

/** Something that can't be imported, or not exactly. The report lists it. */
export interface SourceRemark {
  id: string;
  /** For people, such as `Campaign "Partners": the reward of 20 % ends after 3 commissions, which rewards here can't express`. */
  text: string;
  /** A record whose form is not known. What it is worth is not known either, so the programs can't be proven equal. */
  isUnread?: true;
}

/** Reads one former program. */
export interface Source {
  /** Its name in commands and pages, such as `rewardful`. */
  name: SourceName;
  /** For people, such as `Rewardful`. */
  title: string;
  baseUrl: string;
  /** What the key is, for people, such as `the API secret of Company settings`. */
  keyHint: string;
  /** The number of requests within a time: fewer than the source allows, because the company's own calls count too. */
  limit: { requests: number; withinMs: number };
  /** The headers with the key. @throws Failure `invalid` if the key has the wrong form */
  headers: (key: string) => Record<string, string>;
  /** The URL parameters of old links, in the order in which the source's script reads them. */
  linkParams: readonly string[];
  /** Fetches everything that the source offers, page by page. Each answer is archived before it is processed. */
  fetch: (api: SourceApi) => Promise<void>;
  /** Converts the archive to our terms: campaigns first, then promoters, and so on, in the order of `SourceRecord`. */
  records: (archive: ArchivedRows) => AsyncIterable<SourceRecord>;
}

export const SOURCE_NAMES = ["rewardful", "firstpromoter", "tolt", "partnerstack", "dub"] as const;

export type SourceName = (typeof SOURCE_NAMES)[number];

/** Sends requests to a source within its limits, and archives the answers. */
export interface SourceApi {
  /** Returns the parsed body. It waits and retries if the source is busy or fails. @throws Failure */
  get: (path: string, query?: SourceQuery) => Promise<unknown>;
  /**
   * Archives the unchanged rows of an answer under a name such as `affiliates`. The mark says where to continue the list
   * after an interruption.
   */
  keep: (list: string, rows: unknown[], mark?: unknown) => Promise<void>;
  /** The latest mark of a list in this run, or null. */
  mark: (list: string) => unknown;
  /** What this run has archived so far. */
  kept: ArchivedRows;
}

/** A list of values is a repeated parameter. */
export type SourceQuery = Record<string, string | number | readonly string[]>;

/** The archived rows of one run without repetitions: a row that was on two pages counts once, with its last text. */
export interface ArchivedRows {
  rows: (list: string) => AsyncIterable<Record<string, unknown>>;
}

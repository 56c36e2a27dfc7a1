/**
 * What a company's former program holds, in our words. Each source turns its archived answers into these records
 * (`sources/`), and the import makes ours of them, so neither knows the other.
 *
 * Ids are the source's own, unique per kind. Amounts are integers in the minor unit of their currency, or whole units if
 * the unit is not cash. Dates are ISO 8601 in UTC. What a source does not give is null, never guessed.
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
  landingUrl: string | null;
  isDefault: boolean;
  isPrivate: boolean;
  /** How long a click counts. */
  cookieDays: number | null;
  /** How long a commission waits until it is approved. */
  holdDays: number | null;
  minPayment: { amount: number; currency: string } | null;
  /** Only rewards that ours can say exactly. All others are remarks. */
  rewards: SourceReward[];
}

/** A reward for promoters that applies to every sale of the campaign. */
export interface SourceReward {
  id: string;
  name: string;
  unit: "cash" | "credits" | "points" | "free_months" | "mon_discount" | "discount_per";
  /** In ten-thousandths: of a percent, or of a unit if it is flat. A unit of cash is a dollar, not a cent. */
  amountTenThousandths: number;
  isFlat: boolean;
  /** The currency of a flat amount of cash. null: the program's, or no cash. */
  currency: string | null;
  duration: "once" | "repeating" | "forever";
  /** Only with `repeating`. */
  durationMonths: number | null;
  /** 1: the promoter; 2: their parent; and so on. */
  tierLevel: number;
}

export interface SourcePromoter {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  companyName: string | null;
  /** ISO 3166 code of two letters. */
  country: string | null;
  /** The company's own id of the promoter. */
  custId: string | null;
  note: string | null;
  customFields: Record<string, unknown> | null;
  /** The promoter who brought them in. */
  parentId: string | null;
  isArchived: boolean;
  payoutMethod: SourcePayoutMethod | null;
  /** What the source counts for the promoter, for the report at the end. null: it does not count that. */
  counts: { clicks: number | null; leads: number | null; customers: number | null };
  createdAt: string;
}

/** How a promoter wants to be paid, as far as the source tells. */
export interface SourcePayoutMethod {
  method: "paypal" | "wise" | "bank" | "crypto" | "custom";
  /** The source's fields, such as `{ paypal_email: "jane@example.com" }`, in the names of our V2 `payout_methods`. */
  details: Record<string, string>;
}

/** A promoter's place in a campaign, with its links. */
export interface SourcePromoterCampaign {
  id: string;
  promoterId: string;
  campaignId: string;
  state: "pending" | "accepted" | "rejected" | "blocked" | "inactive";
  /** The first is the usual one. Clicks that come as a total are counted here. */
  links: SourceLink[];
  createdAt: string;
}

/** A link of a promoter. */
export interface SourceLink {
  id: string;
  token: string;
  /** The link in the wild. It may lead over the source's own domain. null: the campaign's page with the token. */
  url: string | null;
  /** The page that a link of the source's own domain leads to. Absent: unknown, or `url` itself. */
  target?: string | null;
  clicks: number;
}

/** A code that customers type at the checkout. It may equal the token of another promoter's link. */
export interface SourceCode {
  id: string;
  code: string;
  promoterId: string;
  /** null: the promoter's only campaign. */
  campaignId: string | null;
  /** The billing provider's id, such as Stripe's `promo_…`. */
  extId: string | null;
  archivedAt: string | null;
}

export interface SourceCustomer {
  id: string;
  email: string | null;
  /** The company's own id. null: the source has none, and the billing provider's id is used. */
  uid: string | null;
  /** The billing provider's id, such as Stripe's `cus_…`. Renewals are found by it. */
  billingId: string | null;
  subscriptionId: string | null;
  name: string | null;
  promoterId: string;
  campaignId: string | null;
  state: "signup" | "active" | "cancelled" | "refunded" | "denied" | "pending";
  entrySource: "api" | "coupon" | "cookie" | "manual_admin" | "manual_affiliate";
  planId: string | null;
  customFields: Record<string, unknown> | null;
  createdAt: string;
  customerSince: string | null;
  cancelledAt: string | null;
}

export interface SourceSale {
  id: string;
  /** The id under which the billing provider would report it again, such as Stripe's `ch_…`. null: `id` is used. */
  eventId: string | null;
  customerId: string;
  promoterId: string;
  campaignId: string | null;
  amount: number;
  /** null: the program's, which the source does not name. */
  currency: string | null;
  /** In the sale's currency. It is never more than `amount`. */
  refunded: number;
  planId: string | null;
  createdAt: string;
}

/** Two commissions of one sale are two records, also with equal amounts. */
export interface SourceCommission {
  id: string;
  /** null: the source has no sale for it, for example if a person gave it by hand. */
  saleId: string | null;
  customerId: string | null;
  promoterId: string;
  campaignId: string | null;
  unit: SourceReward["unit"];
  /** Negative: it takes back an earlier one. */
  amount: number;
  /** null: the program's, which the source does not name, or a unit other than cash. */
  currency: string | null;
  status: "pending" | "approved" | "denied";
  isPaid: boolean;
  /** The payout that it is in, if the source says so. */
  payoutId: string | null;
  tierLevel: number;
  note: string | null;
  createdAt: string;
  paidAt: string | null;
}

export interface SourcePayout {
  id: string;
  promoterId: string;
  campaignId: string | null;
  unit: SourceReward["unit"];
  amount: number;
  currency: string | null;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  method: SourcePayoutMethod["method"] | null;
  error: string | null;
  periodStart: string | null;
  periodEnd: string | null;
  createdAt: string;
  paidAt: string | null;
}

/** Something that cannot be taken over, or not exactly. The report lists it. */
export interface SourceRemark {
  id: string;
  /** For people, such as `Campaign "Partners": the reward of 20 % ends after 3 commissions, which rewards here can't say`. */
  text: string;
  /** A record whose form is not known. What it is worth is not known either, so the programs can't be proven equal. */
  isUnread?: true;
}

/** Reads one former program. */
export interface Source {
  /** As commands and pages name it, such as `rewardful`. */
  name: SourceName;
  /** For people, such as `Rewardful`. */
  title: string;
  baseUrl: string;
  /** What the key is, for people, such as `the API secret of Company settings`. */
  keyHint: string;
  /** How many requests we send within a span. It is less than the source allows, because the company's own calls count too. */
  limit: { requests: number; withinMs: number };
  /** The headers that carry the key. @throws Failure `invalid` if the key can't be one of the source */
  headers: (key: string) => Record<string, string>;
  /** The ids of the parameter in old links, in the order in which the source's script reads them. */
  linkParams: readonly string[];
  /** Fetches everything that the source gives, page by page. Each answer is kept before anything is made of it. */
  fetch: (api: SourceApi) => Promise<void>;
  /** Turns what was kept into our words. Campaigns come first, then promoters, and so on, in the order of `SourceRecord`. */
  records: (archive: ArchivedRows) => AsyncIterable<SourceRecord>;
}

export const SOURCE_NAMES = ["rewardful", "firstpromoter", "tolt", "partnerstack", "dub"] as const;

export type SourceName = (typeof SOURCE_NAMES)[number];

/** Asks a source, within its limits, and keeps what it answers. */
export interface SourceApi {
  /** Answers the parsed body. It waits and asks again if the source is busy or fails. @throws Failure */
  get: (path: string, query?: SourceQuery) => Promise<unknown>;
  /**
   * Keeps rows of an answer under a name such as `affiliates`, as they came. The mark says where the reading of the list
   * goes on if it is interrupted.
   */
  keep: (list: string, rows: unknown[], mark?: unknown) => Promise<void>;
  /** The mark that was kept last with rows of a list in this run. null: none. */
  mark: (list: string) => unknown;
  /** What this run has kept so far. */
  kept: ArchivedRows;
}

/** A list of values is a parameter that is repeated. */
export type SourceQuery = Record<string, string | number | readonly string[]>;

/** The rows of one run that were kept, without repetitions: a row that came on two pages counts once, with its last text. */
export interface ArchivedRows {
  rows: (list: string) => AsyncIterable<Record<string, unknown>>;
}

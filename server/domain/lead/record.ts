import type { Creator } from "../context.ts";
import type { Origin } from "../origin/origin.ts";

export const LEAD_STATES = [
  "signup",
  "active",
  "subscribed",
  "cancelled",
  "denied",
  /** All sales were refunded. */
  "refunded",
  /** A promoter added the lead by hand, and nobody has approved it yet. */
  "pending",
] as const;

export type LeadState = (typeof LEAD_STATES)[number];

export const ENTRY_SOURCES = ["api", "coupon", "cookie", "manual_admin", "manual_affiliate"] as const;

/** How a lead was connected with its promoter. */
export type EntrySource = (typeof ENTRY_SOURCES)[number];

/** Another promoter campaign's part of the commissions that a lead earns. */
export interface Split {
  promoterCampaignId: number;
  /** In ten-thousandths of a percent. */
  percentTenThousandths: number;
}

export const FRAUD_SUSPICIONS = ["same_promoter_email", "same_ip_suspicion", "ad_source"] as const;

export type FraudSuspicion = (typeof FRAUD_SUSPICIONS)[number];

export type Suspicion = FraudSuspicion | "no_suspicion";

/** A change that the reports count on its day for ever, whatever comes later. */
export interface CustomerChange {
  /** A cancellation alone changes nothing. With it, an active customer has `left`. */
  kind: "left" | "returned" | "cancelled";
  at: string;
}

/** The first sale of a lead that a reward applied to. */
export interface RewardStart {
  rewardId: number;
  saleId: number;
  at: string;
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
  /** The words of the promoter who added the lead. Absent: none. */
  comment?: string | undefined;
  customFields: Record<string, unknown> | null;
  planName: string | null;
  /** The payment processor's id of the subscription. */
  subscriptionId: string | null;
  entrySource: EntrySource;
  /**
   * The promoter added the lead by hand, and nobody has approved it. Such a lead does not hold its e-mail address: the
   * person may be a lead already, or become one of another promoter.
   */
  isProposal?: true;
  /** null: the lead came without a visit. */
  origin: Origin | null;
  /** null: the lead's own promoter gets everything. */
  splits: Split[] | null;
  /** The number of sales, refunded ones included. */
  salesCount: number;
  /** The number of sales that were refunded whole. */
  refundedSalesCount: number;
  /** The cancellation of a cancelled lead, if one was tracked. */
  cancellationId: number | null;
  /** The rewards that are given once, and that this lead has earned for its promoters or got itself. */
  onceRewardIds: number[];
  /**
   * The first sale, by its date, that each reward for once or for some months applied to. Absent: no sale was made since
   * these are kept.
   */
  rewardStarts?: RewardStart[];
  /**
   * The date from which the months of all rewards count, for a customer from before their first sale here. Absent: those of
   * each reward count from its own first sale.
   */
  repeatingSince?: string;
  suspicion: Suspicion;
  /** The visitor that became this lead. null: the promoter was named by ref id or e-mail address. */
  tid: string | null;
  subId: string | null;
  /** The id of the sign-up event. null: the lead was imported or made by a sale, and has not signed up since. */
  signupEventId: number | null;
  /** Absent: nobody added the lead by hand in the dashboard. */
  createdByUser?: Creator;
  skipEmailNotification: boolean;
  customerSince: string | null;
  /** null: it has not cancelled, or has bought since. */
  cancelledAt: string | null;
  /**
   * What happened to the customer since `customerSince`; those who leave and return in the order of time. Absent: nothing has, or a former
   * release wrote the lead.
   */
  customerHistory?: CustomerChange[];
  /** When an imported lead, or one that a sale made, signed up. Absent: never, or when it was created. */
  signedUpAt?: string;
  /**
   * When the lead was deleted although it has sales. Nothing finds or lists it any more but its sales, their refunds and
   * an erasure. Absent: it was not.
   *
   * @see docs/spec/states.md "Leads"
   */
  archivedAt?: string;
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

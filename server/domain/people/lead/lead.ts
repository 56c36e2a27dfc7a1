import { Failure } from "../../../failure.ts";
import { indexed } from "../../../storage/digests.ts";
import { table } from "../../../storage/table.ts";
import { TAKEN } from "../../../storage/store.ts";
import type { Creator } from "../../context.ts";
import { ORIGIN_COLUMNS, type Origin } from "../origin.ts";
import { dailySums, type Count } from "../daily.ts";

export const LEAD_STATES = [
  "signup",
  "active",
  "subscribed",
  "cancelled",
  "denied",
  /** All sales were refunded. */
  "refunded",
  /** A promoter added the lead by hand, and it is not approved yet. */
  "pending",
] as const;

export type LeadState = (typeof LEAD_STATES)[number];

export const ENTRY_SOURCES = ["api", "coupon", "cookie", "manual_admin", "manual_affiliate"] as const;

/** How a lead was connected with its promoter. */
export type EntrySource = (typeof ENTRY_SOURCES)[number];

/** Another promoter campaign's share of a lead's commissions. */
export interface Split {
  promoterCampaignId: number;
  /** In ten-thousandths of a percent. */
  percentTenThousandths: number;
}

export const FRAUD_SUSPICIONS = [
  "same_promoter_email",
  "same_ip_suspicion",
  "ad_source",
  "unseen_visitor",
] as const;

export type FraudSuspicion = (typeof FRAUD_SUSPICIONS)[number];

export type Suspicion = FraudSuspicion | "no_suspicion";

/** A change that reports count on its day for good, regardless of later ones. */
export interface CustomerChange {
  /** A cancellation alone changes nothing. With it, an active customer has `left`. */
  kind: "left" | "returned" | "cancelled";
  at: string;
}

/** The first sale of a lead that a `repeating` reward applied to. */
interface RewardStart {
  rewardId: number;
  at: string;
}

/** A sale that a one-time reward was given with. */
interface OnceGiven {
  rewardId: number;
  saleId: number;
}

/** A customer's subscription, or the end of all that there were. */
export interface Subscription {
  /** The payment processor's id. Null: it is the end of all, without a subscription's id. */
  id: string | null;
  /** Its first and its last payment by date, or null if none is known. */
  firstPaidAt: string | null;
  lastPaidAt: string | null;
  /** Null if it goes on. */
  endedAt: string | null;
  /** The cancellation that ended it, or null. */
  cancellationId: number | null;
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
  /** The client's own id of the person, which the payment processor knows. */
  uid: string | null;
  username: string | null;
  firstName: string | null;
  lastName: string | null;
  website: string | null;
  /** The comment of the promoter who added the lead. Absent: none. */
  comment?: string | undefined;
  customFields: Record<string, unknown> | null;
  planName: string | null;
  /** The payment processor's id of the latest subscription. */
  subscriptionId: string | null;
  /** All that are known, and the ends of all. Absent: only `subscriptionId` is known. */
  subscriptions?: Subscription[] | undefined;
  entrySource: EntrySource;
  /**
   * Whether the promoter added the lead by hand, and it is not approved yet. Such a lead does not own its
   * e-mail address: the person may be a lead already, or become one of another promoter.
   */
  isProposal?: true;
  /**
   * Whether only a page has said that the person signed up, so that the company may still name another
   * promoter. Absent: no, or an earlier release wrote the lead.
   *
   * @see docs/spec/tracking.md "Whose word counts"
   */
  isClaim?: true;
  /** Null if the lead came without a visit. */
  origin: Origin | null;
  /** Null if the lead's own promoter gets everything. */
  splits: Split[] | null;
  /** The number of sales, including refunded ones. */
  salesCount: number;
  /** The number of completely refunded sales. */
  refundedSalesCount: number;
  /** The cancellation of a cancelled lead, if one was tracked. */
  cancellationId: number | null;
  /** The one-time rewards that another program has given. */
  onceRewardIds: number[];
  /**
   * The sales that one-time rewards were given with, to promoters or to the lead itself. A reward has several
   * if refunds took back what it gave before. Absent: none.
   */
  onceGiven?: OnceGiven[];
  /**
   * The first sale, by date, to which each `repeating` reward applied. Absent: no sale since this is
   * recorded.
   */
  rewardStarts?: RewardStart[];
  /**
   * The date from which the months of all rewards count, for a customer from before their first sale here.
   * Absent: each reward counts from its own first sale.
   */
  repeatingSince?: string;
  suspicion: Suspicion;
  /** The visitor that became this lead. Null: the promoter was named by ref id or e-mail address. */
  tid: string | null;
  subId: string | null;
  /** The status that the company has given it. Absent: none. It may have been deleted since. */
  customStatusId?: number | undefined;
  /**
   * The id of the sign-up event. Null: the lead was imported or made by a sale, and has not signed up since.
   */
  signupEventId: number | null;
  /** Absent unless a user added the lead by hand in the dashboard. */
  createdByUser?: Creator;
  skipEmailNotification: boolean;
  customerSince: string | null;
  /** Null if it has not cancelled, or has bought since. */
  cancelledAt: string | null;
  /**
   * The customer's history since `customerSince`; `left` and `returned` are in the order of time. Absent:
   * nothing has happened, or an earlier release wrote the lead.
   */
  customerHistory?: CustomerChange[];
  /** When an imported lead, or one made by a sale, signed up. Absent: never, or at `createdAt`. */
  signedUpAt?: string;
  /**
   * When a lead with sales was deleted. Only its sales, their refunds and an erasure still find it. Absent:
   * not deleted.
   *
   * @see docs/spec/states.md "Leads"
   */
  archivedAt?: string;
  createdAt: string;
}

export const leads = table<Lead>()({
  name: "lead",
  columns: {
    id: "integer",
    promoter_campaign_id: "integer",
    promoter_id: "integer",
    campaign_id: "integer",
    state: "text",
    suspicion: "text",
    email: ["text", ({ email }) => (email === null ? null : leadEmail(email))],
    claimed_email: ["text", claimedEmail],
    claimed_uid: ["text", claimedUid],
    is_proposed: ["integer", isProposed],
    proposed_email: [
      "text",
      ({ email, isProposal }) => (email !== null && isProposal ? leadEmail(email) : null),
    ],
    nameless_tid: ["text", namelessTid],
    tid: "text",
    username: ["text", ({ username }) => (username === null ? null : indexed(username))],
    names: ["text", namesOf],
    words: ["text", wordsOf],
    entry_source: "text",
    ...ORIGIN_COLUMNS,
    plan_name: "text",
    sales_count: "integer",
    signup_event_id: "integer",
    customer_since: "text",
    cancelled_at: "text",
    created_at: "text",
    archived_at: "text",
  },
  few: ["state", "campaign_id"],
  unique: {
    email: ["claimed_email"],
    uid: ["claimed_uid"],
    /** A promoter proposes the same person once. */
    proposal: ["promoter_id", "proposed_email"],
    /** A visitor who buys without giving a name is one lead, however often they buy. */
    nameless: ["nameless_tid"],
  },
  indexes: {
    /**
     * Lists read it instead of the leads, which are far larger. It contains all columns that lists filter by.
     */
    list: {
      on: ["id"],
      covers: [
        "archived_at",
        "state",
        "campaign_id",
        "promoter_id",
        "entry_source",
        "suspicion",
        "plan_name",
        "customer_since",
        "cancelled_at",
        "created_at",
        "names",
        "words",
      ],
    },
    promoter: { on: ["promoter_id"], where: "archived_at is null" },
    campaign: { on: ["campaign_id"], where: "archived_at is null" },
    visitor: { on: ["tid"], where: "tid is not null and archived_at is null" },
    proposed: { on: ["proposed_email"], where: "proposed_email is not null" },
    username: { on: ["username"], where: "username is not null and archived_at is null" },
    /** An erasure must find them by their promoter and by their address. */
    archived: { on: ["promoter_id"], where: "archived_at is not null" },
    archivedEmail: { on: ["email"], where: "email is not null and archived_at is not null" },
    /** Promoters' proposals that wait for approval. */
    proposals: { on: ["promoter_id"], where: "is_proposed = 1" },
    /** Suspicious leads that are not denied. */
    suspicious: {
      on: ["id"],
      where: "suspicion <> 'no_suspicion' and state <> 'denied' and archived_at is null",
    },
  },
  sums: dailySums(leadCounts, (lead) => (isRefundedCustomer(lead) ? lead.customerSince : null)),
});

/** The errors for unique values that another lead has. */
export const LEAD_REFUSALS = {
  proposal: () => new Failure("taken", "The record breaks a rule", { email: [TAKEN] }),
};

type Named = "accountId" | "id" | "promoterCampaignId" | "promoterId" | "campaignId" | "createdAt";

/** A lead with the given fields. All others are unknown. */
export function newLead(given: Pick<Lead, Named> & Partial<Lead>): Lead {
  return {
    state: "signup",
    email: null,
    uid: null,
    username: null,
    firstName: null,
    lastName: null,
    website: null,
    customFields: null,
    planName: null,
    subscriptionId: null,
    entrySource: "api",
    origin: null,
    splits: null,
    salesCount: 0,
    refundedSalesCount: 0,
    cancellationId: null,
    onceRewardIds: [],
    suspicion: "no_suspicion",
    tid: null,
    subId: null,
    signupEventId: null,
    skipEmailNotification: false,
    customerSince: null,
    cancelledAt: null,
    ...given,
  };
}

/** Whether nothing is left of a customer: all of their sales were refunded, whatever their state is. */
export function isRefundedCustomer({ customerSince, salesCount, refundedSalesCount }: Lead): boolean {
  return customerSince !== null && salesCount > 0 && refundedSalesCount >= salesCount;
}

/** The lead, no longer marked as a proposal once its state shows that the company has accepted it. */
export function settled({ isProposal, ...lead }: Lead): Lead {
  const waits = isProposal && (lead.state === "pending" || lead.state === "denied");
  return waits ? { ...lead, isProposal } : lead;
}

/** The lead, confirmed by the company. */
export function confirmed(lead: Lead): Lead {
  const { isClaim: _, ...rest } = lead;
  return rest;
}

/** A person's data from a sign-up. Null fields are not given. */
export type LeadDetails = Pick<
  Lead,
  "email" | "uid" | "username" | "firstName" | "lastName" | "website" | "customFields" | "subId"
>;

/** Whether one of these names is the lead's own. An archived lead no longer owns its names. */
export function isNamed(lead: Lead, { uid, email }: Pick<LeadSelector, "uid" | "email">): boolean {
  if (uid !== null && uid === lead.uid) return true;
  return email !== null && lead.email !== null && leadEmail(email) === leadEmail(lead.email);
}

/**
 * Identifies a lead in a request. The first given field decides, in this order. Null fields are not given.
 */
export interface LeadSelector {
  id: number | null;
  uid: string | null;
  email: string | null;
}

/** The form in which e-mail addresses of leads are compared. */
export function leadEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Whether a promoter has added the lead, and it waits for approval. */
export function isProposed({ isProposal, state }: Lead): boolean {
  return isProposal === true && state === "pending";
}

function claimedEmail(lead: Lead): string | null {
  return lead.email === null || !holdsNames(lead) ? null : leadEmail(lead.email);
}

/** Whether the lead's e-mail address and uid are reserved for it. */
function holdsNames({ isProposal, archivedAt }: Pick<Lead, "isProposal" | "archivedAt">): boolean {
  return !isProposal && !archivedAt;
}

function claimedUid(lead: Lead): string | null {
  return lead.uid === null || !holdsNames(lead) ? null : indexed(lead.uid);
}

function namelessTid({ email, uid, tid, archivedAt }: Lead): string | null {
  return email === null && uid === null && !archivedAt ? tid : null;
}

/** The main texts that a search of leads or commissions matches, in lower case. */
function namesOf({ email, uid }: Lead): string {
  return `${email ?? ""}\n${uid ?? ""}`.toLowerCase();
}

/** The other texts that a lead search matches, in lower case. */
function wordsOf({ username, website, firstName, lastName }: Lead): string {
  return [username ?? "", website ?? "", `${firstName ?? ""} ${lastName ?? ""}`].join("\n").toLowerCase();
}

/**
 * The counts of a lead, each on its own day.
 * @see docs/spec/money.md "Reports"
 */
function leadCounts(lead: Lead): Count[] {
  const { createdAt, customerSince, entrySource, signupEventId, signedUpAt } = lead;
  const counts: Count[] = [{ metric: "referrals", at: createdAt }];
  if (signupEventId === null || signedUpAt !== undefined)
    counts.push({ metric: "unsignedReferrals", at: createdAt });
  if (signedUpAt !== undefined) counts.push({ metric: "unsignedReferrals", at: signedUpAt, amount: -1 });
  if (customerSince !== null) counts.push({ metric: "customers", at: customerSince });
  if (customerSince !== null && entrySource === "coupon") {
    counts.push({ metric: "nonLinkCustomers", at: customerSince });
  }
  return [...counts, ...activityCounts(lead)];
}

function activityCounts(lead: Lead): Count[] {
  const { customerSince, customerHistory } = lead;
  if (customerHistory === undefined) return formerActivityCounts(lead);
  if (customerSince === null) return [];
  return [
    { metric: "activeCustomers", at: customerSince },
    ...customerHistory.map(({ kind, at }): Count => {
      if (kind === "cancelled") return { metric: "cancellations", at };
      return { metric: "activeCustomers", at, amount: kind === "left" ? -1 : 1 };
    }),
  ];
}

/**
 * The counts of a lead that an earlier release wrote: it counted by the state alone, and cancellations of all
 * leads.
 */
function formerActivityCounts({ customerSince, cancelledAt, state }: Lead): Count[] {
  const counts: Count[] = [];
  const isActive = customerSince !== null && state !== "denied" && state !== "refunded";
  if (isActive) counts.push({ metric: "activeCustomers", at: customerSince });
  if (cancelledAt !== null) counts.push({ metric: "cancellations", at: cancelledAt });
  if (isActive && cancelledAt !== null) {
    counts.push({ metric: "activeCustomers", at: cancelledAt, amount: -1 });
  }
  return counts;
}

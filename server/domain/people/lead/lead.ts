import { Failure } from "../../../failure.ts";
import { indexed } from "../../../storage/digests.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import { TAKEN } from "../../../storage/store.ts";
import type { Creator } from "../../context.ts";
import { NO_ORIGIN, originFields } from "../origin.ts";
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
  promoter_campaign_id: number;
  /** In ten-thousandths of a percent. */
  percent_ten_thousandths: number;
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
  reward_id: number;
  at: string;
}

/** A sale that a one-time reward was given with. */
interface OnceGiven {
  reward_id: number;
  sale_id: number;
}

/** A customer's subscription, or the end of all that there were. */
export interface Subscription {
  /** The payment processor's id. Null: it is the end of all, without a subscription's id. */
  id: string | null;
  /** Its first and its last payment by date, or null if none is known. */
  first_paid_at: string | null;
  last_paid_at: string | null;
  /** Null if it goes on. */
  ended_at: string | null;
  /** The cancellation that ended it, or null. */
  cancellation_id: number | null;
}

const fields = {
  id: integer(),
  promoter_campaign_id: integer(),
  promoter_id: integer(),
  campaign_id: integer(),
  state: text<LeadState>(),
  email: text().nullable().personal(),
  /** The client's own id of the person, which the payment processor knows. */
  uid: text().nullable().personal(),
  username: text().nullable().personal(),
  first_name: text().nullable().personal(),
  last_name: text().nullable().personal(),
  website: text().nullable().personal(),
  /** The comment of the promoter who added the lead, or null. */
  comment: text().nullable().personal(),
  custom_fields: json<Record<string, unknown>>().nullable().personal(),
  plan_id: text().nullable(),
  /** The payment processor's id of the latest subscription. */
  subscription_id: text().nullable().personal(),
  /** All that are known, and the ends of all. Null: only `subscription_id` is known. */
  subscriptions: json<Subscription[]>().nullable().personal(),
  entry_source: text<EntrySource>(),
  /**
   * Whether the promoter added the lead by hand, and it is not approved yet. Such a lead does not own its
   * e-mail address: the person may be a lead already, or become one of another promoter.
   */
  is_proposal: flag().optional(),
  /**
   * Whether only a page has said that the person signed up, so that the company may still name another
   * promoter. Absent: no.
   *
   * @see docs/spec/tracking.md "Whose word counts"
   */
  is_claim: flag().optional(),
  ...originFields,
  /** Null if the lead's own promoter gets everything. */
  splits: json<Split[]>().nullable(),
  /** The number of sales, including refunded ones. */
  sales_count: integer(),
  /** The number of completely refunded sales. */
  refunded_sales_count: integer(),
  /** The cancellation of a cancelled lead, if one was tracked. */
  cancellation_id: integer().nullable(),
  /** The one-time rewards that another program has given. */
  once_reward_ids: json<number[]>(),
  /**
   * The sales that one-time rewards were given with, to promoters or to the lead itself. A reward has several
   * if refunds took back what it gave before. Absent: none.
   */
  once_given: json<OnceGiven[]>().optional(),
  /**
   * The first sale, by date, to which each `repeating` reward applied. Absent: no sale since this is
   * recorded.
   */
  reward_starts: json<RewardStart[]>().optional(),
  /**
   * The date from which the months of all rewards count, for a customer from before their first sale here.
   * Absent: each reward counts from its own first sale.
   */
  repeating_since: time().optional(),
  fraud_check: text<Suspicion>(),
  /** The visitor that became this lead. Null: the promoter was named by ref id or e-mail address. */
  tid: text().nullable().personal(),
  sub_id: text().nullable().personal(),
  /** The status that the company has given it. Absent: none. It may have been deleted since. */
  custom_status_id: integer().nullable(),
  /**
   * The id of the sign-up event. Null: the lead was imported or made by a sale, and has not signed up since.
   */
  signup_event_id: integer().nullable(),
  /** Absent unless a user added the lead by hand in the dashboard. */
  created_by_user: json<Creator>().optional(),
  skip_email_notification: flag(),
  customer_since: time().nullable(),
  /** Null if it has not cancelled, or has bought since. */
  cancelled_at: time().nullable(),
  /**
   * The customer's history since `customer_since`; `left` and `returned` are in the order of time. Absent:
   * nothing has happened, or an earlier release wrote the lead.
   */
  customer_history: json<CustomerChange[]>().optional(),
  /** When an imported lead, or one made by a sale, signed up. Absent: never, or at `created_at`. */
  signed_up_at: time().optional(),
  /**
   * When a lead with sales was deleted. Only its sales, their refunds and an erasure still find it. Absent:
   * not deleted.
   *
   * @see docs/spec/states.md "Leads"
   */
  archived_at: time().optional(),
  created_at: time(),
};

/** A referred person. */
export type Lead = RowOf<typeof fields>;

export const leads = table("lead", fields, {
  derived: {
    email_key: ["text", ({ email }) => (email === null ? null : leadEmail(email))],
    claimed_email: ["text", claimedEmail],
    claimed_uid: ["text", claimedUid],
    is_proposed: ["flag", isProposed],
    proposed_email: [
      "text",
      ({ email, is_proposal }) => (email !== null && is_proposal ? leadEmail(email) : null),
    ],
    nameless_tid: ["text", namelessTid],
    username_key: ["text", ({ username }) => (username === null ? null : indexed(username))],
    names: ["text", namesOf],
    words: ["text", wordsOf],
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
        "fraud_check",
        "plan_id",
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
    username: { on: ["username_key"], where: "username is not null and archived_at is null" },
    /** An erasure must find them by their promoter and by their address. */
    archived: { on: ["promoter_id"], where: "archived_at is not null" },
    archived_email: { on: ["email_key"], where: "email is not null and archived_at is not null" },
    /** Promoters' proposals that wait for approval. */
    proposals: { on: ["promoter_id"], where: "is_proposed" },
    /** Suspicious leads that are not denied. */
    suspicious: {
      on: ["id"],
      where: "fraud_check <> 'no_suspicion' and state <> 'denied' and archived_at is null",
    },
  },
  sums: dailySums(leadCounts, (lead) => (isRefundedCustomer(lead) ? lead.customer_since : null)),
});

/** The errors for unique values that another lead has. */
export const LEAD_REFUSALS = {
  proposal: () => new Failure("taken", "The record breaks a rule", { email: [TAKEN] }),
};

type Named = "account_id" | "id" | "promoter_campaign_id" | "promoter_id" | "campaign_id" | "created_at";

/** A lead with the given fields. All others are unknown. */
export function newLead(given: Pick<Lead, Named> & Partial<Lead>): Lead {
  return {
    state: "signup",
    email: null,
    uid: null,
    username: null,
    first_name: null,
    last_name: null,
    website: null,
    comment: null,
    custom_fields: null,
    plan_id: null,
    subscription_id: null,
    subscriptions: null,
    custom_status_id: null,
    entry_source: "api",
    ...NO_ORIGIN,
    splits: null,
    sales_count: 0,
    refunded_sales_count: 0,
    cancellation_id: null,
    once_reward_ids: [],
    fraud_check: "no_suspicion",
    tid: null,
    sub_id: null,
    signup_event_id: null,
    skip_email_notification: false,
    customer_since: null,
    cancelled_at: null,
    ...given,
  };
}

/** Whether nothing is left of a customer: all of their sales were refunded, whatever their state is. */
export function isRefundedCustomer({ customer_since, sales_count, refunded_sales_count }: Lead): boolean {
  return customer_since !== null && sales_count > 0 && refunded_sales_count >= sales_count;
}

/** The lead, no longer marked as a proposal once its state shows that the company has accepted it. */
export function settled({ is_proposal, ...lead }: Lead): Lead {
  const waits = is_proposal && (lead.state === "pending" || lead.state === "denied");
  return waits ? { ...lead, is_proposal } : lead;
}

/** The lead, confirmed by the company. */
export function confirmed(lead: Lead): Lead {
  const { is_claim: _, ...rest } = lead;
  return rest;
}

/** A person's data from a sign-up. Null fields are not given. */
export type LeadDetails = Pick<
  Lead,
  "email" | "uid" | "username" | "first_name" | "last_name" | "website" | "custom_fields" | "sub_id"
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
export function isProposed({ is_proposal, state }: Lead): boolean {
  return is_proposal === true && state === "pending";
}

function claimedEmail(lead: Lead): string | null {
  return lead.email === null || !holdsNames(lead) ? null : leadEmail(lead.email);
}

/** Whether the lead's e-mail address and uid are reserved for it. */
function holdsNames({ is_proposal, archived_at }: Pick<Lead, "is_proposal" | "archived_at">): boolean {
  return !is_proposal && !archived_at;
}

function claimedUid(lead: Lead): string | null {
  return lead.uid === null || !holdsNames(lead) ? null : indexed(lead.uid);
}

function namelessTid({ email, uid, tid, archived_at }: Lead): string | null {
  return email === null && uid === null && !archived_at ? tid : null;
}

/** The main texts that a search of leads or commissions matches, in lower case. */
function namesOf({ email, uid }: Lead): string {
  return `${email ?? ""}\n${uid ?? ""}`.toLowerCase();
}

/** The other texts that a lead search matches, in lower case. */
function wordsOf({ username, website, first_name, last_name }: Lead): string {
  return [username ?? "", website ?? "", `${first_name ?? ""} ${last_name ?? ""}`].join("\n").toLowerCase();
}

/**
 * The counts of a lead, each on its own day.
 * @see docs/spec/money.md "Reports"
 */
function leadCounts(lead: Lead): Count[] {
  const { created_at, customer_since, entry_source, signup_event_id, signed_up_at } = lead;
  const counts: Count[] = [{ metric: "referrals", at: created_at }];
  if (signup_event_id === null || signed_up_at !== undefined)
    counts.push({ metric: "unsigned_referrals", at: created_at });
  if (signed_up_at !== undefined) counts.push({ metric: "unsigned_referrals", at: signed_up_at, amount: -1 });
  if (customer_since !== null) counts.push({ metric: "customers", at: customer_since });
  if (customer_since !== null && entry_source === "coupon") {
    counts.push({ metric: "non_link_customers", at: customer_since });
  }
  return [...counts, ...activityCounts(lead)];
}

function activityCounts(lead: Lead): Count[] {
  const { customer_since, customer_history } = lead;
  if (customer_history === undefined) return formerActivityCounts(lead);
  if (customer_since === null) return [];
  return [
    { metric: "active_customers", at: customer_since },
    ...customer_history.map(({ kind, at }): Count => {
      if (kind === "cancelled") return { metric: "cancellations", at };
      return { metric: "active_customers", at, amount: kind === "left" ? -1 : 1 };
    }),
  ];
}

/**
 * The counts of a lead that an earlier release wrote: it counted by the state alone, and cancellations of all
 * leads.
 */
function formerActivityCounts({ customer_since, cancelled_at, state }: Lead): Count[] {
  const counts: Count[] = [];
  const isActive = customer_since !== null && state !== "denied" && state !== "refunded";
  if (isActive) counts.push({ metric: "active_customers", at: customer_since });
  if (cancelled_at !== null) counts.push({ metric: "cancellations", at: cancelled_at });
  if (isActive && cancelled_at !== null) {
    counts.push({ metric: "active_customers", at: cancelled_at, amount: -1 });
  }
  return counts;
}

import { Failure } from "../../failure.ts";
import type { Lead } from "./record.ts";
import { table } from "../../storage/table.ts";
import { indexed } from "../../storage/digests.ts";
import type { Reader, Transaction, View } from "../../storage/store.ts";
import { TAKEN } from "../../storage/taken.ts";
import { ORIGIN_COLUMNS } from "../origin/origin.ts";
import { dailySums } from "../report/daily.ts";
import { isProposed, leadFacts } from "./lead-facts.ts";

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
    /** Lists read it instead of the leads, which take far longer. It holds whatever they are filtered by. */
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
    /** Those that promoters have added and that wait for approval. */
    proposals: { on: ["promoter_id"], where: "is_proposed = 1" },
    /** Suspicious ones that nobody has denied. */
    suspicious: {
      on: ["id"],
      where: "suspicion <> 'no_suspicion' and state <> 'denied' and archived_at is null",
    },
  },
  sums: dailySums(leadFacts),
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

/** The lead without the mark of a proposal, if its state says that the company has taken it on. */
export function settled({ isProposal, ...lead }: Lead): Lead {
  const waits = isProposal && (lead.state === "pending" || lead.state === "denied");
  return waits ? { ...lead, isProposal } : lead;
}

/** A person's data from a sign-up. null: not given. */
export type LeadDetails = Pick<
  Lead,
  "email" | "uid" | "username" | "firstName" | "lastName" | "website" | "customFields" | "subId"
>;

/** The lead with this e-mail address, ignoring case, or null. */
export function findLeadByEmail(reader: Reader, accountId: number, email: string): Promise<Lead | null> {
  return reader.find(leads, "email", accountId, [leadEmail(email)]);
}

/** The lead with this uid, or null. */
export function findLeadByUid(reader: Reader, accountId: number, uid: string): Promise<Lead | null> {
  return reader.find(leads, "uid", accountId, [indexed(uid)]);
}

/** The leads that promoters have proposed for this e-mail address. */
export function listProposals(view: View, accountId: number, email: string): Promise<Lead[]> {
  return view.list(leads, "proposed", accountId, [leadEmail(email)]);
}

/** The archived leads that had this e-mail address. */
export function listArchived(view: View, accountId: number, email: string): Promise<Lead[]> {
  return view.list(leads, "archivedEmail", accountId, [leadEmail(email)]);
}

/** Whether one of these names is the lead's own. An archived lead holds its names no more. */
export function isNamed(lead: Lead, { uid, email }: Pick<LeadSelector, "uid" | "email">): boolean {
  if (uid !== null && uid === lead.uid) return true;
  return email !== null && lead.email !== null && leadEmail(email) === leadEmail(lead.email);
}

/** The lead with this username, or null. Choice: of several, the oldest. */
export async function findLeadByUsername(
  view: View,
  accountId: number,
  username: string,
): Promise<Lead | null> {
  const [lead] = await view.page(leads, "username", accountId, [indexed(username)], { limit: 1 });
  return lead ?? null;
}

/** Names a lead in a request. The first given field decides, in this order. null: not given. */
export interface LeadSelector {
  id: number | null;
  uid: string | null;
  email: string | null;
}

/** @throws Failure `missing` when nothing names the lead, `not_found`, for an archived one too */
export async function loadLead(reader: Reader, accountId: number, selector: LeadSelector): Promise<Lead> {
  const { id, uid, email } = selector;
  if (id === null && uid === null && email === null) {
    throw new Failure("missing", "You need to find the lead/customer either by id, uid or email.");
  }
  const lead = await findSelected(reader, accountId, selector);
  if (lead === null || lead.archivedAt) throw new Failure("not_found", "Lead not found.");
  return lead;
}

/**
 * The lead with this e-mail address or this uid, or null.
 *
 * @throws Failure `already_registered` if they belong to two different leads
 */
export async function findKnownLead(
  tx: Transaction,
  accountId: number,
  details: LeadDetails,
): Promise<Lead | null> {
  // Both at once, because a remote store answers them in one round trip.
  const [byEmail, byUid] = await Promise.all([
    details.email && findLeadByEmail(tx, accountId, details.email),
    details.uid && findLeadByUid(tx, accountId, details.uid),
  ]);
  if (byEmail && byUid && byEmail.id !== byUid.id) throw alreadyRegistered();
  return byEmail || byUid || null;
}

/** The details of `over`, and those of `under` for the fields that `over` leaves out. */
export function overlay(under: LeadDetails, over: LeadDetails): LeadDetails {
  return {
    email: over.email ?? under.email,
    uid: over.uid ?? under.uid,
    username: over.username ?? under.username,
    firstName: over.firstName ?? under.firstName,
    lastName: over.lastName ?? under.lastName,
    website: over.website ?? under.website,
    customFields: over.customFields ?? under.customFields,
    subId: over.subId ?? under.subId,
  };
}

/** The error for a second sign-up of the same person. */
export function alreadyRegistered(): Failure {
  return new Failure("already_registered", "there is already a signup event registered on this lead");
}

async function findSelected(
  reader: Reader,
  accountId: number,
  { id, uid, email }: LeadSelector,
): Promise<Lead | null> {
  if (id !== null) return reader.get(leads, accountId, id);
  if (uid !== null) return findLeadByUid(reader, accountId, uid);
  return email === null ? null : findLeadByEmail(reader, accountId, email);
}

/** Whether nobody else may have the lead's e-mail address and uid. */
function holdsNames({ isProposal, archivedAt }: Pick<Lead, "isProposal" | "archivedAt">): boolean {
  return !isProposal && !archivedAt;
}

function claimedEmail(lead: Lead): string | null {
  return lead.email === null || !holdsNames(lead) ? null : leadEmail(lead.email);
}

function claimedUid(lead: Lead): string | null {
  return lead.uid === null || !holdsNames(lead) ? null : indexed(lead.uid);
}

function namelessTid({ email, uid, tid, archivedAt }: Lead): string | null {
  return email === null && uid === null && !archivedAt ? tid : null;
}

/** The texts that a lead is searched by first, as its commissions are, in lower case. */
function namesOf({ email, uid }: Lead): string {
  return `${email ?? ""}\n${uid ?? ""}`.toLowerCase();
}

/** The other texts that a lead is searched by, in lower case. */
function wordsOf({ username, website, firstName, lastName }: Lead): string {
  return [username ?? "", website ?? "", `${firstName ?? ""} ${lastName ?? ""}`].join("\n").toLowerCase();
}

/** The form in which e-mail addresses of leads are compared. */
function leadEmail(email: string): string {
  return email.trim().toLowerCase();
}

import { Failure } from "../../failure.ts";
import type { Lead } from "./record.ts";
import { collection } from "../../storage/collection.ts";
import { fingerprint, type Key } from "../../storage/keys.ts";
import type { Reader, Transaction, View } from "../../storage/store.ts";
import { TAKEN } from "../../storage/transaction/taken-claims.ts";
import { leadCounts } from "./lead-counts.ts";

export const leads = collection<Lead>()({
  name: "lead",
  id: (lead) => [lead.id],
  claims: {
    email: ({ email, isProposal, archivedAt }) =>
      email === null || isProposal || archivedAt ? null : [leadEmail(email)],
    uid: ({ uid, isProposal, archivedAt }) => (uid === null || isProposal || archivedAt ? null : [uid]),
    /** A promoter proposes the same person once. */
    proposal: ({ email, isProposal, promoterId }) =>
      email !== null && isProposal ? [promoterId, leadEmail(email)] : null,
    /** A visitor who buys without giving a name is one lead, however often they buy. */
    nameless: ({ email, uid, tid, archivedAt }) =>
      email === null && uid === null && tid !== null && !archivedAt ? [tid] : null,
  },
  indexes: {
    promoter: ({ promoterId, archivedAt }) => (archivedAt ? null : [promoterId]),
    campaign: ({ campaignId, archivedAt }) => (archivedAt ? null : [campaignId]),
    visitor: ({ tid, archivedAt }) => (tid === null || archivedAt ? null : [tid]),
    proposed: ({ email, isProposal }) => (email !== null && isProposal ? emailKey(email) : null),
    username: ({ username, archivedAt }) => (username === null || archivedAt ? null : usernameKey(username)),
    /** An erasure must find them by their promoter and by their address. */
    archived: ({ promoterId, archivedAt }) => (archivedAt ? [promoterId] : null),
    archivedEmail: ({ email, archivedAt }) => (email !== null && archivedAt ? emailKey(email) : null),
  },
  counts: leadCounts,
});

/** The errors for claims that another lead holds. */
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

/** The leads that promoters have proposed for this e-mail address. */
export async function listProposals(view: View, accountId: number, email: string): Promise<Lead[]> {
  const found: Lead[] = [];
  for await (const chunk of view.scan(leads, "proposed", accountId, emailKey(email))) found.push(...chunk);
  return found;
}

/** The archived leads that had this e-mail address. */
export async function listArchived(view: View, accountId: number, email: string): Promise<Lead[]> {
  const found: Lead[] = [];
  for await (const chunk of view.scan(leads, "archivedEmail", accountId, emailKey(email)))
    found.push(...chunk);
  return found;
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
  const [lead] = await view.page(leads, "username", accountId, usernameKey(username), { limit: 1 });
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
    details.uid && tx.find(leads, "uid", accountId, [details.uid]),
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
  if (uid !== null) return reader.find(leads, "uid", accountId, [uid]);
  return email === null ? null : findLeadByEmail(reader, accountId, email);
}

/** Keys hold a hash of an e-mail address, because it is personal. */
function emailKey(email: string): Key {
  return [fingerprint([leadEmail(email)])];
}

/** Usernames may be long, so the key holds a hash. */
function usernameKey(username: string): Key {
  return [fingerprint([username])];
}

/** The form in which e-mail addresses of leads are compared. */
function leadEmail(email: string): string {
  return email.trim().toLowerCase();
}

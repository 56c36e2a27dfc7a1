import { sql, type RawBuilder, type SqlBool } from "kysely";
import { Failure } from "../../../failure.ts";
import { indexed } from "../../../storage/digests.ts";
import { among, contains } from "../../../storage/query.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { leadEmail, leads, type Lead, type LeadDetails, type LeadSelector, type LeadState } from "./lead.ts";

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
  return view.list(leads, "archived_email", accountId, [leadEmail(email)]);
}

/** The oldest lead with this username, or null. */
export async function findLeadByUsername(
  view: View,
  accountId: number,
  username: string,
): Promise<Lead | null> {
  const [lead] = await view.page(leads, "username", accountId, [indexed(username)], { limit: 1 });
  return lead ?? null;
}

/** @throws Failure `missing` if no lead is named, `not_found`, also for an archived one */
export async function loadLead(reader: Reader, accountId: number, selector: LeadSelector): Promise<Lead> {
  const { id, uid, email } = selector;
  if (id === null && uid === null && email === null) {
    throw new Failure("missing", "You need to find the lead/customer either by id, uid or email.");
  }
  const lead = await findSelected(reader, accountId, selector);
  if (lead === null || lead.archived_at) throw new Failure("not_found", "Lead not found.");
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
  return onlyOf(await findNamesakes(tx, accountId, details));
}

/** The leads that have the e-mail address and the uid of these details. */
export interface Namesakes {
  byEmail: Lead | null;
  byUid: Lead | null;
}

/** Both at the same time, because a remote store answers them in one round trip. */
export async function findNamesakes(
  reader: Reader,
  accountId: number,
  { email, uid }: LeadDetails,
): Promise<Namesakes> {
  const [byEmail, byUid] = await Promise.all([
    email ? findLeadByEmail(reader, accountId, email) : null,
    uid ? findLeadByUid(reader, accountId, uid) : null,
  ]);
  return { byEmail, byUid };
}

/**
 * The lead that has both, or one of them.
 *
 * @throws Failure `already_registered` if they are two leads
 */
function onlyOf({ byEmail, byUid }: Namesakes): Lead | null {
  if (byEmail !== null && byUid !== null && byEmail.id !== byUid.id) throw alreadyRegistered();
  return byEmail ?? byUid;
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

/** Lists show no archived leads. */
export const IN_USE = sql<SqlBool>`leads.archived_at is null`;

/** Whether a lead's e-mail address, uid, name or web site contains a text. */
export function mentions(text: string): RawBuilder<SqlBool> {
  const wanted = text.trim();
  return sql<SqlBool>`(${contains("leads.names", wanted)} or ${contains("leads.words", wanted)})`;
}

/** Whether the lead is a customer, or not one yet. */
export function isOfType(type: "lead" | "customer"): RawBuilder<SqlBool> {
  return type === "customer"
    ? sql<SqlBool>`leads.customer_since is not null`
    : sql<SqlBool>`leads.customer_since is null`;
}

/** `not_denied`: all except denied ones. `moved`: none, because leads move as a whole and leave nothing behind. */
export function isInState(state: LeadState | "not_denied" | "moved"): RawBuilder<SqlBool> {
  return state === "not_denied"
    ? sql<SqlBool>`leads.state <> 'denied'`
    : sql<SqlBool>`leads.state = ${state}`;
}

/** Whether the lead has one of these statuses of the company. */
export function hasCustomStatus(ids: number[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from lead_custom_status where lead_custom_status.account_id = leads.account_id
    and lead_custom_status.lead_id = leads.id and ${among("lead_custom_status.custom_status_id", ids)})`;
}

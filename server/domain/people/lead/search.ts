import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import { Failure } from "../../../failure.ts";
import { indexed } from "../../../storage/digests.ts";
import {
  among,
  contains,
  filtered,
  findPage,
  isWithin,
  type Conditions,
  type Found,
  type Schema,
  type Window,
} from "../../../storage/query.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import { isoRange, type Span } from "../../span.ts";
import type { statusesOfLeads } from "./custom-status.ts";
import {
  leadEmail,
  leads,
  type EntrySource,
  type Lead,
  type LeadDetails,
  type LeadSelector,
  type LeadState,
  type Suspicion,
} from "./lead.ts";

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

/** The conditions for listed leads. Absent ones are ignored. */
export interface LeadFilter {
  /** Part of the e-mail address, uid, name or website, ignoring case. */
  text?: string | undefined;
  ids?: number[] | undefined;
  /** Whether the lead has become a customer. */
  isCustomer?: boolean | undefined;
  promoter_campaign_id?: number | undefined;
  promoter_id?: number | undefined;
  campaign_ids?: number[] | undefined;
  /**
   * `not_denied`: all except denied ones. `moved`: none, because leads move as a whole and leave nothing
   * behind.
   */
  state?: LeadState | "not_denied" | "moved" | undefined;
  entrySources?: EntrySource[] | undefined;
  suspicions?: Suspicion[] | undefined;
  customer_since?: Span | undefined;
  created_at?: Span | undefined;
  cancelled_at?: Span | undefined;
  /** The plans of their latest sales, by the client's own ids. */
  planIds?: string[] | undefined;
  customStatusIds?: number[] | undefined;
}

/** A page of the leads that match a filter, in the order in which they came or in reverse. */
export function findLeads(
  store: View,
  accountId: number,
  { filter, reverse = false, ...page }: { filter: LeadFilter; reverse?: boolean } & Window,
): Promise<Found<Lead>> {
  const query = leadQuery(store, accountId, filter).orderBy("leads.id", reverse ? "desc" : "asc");
  return findPage(store, leads, { query, ...page });
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

type LeadQuery = SelectQueryBuilder<LeadSchema, "leads", object>;

type LeadSchema = Schema<{ leads: typeof leads; lead_custom_status: typeof statusesOfLeads }>;

/** How each condition narrows a query. */
const CONDITIONS: Conditions<LeadFilter, LeadQuery, unknown> = {
  text: (query, text) => query.where(mentions(text.trim())),
  ids: (query, ids) => query.where(among("leads.id", ids)),
  isCustomer: (query, wanted) => query.where("leads.customer_since", wanted ? "is not" : "is", null),
  promoter_campaign_id: (query, id) => query.where("leads.promoter_campaign_id", "=", id),
  promoter_id: (query, id) => query.where("leads.promoter_id", "=", id),
  campaign_ids: (query, ids) => query.where(among("leads.campaign_id", ids)),
  state: (query, state) =>
    state === "not_denied"
      ? query.where("leads.state", "<>", "denied")
      : query.where("leads.state", "=", state),
  entrySources: (query, sources) => query.where(among("leads.entry_source", sources)),
  suspicions: (query, suspicions) => query.where(among("leads.suspicion", suspicions)),
  customer_since: (query, span) => query.where(isWithin("leads.customer_since", isoRange(span))),
  created_at: (query, span) => query.where(isWithin("leads.created_at", isoRange(span))),
  cancelled_at: (query, span) => query.where(isWithin("leads.cancelled_at", isoRange(span))),
  planIds: (query, ids) => query.where(among("leads.plan_name", ids)),
  customStatusIds: (query, ids) =>
    query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom("lead_custom_status")
          .select("lead_custom_status.lead_id")
          .whereRef("lead_custom_status.account_id", "=", "leads.account_id")
          .whereRef("lead_custom_status.lead_id", "=", "leads.id")
          .where(among("lead_custom_status.custom_status_id", ids)),
      ),
    ),
};

/** A query for the leads that match a filter, used by lists, exports and bulk actions. */
function leadQuery(view: View, accountId: number, filter: LeadFilter): LeadQuery {
  const all = view
    .query<LeadSchema>()
    .selectFrom("leads")
    .where("leads.account_id", "=", accountId)
    .where("leads.archived_at", "is", null);
  return filtered(all, CONDITIONS, { filter });
}

function mentions(text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${contains("leads.names", text)} or ${contains("leads.words", text)})`;
}

import { Failure } from "../../../failure.ts";
import type { Account } from "../../program/account/account.ts";
import { leads, type EntrySource, type Lead } from "../../people/lead/lead.ts";
import { promoters, type Promoter } from "../../people/promoter/promoter.ts";
import {
  acceptsLeads,
  promoterCampaigns,
  type PromoterCampaign,
} from "../../people/promoter-campaign/promoter-campaign.ts";
import type { Reader, Transaction, View } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { isErased } from "../../people/erased.ts";
import { findLeadByEmail, findLeadByUid } from "../../people/lead/search.ts";
import { addLead, findReferrer, type Referrer } from "../../people/lead/signup.ts";
import { findCodeOwner } from "../../people/promo-code/promo-code.ts";

/** The values of an event that identify a customer. Null fields are not given. */
export interface CustomerNames {
  uid: string | null;
  email: string | null;
  tid: string | null;
  ref_token: string | null;
  promoCode: string | null;
  /** The lead itself. Absent: the other names find it. */
  lead_id?: number;
}

/** A customer with the promoter who is paid for them. */
export interface Customer {
  /** The stored lead. */
  before: Lead;
  /** The lead with the names of the event. */
  lead: Lead;
  promoterCampaign: PromoterCampaign;
  promoter: Promoter;
}

/** A new customer's data besides the names. */
export interface Arrival {
  lead_id: number;
  created_at: Date | null;
  skip_email_notification: boolean;
}

/**
 * The customer of a sale. If no lead is known by uid or e-mail, the visitor, the ref id or the promo code
 * makes one.
 *
 * @throws Failure `not_found` for a customer whom no promoter referred, or if their promoter campaign is blocked;
 * `refused` for a promoter's unapproved proposal, which only its id finds
 */
export async function loadCustomer(
  tx: Transaction,
  context: Context,
  { account, names, arrival }: { account: Account; names: CustomerNames; arrival: Arrival },
): Promise<Customer> {
  const lead =
    (await findCustomer(tx, account.id, names)) ??
    (await makeCustomer(tx, context, { account, names, arrival }));
  if (lead === null) throw unreferred();
  if (lead.is_proposal) throw new Failure("refused", "The referral waits for your approval");
  const [promoterCampaign, promoter] = await Promise.all([
    tx.get(promoterCampaigns, account.id, lead.promoter_campaign_id),
    tx.get(promoters, account.id, lead.promoter_id),
  ]);
  if (promoterCampaign === null || promoter === null || promoterCampaign.state === "blocked")
    throw unreferred();
  return { before: lead, lead: await withNames(tx, lead, names), promoterCampaign, promoter };
}

/**
 * The lead, completed with the sale's uid and e-mail address if it lacks them and no other lead has them. An
 * erased lead stays without them.
 */
async function withNames(tx: Transaction, lead: Lead, { uid, email }: CustomerNames): Promise<Lead> {
  if (isErased(lead)) return lead;
  const named = { ...lead, uid: lead.uid ?? uid, email: lead.email ?? email };
  if (lead.email === null && (await tx.isTaken(leads, "email", named))) named.email = null;
  if (lead.uid === null && (await tx.isTaken(leads, "uid", named))) named.uid = null;
  return named;
}

/**
 * The lead with this uid, otherwise with this e-mail address, otherwise (if neither is given) the visitor's
 * last lead, or null.
 */
export async function findCustomer(
  reader: Reader & { view?: View },
  accountId: number,
  { uid, email, tid, lead_id }: Pick<CustomerNames, "uid" | "email" | "tid" | "lead_id">,
): Promise<Lead | null> {
  if (lead_id !== undefined) return reader.get(leads, accountId, lead_id);
  const byUid = uid === null ? null : await findLeadByUid(reader, accountId, uid);
  if (byUid !== null) return byUid;
  const byEmail = email === null ? null : await findLeadByEmail(reader, accountId, email);
  if (byEmail !== null || uid !== null || email !== null || tid === null) return byEmail;
  const visitor = tid.trim().toLowerCase();
  const nameless = await reader.find(leads, "nameless", accountId, [visitor]);
  if (nameless !== null) return nameless;
  const [last] =
    (await reader.view?.page(leads, "visitor", accountId, [visitor], { limit: 1, reverse: true })) ?? [];
  return last === undefined ? null : reader.get(leads, accountId, last.id);
}

/** The error for a customer whom no promoter referred. */
export function unreferred(): Failure {
  return new Failure(
    "not_found",
    "Referral corresponding to email or uid parameter not found or promoter is banned.",
  );
}

interface SaleReferrer extends Referrer {
  entry_source: EntrySource;
}

async function makeCustomer(
  tx: Transaction,
  context: Context,
  { account, names, arrival }: { account: Account; names: CustomerNames; arrival: Arrival },
): Promise<Lead | null> {
  const found = await findSaleReferrer(tx, context, { account_id: account.id, names });
  if (found === null) return null;
  const { entry_source, ...referrer } = found;
  const nothing = { username: null, first_name: null, last_name: null, website: null, custom_fields: null };
  const { lead } = await addLead(tx, context, {
    account,
    referrer,
    entry_source,
    ids: { lead_id: arrival.lead_id, event_id: null },
    signup: {
      details: { uid: names.uid, email: names.email, ...nothing, sub_id: null },
      address: null,
      created_at: arrival.created_at,
      skip_email_notification: arrival.skip_email_notification,
    },
  });
  return lead;
}

/** The promoter that the visitor, otherwise the ref id, otherwise the promo code leads to. */
async function findSaleReferrer(
  tx: Transaction,
  { now }: Context,
  { account_id, names }: { account_id: number; names: CustomerNames },
): Promise<SaleReferrer | null> {
  const { tid, ref_token, promoCode } = names;
  const claim = { promoterEmail: null, now };
  const byVisitor = tid && (await findReferrer(tx, account_id, { ...claim, tid, ref_token: null }));
  if (byVisitor) return { ...byVisitor, entry_source: "cookie" };
  const byToken = ref_token && (await findReferrer(tx, account_id, { ...claim, tid: null, ref_token }));
  if (byToken) return { ...byToken, entry_source: "api" };
  const byCode = promoCode && (await findByCode(tx, account_id, promoCode));
  return byCode ? { ...byCode, entry_source: "coupon" } : null;
}

async function findByCode(tx: Transaction, accountId: number, code: string): Promise<Referrer | null> {
  const promoterCampaign = await findCodeOwner(tx, accountId, code);
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  const promoter = await tx.get(promoters, accountId, promoterCampaign.promoter_id);
  return promoter && { promoterCampaign, promoter, visitor: null };
}

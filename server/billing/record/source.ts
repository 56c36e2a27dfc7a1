import type { Account } from "../../domain/program/account/account.ts";
import { findObject, linkedLead } from "../../domain/ledger/billing/object.ts";
import type { BillingProvider } from "../../domain/ledger/billing/connection.ts";
import type { Outcome } from "../../domain/ledger/billing/received.ts";
import type { Context } from "../../domain/context.ts";
import { isErased } from "../../domain/people/erased.ts";
import { findLeadByEmail, findLeadByUid } from "../../domain/people/lead/search.ts";
import { leads, type Lead } from "../../domain/people/lead/lead.ts";
import { missingRate } from "../../domain/ledger/rate.ts";
import { findCodeOwner } from "../../domain/people/promo-code/promo-code.ts";
import { acceptsLeads } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { sales } from "../../domain/ledger/sale/sale.ts";
import { findWaitingSale, type WaitingEvent } from "../../domain/ledger/sale/waiting.ts";
import { findVisitor } from "../../domain/people/visitor/visitor.ts";
import { Failure } from "../../failure.ts";
import { digest } from "../../storage/digests.ts";
import type { Payer } from "../event.ts";

/** The outcome of an event, with the reason if nothing was recorded. */
export interface Recorded {
  outcome: Outcome;
  reason: string | null;
}

/** The origin of an event: a provider's connection. */
export interface Source {
  context: Context;
  account: Account;
  provider: BillingProvider;
  /** The API's further names of a customer, or null. */
  lookUp(customerId: string): Promise<Payer | null>;
}

export function recordedAs(outcome: Outcome, reason: string | null = null): Recorded {
  return { outcome, reason };
}

/** The outcome of an event that is stored until there is an exchange rate. */
export function waits({ rate }: WaitingEvent): Recorded {
  return recordedAs("waiting", missingRate(rate));
}

/**
 * The result of recording, or the meaning of its refusal: the customer is unreferred, or the event is known.
 */
export async function recordOnce(record: Promise<Outcome | Recorded>): Promise<Recorded> {
  try {
    const result = await record;
    return typeof result === "string" ? recordedAs(result) : result;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.kind === "not_found") return recordedAs("ignored", "This customer was not referred");
    if (error.kind === "worthless") return recordedAs("ignored", error.message);
    if (error.kind === "already_registered") return recordedAs("known", "It was recorded before");
    throw error;
  }
}

/** A payer and their lead. */
export interface KnownPayer {
  payer: Payer;
  /** Null if the payer is unknown. */
  lead: Lead | null;
}

/**
 * Finds the lead of a payer: by the customer's id, by our uids in the metadata, by earlier payments or
 * subscriptions, then by e-mail address. An unknown payer is also looked up in the provider's API.
 */
export async function identify(source: Source, payer: Payer, owners: string[]): Promise<KnownPayer> {
  const lead = await findLead(source, payer, owners);
  if (lead !== null || payer.customerId === null) return { payer, lead };
  const more = await source.lookUp(payer.customerId);
  if (more === null) return { payer, lead: null };
  const known: Payer = {
    customerId: payer.customerId,
    uids: [...payer.uids, ...more.uids],
    tids: [...payer.tids, ...more.tids],
    email: payer.email ?? more.email,
    promoCodes: payer.promoCodes,
  };
  return { payer: known, lead: await findLead(source, known, owners) };
}

/** A payer and the subscription of an event. */
export interface Subscriber {
  /** Null for a single payment. */
  subscription_id: string | null;
  payer: Payer;
}

/** The objects that other payments of the same customer belong to as well. */
export function ownersOf({ subscription_id, payer }: Subscriber): string[] {
  return [subscription_id, payer.customerId].filter((each) => each !== null);
}

/** The lead that our records have under these names, or null. */
export async function findLead(source: Source, payer: Payer, owners: string[]): Promise<Lead | null> {
  const { context, account } = source;
  for (const uid of uidsOf(payer)) {
    const lead = await findLeadByUid(context.store, account.id, uid);
    if (lead !== null) return lead;
  }
  for (const owner of owners) {
    const lead = await findLeadOf(source, owner);
    if (lead !== null) return lead;
  }
  return payer.email === null ? null : findLeadByEmail(context.store, account.id, payer.email);
}

/** The names that a sale or a sign-up gives its lead. An erased lead gets none again. */
export async function namesOf(source: Source, { payer, lead }: KnownPayer) {
  const { context, account } = source;
  if (lead !== null && isErased(lead)) {
    return { uid: null, email: lead.email, tid: null, ref_token: null, promoCode: null };
  }
  const { tids, uids, customerId, email, promoCodes } = payer;
  let tid: string | null = tids[0] ?? null;
  for (const each of tids) {
    if (await findVisitor(context.store, account.id, { tid: each, now: context.now })) tid = each;
  }
  // A payment link's reference may be a visit, which is no uid.
  const uid = uids.find((each) => !tids.includes(each)) ?? customerId;
  return {
    uid: lead?.uid ?? uid,
    email: lead?.email ?? email,
    tid,
    ref_token: null,
    promoCode: await referringCode(source, promoCodes),
  };
}

/** The lead of a payment that this object belongs to, otherwise the lead that the customer was before. */
async function findLeadOf(
  { context: { store }, account, provider }: Source,
  id: string,
): Promise<Lead | null> {
  const object = await findObject(store, account.id, { provider, id });
  const name = object?.sale_event_id ?? null;
  const sale =
    name === null
      ? null
      : ((await store.find(sales, "event", account.id, [digest(name)])) ??
        (await findWaitingSale(store, account.id, name)));
  const leadId = sale?.lead_id ?? (object && (await linkedLead(store, account.id, { provider, id })));
  const lead = leadId === null ? null : await store.get(leads, account.id, leadId);
  return lead?.archived_at ? null : lead;
}

/** The possible uids of a lead. */
function uidsOf({ customerId, uids }: Payer): string[] {
  return customerId === null ? uids : [customerId, ...uids];
}

/** The first code that leads to a promoter, or null: the others are discounts of the company. */
async function referringCode({ context, account }: Source, codes: string[]): Promise<string | null> {
  for (const code of codes) {
    const owner = await findCodeOwner(context.store, account.id, code);
    if (owner !== null && acceptsLeads(owner)) return code;
  }
  return null;
}

import { originIn } from "../people/origin.ts";
import { Failure } from "../../failure.ts";
import type { Transaction } from "../../storage/store.ts";
import { audited } from "../access/audit/audited-store.ts";
import { PROCESS } from "../access/audit/audit.ts";
import type { Context } from "../context.ts";
import { announce } from "../events/event.ts";
import { confirmed, LEAD_REFUSALS, leads, type Lead, type LeadDetails } from "../people/lead/lead.ts";
import { alreadyRegistered, findNamesakes, type Namesakes } from "../people/lead/search.ts";
import { addLead, findReferrer, judgeArrival, type Referrer, type Signup } from "../people/lead/signup.ts";
import { promoters, type Promoter } from "../people/promoter/promoter.ts";
import { latestVisit, visitOf, type Visit } from "../people/visitor/click.ts";
import type { Account } from "../program/account/account.ts";
import { loadCampaign } from "../program/campaign/campaign.ts";
import { moveCommissions } from "./commission/changes.ts";
import { commissions } from "./commission/commission.ts";
import { belongingTo } from "./lead-changes.ts";
import { settlementOf } from "./payout/status.ts";
import { remakeSales } from "./sale/remade-sale.ts";
import { hasWaiting } from "./sale/waiting.ts";

/** A lead, its promoter and the id of its sign-up event. */
export interface RecordedSignup {
  event_id: number;
  lead: Lead;
  promoter: Promoter;
  /** How the browser should identify the visitor from now on, or null if the sign-up came without a visit. */
  visit: Visit | null;
}

/**
 * Records that a referred person signed up. However often it is called, the person signs up once. If the
 * visit leads to no promoter, the browser keeps its former visitor. The company's own word takes over what
 * only a page has claimed. Resolves to null for a confirmation of a claim: see `registered`.
 *
 * @throws Failure `not_found` if no promoter is found, `forbidden` if the campaign accepts no sign-ups from
 * this site, `already_registered` if the person has signed up before
 * @see docs/spec/v1.md "Track a sign-up"
 * @see docs/spec/tracking.md "Whose word counts"
 */
export async function recordSignup(
  tx: Transaction,
  context: Context,
  account: Account,
  signup: Signup,
): Promise<RecordedSignup | null> {
  const ids = { lead_id: await tx.nextId("lead"), event_id: await tx.nextId("event") };
  const { click = null } = signup;
  const visit = click && (await visitOf(tx, context, { account, click }));
  const tid = visit?.tid ?? click?.cookieTid ?? signup.tid;
  // Together, because a remote store answers them in fewer round trips.
  const [referrer, namesakes] = await Promise.all([
    findReferrer(tx, account.id, { ...signup, tid, now: context.now }),
    findNamesakes(tx, account.id, signup.details),
  ]);
  if (referrer === null) throw new Failure("not_found", "Visitor invalid or not found.");
  await refuseForeignSite(tx, signup, referrer);
  const known = await findKnown(tx, context, { namesakes, signup });
  const eventId = known?.signup_event_id ?? ids.event_id;
  const isUnseen = visit?.isNew ?? false;
  const result =
    known === null
      ? await addSignup(tx, context, { account, signup, referrer, isUnseen, ids })
      : await signUpKnown(tx, context, { account, known, signup, referrer, event_id: eventId });
  if (result === null) return null;
  const latest = click && visit && (await latestVisit(tx, context, { account, click, visit }));
  return { event_id: eventId, ...result, visit: latest };
}

/**
 * What came of `recordSignup`, for after its transaction.
 *
 * @throws Failure `already_registered` for a confirmation, which is kept although the caller gets a refusal
 */
export function registered<T>(recorded: T | null): T {
  if (recorded === null) throw alreadyRegistered();
  return recorded;
}

/**
 * The lead with the e-mail address or the uid of a sign-up. If they belong to two leads, a claim without
 * sales gives up its name to the company's word. Otherwise two strangers' claims could refuse a true sign-up.
 *
 * @throws Failure `already_registered` if both keep their names
 */
async function findKnown(
  tx: Transaction,
  context: Context,
  { namesakes: { byEmail, byUid }, signup }: { namesakes: Namesakes; signup: Signup },
): Promise<Lead | null> {
  if (byEmail === null || byUid === null || byEmail.id === byUid.id) return byEmail ?? byUid;
  if (!signup.is_claim && (await isUnsoldClaim(tx, byUid))) {
    await takeName(tx, context, byUid, { ...byUid, uid: null });
    return byEmail;
  }
  if (!signup.is_claim && (await isUnsoldClaim(tx, byEmail))) {
    await takeName(tx, context, byEmail, { ...byEmail, email: null });
    return byUid;
  }
  throw alreadyRegistered();
}

async function isUnsoldClaim(tx: Transaction, lead: Lead): Promise<boolean> {
  return lead.is_claim === true && lead.sales_count === 0 && !(await hasWaiting(tx, lead));
}

/** Takes a name from a claim, which goes if it was its only one. */
async function takeName(tx: Transaction, context: Context, before: Lead, after: Lead): Promise<void> {
  const isNamed = after.email !== null || after.uid !== null;
  await audited(tx, { ...context, actor: context.actor ?? PROCESS }, async (logged) => {
    if (isNamed) await logged.put(leads, after);
    else await logged.remove(leads, before.account_id, before.id);
  });
  await announce(tx, context, { entity: "referral", before, after: isNamed ? after : null });
}

/** A sign-up of a person who is not known. */
interface UnknownSignup {
  account: Account;
  signup: Signup;
  referrer: Referrer;
  isUnseen: boolean;
  ids: { lead_id: number; event_id: number };
}

function addSignup(tx: Transaction, context: Context, { signup, referrer, ...rest }: UnknownSignup) {
  return addLead(tx, context, {
    ...rest,
    signup,
    referrer,
    is_claim: signup.is_claim ?? false,
    entry_source: entrySourceOf(referrer),
  });
}

function entrySourceOf({ visitor }: Referrer) {
  return visitor === null ? "api" : "cookie";
}

async function refuseForeignSite(
  tx: Transaction,
  { isAllowedBy }: Signup,
  referrer: Referrer,
): Promise<void> {
  if (isAllowedBy === undefined) return;
  const { account_id, campaign_id } = referrer.promoterCampaign;
  if (isAllowedBy(await loadCampaign(tx, account_id, campaign_id))) return;
  throw new Failure("forbidden", "This site may not send sign-ups");
}

/** A sign-up of a known lead. */
interface KnownSignup {
  account: Account;
  known: Lead;
  signup: Signup;
  referrer: Referrer;
  event_id: number;
}

/**
 * Updates a known lead. One that was imported, or made by a sale, gets its sign-up event. A subscriber
 * becomes a sign-up. A claim is taken over, or confirmed: null for a confirmation, which is kept although it
 * is refused as a repetition.
 *
 * @throws Failure `already_registered`
 */
async function signUpKnown(
  tx: Transaction,
  context: Context,
  input: KnownSignup,
): Promise<{ lead: Lead; promoter: Promoter } | null> {
  const { signup, referrer, event_id } = input;
  const isDoubted = input.known.is_claim === true && !signup.is_claim;
  const isElsewhere = referrer.promoterCampaign.id !== input.known.promoter_campaign_id;
  if (isDoubted && isElsewhere && !(await isPaidFor(tx, input.known))) return takeOver(tx, context, input);
  const isConfirmed = isDoubted && !isElsewhere;
  const known = isConfirmed ? withoutDoubt(input.known) : input.known;
  const isFirst = known.signup_event_id === null;
  if (!isFirst && !signup.overridesExistingLead) {
    if (!isConfirmed) throw alreadyRegistered();
    await tx.put(leads, known);
    return null;
  }
  const details = signup.overridesExistingLead
    ? overlay(known, signup.details)
    : overlay(signup.details, known);
  const state = known.state === "subscribed" ? "signup" : known.state;
  const signedUp = { ...known, ...details, state, signup_event_id: event_id };
  const signedUpAt = (signup.created_at ?? context.now).toISOString();
  const lead: Lead = isFirst ? { ...signedUp, signed_up_at: signedUpAt } : signedUp;
  await tx.put(leads, lead);
  await announce(tx, context, { entity: "referral", before: input.known, after: lead });
  return { lead, promoter: await promoterOf(tx, input) };
}

/** The lead as the company has confirmed it. A visit that was not seen before is no reason to doubt it then. */
function withoutDoubt(lead: Lead): Lead {
  const { fraud_check, ...rest } = confirmed(lead);
  return { ...rest, fraud_check: fraud_check === "unseen_visitor" ? "no_suspicion" : fraud_check };
}

async function isPaidFor(tx: Transaction, { account_id, id }: Lead): Promise<boolean> {
  for (const each of await tx.view.list(commissions, "lead", account_id, [id]))
    if ((await settlementOf(tx, each)) !== null) return true;
  return false;
}

/**
 * Gives a claimed lead to the promoter whom the company names, and makes the commissions of its sales
 * again.
 *
 * @see docs/spec/tracking.md "Whose word counts"
 */
function takeOver(tx: Transaction, context: Context, { account, known, signup, referrer }: KnownSignup) {
  const { promoterCampaign: target, visitor } = referrer;
  const details = overlay(known, signup.details);
  return audited(tx, { ...context, actor: context.actor ?? PROCESS }, async (logged) => {
    const arrival = { account, signup: { ...signup, details }, referrer };
    const { suspicion, promoter } = await judgeArrival(logged, context, arrival);
    const lead: Lead = {
      ...belongingTo(confirmed(known), target),
      ...details,
      sub_id: signup.details.sub_id ?? visitor?.sub_id ?? null,
      entry_source: entrySourceOf(referrer),
      ...originIn(visitor ?? undefined),
      tid: visitor?.tid ?? null,
      fraud_check: suspicion,
    };
    await logged.put(leads, lead, LEAD_REFUSALS);
    const owned = { account, lead, promoterCampaign: target, promoter };
    const remade = await remakeSales(logged, context, owned);
    await logged.put(leads, remade);
    await announce(logged, context, { entity: "referral", before: known, after: remade });
    // What is left was given by hand.
    await moveCommissions(logged, context, { lead: known, target });
    return { lead: remade, promoter };
  });
}

/** The details of `over`, completed from `under`. */
function overlay(under: LeadDetails, over: LeadDetails): LeadDetails {
  return {
    email: over.email ?? under.email,
    uid: over.uid ?? under.uid,
    username: over.username ?? under.username,
    first_name: over.first_name ?? under.first_name,
    last_name: over.last_name ?? under.last_name,
    website: over.website ?? under.website,
    custom_fields: over.custom_fields ?? under.custom_fields,
    sub_id: over.sub_id ?? under.sub_id,
  };
}

/**
 * The lead's promoter. A lead is not given to another promoter; if its own is gone, the answer shows the
 * promoter that the sign-up names.
 *
 * @see docs/spec/tracking.md "How a sign-up finds its promoter"
 */
async function promoterOf(tx: Transaction, { known, referrer }: KnownSignup): Promise<Promoter> {
  return (await tx.get(promoters, known.account_id, known.promoter_id)) ?? referrer.promoter;
}

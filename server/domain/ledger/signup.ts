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
import type { Show } from "../show.ts";
import { moveCommissions } from "./commission/changes.ts";
import { commissions } from "./commission/commission.ts";
import { belongingTo } from "./lead-changes.ts";
import { settlementOf } from "./payout/status.ts";
import { remakeSales } from "./sale/remade-sale.ts";
import { hasWaiting } from "./sale/waiting.ts";

/** A lead, its promoter and the id of its sign-up event. */
export interface RecordedSignup {
  eventId: number;
  lead: Lead;
  promoter: Promoter;
  /** How the browser should identify the visitor from now on, or null if the sign-up came without a visit. */
  visit: Visit | null;
}

/**
 * Records that a referred person signed up. However often it is called, the person signs up once. If the
 * visit leads to no promoter, the browser keeps its former visitor. The company's own word takes over what
 * only a page has claimed.
 *
 * @throws Failure `not_found` if no promoter is found, `forbidden` if the campaign accepts no sign-ups from
 * this site, `already_registered` if the person has signed up before
 * @see docs/spec/v1.md "Track a sign-up"
 * @see docs/spec/tracking.md "Whose word counts"
 */
export async function recordSignup<T>(
  context: Context,
  account: Account,
  { show, ...signup }: Signup & { show: Show<RecordedSignup, T> },
): Promise<T> {
  const { store } = context;
  const ids = { leadId: await store.nextId("lead"), eventId: await store.nextId("event") };
  const recorded = await store.transact(async (tx) => {
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
    const eventId = known?.signupEventId ?? ids.eventId;
    const isUnseen = visit?.isNew ?? false;
    const result =
      known === null
        ? await addSignup(tx, context, { account, signup, referrer, isUnseen, ids })
        : await signUpKnown(tx, context, { account, known, signup, referrer, eventId });
    // The confirmation is kept, although the caller gets a refusal.
    if (result === null) return null;
    const latest = click && visit && (await latestVisit(tx, context, { account, click, visit }));
    return { shown: await show(tx.view, { eventId, ...result, visit: latest }) };
  });
  if (recorded === null) throw alreadyRegistered();
  return recorded.shown;
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
  if (!signup.isClaim && (await isUnsoldClaim(tx, byUid))) {
    await takeName(tx, context, byUid, { ...byUid, uid: null });
    return byEmail;
  }
  if (!signup.isClaim && (await isUnsoldClaim(tx, byEmail))) {
    await takeName(tx, context, byEmail, { ...byEmail, email: null });
    return byUid;
  }
  throw alreadyRegistered();
}

async function isUnsoldClaim(tx: Transaction, lead: Lead): Promise<boolean> {
  return lead.isClaim === true && lead.salesCount === 0 && !(await hasWaiting(tx, lead));
}

/** Takes a name from a claim, which goes if it was its only one. */
async function takeName(tx: Transaction, context: Context, before: Lead, after: Lead): Promise<void> {
  const isNamed = after.email !== null || after.uid !== null;
  await audited(tx, { ...context, actor: context.actor ?? PROCESS }, async (logged) => {
    if (isNamed) await logged.put(leads, after);
    else await logged.remove(leads, before.accountId, before.id);
  });
  await announce(tx, context, { entity: "referral", before, after: isNamed ? after : null });
}

/** A sign-up of a person who is not known. */
interface UnknownSignup {
  account: Account;
  signup: Signup;
  referrer: Referrer;
  isUnseen: boolean;
  ids: { leadId: number; eventId: number };
}

function addSignup(tx: Transaction, context: Context, { signup, referrer, ...rest }: UnknownSignup) {
  return addLead(tx, context, {
    ...rest,
    signup,
    referrer,
    isClaim: signup.isClaim ?? false,
    entrySource: entrySourceOf(referrer),
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
  const { accountId, campaignId } = referrer.promoterCampaign;
  if (isAllowedBy(await loadCampaign(tx, accountId, campaignId))) return;
  throw new Failure("forbidden", "This site may not send sign-ups");
}

/** A sign-up of a known lead. */
interface KnownSignup {
  account: Account;
  known: Lead;
  signup: Signup;
  referrer: Referrer;
  eventId: number;
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
  const { signup, referrer, eventId } = input;
  const isDoubted = input.known.isClaim === true && !signup.isClaim;
  const isElsewhere = referrer.promoterCampaign.id !== input.known.promoterCampaignId;
  if (isDoubted && isElsewhere && !(await isPaidFor(tx, input.known))) return takeOver(tx, context, input);
  const isConfirmed = isDoubted && !isElsewhere;
  const known = isConfirmed ? withoutDoubt(input.known) : input.known;
  const isFirst = known.signupEventId === null;
  if (!isFirst && !signup.overridesExistingLead) {
    if (!isConfirmed) throw alreadyRegistered();
    await tx.put(leads, known);
    return null;
  }
  const details = signup.overridesExistingLead
    ? overlay(known, signup.details)
    : overlay(signup.details, known);
  const state = known.state === "subscribed" ? "signup" : known.state;
  const signedUp = { ...known, ...details, state, signupEventId: eventId };
  const signedUpAt = (signup.createdAt ?? context.now).toISOString();
  const lead: Lead = isFirst ? { ...signedUp, signedUpAt } : signedUp;
  await tx.put(leads, lead);
  await announce(tx, context, { entity: "referral", before: input.known, after: lead });
  return { lead, promoter: await promoterOf(tx, input) };
}

/** The lead as the company has confirmed it. A visit that was not seen before is no reason to doubt it then. */
function withoutDoubt(lead: Lead): Lead {
  const { suspicion, ...rest } = confirmed(lead);
  return { ...rest, suspicion: suspicion === "unseen_visitor" ? "no_suspicion" : suspicion };
}

async function isPaidFor(tx: Transaction, { accountId, id }: Lead): Promise<boolean> {
  for (const each of await tx.view.list(commissions, "lead", accountId, [id]))
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
      subId: signup.details.subId ?? visitor?.subId ?? null,
      entrySource: entrySourceOf(referrer),
      origin: visitor?.origin ?? null,
      tid: visitor?.tid ?? null,
      suspicion,
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
    firstName: over.firstName ?? under.firstName,
    lastName: over.lastName ?? under.lastName,
    website: over.website ?? under.website,
    customFields: over.customFields ?? under.customFields,
    subId: over.subId ?? under.subId,
  };
}

/**
 * The lead's promoter. A lead is not given to another promoter; if its own is gone, the answer shows the
 * promoter that the sign-up names.
 *
 * @see docs/spec/tracking.md "How a sign-up finds its promoter"
 */
async function promoterOf(tx: Transaction, { known, referrer }: KnownSignup): Promise<Promoter> {
  return (await tx.get(promoters, known.accountId, known.promoterId)) ?? referrer.promoter;
}

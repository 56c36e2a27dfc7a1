import { Failure } from "../../../failure.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { loadCampaign, type Campaign } from "../../program/campaign/campaign.ts";
import { createdBy, type Context } from "../../context.ts";
import { announce } from "../../events/event.ts";
import {
  acceptsLeads,
  promoterCampaigns,
  findByRefToken,
  type PromoterCampaign,
} from "../promoter-campaign/promoter-campaign.ts";
import { findPromoterByEmail, promoters, type Promoter } from "../promoter/promoter.ts";
import type { Show } from "../../show.ts";
import { latestVisit, visitOf, type Click, type Visit } from "../visitor/click.ts";
import { findVisitor, type Visitor } from "../visitor/visitor.ts";
import {
  LEAD_REFUSALS,
  leads,
  newLead,
  type EntrySource,
  type Lead,
  type LeadDetails,
  type LeadState,
  type Split,
  type Suspicion,
} from "./lead.ts";
import { alreadyRegistered, findKnownLead, findNamesakes, onlyOf } from "./search.ts";
import { adTrafficPolicy, hashAddress, judgeSignup, rememberAddress } from "./suspicion.ts";

/** The input of a sign-up. At least one of `email` and `uid` is given. */
export interface Signup {
  details: LeadDetails;
  tid: string | null;
  refToken: string | null;
  promoterEmail: string | null;
  /** The visitor's network address, or null if unknown. */
  address: string | null;
  createdAt: Date | null;
  skipEmailNotification: boolean;
  overridesExistingLead: boolean;
  /** The visit that led to the sign-up, if a browser sent it. It is recorded in the same commit. */
  click?: Click | null;
  /** Whether the campaign accepts the sign-up from its site. Absent: every site is accepted. */
  isAllowedBy?: (campaign: Campaign) => boolean;
}

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
 * visit leads to no promoter, the browser keeps its former visitor.
 *
 * @throws Failure `not_found` if no promoter is found, `forbidden` if the campaign accepts no sign-ups from
 * this site, `already_registered` if the person has signed up before
 * @see docs/spec/v1.md "Track a sign-up"
 */
export async function recordSignup<T>(
  context: Context,
  account: Account,
  { show, ...signup }: Signup & { show: Show<RecordedSignup, T> },
): Promise<T> {
  const { store } = context;
  const ids = { leadId: await store.nextId("lead"), eventId: await store.nextId("event") };
  return store.transact(async (tx) => {
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
    const known = onlyOf(namesakes);
    const eventId = known?.signupEventId ?? ids.eventId;
    const entrySource = referrer.visitor === null ? "api" : "cookie";
    const { lead, promoter } =
      known === null
        ? await addLead(tx, context, { account, signup, referrer, entrySource, ids })
        : await signUpKnown(tx, context, { known, signup, referrer, eventId });
    const latest = click && visit && (await latestVisit(tx, context, { account, click, visit }));
    return show(tx.view, { eventId, lead, promoter, visit: latest });
  });
}

/** A subscriber's lead, its promoter and the id of the event. */
export interface RecordedSubscription {
  eventId: number;
  lead: Lead;
  promoter: Promoter;
}

/** A person who subscribed, for example to a newsletter. */
type Subscriber = Pick<
  Signup,
  "details" | "tid" | "refToken" | "promoterEmail" | "address" | "createdAt" | "skipEmailNotification"
>;

/**
 * Records that a person subscribed. A sign-up may still follow. Resolves to null for a person whom no
 * promoter referred.
 *
 * @throws Failure `not_found` if the tid or the ref id leads to no promoter, `already_registered` for a
 * subscriber
 * @see docs/spec/v1.md "Subscribers"
 */
export async function recordSubscription<T>(
  context: Context,
  account: Account,
  { show, ...subscriber }: Subscriber & { show: Show<RecordedSubscription, T> },
): Promise<T | null> {
  const { store } = context;
  const ids = { leadId: await store.nextId("lead"), eventId: await store.nextId("event") };
  return store.transact(async (tx) => {
    const known = await findKnownLead(tx, account.id, subscriber.details);
    const recorded =
      known === null
        ? await addSubscriber(tx, context, { account, subscriber, leadId: ids.leadId })
        : await subscribeKnown(tx, context, known);
    return recorded && show(tx.view, { ...recorded, eventId: ids.eventId });
  });
}

/** The promoter who sent a sign-up. */
export interface Referrer {
  promoterCampaign: PromoterCampaign;
  promoter: Promoter;
  /** The visitor with the given tid, or null if none is given or known in this account. */
  visitor: Visitor | null;
}

/** The values of a sign-up that can name its promoter. */
interface ReferralClaim {
  tid: string | null;
  refToken: string | null;
  promoterEmail: string | null;
  /** When the sign-up is recorded. */
  now: Date;
}

/**
 * The promoter campaign that a sign-up belongs to, or null. In each case the tid adds the data of the visit.
 *
 * @see docs/spec/tracking.md "How a sign-up finds its promoter"
 */
export async function findReferrer(
  tx: Transaction,
  accountId: number,
  claim: ReferralClaim,
): Promise<Referrer | null> {
  const { tid, now } = claim;
  const visitor = tid === null ? null : await findVisitor(tx, accountId, { tid, now });
  const promoterCampaign = await findNamed(tx, accountId, { ...claim, visitor });
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  const promoter = await tx.get(promoters, accountId, promoterCampaign.promoterId);
  return promoter === null ? null : { promoterCampaign, promoter, visitor };
}

/** The data of a new lead. */
export interface NewLead {
  account: Account;
  signup: {
    details: LeadDetails;
    /** The person's network address, or null if unknown. */
    address: string | null;
    createdAt: Date | null;
    skipEmailNotification: boolean;
    comment?: string | undefined;
  };
  referrer: Referrer;
  entrySource: EntrySource;
  /** Absent: `signup`. */
  state?: LeadState;
  /** Whether a promoter added it by hand, so that it waits for approval. Absent: no. */
  isProposal?: true;
  splits?: Split[] | null;
  /** Without an event id, the sign-up itself may still follow. */
  ids: { leadId: number; eventId: number | null };
}

/** Adds a lead that is known to be new. */
export async function addLead(
  tx: Transaction,
  context: Context,
  arrival: NewLead,
): Promise<{ lead: Lead; promoter: Promoter }> {
  const { account, signup, referrer } = arrival;
  const { promoterCampaign, visitor } = referrer;
  const campaign = await loadCampaign(tx, account.id, promoterCampaign.campaignId);
  refuseBlockedAd(referrer, campaign);
  const addressHash =
    signup.address === null ? (visitor?.addressHash ?? null) : hashAddress(account, signup.address);
  const suspicion = await judgeSignup(tx, {
    promoter: referrer.promoter,
    campaign,
    visitor,
    email: signup.details.email,
    addressHash,
    now: context.now,
  });
  const lead = leadOf(context, arrival, suspicion);
  await tx.insert(leads, lead, LEAD_REFUSALS);
  await announce(tx, context, { entity: "referral", before: null, after: lead });
  const promoter = await noteSuspicion(tx, context, { promoter: referrer.promoter, suspicion });
  if (addressHash !== null) {
    await rememberAddress(tx, promoter, { addressHash, isOwn: false, now: context.now });
  }
  return { lead, promoter };
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
  known: Lead;
  signup: Signup;
  referrer: Referrer;
  eventId: number;
}

/**
 * Updates a known lead. One that was imported, or made by a sale, gets its sign-up event. A subscriber
 * becomes a sign-up.
 *
 * @throws Failure `already_registered`
 */
async function signUpKnown(
  tx: Transaction,
  context: Context,
  input: KnownSignup,
): Promise<{ lead: Lead; promoter: Promoter }> {
  const { known, signup, eventId } = input;
  if (known.signupEventId !== null && !signup.overridesExistingLead) throw alreadyRegistered();
  const details = signup.overridesExistingLead
    ? overlay(known, signup.details)
    : overlay(signup.details, known);
  const state = known.state === "subscribed" ? "signup" : known.state;
  const signedUp = { ...known, ...details, state, signupEventId: eventId };
  const isFirst = known.signupEventId === null;
  const signedUpAt = (signup.createdAt ?? context.now).toISOString();
  const lead: Lead = isFirst ? { ...signedUp, signedUpAt } : signedUp;
  await tx.put(leads, lead);
  await announce(tx, context, { entity: "referral", before: known, after: lead });
  return { lead, promoter: await promoterOf(tx, input) };
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

type Recorded = Omit<RecordedSubscription, "eventId">;

async function addSubscriber(
  tx: Transaction,
  context: Context,
  { account, subscriber, leadId }: { account: Account; subscriber: Subscriber; leadId: number },
): Promise<Recorded | null> {
  const { tid, refToken, promoterEmail } = subscriber;
  if (tid === null && refToken === null && promoterEmail === null) return null;
  const referrer = await findReferrer(tx, account.id, { tid, refToken, promoterEmail, now: context.now });
  if (referrer === null) throw new Failure("not_found", "Visitor invalid or not found.");
  return addLead(tx, context, {
    account,
    signup: subscriber,
    referrer,
    state: "subscribed",
    entrySource: referrer.visitor === null ? "api" : "cookie",
    ids: { leadId, eventId: null },
  });
}

async function subscribeKnown(tx: Transaction, context: Context, known: Lead): Promise<Recorded | null> {
  if (known.state === "subscribed") {
    throw new Failure("already_registered", "there is already a subscriber event registered on this lead");
  }
  const promoter = await tx.get(promoters, known.accountId, known.promoterId);
  if (promoter === null) return null;
  const isNew = known.state === "signup" && known.signupEventId === null;
  if (!isNew) return { lead: known, promoter };
  const lead: Lead = { ...known, state: "subscribed" };
  await tx.put(leads, lead);
  await announce(tx, context, { entity: "referral", before: known, after: lead });
  return { lead, promoter };
}

async function findNamed(
  tx: Transaction,
  accountId: number,
  { refToken, promoterEmail, visitor }: ReferralClaim & { visitor: Visitor | null },
): Promise<PromoterCampaign | null> {
  if (refToken !== null) return findByRefToken(tx, accountId, refToken);
  if (promoterEmail !== null) {
    const promoter = await findPromoterByEmail(tx, accountId, promoterEmail);
    return promoter && tx.get(promoterCampaigns, accountId, promoter.defaultPromoterCampaignId);
  }
  return visitor && tx.get(promoterCampaigns, accountId, visitor.promoterCampaignId);
}

/** Treats a visit from an ad as unknown if the ad traffic policy now forbids it. */
function refuseBlockedAd({ promoter, visitor }: Referrer, campaign: Campaign): void {
  if (visitor?.isAdTraffic && adTrafficPolicy(promoter, campaign) === "block") {
    throw new Failure("not_found", "Visitor invalid or not found.");
  }
}

function leadOf(
  context: Context,
  { account, signup, referrer, entrySource, isProposal, state = "signup", splits = null, ids }: NewLead,
  suspicion: Suspicion,
): Lead {
  const { promoterCampaign, visitor } = referrer;
  return newLead({
    accountId: account.id,
    id: ids.leadId,
    promoterCampaignId: promoterCampaign.id,
    promoterId: promoterCampaign.promoterId,
    campaignId: promoterCampaign.campaignId,
    state,
    ...(isProposal && { isProposal }),
    splits,
    ...signup.details,
    comment: signup.comment,
    subId: signup.details.subId ?? visitor?.subId ?? null,
    entrySource,
    origin: visitor?.origin ?? null,
    suspicion,
    tid: visitor?.tid ?? null,
    signupEventId: ids.eventId,
    skipEmailNotification: signup.skipEmailNotification,
    createdAt: (signup.createdAt ?? context.now).toISOString(),
    ...createdBy(context),
  });
}

async function noteSuspicion(
  tx: Transaction,
  context: Context,
  { promoter, suspicion }: { promoter: Promoter; suspicion: Lead["suspicion"] },
): Promise<Promoter> {
  if (suspicion === "no_suspicion" || promoter.fraudSuspicions.includes(suspicion)) return promoter;
  const suspected = { ...promoter, fraudSuspicions: [...promoter.fraudSuspicions, suspicion] };
  await tx.put(promoters, suspected);
  await announce(tx, context, { entity: "promoter", before: promoter, after: suspected });
  return suspected;
}

import { Failure } from "../../failure.ts";
import type { Account } from "../account/record.ts";
import type { Campaign } from "../campaign/record.ts";
import type { Lead, Suspicion } from "./record.ts";
import type { Promoter } from "../promoter/record.ts";
import type { Transaction } from "../../storage/store.ts";
import { findReferrer, type Referrer } from "./referrer.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import { visitOf, type Click, type Visit } from "../visitor/click.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { alreadyRegistered, findKnownLead, leads, overlay, type LeadDetails } from "./lead.ts";
import { promoters } from "../promoter/promoter.ts";
import type { Show } from "../show.ts";
import { adTrafficPolicy, hashAddress, judgeSignup, rememberAddress } from "./suspicion.ts";

/** The input of a sign-up. At least one of `email` and `uid` is given. */
export interface Signup {
  details: LeadDetails;
  tid: string | null;
  refToken: string | null;
  promoterEmail: string | null;
  /** The visitor's network address. null: unknown. */
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
  /** How the browser should identify the visitor from now on. null: the sign-up came without a visit. */
  visit: Visit | null;
}

/**
 * Records that a referred person signed up. However often it is called, the person signs up once. If the visit leads
 * to nobody, the browser keeps its former visitor.
 *
 * @throws Failure `not_found` if no promoter is found, `forbidden` if the campaign accepts no sign-ups from this
 * site, `already_registered` if the person has signed up before
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
    const referrer = await findReferrer(tx, account.id, { ...signup, tid, now: context.now });
    if (referrer === null) throw new Failure("not_found", "Visitor invalid or not found.");
    await refuseForeignSite(tx, signup, referrer);
    const recorded = await record(tx, context, { account, signup, referrer, ids });
    return show(tx.view, { ...recorded, visit });
  });
}

type RecordedPerson = Omit<RecordedSignup, "visit">;

/** @throws Failure `already_registered` */
async function record(tx: Transaction, context: Context, arrival: Arrival): Promise<RecordedPerson> {
  const { account, signup, referrer, ids } = arrival;
  const known = await findKnownLead(tx, account.id, signup.details);
  if (known === null) return addLead(tx, context, arrival);
  if (known.signupEventId !== null && !signup.overridesExistingLead) throw alreadyRegistered();
  return recordKnown(tx, context, { known, signup, referrer, eventId: known.signupEventId ?? ids.eventId });
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

/** The data of a new lead. */
interface Arrival {
  account: Account;
  signup: Signup;
  referrer: Referrer;
  ids: { leadId: number; eventId: number };
}

async function addLead(tx: Transaction, context: Context, arrival: Arrival): Promise<RecordedPerson> {
  const { account, signup, referrer, ids } = arrival;
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
  const lead = newLead(context.now, arrival, suspicion);
  await tx.insert(leads, lead);
  await announce(tx, context, { entity: "referral", before: null, after: lead });
  const promoter = await noteSuspicion(tx, context, { promoter: referrer.promoter, suspicion });
  if (addressHash !== null) {
    await rememberAddress(tx, promoter, { addressHash, isOwn: false, now: context.now });
  }
  return { eventId: ids.eventId, lead, promoter };
}

function newLead(now: Date, { account, signup, referrer, ids }: Arrival, suspicion: Suspicion): Lead {
  const { promoterCampaign, visitor } = referrer;
  return {
    accountId: account.id,
    id: ids.leadId,
    promoterCampaignId: promoterCampaign.id,
    promoterId: promoterCampaign.promoterId,
    campaignId: promoterCampaign.campaignId,
    state: "signup",
    ...signup.details,
    subId: signup.details.subId ?? visitor?.subId ?? null,
    planName: null,
    subscriptionId: null,
    entrySource: visitor === null ? "api" : "cookie",
    splits: null,
    salesCount: 0,
    refundedSalesCount: 0,
    onceRewardIds: [],
    suspicion,
    tid: visitor?.tid ?? null,
    signupEventId: ids.eventId,
    skipEmailNotification: signup.skipEmailNotification,
    customerSince: null,
    cancelledAt: null,
    createdAt: (signup.createdAt ?? now).toISOString(),
  };
}

/** Treats a visit from an ad as unknown if the ad traffic policy now forbids it. */
function refuseBlockedAd({ promoter, visitor }: Referrer, campaign: Campaign): void {
  if (visitor?.isAdTraffic && adTrafficPolicy(promoter, campaign) === "block") {
    throw new Failure("not_found", "Visitor invalid or not found.");
  }
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

/** A sign-up of a known lead. */
interface KnownSignup {
  known: Lead;
  signup: Signup;
  referrer: Referrer;
  eventId: number;
}

/** Updates a known lead. One that was imported, or made by a sale, gets its sign-up event. */
async function recordKnown(tx: Transaction, context: Context, input: KnownSignup): Promise<RecordedPerson> {
  const { known, signup, eventId } = input;
  const details = signup.overridesExistingLead
    ? overlay(known, signup.details)
    : overlay(signup.details, known);
  const lead = { ...known, ...details, signupEventId: eventId };
  await tx.put(leads, lead);
  await announce(tx, context, { entity: "referral", before: known, after: lead });
  return { eventId, lead, promoter: await promoterOf(tx, input) };
}

/**
 * The promoter whose lead it is.
 *
 * Choice: a lead outlives its promoter and is not given to another one. If the promoter is gone, the answer shows the
 * promoter that the sign-up names.
 */
async function promoterOf(tx: Transaction, { known, referrer }: KnownSignup): Promise<Promoter> {
  return (await tx.get(promoters, known.accountId, known.promoterId)) ?? referrer.promoter;
}

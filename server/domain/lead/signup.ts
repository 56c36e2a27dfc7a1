import { Failure } from "../../failure.ts";
import type { Account } from "../account/record.ts";
import type { Campaign } from "../campaign/record.ts";
import type { Lead } from "./record.ts";
import type { Promoter } from "../promoter/record.ts";
import type { Transaction } from "../../storage/store.ts";
import { findReferrer, type Referrer } from "./referrer.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import { latestVisit, visitOf, type Click, type Visit } from "../visitor/click.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { alreadyRegistered, findKnownLead, leads, overlay, type LeadDetails } from "./lead.ts";
import { promoters } from "../promoter/promoter.ts";
import type { Show } from "../show.ts";
import { addLead } from "./new-lead.ts";

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
    const known = await findKnownLead(tx, account.id, signup.details);
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
 * Updates a known lead. One that was imported, or made by a sale, gets its sign-up event. A subscriber becomes a
 * sign-up.
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

/**
 * The promoter whose lead it is.
 *
 * Choice: a lead outlives its promoter and is not given to another one. If the promoter is gone, the answer shows the
 * promoter that the sign-up names.
 */
async function promoterOf(tx: Transaction, { known, referrer }: KnownSignup): Promise<Promoter> {
  return (await tx.get(promoters, known.accountId, known.promoterId)) ?? referrer.promoter;
}

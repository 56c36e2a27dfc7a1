import { originIn } from "../origin.ts";
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
import type { Click } from "../visitor/click.ts";
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
import { findKnownLead } from "./search.ts";
import { adTrafficPolicy, hashAddress, judgeSignup, rememberAddress } from "./suspicion.ts";

/** The input of a sign-up. At least one of `email` and `uid` is given. */
export interface Signup {
  details: LeadDetails;
  tid: string | null;
  ref_token: string | null;
  promoter_id?: number | null;
  promoterEmail: string | null;
  /** The visitor's network address, or null if unknown. */
  address: string | null;
  created_at: Date | null;
  skip_email_notification: boolean;
  overridesExistingLead: boolean;
  /**
   * Whether only a page says so, which anyone can imitate. Absent: the company says it.
   *
   * @see docs/spec/tracking.md "Whose word counts"
   */
  is_claim?: boolean;
  /** The visit that led to the sign-up, if a browser sent it. It is recorded in the same commit. */
  click?: Click | null;
  /** Whether the campaign accepts the sign-up from its site. Absent: every site is accepted. */
  isAllowedBy?: (campaign: Campaign) => boolean;
}

/** A subscriber's lead, its promoter and the id of the event. */
export interface RecordedSubscription {
  event_id: number;
  lead: Lead;
  promoter: Promoter;
}

/** A person who may still sign up: a subscriber, or one whom the company adds. */
export type Prospect = Pick<
  Signup,
  | "details"
  | "tid"
  | "ref_token"
  | "promoter_id"
  | "promoterEmail"
  | "address"
  | "created_at"
  | "skip_email_notification"
>;

/**
 * Records that a person subscribed. A sign-up may still follow. Resolves to null for a person whom no
 * promoter referred.
 *
 * @throws Failure `not_found` if the tid or the ref id leads to no promoter, `already_registered` for a
 * subscriber
 * @see docs/spec/v1.md "Subscribers"
 */
export async function recordSubscription(
  tx: Transaction,
  context: Context,
  account: Account,
  subscriber: Prospect,
): Promise<RecordedSubscription | null> {
  const ids = { lead_id: await tx.nextId("lead"), event_id: await tx.nextId("event") };
  const known = await findKnownLead(tx, account.id, subscriber.details);
  const recorded =
    known === null
      ? await addSubscriber(tx, context, { account, subscriber, lead_id: ids.lead_id })
      : await subscribeKnown(tx, context, known);
  return recorded && { ...recorded, event_id: ids.event_id };
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
  ref_token: string | null;
  promoter_id?: number | null;
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
  const promoter = await tx.get(promoters, accountId, promoterCampaign.promoter_id);
  return promoter === null ? null : { promoterCampaign, promoter, visitor };
}

/** The data of a new lead. */
export interface NewLead {
  account: Account;
  signup: {
    details: LeadDetails;
    /** The person's network address, or null if unknown. */
    address: string | null;
    created_at: Date | null;
    skip_email_notification: boolean;
    /** Absent: none. */
    comment?: string | null;
  };
  referrer: Referrer;
  entry_source: EntrySource;
  /** Absent: `signup`. */
  state?: LeadState;
  /** Whether a promoter added it by hand, so that it waits for approval. Absent: no. */
  is_proposal?: true;
  /** Whether only a page says that the person signed up. Absent: no. */
  is_claim?: boolean;
  /** Whether the visitor was not known before. Absent: no, or there is none. */
  isUnseen?: boolean;
  splits?: Split[] | null;
  /** Without an event id, the sign-up itself may still follow. */
  ids: { lead_id: number; event_id: number | null };
}

/** Adds a lead that is known to be new. */
export async function addLead(
  tx: Transaction,
  context: Context,
  arrival: NewLead,
): Promise<{ lead: Lead; promoter: Promoter }> {
  const { suspicion, promoter } = await judgeArrival(tx, context, arrival);
  const lead = leadOf(context, arrival, suspicion);
  await tx.insert(leads, lead, LEAD_REFUSALS);
  await announce(tx, context, { entity: "referral", before: null, after: lead });
  return { lead, promoter };
}

/**
 * The suspicion about a sign-up, which its promoter is marked with.
 *
 * @throws Failure `not_found` for a visit from an ad that the policy forbids by now
 */
export async function judgeArrival(
  tx: Transaction,
  context: Context,
  {
    account,
    signup,
    referrer,
    isUnseen = false,
  }: Pick<NewLead, "account" | "signup" | "referrer" | "isUnseen">,
): Promise<{ suspicion: Suspicion; promoter: Promoter }> {
  const { promoterCampaign, visitor } = referrer;
  const campaign = await loadCampaign(tx, account.id, promoterCampaign.campaign_id);
  refuseBlockedAd(referrer, campaign);
  const addressHash =
    signup.address === null ? (visitor?.address_hash ?? null) : hashAddress(account, signup.address);
  const suspicion = await judgeSignup(tx, {
    promoter: referrer.promoter,
    campaign,
    visitor,
    email: signup.details.email,
    address_hash: addressHash,
    isUnseen,
    now: context.now,
  });
  const promoter = await noteSuspicion(tx, context, { promoter: referrer.promoter, suspicion });
  if (addressHash !== null) {
    await rememberAddress(tx, promoter, { address_hash: addressHash, is_own: false, now: context.now });
  }
  return { suspicion, promoter };
}

type Recorded = Omit<RecordedSubscription, "event_id">;

async function addSubscriber(
  tx: Transaction,
  context: Context,
  { account, subscriber, lead_id }: { account: Account; subscriber: Prospect; lead_id: number },
): Promise<Recorded | null> {
  const { tid, ref_token, promoter_id = null, promoterEmail } = subscriber;
  if ((tid ?? ref_token ?? promoter_id ?? promoterEmail) === null) return null;
  const claim = { tid, ref_token, promoter_id, promoterEmail, now: context.now };
  const referrer = await findReferrer(tx, account.id, claim);
  if (referrer === null) throw new Failure("not_found", "Visitor invalid or not found.");
  return addLead(tx, context, {
    account,
    signup: subscriber,
    referrer,
    state: "subscribed",
    entry_source: referrer.visitor === null ? "api" : "cookie",
    ids: { lead_id, event_id: null },
  });
}

async function subscribeKnown(tx: Transaction, context: Context, known: Lead): Promise<Recorded | null> {
  if (known.state === "subscribed") {
    throw new Failure("already_registered", "there is already a subscriber event registered on this lead");
  }
  const promoter = await tx.get(promoters, known.account_id, known.promoter_id);
  if (promoter === null) return null;
  const isNew = known.state === "signup" && known.signup_event_id === null;
  if (!isNew) return { lead: known, promoter };
  const lead: Lead = { ...known, state: "subscribed" };
  await tx.put(leads, lead);
  await announce(tx, context, { entity: "referral", before: known, after: lead });
  return { lead, promoter };
}

async function findNamed(
  tx: Transaction,
  accountId: number,
  { ref_token, promoter_id = null, promoterEmail, visitor }: ReferralClaim & { visitor: Visitor | null },
): Promise<PromoterCampaign | null> {
  if (ref_token !== null) return findByRefToken(tx, accountId, ref_token);
  if (promoter_id !== null || promoterEmail !== null) {
    const promoter =
      promoter_id === null
        ? await findPromoterByEmail(tx, accountId, promoterEmail ?? "")
        : await tx.get(promoters, accountId, promoter_id);
    return promoter && tx.get(promoterCampaigns, accountId, promoter.default_promoter_campaign_id);
  }
  return visitor && tx.get(promoterCampaigns, accountId, visitor.promoter_campaign_id);
}

/** Treats a visit from an ad as unknown if the ad traffic policy now forbids it. */
function refuseBlockedAd({ promoter, visitor }: Referrer, campaign: Campaign): void {
  if (visitor?.is_ad_traffic && adTrafficPolicy(promoter, campaign) === "block") {
    throw new Failure("not_found", "Visitor invalid or not found.");
  }
}

function leadOf(
  context: Context,
  { account, signup, referrer, entry_source, state = "signup", splits = null, ids, ...marks }: NewLead,
  suspicion: Suspicion,
): Lead {
  const { promoterCampaign, visitor } = referrer;
  return newLead({
    account_id: account.id,
    id: ids.lead_id,
    promoter_campaign_id: promoterCampaign.id,
    promoter_id: promoterCampaign.promoter_id,
    campaign_id: promoterCampaign.campaign_id,
    state,
    ...(marks.is_proposal && { is_proposal: true }),
    ...(marks.is_claim && { is_claim: true }),
    splits,
    ...signup.details,
    comment: signup.comment ?? null,
    sub_id: signup.details.sub_id ?? visitor?.sub_id ?? null,
    entry_source,
    ...originIn(visitor ?? undefined),
    fraud_check: suspicion,
    tid: visitor?.tid ?? null,
    signup_event_id: ids.event_id,
    skip_email_notification: signup.skip_email_notification,
    created_at: (signup.created_at ?? context.now).toISOString(),
    ...createdBy(context),
  });
}

async function noteSuspicion(
  tx: Transaction,
  context: Context,
  { promoter, suspicion }: { promoter: Promoter; suspicion: Lead["fraud_check"] },
): Promise<Promoter> {
  // Anyone could mark any promoter with it.
  if (suspicion === "unseen_visitor") return promoter;
  if (suspicion === "no_suspicion" || promoter.fraud_suspicions.includes(suspicion)) return promoter;
  const suspected = { ...promoter, fraud_suspicions: [...promoter.fraud_suspicions, suspicion] };
  await tx.put(promoters, suspected);
  await announce(tx, context, { entity: "promoter", before: promoter, after: suspected });
  return suspected;
}

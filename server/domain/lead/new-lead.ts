import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import { loadCampaign, type Campaign } from "../campaign/campaign.ts";
import type { Promoter } from "../promoter/record.ts";
import type { Transaction } from "../../storage/store.ts";
import { createdBy, type Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { promoters } from "../promoter/promoter.ts";
import { LEAD_REFUSALS, leads, newLead, type LeadDetails } from "./lead.ts";
import type { EntrySource, Lead, LeadState, Split, Suspicion } from "./record.ts";
import type { Referrer } from "./referrer.ts";
import { adTrafficPolicy, hashAddress, judgeSignup, rememberAddress } from "./suspicion.ts";

/** The data of a new lead. */
export interface NewLead {
  account: Account;
  signup: {
    details: LeadDetails;
    /** The person's network address. null: unknown. */
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

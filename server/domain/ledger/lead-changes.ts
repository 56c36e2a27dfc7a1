import { Failure } from "../../failure.ts";
import { type Transaction, findTaken, refuseTaken } from "../../storage/store.ts";
import { moveCommissions } from "./commission/changes.ts";
import type { Context } from "../context.ts";
import { isErased } from "../people/erased.ts";
import { announce } from "../events/event.ts";
import {
  acceptsLeads,
  loadOwner,
  findByRefToken,
  type PromoterCampaign,
} from "../people/promoter-campaign/promoter-campaign.ts";
import { hasWaiting } from "./sale/waiting.ts";
import { noteCustomStatus, requireCustomStatus, statusesOfLeads } from "../people/lead/custom-status.ts";
import { checkSplits } from "../people/lead/creation.ts";
import { withHistory } from "../people/lead/customer.ts";
import {
  confirmed,
  LEAD_REFUSALS,
  leads,
  settled,
  type Lead,
  type LeadSelector,
  type LeadState,
  type Split,
  type Suspicion,
} from "../people/lead/lead.ts";
import { loadLead } from "../people/lead/search.ts";

/** Changes to a lead. Undefined fields stay unchanged, null clears. A named new owner gets the lead. */
export interface LeadChanges extends OwnerName {
  email?: string | null | undefined;
  uid?: string | null | undefined;
  username?: string | null | undefined;
  plan_id?: string | null | undefined;
  customer_since?: Date | null | undefined;
  state?: LeadState | undefined;
  fraud_check?: Suspicion | undefined;
  custom_status_id?: number | null | undefined;
  splits?: Split[] | null | undefined;
  /** Whether the commissions stay with the former promoter. */
  leavesCommissions: boolean;
}

/** Names the promoter campaign that a lead should belong to. Undefined: not given. */
interface OwnerName {
  ref_token?: string | undefined;
  promoter_campaign_id?: number | undefined;
}

/**
 * Changes a lead, or gives it to another promoter.
 *
 * @throws Failure `missing`, `not_found` for the lead or the new promoter, `refused` for a promoter who may
 * not get leads, `invalid`, `taken`
 */
export async function updateLead(
  tx: Transaction,
  context: Context,
  accountId: number,
  { selector, changes }: { selector: LeadSelector; changes: LeadChanges },
): Promise<Lead> {
  const { now } = context;
  const before = await loadLead(tx, accountId, selector);
  if (isErased(before) && (changes.email ?? changes.uid ?? changes.username))
    throw new Failure("refused", "Lead was erased.");
  const target = await findTarget(tx, before, changes);
  const own = isOwnerNamed(changes) ? confirmed(before) : before;
  const updated = settled(changed(target === null ? own : belongingTo(own, target), changes, now));
  const after = withHistory(before, updated, now.toISOString());
  await refuseFaults(tx, after);
  if (changes.splits) await checkSplits(tx, after);
  if (changes.custom_status_id) await requireCustomStatus(tx, accountId, changes.custom_status_id);
  await noteCustomStatus(tx, before, after);
  await tx.put(leads, after, LEAD_REFUSALS);
  await announce(tx, context, { entity: "referral", before, after });
  if (target !== null && !changes.leavesCommissions)
    await moveCommissions(tx, context, { lead: before, target });
  return after;
}

/**
 * Deletes a lead and its counts, or archives one that has sales, because later refunds need it. Commissions
 * that were given by hand or imported stay.
 *
 * @throws Failure `missing`, `not_found`
 * @see docs/spec/states.md "Leads"
 */
export async function deleteLead(
  tx: Transaction,
  context: Context,
  accountId: number,
  selector: LeadSelector,
): Promise<void> {
  const lead = await loadLead(tx, accountId, selector);
  await tx.lock(leads, accountId, lead.id);
  const isSold = lead.sales_count > 0 || (await hasWaiting(tx, lead));
  if (isSold) await tx.put(leads, { ...lead, archived_at: context.now.toISOString() });
  else {
    await tx.remove(leads, accountId, lead.id);
    await tx.remove(statusesOfLeads, accountId, lead.id);
  }
  await announce(tx, context, { entity: "referral", before: lead, after: null });
}

/**
 * The promoter campaign that a lead should move to, or null if none is named, or the lead already belongs to
 * it.
 *
 * @throws Failure `not_found`, `refused` if it is named by id and not accepted
 */
async function findTarget(
  tx: Transaction,
  { account_id, promoter_campaign_id }: Lead,
  name: OwnerName,
): Promise<PromoterCampaign | null> {
  if (name.promoter_campaign_id === promoter_campaign_id) return null;
  if (name.promoter_campaign_id !== undefined) return loadOwner(tx, account_id, name.promoter_campaign_id);
  if (name.ref_token === undefined) return null;
  const target = await findByRefToken(tx, account_id, name.ref_token);
  if (target?.id === promoter_campaign_id) return null;
  // As with sign-ups, only accepted promoters receive leads.
  if (target === null || !acceptsLeads(target)) throw new Failure("not_found", "Promotion not found.");
  return target;
}

/** Whether the company says whose lead it is, so that it is no claim any more. */
function isOwnerNamed({ promoter_campaign_id, ref_token }: OwnerName): boolean {
  return promoter_campaign_id !== undefined || ref_token !== undefined;
}

type Dates = Pick<Lead, "customer_since" | "cancelled_at">;

/**
 * The dates of each state. A sign-up or subscriber is no customer and has cancelled nothing. Denying a lead
 * keeps both dates, so that it can be undone.
 */
const DATES: Record<LeadState, (lead: Lead, now: string) => Dates> = {
  signup: () => ({ customer_since: null, cancelled_at: null }),
  subscribed: () => ({ customer_since: null, cancelled_at: null }),
  active: ({ customer_since }, now) => ({ customer_since: customer_since ?? now, cancelled_at: null }),
  cancelled: ({ customer_since, cancelled_at }, now) => ({
    customer_since,
    cancelled_at: cancelled_at ?? now,
  }),
  denied: ({ customer_since, cancelled_at }) => ({ customer_since, cancelled_at }),
  refunded: ({ customer_since, cancelled_at }) => ({ customer_since, cancelled_at }),
  pending: () => ({ customer_since: null, cancelled_at: null }),
};

function changed(lead: Lead, changes: LeadChanges, now: Date): Lead {
  const { email, uid, username, plan_id, customer_since, splits } = changes;
  const after: Lead = {
    ...lead,
    email: email === undefined ? lead.email : email,
    uid: uid === undefined ? lead.uid : uid,
    username: username === undefined ? lead.username : username,
    plan_id: plan_id === undefined ? lead.plan_id : plan_id,
    fraud_check: changes.fraud_check ?? lead.fraud_check,
    splits: splits === undefined ? lead.splits : splits,
    custom_status_id:
      changes.custom_status_id === undefined ? lead.custom_status_id : changes.custom_status_id,
    customer_since:
      customer_since === undefined ? lead.customer_since : (customer_since?.toISOString() ?? null),
  };
  const state = changes.state ?? impliedState(after, customer_since);
  const dates = DATES[state](after, now.toISOString());
  // A returning customer may leave again.
  const cancellationId = dates.cancelled_at === null ? null : after.cancellation_id;
  return { ...after, state, ...dates, cancellation_id: cancellationId };
}

/** A lead that becomes a customer is active. One that is no longer a customer is a sign-up again. */
function impliedState({ state }: Lead, customerSince: Date | null | undefined): LeadState {
  const isProspect = state === "signup" || state === "subscribed";
  if (customerSince && isProspect) return "active";
  return customerSince === null && state === "active" ? "signup" : state;
}

/**
 * The lead under its new owner. The new owner's share of a split becomes part of the remainder, which is the
 * owner's.
 */
export function belongingTo(lead: Lead, owner: PromoterCampaign): Lead {
  const splits = lead.splits?.filter(({ promoter_campaign_id }) => promoter_campaign_id !== owner.id) ?? [];
  return {
    ...lead,
    promoter_campaign_id: owner.id,
    promoter_id: owner.promoter_id,
    campaign_id: owner.campaign_id,
    splits: splits.length === 0 ? null : splits,
  };
}

async function refuseFaults(tx: Transaction, lead: Lead): Promise<void> {
  if (lead.email === null && lead.uid === null) {
    const fields = { email: ["can't be blank without a uid"] };
    throw new Failure("invalid", "A lead needs an e-mail address or a uid", fields);
  }
  refuseTaken(await findTaken(tx, leads, { record: lead, unique: ["email", "uid"] }));
}

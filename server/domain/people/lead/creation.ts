import { Failure, type FieldErrors } from "../../../failure.ts";
import { type Reader, type Transaction, refuseTaken, TAKEN } from "../../../storage/store.ts";
import type { Account } from "../../program/account/account.ts";
import { loadCampaign } from "../../program/campaign/campaign.ts";
import type { Context } from "../../context.ts";
import { isErased } from "../erased.ts";
import { announce } from "../../events/event.ts";
import { WHOLE } from "../../money.ts";
import {
  loadOwner,
  loadOwnPromoterCampaign,
  loadPromoterCampaign,
  promoterCampaigns,
  requireAccepted,
  findByRefToken,
  type OwnRecord,
  type PromoterCampaign,
} from "../promoter-campaign/promoter-campaign.ts";
import { findPromoterByEmail, loadPromoter, loadPromoterInUse, promoters } from "../promoter/promoter.ts";
import { findVisitor } from "../visitor/visitor.ts";
import { withHistory } from "./customer.ts";
import {
  isProposed,
  leads,
  newLead,
  type EntrySource,
  type Lead,
  type LeadDetails,
  type LeadState,
  type Split,
} from "./lead.ts";
import { findKnownLead, findLeadByEmail, findLeadByUid } from "./search.ts";
import { addLead, findReferrer, type NewLead, type Prospect, type Referrer } from "./signup.ts";

/** A lead that the company adds itself. A sign-up may still follow. */
interface CreatedLead extends Prospect {
  /** Null if the ref id, the promoter's e-mail address or the tid names the promoter. */
  promoter_campaign_id: number | null;
  /** Null for `cookie` if a visit is known, otherwise `api`. */
  entry_source: EntrySource | null;
  splits: Split[] | null;
}

/**
 * Adds a lead to a promoter campaign.
 *
 * @throws Failure `missing` if no promoter is named, `not_found`, `refused` for a promoter campaign that is
 * not accepted, `taken` for a known lead, `invalid` for its splits
 */
export async function createLead(
  tx: Transaction,
  context: Context,
  account: Account,
  input: CreatedLead,
): Promise<Lead> {
  await refuseKnown(tx, account.id, input);
  const referrer = await loadReferrer(tx, context, { account, input });
  const { splits } = input;
  await checkSplits(tx, {
    account_id: account.id,
    promoter_campaign_id: referrer.promoterCampaign.id,
    splits,
  });
  const { lead } = await addLead(tx, context, {
    account,
    signup: input,
    referrer,
    splits,
    entry_source: input.entry_source ?? (referrer.visitor === null ? "api" : "cookie"),
    ids: { lead_id: await tx.nextId("lead"), event_id: null },
  });
  return lead;
}

/**
 * Checks that the splits of a lead name other promoter campaigns, each once, and add up to 100 percent at
 * most.
 *
 * @throws Failure `not_found` for an unknown promoter campaign, `invalid`
 */
export async function checkSplits(
  reader: Reader,
  lead: Pick<Lead, "account_id" | "promoter_campaign_id" | "splits">,
): Promise<void> {
  const splits = lead.splits ?? [];
  const ids = splits.map(({ promoter_campaign_id }) => promoter_campaign_id);
  for (const id of ids) await loadPromoterCampaign(reader, lead.account_id, id);
  const total = splits.reduce((sum, { percent_ten_thousandths }) => sum + percent_ten_thousandths, 0);
  const faults: string[] = [];
  if (new Set(ids).size < ids.length) faults.push("must not name a promoter campaign twice");
  if (ids.includes(lead.promoter_campaign_id))
    faults.push("must not name the referral's own promoter campaign");
  if (total > WHOLE) faults.push("must not be more than 100 percent together");
  if (faults.length > 0) throw new Failure("invalid", "The splits are invalid", { splits: faults });
}

interface NewProposal extends ProposalDetails {
  promoter_id: number;
  promoter_campaign_id: number;
  email: string;
}

/** A promoter's description of a lead. Null fields are not given. */
type ProposalDetails = Pick<Lead, "first_name" | "last_name" | "website"> & { comment: string | null };

/**
 * Adds a lead that a promoter knows, in the state `pending`. The request's address is the promoter's own, so
 * it says nothing about the lead.
 *
 * @throws Failure `not_found` for a promoter campaign that is not the promoter's, `refused` if the campaign
 * accepts no leads by hand or too many wait, `taken` if the promoter has proposed the person before
 * @see docs/spec/v2.md "Promoters"
 */
export async function proposeLead(
  tx: Transaction,
  context: Context,
  account: Account,
  { promoter_id, promoter_campaign_id, ...input }: NewProposal,
): Promise<Lead> {
  const promoter = await loadPromoterInUse(tx, account.id, promoter_id);
  const own = { account_id: account.id, promoter_id, id: promoter_campaign_id };
  const promoterCampaign = await loadOwnPromoterCampaign(tx, own);
  await refuseUnwanted(tx, promoterCampaign);
  const { lead } = await addLead(tx, context, {
    account,
    signup: signupOf(input),
    referrer: { promoter, promoterCampaign, visitor: null },
    entry_source: "manual_affiliate",
    state: "pending",
    is_proposal: true,
    ids: { lead_id: await tx.nextId("lead"), event_id: null },
  });
  return lead;
}

/**
 * Changes a promoter's description of a lead that waits for approval. Undefined fields stay unchanged. The
 * e-mail address can't be changed, so that the company approves the person that it has checked.
 *
 * @throws Failure `not_found` for another promoter's lead, `refused` for one that does not wait
 */
export async function updateProposal(
  tx: Transaction,
  context: Context,
  wanted: OwnRecord,
  changes: { [Field in keyof ProposalDetails]?: ProposalDetails[Field] | undefined },
): Promise<Lead> {
  const before = await loadProposal(tx, wanted);
  const { first_name, last_name, website, comment } = changes;
  const after: Lead = {
    ...before,
    first_name: first_name === undefined ? before.first_name : first_name,
    last_name: last_name === undefined ? before.last_name : last_name,
    website: website === undefined ? before.website : website,
    comment: comment === undefined ? before.comment : comment,
  };
  await tx.put(leads, after);
  await announce(tx, context, { entity: "referral", before, after });
  return after;
}

/**
 * Withdraws a lead that waits for approval.
 *
 * @throws Failure like `updateProposal`
 */
export async function removeProposal(tx: Transaction, context: Context, wanted: OwnRecord): Promise<void> {
  const lead = await loadProposal(tx, wanted);
  await tx.remove(leads, lead.account_id, lead.id);
  await announce(tx, context, { entity: "referral", before: lead, after: null });
}

/** A lead of this promoter. @throws Failure `not_found`, also for another promoter's */
export async function loadOwnLead(reader: Reader, { account_id, promoter_id, id }: OwnRecord): Promise<Lead> {
  const lead = await reader.get(leads, account_id, id);
  if (lead === null || lead.archived_at || lead.promoter_id !== promoter_id)
    throw new Failure("not_found", "Lead not found.");
  return lead;
}

/** The result of importing one record. */
export type Imported = "added" | "changed" | "known";

/** Identifies a promoter. If both fields are given, the ref token decides. */
export interface PromoterName {
  ref_token: string | null;
  promoterEmail: string | null;
}

/** A lead of another program. Null fields are unknown. */
interface ImportedLead extends PromoterName {
  details: LeadDetails;
  state: LeadState;
  plan_id: string | null;
  customer_since: Date | null;
  cancelled_at: Date | null;
  created_at: Date | null;
}

/**
 * Imports a lead of another program, without suspicion and without a sign-up event, which may still follow. A
 * known lead stays unchanged, unless it is now a customer by the import. Each line is a transaction of its own.
 *
 * @throws Failure `not_found` for an unknown promoter, `already_registered` if the e-mail address and the uid
 * belong to two different leads
 * @see docs/spec/events.md "Webhooks" on imports
 */
export async function importLead(context: Context, account: Account, input: ImportedLead): Promise<Imported> {
  const { store, now } = context;
  const id = await store.nextId("lead");
  return store.transact(async (tx) => {
    const known = await findKnownLead(tx, account.id, input.details);
    if (known !== null) return takeCustomer(tx, known, input);
    const { promoter_id, campaign_id, id: promoterCampaignId } = await loadNamedOwner(tx, account.id, input);
    const createdAt = (input.created_at ?? input.customer_since ?? now).toISOString();
    const lead = newLead({
      account_id: account.id,
      id,
      promoter_campaign_id: promoterCampaignId,
      promoter_id,
      campaign_id,
      state: input.state,
      ...input.details,
      plan_id: input.plan_id,
      skip_email_notification: true,
      customer_since: input.customer_since?.toISOString() ?? null,
      cancelled_at: input.cancelled_at?.toISOString() ?? null,
      created_at: createdAt,
    });
    await tx.insert(leads, withHistory(null, lead, lead.customer_since ?? createdAt));
    return "added";
  });
}

/** The promoter campaign that a name leads to, in any state. @throws Failure `missing` or `not_found` */
export async function loadNamedOwner(
  tx: Transaction,
  accountId: number,
  { ref_token, promoterEmail }: PromoterName,
): Promise<PromoterCampaign> {
  if (ref_token === null && promoterEmail === null)
    throw new Failure("missing", "ref_id or promoter_email is missing");
  const owner =
    ref_token === null
      ? await findDefaultPromoterCampaign(tx, accountId, promoterEmail ?? "")
      : await findByRefToken(tx, accountId, ref_token);
  return requirePromoter(tx, owner);
}

/** A promoter campaign whose promoter exists and is not erased. @throws Failure `not_found` */
export async function requirePromoter(
  tx: Transaction,
  owner: PromoterCampaign | null,
): Promise<PromoterCampaign> {
  const promoter = owner && (await tx.get(promoters, owner.account_id, owner.promoter_id));
  if (owner === null || promoter === null || isErased(promoter)) {
    throw new Failure("not_found", "the promoter was not found");
  }
  return owner;
}

async function refuseKnown(tx: Transaction, accountId: number, { details }: CreatedLead): Promise<void> {
  const { email, uid } = details;
  const fields: FieldErrors = {};
  if (email !== null && (await findLeadByEmail(tx, accountId, email)) !== null) fields["email"] = [TAKEN];
  if (uid !== null && (await findLeadByUid(tx, accountId, uid)) !== null) fields["uid"] = [TAKEN];
  refuseTaken(fields);
}

async function loadReferrer(
  tx: Transaction,
  { now }: Context,
  { account, input }: { account: Account; input: CreatedLead },
): Promise<Referrer> {
  const { promoter_campaign_id, tid, ref_token, promoter_id = null, promoterEmail } = input;
  if (promoter_campaign_id !== null) {
    const promoterCampaign = await loadOwner(tx, account.id, promoter_campaign_id);
    const promoter = await loadPromoter(tx, account.id, promoterCampaign.promoter_id);
    const visitor = tid === null ? null : await findVisitor(tx, account.id, { tid, now });
    return { promoterCampaign, promoter, visitor };
  }
  if ((tid ?? ref_token ?? promoter_id ?? promoterEmail) === null) {
    throw new Failure("missing", "You need to name the promoter by promotion_id or ref_id.");
  }
  const referrer = await findReferrer(tx, account.id, { tid, ref_token, promoter_id, promoterEmail, now });
  if (referrer === null) throw new Failure("not_found", "Promotion not found.");
  return referrer;
}

/** The company reviews each one, so their number is limited. */
const MOST_PROPOSALS = 100;

async function refuseUnwanted(tx: Transaction, promoterCampaign: PromoterCampaign): Promise<void> {
  const { account_id, campaign_id, promoter_id } = promoterCampaign;
  requireAccepted(promoterCampaign);
  const { promoters_may_add_leads } = await loadCampaign(tx, account_id, campaign_id);
  if (!promoters_may_add_leads) throw new Failure("refused", "This campaign does not accept leads by hand.");
  // Otherwise two concurrent requests could both create the last one.
  await tx.lock(promoters, account_id, promoter_id);
  if ((await tx.view.count(leads, "proposals", account_id, [promoter_id])) < MOST_PROPOSALS) return;
  throw new Failure("refused", `${MOST_PROPOSALS} of your leads wait for approval; add more later.`);
}

/** Without an e-mail to the promoter, who made the proposal. */
function signupOf({ comment, ...details }: ProposalDetails & { email: string }): NewLead["signup"] {
  return {
    details: { uid: null, username: null, custom_fields: null, sub_id: null, ...details },
    address: null,
    created_at: null,
    skip_email_notification: true,
    comment,
  };
}

async function loadProposal(tx: Transaction, wanted: OwnRecord): Promise<Lead> {
  const lead = await loadOwnLead(tx, wanted);
  if (isProposed(lead)) return lead;
  throw new Failure("refused", "You can change only leads that you added and that wait for approval.");
}

async function takeCustomer(tx: Transaction, known: Lead, input: ImportedLead): Promise<Imported> {
  if (input.customer_since === null || known.customer_since !== null) return "known";
  const after: Lead = {
    ...known,
    // An import does not lift the company's own denial.
    state: known.state === "denied" ? "denied" : input.state,
    plan_id: input.plan_id ?? known.plan_id,
    uid: known.uid ?? input.details.uid,
    email: known.email ?? input.details.email,
    customer_since: input.customer_since.toISOString(),
    cancelled_at: input.cancelled_at?.toISOString() ?? null,
  };
  await tx.put(leads, withHistory(known, after, input.customer_since.toISOString()));
  return "changed";
}

async function findDefaultPromoterCampaign(
  tx: Transaction,
  accountId: number,
  email: string,
): Promise<PromoterCampaign | null> {
  const promoter = await findPromoterByEmail(tx, accountId, email);
  return promoter && tx.get(promoterCampaigns, accountId, promoter.default_promoter_campaign_id);
}

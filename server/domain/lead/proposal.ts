import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { loadPromoterInUse, promoters } from "../promoter/promoter.ts";
import { loadOwnPromoterCampaign, type OwnRecord } from "../promoter-campaign/promoter-campaign.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Show } from "../show.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { isProposed } from "./lead-facts.ts";
import { leads } from "./lead.ts";
import { addLead, type NewLead } from "./new-lead.ts";
import { requireAccepted } from "./owner.ts";
import type { Lead } from "./record.ts";

/** Choice: the company looks at each one, so nobody may send it more at once. */
const MOST_PROPOSALS = 100;

/** A promoter's words about a lead. null: none. */
export type ProposalDetails = Pick<Lead, "firstName" | "lastName" | "website"> & { comment: string | null };

interface NewProposal extends ProposalDetails {
  promoterId: number;
  promoterCampaignId: number;
  email: string;
}

/**
 * Adds a lead that a promoter knows, in the state `pending`.
 *
 * Choice: every address is accepted, also that of a person who is a lead already. The promoter would otherwise learn
 * from a refusal who the company's customers are. The approval refuses a known person, and only the company sees that.
 *
 * The address that the request came from is the promoter's own, so it says nothing about the lead.
 *
 * @throws Failure `not_found` for a promoter campaign that is not the promoter's, `refused` if the campaign takes no
 * leads by hand or too many wait, `taken` if the promoter has proposed the person before
 */
export async function proposeLead<T>(
  context: Context,
  account: Account,
  { show, promoterId, promoterCampaignId, ...input }: NewProposal & { show: Show<Lead, T> },
): Promise<T> {
  const leadId = await context.store.nextId("lead");
  return context.store.transact(async (tx) => {
    const promoter = await loadPromoterInUse(tx, account.id, promoterId);
    const own = { accountId: account.id, promoterId, id: promoterCampaignId };
    const promoterCampaign = await loadOwnPromoterCampaign(tx, own);
    await refuseUnwanted(tx, promoterCampaign);
    const { lead } = await addLead(tx, context, {
      account,
      signup: signupOf(input),
      referrer: { promoter, promoterCampaign, visitor: null },
      entrySource: "manual_affiliate",
      state: "pending",
      isProposal: true,
      ids: { leadId, eventId: null },
    });
    return show(tx.view, lead);
  });
}

async function refuseUnwanted(tx: Transaction, promoterCampaign: PromoterCampaign): Promise<void> {
  const { accountId, campaignId, promoterId } = promoterCampaign;
  requireAccepted(promoterCampaign);
  const { promotersMayAddLeads } = await loadCampaign(tx, accountId, campaignId);
  if (!promotersMayAddLeads) throw new Failure("refused", "This campaign takes no leads by hand.");
  // Two proposals can't both be the last one.
  await tx.lock(promoters, accountId, promoterId);
  if ((await tx.view.count(leads, "proposals", accountId, [promoterId])) < MOST_PROPOSALS) return;
  throw new Failure("refused", `${MOST_PROPOSALS} of your leads wait for approval; add more later.`);
}

/** Choice: without an e-mail to the promoter, who knows what they did. */
function signupOf({ comment, ...details }: ProposalDetails & { email: string }): NewLead["signup"] {
  return {
    details: { uid: null, username: null, customFields: null, subId: null, ...details },
    address: null,
    createdAt: null,
    skipEmailNotification: true,
    comment: comment ?? undefined,
  };
}

/**
 * Changes what a promoter says about a lead that waits for approval. undefined: unchanged.
 *
 * Choice: the e-mail address stays, so that the company approves the person that it has looked at.
 *
 * @throws Failure `not_found` for another promoter's lead, `refused` for one that does not wait
 */
export function updateProposal<T>(
  context: Context,
  wanted: OwnRecord,
  {
    show,
    ...changes
  }: { [Field in keyof ProposalDetails]: ProposalDetails[Field] | undefined } & { show: Show<Lead, T> },
): Promise<T> {
  return context.store.transact(async (tx) => {
    const before = await loadProposal(tx, wanted);
    const { firstName, lastName, website, comment } = changes;
    const after: Lead = {
      ...before,
      firstName: firstName === undefined ? before.firstName : firstName,
      lastName: lastName === undefined ? before.lastName : lastName,
      website: website === undefined ? before.website : website,
      comment: comment === undefined ? before.comment : (comment ?? undefined),
    };
    await tx.put(leads, after);
    await announce(tx, context, { entity: "referral", before, after });
    return show(tx.view, after);
  });
}

/** Takes a lead back that waits for approval. @throws Failure as `updateProposal` */
export async function removeProposal(context: Context, wanted: OwnRecord): Promise<void> {
  await context.store.transact(async (tx) => {
    const lead = await loadProposal(tx, wanted);
    await tx.remove(leads, lead.accountId, lead.id);
    await announce(tx, context, { entity: "referral", before: lead, after: null });
  });
}

/** A lead of this promoter. @throws Failure `not_found`, also for another promoter's */
export async function loadOwnLead(reader: Reader, { accountId, promoterId, id }: OwnRecord): Promise<Lead> {
  const lead = await reader.get(leads, accountId, id);
  if (lead === null || lead.archivedAt || lead.promoterId !== promoterId)
    throw new Failure("not_found", "Lead not found.");
  return lead;
}

async function loadProposal(tx: Transaction, wanted: OwnRecord): Promise<Lead> {
  const lead = await loadOwnLead(tx, wanted);
  if (isProposed(lead)) return lead;
  throw new Failure("refused", "You can change only leads that you added and that wait for approval.");
}

import { Failure } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import type { Lead, LeadState } from "./record.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { isErased } from "../erasure/erased.ts";
import { withHistory } from "./customer-history.ts";
import { findKnownLead, leads, newLead, type LeadDetails } from "./lead.ts";
import { findPromoterByEmail, promoters } from "../promoter/promoter.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { findByRefToken } from "../promoter-campaign/ref-token.ts";

/** The result of importing one record. */
export type Imported = "added" | "changed" | "known";

/** Names a promoter. If both are given, the ref token decides. */
export interface PromoterName {
  refToken: string | null;
  promoterEmail: string | null;
}

/** A lead of another program. null: unknown. */
export interface ImportedLead extends PromoterName {
  details: LeadDetails;
  state: LeadState;
  planName: string | null;
  customerSince: Date | null;
  cancelledAt: Date | null;
  createdAt: Date | null;
}

/**
 * Imports a lead of another program, without suspicion and without a sign-up event, which may still follow. A known
 * lead stays unchanged, unless the import says that it is now a customer.
 *
 * Choice: imports are history, so neither webhooks nor promoters are notified.
 *
 * @throws Failure `not_found` for an unknown promoter, `already_registered` if the e-mail address and the uid belong
 * to two different leads
 */
export async function importLead(context: Context, account: Account, input: ImportedLead): Promise<Imported> {
  const { store, now } = context;
  const id = await store.nextId("lead");
  return store.transact(async (tx) => {
    const known = await findKnownLead(tx, account.id, input.details);
    if (known !== null) return takeCustomer(tx, known, input);
    const { promoterId, campaignId, id: promoterCampaignId } = await loadNamedOwner(tx, account.id, input);
    const createdAt = (input.createdAt ?? input.customerSince ?? now).toISOString();
    const lead = newLead({
      accountId: account.id,
      id,
      promoterCampaignId,
      promoterId,
      campaignId,
      state: input.state,
      ...input.details,
      planName: input.planName,
      skipEmailNotification: true,
      customerSince: input.customerSince?.toISOString() ?? null,
      cancelledAt: input.cancelledAt?.toISOString() ?? null,
      createdAt,
    });
    await tx.insert(leads, withHistory(null, lead, lead.customerSince ?? createdAt));
    return "added";
  });
}

/** The promoter campaign that a name leads to, in any state. @throws Failure `missing` or `not_found` */
export async function loadNamedOwner(
  tx: Transaction,
  accountId: number,
  { refToken, promoterEmail }: PromoterName,
): Promise<PromoterCampaign> {
  if (refToken === null && promoterEmail === null)
    throw new Failure("missing", "ref_id or promoter_email is missing");
  const owner =
    refToken === null
      ? await findDefaultPromoterCampaign(tx, accountId, promoterEmail ?? "")
      : await findByRefToken(tx, accountId, refToken);
  return requirePromoter(tx, owner);
}

/** A promoter campaign whose promoter exists and is not erased. @throws Failure `not_found` */
export async function requirePromoter(
  tx: Transaction,
  owner: PromoterCampaign | null,
): Promise<PromoterCampaign> {
  const promoter = owner && (await tx.get(promoters, owner.accountId, owner.promoterId));
  if (owner === null || promoter === null || isErased(promoter)) {
    throw new Failure("not_found", "the promoter was not found");
  }
  return owner;
}

async function findDefaultPromoterCampaign(
  tx: Transaction,
  accountId: number,
  email: string,
): Promise<PromoterCampaign | null> {
  const promoter = await findPromoterByEmail(tx, accountId, email);
  return promoter && tx.get(promoterCampaigns, accountId, promoter.defaultPromoterCampaignId);
}

async function takeCustomer(tx: Transaction, known: Lead, input: ImportedLead): Promise<Imported> {
  if (input.customerSince === null || known.customerSince !== null) return "known";
  const after: Lead = {
    ...known,
    // Choice: a file of another program does not lift the company's own denial.
    state: known.state === "denied" ? "denied" : input.state,
    planName: input.planName ?? known.planName,
    uid: known.uid ?? input.details.uid,
    email: known.email ?? input.details.email,
    customerSince: input.customerSince.toISOString(),
    cancelledAt: input.cancelledAt?.toISOString() ?? null,
  };
  await tx.put(leads, withHistory(known, after, input.customerSince.toISOString()));
  return "changed";
}

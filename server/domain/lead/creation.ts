import { Failure, type FieldErrors } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import type { Context } from "../context.ts";
import { loadPromoter } from "../promoter/promoter.ts";
import type { Show } from "../show.ts";
import { refuseTaken, TAKEN } from "../../storage/taken.ts";
import type { Transaction } from "../../storage/store.ts";
import { findVisitor } from "../visitor/visitor.ts";
import { findLeadByEmail, findLeadByUid } from "./lead.ts";
import { addLead } from "./new-lead.ts";
import { loadOwner } from "./owner.ts";
import type { EntrySource, Lead, Split } from "./record.ts";
import { findReferrer, type Referrer } from "./referrer.ts";
import type { Signup } from "./signup.ts";
import { checkSplits } from "./splits.ts";

/** A lead that the company adds by itself. A sign-up may still follow. */
export interface CreatedLead extends Pick<
  Signup,
  "details" | "tid" | "refToken" | "promoterEmail" | "address" | "createdAt" | "skipEmailNotification"
> {
  /** null: the ref id, the promoter's e-mail address or the tid names the promoter. */
  promoterCampaignId: number | null;
  /** null: `cookie` if a visit is known, otherwise `api`. */
  entrySource: EntrySource | null;
  splits: Split[] | null;
}

/**
 * Adds a lead to a promoter campaign.
 *
 * @throws Failure `missing` if nothing names the promoter, `not_found`, `refused` for a promoter campaign that is
 * not accepted, `taken` for a known lead, `invalid` for its splits
 */
export async function createLead<T>(
  context: Context,
  account: Account,
  { show, ...input }: CreatedLead & { show: Show<Lead, T> },
): Promise<T> {
  const leadId = await context.store.nextId("lead");
  return context.store.transact(async (tx) => {
    await refuseKnown(tx, account.id, input);
    const referrer = await loadReferrer(tx, context, { account, input });
    const { splits } = input;
    await checkSplits(tx, {
      accountId: account.id,
      promoterCampaignId: referrer.promoterCampaign.id,
      splits,
    });
    const { lead } = await addLead(tx, context, {
      account,
      signup: input,
      referrer,
      splits,
      entrySource: input.entrySource ?? (referrer.visitor === null ? "api" : "cookie"),
      ids: { leadId, eventId: null },
    });
    return show(tx.view, lead);
  });
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
  const { promoterCampaignId, tid, refToken, promoterEmail } = input;
  if (promoterCampaignId !== null) {
    const promoterCampaign = await loadOwner(tx, account.id, promoterCampaignId);
    const promoter = await loadPromoter(tx, account.id, promoterCampaign.promoterId);
    const visitor = tid === null ? null : await findVisitor(tx, account.id, { tid, now });
    return { promoterCampaign, promoter, visitor };
  }
  if (tid === null && refToken === null && promoterEmail === null) {
    throw new Failure("missing", "You need to name the promoter by promotion_id or ref_id.");
  }
  const referrer = await findReferrer(tx, account.id, { tid, refToken, promoterEmail, now });
  if (referrer === null) throw new Failure("not_found", "Promotion not found.");
  return referrer;
}

import { Failure } from "../../failure.ts";
import { digest } from "../../storage/digests.ts";
import type { Transaction } from "../../storage/store.ts";
import { createdBy, type Context } from "../context.ts";
import { refuseErased } from "../erasure/erased.ts";
import { announce } from "../event/event.ts";
import { loadLead, type LeadSelector } from "../lead/lead.ts";
import { ensureNonCashPayout } from "../payout/non-cash.ts";
import { loadPromoter } from "../promoter/promoter.ts";
import { loadPromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import { findByRefToken } from "../promoter-campaign/ref-token.ts";
import type { Show } from "../show.ts";
import { commissions, newCommission } from "./commission.ts";
import type { Commission } from "./record.ts";
import { commissionSources } from "./source.ts";

/** Says who gets a commission. The first given field decides: the lead's own promoter, or the promoter campaign's. */
export interface Earner {
  lead?: LeadSelector | undefined;
  promoterCampaignId?: number | undefined;
  refToken?: string | undefined;
}

type Given = Pick<Commission, "unit" | "amount" | "status"> &
  Partial<Pick<Commission, "eventId" | "billingPeriod" | "isSilent" | "internalNote" | "externalNote">>;

/** A commission that the company gives by hand: a bonus, or an adjustment. */
export interface CustomCommission<T> {
  earner: Earner;
  given: Given;
  /** null: now. */
  createdAt: Date | null;
  show: Show<Commission, T>;
}

/**
 * Records a commission with a given amount, which no rule has computed.
 *
 * Choice: the company decides. It may give one to a blocked promoter, or for a denied lead. A negative amount
 * of cash corrects an earlier one. Other units are handed out one by one, so a negative amount could not take
 * them back.
 *
 * @throws Failure `missing` if nobody is named, `not_found`, `invalid`, `refused` for an erased promoter,
 * `already_registered` for a repeated event id
 */
export async function createCommission<T>(
  context: Context,
  accountId: number,
  { earner, given, createdAt, show }: CustomCommission<T>,
): Promise<T> {
  refuseAmount(given);
  const id = await context.store.nextId("commission");
  return context.store.transact(async (tx) => {
    const owner = await ownerOf(tx, accountId, earner);
    refuseErased(await loadPromoter(tx, accountId, owner.promoterId));
    const commission = newCommission({
      accountId,
      id,
      ...owner,
      ...given,
      createdAt: (createdAt ?? context.now).toISOString(),
      ...createdBy(context),
    });
    await claimEvent(tx, commission);
    await tx.insert(commissions, commission);
    await announce(tx, context, { entity: "commission", before: null, after: commission });
    return show(tx.view, await ensureNonCashPayout(tx, context, commission));
  });
}

/**
 * Makes sure that a repeated request gives nothing twice.
 *
 * Choice: one event may give commissions to several promoter campaigns and in several units, and a negative one may
 * correct an earlier one. Whoever deletes a commission may give it again.
 */
async function claimEvent(tx: Transaction, commission: Commission): Promise<void> {
  const { accountId, id, promoterCampaignId, eventId, unit, amount } = commission;
  if (eventId === null) return;
  const sourceHash = digest(`given ${JSON.stringify([eventId, promoterCampaignId, unit, amount < 0])}`);
  const known = await tx.get(commissionSources, accountId, sourceHash);
  if (known !== null && (await tx.get(commissions, accountId, known.commissionId)) !== null) {
    throw new Failure("already_registered", `A commission with the event id '${eventId}' already exists.`);
  }
  await tx.put(commissionSources, { accountId, sourceHash, commissionId: id });
}

function refuseAmount({ unit, amount }: Given): void {
  const fault = amount === 0 ? "must not be 0" : "must be positive, unless it is cash";
  if (amount > 0 || (amount < 0 && unit === "cash")) return;
  throw new Failure("invalid", `Validation failed: amount ${fault}`, { amount: [fault] });
}

type Owner = Pick<Commission, "leadId" | "origin" | "promoterCampaignId" | "promoterId" | "campaignId">;

async function ownerOf(tx: Transaction, accountId: number, earner: Earner): Promise<Owner> {
  if (earner.lead !== undefined) {
    const lead = await loadLead(tx, accountId, earner.lead);
    const { origin, promoterCampaignId, promoterId, campaignId } = lead;
    // Read by key, so that the commit fails if the promoter is deleted meanwhile.
    await loadPromoterCampaign(tx, accountId, promoterCampaignId);
    return { leadId: lead.id, origin, promoterCampaignId, promoterId, campaignId };
  }
  const { id, promoterId, campaignId } = await promoterCampaignOf(tx, accountId, earner);
  return { leadId: null, origin: null, promoterCampaignId: id, promoterId, campaignId };
}

async function promoterCampaignOf(
  tx: Transaction,
  accountId: number,
  { promoterCampaignId, refToken }: Earner,
): Promise<PromoterCampaign> {
  if (promoterCampaignId !== undefined) return loadPromoterCampaign(tx, accountId, promoterCampaignId);
  if (refToken === undefined) {
    throw new Failure(
      "missing",
      "You need to pass a lead (lead_id, uid or email), or promotion_id or ref_id.",
    );
  }
  const found = await findByRefToken(tx, accountId, refToken);
  if (found === null) throw new Failure("not_found", "Promotion not found.");
  return found;
}

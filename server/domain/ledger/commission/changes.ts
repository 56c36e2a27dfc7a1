import { Failure } from "../../../failure.ts";
import { digest } from "../../../storage/digests.ts";
import type { Transaction } from "../../../storage/store.ts";
import { createdBy, type Context } from "../../context.ts";
import { refuseErased } from "../../people/erased.ts";
import { announceMoney } from "../announcement.ts";
import { loadLead } from "../../people/lead/search.ts";
import type { Lead, LeadSelector } from "../../people/lead/lead.ts";
import { ensureNonCashPayout } from "../payout/creation.ts";
import { refuseSettled, settlementOf, withdrawFromPayouts } from "../payout/status.ts";
import {
  loadPromoterCampaign,
  findByRefToken,
  type PromoterCampaign,
} from "../../people/promoter-campaign/promoter-campaign.ts";
import { loadPromoter } from "../../people/promoter/promoter.ts";
import { refunds, sales } from "../sale/sale.ts";
import type { Show } from "../../show.ts";
import {
  commissions,
  commissionSources,
  newCommission,
  type Commission,
  type CommissionNotes,
} from "./commission.ts";
import { loadCommission, withTakeBacks } from "./review.ts";

/**
 * Names the earner of a commission. The first given field decides: the lead's own promoter, or the promoter
 * campaign's.
 */
export interface Earner {
  lead?: LeadSelector | undefined;
  promoterCampaignId?: number | undefined;
  refToken?: string | undefined;
}

/** A commission that the company gives by hand: a bonus, or an adjustment. */
interface CustomCommission<T> {
  earner: Earner;
  given: Given;
  /** Null for now. */
  createdAt: Date | null;
  show: Show<Commission, T>;
}

type Given = Pick<Commission, "unit" | "amount" | "status"> &
  Partial<Pick<Commission, "eventId" | "billingPeriod" | "isSilent" | "internalNote" | "externalNote">>;

/**
 * Records a commission with a given amount, which no rule has computed. The company may give one to a blocked
 * promoter, or for a denied lead. Only cash may be negative, because other units are handed out one by one
 * and can't be taken back.
 *
 * @throws Failure `missing` if no earner is named, `not_found`, `invalid`, `refused` for an erased promoter,
 * `already_registered` for a repeated event id
 * @see docs/spec/v2.md "Create a commission"
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
    await announceMoney(tx, context, { entity: "commission", before: null, after: commission });
    return show(tx.view, await ensureNonCashPayout(tx, context, commission));
  });
}

type NoteChanges = { [F in keyof CommissionNotes]?: CommissionNotes[F] | undefined };

/**
 * Changes the notes on a commission, even on a paid one.
 *
 * @throws Failure `not_found`, or `refused` if the promoter was erased
 */
export function annotateCommission<T>(
  context: Context,
  accountId: number,
  { id, notes, show }: { id: number; notes: NoteChanges; show: Show<Commission, T> },
): Promise<T> {
  return context.store.transact(async (tx) => {
    const before = await loadCommission(tx, accountId, id);
    refuseErased(await loadPromoter(tx, accountId, before.promoterId));
    const { internalNote = before.internalNote, externalNote = before.externalNote } = notes;
    const after = { ...before, internalNote, externalNote };
    await tx.put(commissions, after);
    await announceMoney(tx, context, { entity: "commission", before, after });
    return show(tx.view, after);
  });
}

/**
 * Moves the commissions that a lead earned for its promoter to another promoter campaign. They leave their
 * pending payouts. Paid ones, and those whose money may be on its way, never move. A paid commission stays
 * with those that take it back; otherwise the new promoter would pay back money that the former one got.
 *
 * @see docs/spec/money.md "Refunds, cancellations and moves"
 */
export async function moveCommissions(
  tx: Transaction,
  context: Context,
  { lead, target }: { lead: Lead; target: PromoterCampaign },
): Promise<void> {
  const moving = await movableCommissions(tx, lead);
  const freed = await withdrawFromPayouts(tx, context, moving);
  for (const [at, before] of moving.entries()) {
    const after = {
      ...freed[at]!,
      promoterCampaignId: target.id,
      promoterId: target.promoterId,
      campaignId: target.campaignId,
    };
    await tx.put(commissions, after);
    await announceMoney(tx, context, { entity: "commission", before, after });
  }
}

/** Whether it was earned as the lead's own promoter: not as a parent or as a sharer in another's lead. */
function isOwn({ tierLevel, staysOnMove }: Commission): boolean {
  return tierLevel === 1 && staysOnMove !== true;
}

/**
 * Deletes a commission with those that take it back. They leave their pending payout.
 *
 * @throws Failure `not_found`, or `refused` if it is paid, or its payout is not pending
 */
export function destroyCommission(context: Context, accountId: number, id: number): Promise<void> {
  return context.store.transact(async (tx) => {
    const family = await withTakeBacks(tx, await loadCommission(tx, accountId, id));
    for (const each of family) await refuseSettled(tx, each);
    await removeCommissions(tx, context, family);
  });
}

/** Deletes commissions whose money has not moved, with all that take them back. */
export async function removeCommissions(
  tx: Transaction,
  context: Context,
  leaving: Commission[],
): Promise<void> {
  await withdrawFromPayouts(tx, context, leaving);
  for (const each of leaving) {
    await forget(tx, each);
    await tx.remove(commissions, each.accountId, each.id);
    await announceMoney(tx, context, { entity: "commission", before: each, after: null });
  }
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

/**
 * Ensures that a repeated request gives nothing twice. After a commission is deleted, it may be given again.
 *
 * @see docs/spec/v2.md "Create a commission"
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

async function movableCommissions(
  tx: Transaction,
  { accountId, id, promoterId }: Lead,
): Promise<Commission[]> {
  const earned = await tx.view.list(commissions, "lead", accountId, [id]);
  const settled = new Set<number>();
  for (const each of earned) {
    if ((await settlementOf(tx, each)) !== null) settled.add(familyOf(each));
  }
  return earned.filter(
    (each) => each.promoterId === promoterId && isOwn(each) && !settled.has(familyOf(each)),
  );
}

/** A commission and those that take it back share this id. */
function familyOf({ id, takesBackId }: Commission): number {
  return takesBackId ?? id;
}

/**
 * Removes a commission from the records that name it: its sale, its refund, and the commission that it takes
 * back.
 */
async function forget(
  tx: Transaction,
  { accountId, id, saleId, refundId, takesBackId }: Commission,
): Promise<void> {
  const others = (ids: number[]) => ids.filter((each) => each !== id);
  const sale = saleId === null ? null : await tx.get(sales, accountId, saleId);
  if (sale !== null) await tx.put(sales, { ...sale, commissionIds: others(sale.commissionIds) });
  const refund = refundId === null ? null : await tx.get(refunds, accountId, refundId);
  if (refund !== null) await tx.put(refunds, { ...refund, commissionIds: others(refund.commissionIds) });
  const original = takesBackId === null ? null : await tx.get(commissions, accountId, takesBackId);
  if (original !== null) {
    const { takenBackByIds, correctedByIds } = original;
    await tx.put(commissions, {
      ...original,
      takenBackByIds: others(takenBackByIds),
      ...(correctedByIds && { correctedByIds: others(correctedByIds) }),
    });
  }
}

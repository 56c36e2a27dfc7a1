import { Failure } from "../../../failure.ts";
import { digest } from "../../../storage/digests.ts";
import type { Transaction } from "../../../storage/store.ts";
import { createdBy, type Context } from "../../context.ts";
import { refuseErased } from "../../people/erased.ts";
import { announceMoney } from "../announcement.ts";
import { NO_ORIGIN, originIn, type Origin } from "../../people/origin.ts";
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
  promoter_campaign_id?: number | undefined;
  ref_token?: string | undefined;
}

/** A commission that the company gives by hand: a bonus, or an adjustment. */
interface CustomCommission {
  earner: Earner;
  given: Given;
  /** Null for now. */
  created_at: Date | null;
}

type Given = Pick<Commission, "unit" | "amount" | "status"> &
  Partial<Pick<Commission, "event_id" | "billing_period" | "is_silent" | "internal_note" | "external_note">>;

/**
 * Records a commission with a given amount, which no rule has computed. The company may give one to a blocked
 * promoter, or for a denied lead. Only cash may be negative, because other units are handed out one by one
 * and can't be taken back.
 *
 * @throws Failure `missing` if no earner is named, `not_found`, `invalid`, `refused` for an erased promoter,
 * `already_registered` for a repeated event id
 * @see docs/spec/v2.md "Create a commission"
 */
export async function createCommission(
  tx: Transaction,
  context: Context,
  accountId: number,
  { earner, given, created_at }: CustomCommission,
): Promise<Commission> {
  refuseAmount(given);
  const id = await tx.nextId("commission");
  const owner = await ownerOf(tx, accountId, earner);
  refuseErased(await loadPromoter(tx, accountId, owner.promoter_id));
  const commission = newCommission({
    account_id: accountId,
    id,
    ...owner,
    ...given,
    created_at: (created_at ?? context.now).toISOString(),
    ...createdBy(context),
  });
  await claimEvent(tx, commission);
  await tx.insert(commissions, commission);
  await announceMoney(tx, context, { entity: "commission", before: null, after: commission });
  return ensureNonCashPayout(tx, context, commission);
}

type NoteChanges = { [F in keyof CommissionNotes]?: CommissionNotes[F] | undefined };

/**
 * Changes the notes on a commission, even on a paid one.
 *
 * @throws Failure `not_found`, or `refused` if the promoter was erased
 */
export async function annotateCommission(
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, changes }: { id: number; changes: NoteChanges },
): Promise<Commission> {
  const before = await loadCommission(tx, accountId, id);
  refuseErased(await loadPromoter(tx, accountId, before.promoter_id));
  const { internal_note = before.internal_note, external_note = before.external_note } = changes;
  const after = { ...before, internal_note, external_note };
  await tx.put(commissions, after);
  await announceMoney(tx, context, { entity: "commission", before, after });
  return after;
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
      promoter_campaign_id: target.id,
      promoter_id: target.promoter_id,
      campaign_id: target.campaign_id,
    };
    await tx.put(commissions, after);
    await announceMoney(tx, context, { entity: "commission", before, after });
  }
}

/** Whether it was earned as the lead's own promoter: not as a parent or as a sharer in another's lead. */
function isOwn({ tier, stays_on_move }: Commission): boolean {
  return tier === 1 && stays_on_move !== true;
}

/**
 * Deletes a commission with those that take it back. They leave their pending payout.
 *
 * @throws Failure `not_found`, or `refused` if it is paid, or its payout is not pending
 */
export async function destroyCommission(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<void> {
  const family = await withTakeBacks(tx, await loadCommission(tx, accountId, id));
  for (const each of family) await refuseSettled(tx, each);
  await removeCommissions(tx, context, family);
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
    await tx.remove(commissions, each.account_id, each.id);
    await announceMoney(tx, context, { entity: "commission", before: each, after: null });
  }
}

function refuseAmount({ unit, amount }: Given): void {
  const fault = amount === 0 ? "must not be 0" : "must be positive, unless it is cash";
  if (amount > 0 || (amount < 0 && unit === "cash")) return;
  throw new Failure("invalid", `Validation failed: amount ${fault}`, { amount: [fault] });
}

type Owner = Pick<Commission, "lead_id" | "promoter_campaign_id" | "promoter_id" | "campaign_id"> & Origin;

async function ownerOf(tx: Transaction, accountId: number, earner: Earner): Promise<Owner> {
  if (earner.lead !== undefined) {
    const lead = await loadLead(tx, accountId, earner.lead);
    const { promoter_campaign_id, promoter_id, campaign_id } = lead;
    // Read by key, so that the commit fails if the promoter is deleted meanwhile.
    await loadPromoterCampaign(tx, accountId, promoter_campaign_id);
    return { lead_id: lead.id, ...originIn(lead), promoter_campaign_id, promoter_id, campaign_id };
  }
  const { id, promoter_id, campaign_id } = await promoterCampaignOf(tx, accountId, earner);
  return { lead_id: null, ...NO_ORIGIN, promoter_campaign_id: id, promoter_id, campaign_id };
}

async function promoterCampaignOf(
  tx: Transaction,
  accountId: number,
  { promoter_campaign_id, ref_token }: Earner,
): Promise<PromoterCampaign> {
  if (promoter_campaign_id !== undefined) return loadPromoterCampaign(tx, accountId, promoter_campaign_id);
  if (ref_token === undefined) {
    throw new Failure(
      "missing",
      "You need to pass a lead (lead_id, uid or email), or promotion_id or ref_id.",
    );
  }
  const found = await findByRefToken(tx, accountId, ref_token);
  if (found === null) throw new Failure("not_found", "Promotion not found.");
  return found;
}

/**
 * Ensures that a repeated request gives nothing twice. After a commission is deleted, it may be given again.
 *
 * @see docs/spec/v2.md "Create a commission"
 */
async function claimEvent(tx: Transaction, commission: Commission): Promise<void> {
  const { account_id, id, promoter_campaign_id, event_id, unit, amount } = commission;
  if (event_id === null) return;
  const sourceHash = digest(`given ${JSON.stringify([event_id, promoter_campaign_id, unit, amount < 0])}`);
  const known = await tx.get(commissionSources, account_id, sourceHash);
  if (known !== null && (await tx.get(commissions, account_id, known.commission_id)) !== null) {
    throw new Failure("already_registered", `A commission with the event id '${event_id}' already exists.`);
  }
  await tx.put(commissionSources, { account_id, source_hash: sourceHash, commission_id: id });
}

async function movableCommissions(
  tx: Transaction,
  { account_id, id, promoter_id }: Lead,
): Promise<Commission[]> {
  const earned = await tx.view.list(commissions, "lead", account_id, [id]);
  const settled = new Set<number>();
  for (const each of earned) {
    if ((await settlementOf(tx, each)) !== null) settled.add(familyOf(each));
  }
  return earned.filter(
    (each) => each.promoter_id === promoter_id && isOwn(each) && !settled.has(familyOf(each)),
  );
}

/** A commission and those that take it back share this id. */
function familyOf({ id, takes_back_id }: Commission): number {
  return takes_back_id ?? id;
}

/**
 * Removes a commission from the records that name it: its sale, its refund, and the commission that it takes
 * back.
 */
async function forget(
  tx: Transaction,
  { account_id, id, sale_id, refund_id, takes_back_id }: Commission,
): Promise<void> {
  const others = (ids: number[]) => ids.filter((each) => each !== id);
  const sale = sale_id === null ? null : await tx.get(sales, account_id, sale_id);
  if (sale !== null) await tx.put(sales, { ...sale, commission_ids: others(sale.commission_ids) });
  const refund = refund_id === null ? null : await tx.get(refunds, account_id, refund_id);
  if (refund !== null) await tx.put(refunds, { ...refund, commission_ids: others(refund.commission_ids) });
  const original = takes_back_id === null ? null : await tx.get(commissions, account_id, takes_back_id);
  if (original !== null) {
    const { taken_back_by_ids, corrected_by_ids } = original;
    await tx.put(commissions, {
      ...original,
      taken_back_by_ids: others(taken_back_by_ids),
      ...(corrected_by_ids && { corrected_by_ids: others(corrected_by_ids) }),
    });
  }
}

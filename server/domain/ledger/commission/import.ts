import { Failure } from "../../../failure.ts";
import type { Account } from "../../program/account/account.ts";
import {
  commissions,
  commissionSources,
  newCommission,
  type CommissionStatus,
  type CommissionSource,
} from "./commission.ts";
import type { Lead } from "../../people/lead/lead.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../../people/promoter-campaign/promoter-campaign.ts";
import type { Unit } from "../../money.ts";
import { digest } from "../../../storage/digests.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { book } from "../books/entry.ts";
import { ensureNonCashPayout } from "../payout/creation.ts";
import { joinSale } from "../sale/import.ts";
import { refuseSettled, withdrawFromPayouts } from "../payout/status.ts";
import { findKnownLead } from "../../people/lead/search.ts";
import {
  loadNamedOwner,
  requirePromoter,
  type Imported,
  type PromoterName,
} from "../../people/lead/creation.ts";

/** The state of a commission in the other program. */
export type ImportedStatus = CommissionStatus | "paid";

/** A later status replaces an earlier one, because the same file may be imported again. */
const RANKS: Record<ImportedStatus, number> = { pending: 0, approved: 1, denied: 1, paid: 2 };

/** A commission of another program. Null fields are unknown. */
export interface ImportedCommission extends PromoterName {
  /** Its id in the other program. */
  source_id: string | null;
  /** The whole line without its status, plus a number to distinguish equal lines. */
  source: string;
  leadEmail: string | null;
  leadUid: string | null;
  unit: Unit;
  /** In cents for `cash`, otherwise in whole units. Negative if a refund took it back. */
  amount: number;
  status: ImportedStatus;
  /** Negative for a refunded amount. */
  sale_amount: number;
  event_id: string | null;
  created_at: Date | null;
}

/**
 * Imports a commission of another program once. If it was paid there, it counts as paid without a payout
 * here. If the same commission is imported again, only its status may change.
 *
 * @throws Failure `missing`, `not_found` for an unknown lead or promoter, `invalid` if its amount differs
 * from the first import
 */
export async function importCommission(
  context: Context,
  account: Account,
  input: ImportedCommission,
): Promise<Imported> {
  const { store, now } = context;
  const id = await store.nextId("commission");
  return store.transact(async (tx) => {
    const sourceHash = digest(await sourceOf(tx, account.id, input));
    const taken = await tx.get(commissionSources, account.id, sourceHash);
    if (taken !== null) return updateStatus(tx, context, { taken, input });
    const lead = await findNamedLead(tx, account.id, input);
    if (lead === null && isLeadNamed(input)) throw new Failure("not_found", "the lead was not found");
    const owner = await ownerOf(tx, account.id, { input, lead });
    if (lead !== null && (await isEarnedHere(tx, lead, { ...input, promoter_id: owner.promoter_id })))
      return "known";
    if (await isOwnRecord(tx, account.id, { ...input, promoter_id: owner.promoter_id })) return "known";
    const commission = newCommission({
      account_id: account.id,
      id,
      promoter_campaign_id: owner.id,
      promoter_id: owner.promoter_id,
      campaign_id: owner.campaign_id,
      lead_id: lead?.id ?? null,
      status: statusOf(input),
      unit: input.unit,
      amount: input.amount,
      event_id: input.event_id,
      sale_amount: input.sale_amount,
      commission_type: input.sale_amount === 0 ? "custom" : "sale",
      ...((await isSaleCounted(tx, account.id, { input, lead })) && { is_of_counted_sale: true as const }),
      is_paid_elsewhere: input.status === "paid",
      ...(lead !== null && lead.promoter_id !== owner.promoter_id && { stays_on_move: true as const }),
      created_at: (input.created_at ?? now).toISOString(),
    });
    const whole = await joinSale(tx, commission);
    await tx.insert(commissions, whole);
    await book(tx, context, { entity: "commission", before: null, after: whole });
    await ensureNonCashPayout(tx, context, whole);
    await tx.put(commissionSources, { account_id: account.id, source_hash: sourceHash, commission_id: id });
    return "added";
  });
}

/**
 * The text that identifies a commission when it is imported again: its id if it has one. Otherwise the event
 * and the lead, plus the promoter if the lead belongs to another one, since several promoters can be paid for
 * one event. A commission that takes back another may name the same event. Without these, it is the whole
 * line except the status.
 */
async function sourceOf(tx: Transaction, accountId: number, input: ImportedCommission): Promise<string> {
  const { source_id, event_id, source, unit, amount } = input;
  if (source_id !== null) return `id ${source_id}`;
  const lead = event_id === null ? null : await findNamedLead(tx, accountId, input);
  if (lead === null) return `line ${source}`;
  const promoterId = isOwnerNamed(input)
    ? (await loadNamedOwner(tx, accountId, input)).promoter_id
    : lead.promoter_id;
  const event = [event_id, lead.id, unit, promoterId === lead.promoter_id ? null : promoterId];
  return `event ${JSON.stringify(amount < 0 ? [...event, "back"] : event)}`;
}

/**
 * Whether a reward here has already given the promoter a commission for the same event. A second one would
 * pay twice.
 */
async function isEarnedHere(
  tx: Transaction,
  { account_id, id: leadId }: Lead,
  { event_id, unit, amount, promoter_id }: ImportedCommission & { promoter_id: number },
): Promise<boolean> {
  if (event_id === null) return false;
  const ofEvent = await tx.view.page(commissions, "event", account_id, [digest(event_id)], { limit: 100 });
  return ofEvent.some(
    (each) =>
      each.reward_id !== null &&
      each.lead_id === leadId &&
      each.promoter_id === promoter_id &&
      each.unit === unit &&
      Math.sign(each.amount) === Math.sign(amount),
  );
}

/** Whether it is a commission of this account, which has exported it: it has this id, and was made at this instant. */
async function isOwnRecord(
  tx: Transaction,
  accountId: number,
  { source_id, created_at, promoter_id, unit, amount }: ImportedCommission & { promoter_id: number },
): Promise<boolean> {
  if (source_id === null || created_at === null || !/^\d{1,15}$/.test(source_id)) return false;
  const own = await tx.get(commissions, accountId, Number(source_id));
  if (own === null || own.promoter_id !== promoter_id || own.unit !== unit) return false;
  return own.amount === amount && own.created_at === created_at.toISOString();
}

/**
 * Whether another commission of the same sale or refund is known: of another unit, tier or part of a split.
 */
async function isSaleCounted(
  tx: Transaction,
  accountId: number,
  { input: { event_id, sale_amount }, lead }: { input: ImportedCommission; lead: Lead | null },
): Promise<boolean> {
  if (event_id === null || lead === null || sale_amount === 0) return false;
  const ofEvent = await tx.view.page(commissions, "event", accountId, [digest(event_id)], { limit: 100 });
  return ofEvent.some(
    (each) => each.lead_id === lead.id && Math.sign(each.sale_amount) === Math.sign(sale_amount),
  );
}

/** Updates the status of a commission that was imported before. */
async function updateStatus(
  tx: Transaction,
  context: Context,
  { taken, input }: { taken: CommissionSource; input: ImportedCommission },
): Promise<Imported> {
  const before = await tx.get(commissions, taken.account_id, taken.commission_id);
  if (before === null) return "known"; // its promoter has been deleted since
  if (before.amount !== input.amount) {
    throw new Failure(
      "invalid",
      "was imported with another amount; commissions of one event need ids of their own",
    );
  }
  const status = before.is_paid_elsewhere ? "paid" : before.status;
  // An older file never reverts a status.
  if (status === input.status || RANKS[input.status] < RANKS[status]) return "known";
  await refuseSettled(tx, before);
  // A payout here must not pay a commission that the other program has paid or denied.
  const [free = before] = await withdrawFromPayouts(tx, context, [before]);
  const after = { ...free, status: statusOf(input), is_paid_elsewhere: input.status === "paid" };
  await tx.put(commissions, after);
  await book(tx, context, { entity: "commission", before, after });
  await ensureNonCashPayout(tx, context, after);
  return "changed";
}

function statusOf({ status }: ImportedCommission): CommissionStatus {
  return status === "paid" ? "approved" : status;
}

/** Null if no lead is named, or it is unknown. */
async function findNamedLead(
  tx: Transaction,
  accountId: number,
  input: ImportedCommission,
): Promise<Lead | null> {
  if (!isLeadNamed(input)) return null;
  const { leadEmail: email, leadUid: uid } = input;
  const nothing = { username: null, first_name: null, last_name: null, website: null };
  return findKnownLead(tx, accountId, { email, uid, ...nothing, custom_fields: null, sub_id: null });
}

function isLeadNamed({ leadEmail, leadUid }: ImportedCommission): boolean {
  return leadEmail !== null || leadUid !== null;
}

/** The promoter campaign that a commission belongs to: the one named in its line, otherwise the lead's. */
async function ownerOf(
  tx: Transaction,
  accountId: number,
  { input, lead }: { input: ImportedCommission; lead: Lead | null },
): Promise<Pick<PromoterCampaign, "id" | "promoter_id" | "campaign_id">> {
  if (lead === null || isOwnerNamed(input)) return loadNamedOwner(tx, accountId, input);
  const { promoter_campaign_id: id, promoter_id, campaign_id } = lead;
  // A lead outlives its promoter, and then there is no promoter to pay.
  await requirePromoter(tx, await tx.get(promoterCampaigns, accountId, id));
  return { id, promoter_id, campaign_id };
}

function isOwnerNamed({ ref_token, promoterEmail }: ImportedCommission): boolean {
  return ref_token !== null || promoterEmail !== null;
}

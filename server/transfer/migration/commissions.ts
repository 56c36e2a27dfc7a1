import { book } from "../../domain/ledger/books/entry.ts";
import { campaigns } from "../../domain/program/campaign/campaign.ts";
import { commissions, newCommission, type Commission } from "../../domain/ledger/commission/commission.ts";
import { leads, type Lead } from "../../domain/people/lead/lead.ts";
import { findSourceId, sourceIds, sourceIdsOf } from "../../domain/program/migration/source-id.ts";
import { formatAmount, isCurrency, MAX_AMOUNT } from "../../domain/money.ts";
import { DAY_MS, isoOf } from "../../domain/span.ts";
import { isMissing, missingRate, toAccountCurrency } from "../../domain/ledger/rate.ts";
import { ensureNonCashPayout } from "../../domain/ledger/payout/creation.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { refunds, sales, type Sale } from "../../domain/ledger/sale/sale.ts";
import type { Reader } from "../../storage/store.ts";
import { keep, ownId, type Added, type Result, type Step } from "./keep.ts";
import type { SourceCommission } from "./model.ts";
import { findPart, isInSettledPart, moveInto, payoutPartOf, pictureOfCommission } from "./payouts.ts";
import { placeOf } from "./places.ts";
import { dayOfCommission } from "./plan.ts";

/** Imports a commission with the source's status, date, and whether it was paid. */
export async function importCommission(step: Step, said: SourceCommission): Promise<Result> {
  if ((await isRecordedHere(step, said)) || (await isTakenBackHere(step, said)))
    return keepAsRecorded(step, said);
  return keep<Commission>(step, {
    kind: "commission",
    id: said.id,
    said,
    table: commissions,
    picture: pictureOfCommission,
    add: () => addCommission(step, said),
    change: (before) => changed(step, before, said),
    write: (before, after) => putChanged(step, { before, after, said }),
  });
}

/** The status of a commission here. A paid commission is approved, regardless of its status there. */
export function statusOf({ status, isPaid }: SourceCommission): Commission["status"] {
  return isPaid && status === "pending" ? "approved" : status;
}

/** The amount of a commission in the account's currency, or in whole units, or a text with the reason why not. */
export async function amountOf(
  { reader, account, plan }: Pick<Step, "account" | "plan"> & { reader: Reader },
  said: SourceCommission,
): Promise<number | string> {
  const { unit, amount, currency } = said;
  if (unit !== "cash") return amount;
  const at = new Date(dayOfCommission(plan, said));
  const money = await toAccountCurrency(reader, account, { amount, currency, at });
  return isMissing(money) ? missingRate(money) : money.cents;
}

async function addCommission(step: Step, said: SourceCommission): Promise<Added<Commission> | string> {
  const { tx, context, account } = step;
  const owner = await placeOf(step, said);
  if (owner === null) return `commission ${said.id}: its promoter ${said.promoter_id} was not imported`;
  const amount = await amountOf({ ...step, reader: step.tx }, said);
  if (typeof amount === "string") return `commission ${said.id}: ${amount}`;
  if (Math.abs(amount) > MAX_AMOUNT) return `commission ${said.id}: its amount of ${amount} is too large`;
  const leadId = await ownId(step, "customer", said.customerId);
  const lead = leadId === null ? null : await tx.get(leads, account.id, leadId);
  const saleId = await ownId(step, "sale", said.sale_id);
  const sale = saleId === null ? null : await tx.get(sales, account.id, saleId);
  const blank = await newRecord(step, said, { owner, amount, lead, sale });
  const part = await payoutPartOf(step, said, owner);
  const record = await moveInto(step, blank, { part, before: null });
  await tx.insert(commissions, record);
  if (sale !== null) await addToSale(step, sale, record);
  await ensureNonCashPayout(tx, { ...context, isHistory: true }, record);
  const stored = (await tx.get(commissions, account.id, record.id)) ?? record;
  const isStray = said.customerId !== null && lead === null;
  return { record: stored, remark: isStray ? `commission ${said.id}: its customer is unknown` : undefined };
}

async function newRecord(
  step: Step,
  said: SourceCommission,
  {
    owner,
    amount,
    lead,
    sale,
  }: { owner: PromoterCampaign; amount: number; lead: Lead | null; sale: Sale | null },
): Promise<Commission> {
  const { context, account } = step;
  const status = statusOf(said);
  const commission = newCommission({
    account_id: account.id,
    id: await context.store.nextId("commission"),
    promoter_campaign_id: owner.id,
    promoter_id: owner.promoter_id,
    campaign_id: owner.campaign_id,
    lead_id: lead?.id ?? null,
    commission_type: sale === null ? "custom" : "sale",
    status,
    unit: said.unit,
    amount,
    tier: said.tier_level,
    is_silent: true,
    approve_at: status === "pending" ? await approvalOf(step, said, owner) : null,
    is_paid_elsewhere: status === "approved" && said.isPaid,
    internal_note: noteOn(step, said),
    ...(lead !== null && lead.promoter_id !== owner.promoter_id && { stays_on_move: true as const }),
    created_at: said.created_at,
  });
  return sale === null ? commission : { ...commission, ...(await ofSale(step, commission, sale, said)) };
}

/**
 * The sale's fields in a commission. If separate commissions take refunds back, it was earned by the whole sale, otherwise
 * by the rest, because the source has reduced it.
 */
async function ofSale(
  { tx, account, plan }: Step,
  { amount, promoter_id, tier, unit }: Commission,
  sale: Sale,
  said: SourceCommission,
): Promise<Partial<Commission>> {
  const about = {
    sale_id: sale.id,
    event_id: sale.event_id,
    plan_id: sale.plan_id,
    original_sale_currency: sale.original_currency,
  };
  if (amount < 0) {
    const known = await tx.view.list(refunds, "lead", account.id, [sale.lead_id]);
    const refund = known.find(({ sale_id }) => sale_id === sale.id);
    const earned = await findEarned(tx, sale, { promoter_id, tier, unit });
    return { ...about, refund_id: refund?.id ?? null, takes_back_id: earned?.id ?? null };
  }
  const isWhole = said.sale_id !== null && plan.reducedSales.has(said.sale_id);
  return {
    ...about,
    sale_amount: isWhole ? sale.amount_cents : sale.amount_cents - sale.refunded_cents,
    original_sale_amount: isWhole
      ? sale.original_amount
      : sale.original_amount - sale.refunded_original_amount,
  };
}

/** Links a new commission to its sale, and to the commission that it takes back. */
async function addToSale({ tx }: Step, before: Sale, { id, takes_back_id }: Commission): Promise<void> {
  const sale = (await tx.get(sales, before.account_id, before.id)) ?? before;
  await tx.put(sales, { ...sale, commission_ids: [...sale.commission_ids, id] });
  const earned = takes_back_id === null ? null : await tx.get(commissions, before.account_id, takes_back_id);
  if (earned !== null)
    await tx.put(commissions, { ...earned, taken_back_by_ids: [...earned.taken_back_by_ids, id] });
}

/** The commission that a negative one takes back, of the same sale, promoter, tier and unit, or null. */
async function findEarned(
  tx: Step["tx"],
  { account_id, commission_ids }: Sale,
  wanted: Pick<Commission, "promoter_id" | "tier" | "unit">,
): Promise<Commission | null> {
  for (const id of commission_ids) {
    const each = await tx.get(commissions, account_id, id);
    if (each === null || each.amount <= 0 || each.promoter_id !== wanted.promoter_id) continue;
    if (each.tier === wanted.tier && each.unit === wanted.unit) return each;
  }
  return null;
}

/** Held commissions are approved on their day. If that day has passed, they wait for a person, like in the source. */
async function approvalOf(
  { tx, account, context }: Step,
  { created_at }: SourceCommission,
  { campaign_id }: PromoterCampaign,
): Promise<string | null> {
  const campaign = await tx.get(campaigns, account.id, campaign_id);
  const days = campaign?.commission_hold_days ?? 0;
  const at = Date.parse(created_at) + days * DAY_MS;
  return days > 0 && at > context.now.getTime() ? isoOf(at) : null;
}

/** The original amount if it was in another currency, and the source's note, or null. */
function noteOn({ account }: Step, { note, unit, currency, amount }: SourceCommission): string | null {
  const code = currency?.toUpperCase() ?? account.currency;
  const isOther = unit === "cash" && code !== account.currency && isCurrency(code);
  const notes = [isOther ? `${formatAmount(amount, "cash", code)} (${code})` : null, note];
  return notes.filter((each) => each !== null && each !== "").join(": ") || null;
}

async function changed(step: Step, before: Commission, said: SourceCommission): Promise<Commission | string> {
  const owner = await placeOf(step, said);
  const amount = await amountOf({ ...step, reader: step.tx }, said);
  if (owner === null) return "its promoter was not imported";
  if (typeof amount === "string") return amount;
  const status = statusOf(said);
  if (await hasOwnRefund(step, before)) return "its refund was recorded here";
  if (await isInSettledPart(step, before, said))
    return amount === before.amount && status === before.status
      ? before
      : "it is in a payout that was settled here";
  const part = await findPart(step, said, owner);
  const partId = part === "new" ? NEW_PART : (part?.id ?? null);
  const isOwnPayout = said.unit !== "cash" && part === null && before.payout_id !== null && !said.isPaid;
  const sale = before.sale_id === null ? null : await step.tx.get(sales, before.account_id, before.sale_id);
  return {
    ...before,
    // Later refunds take back a share of the sale that it was earned by.
    ...(sale !== null &&
      amount >= 0 &&
      amount !== before.amount &&
      (await ofSale(step, { ...before, amount }, sale, said))),
    promoter_campaign_id: owner.id,
    promoter_id: owner.promoter_id,
    campaign_id: owner.campaign_id,
    status,
    unit: said.unit,
    amount,
    approve_at: status === "pending" ? before.approve_at : null,
    payout_id: isOwnPayout ? before.payout_id : partId,
    is_paid_elsewhere: status === "approved" && said.isPaid && part === null,
  };
}

/** Stands for the id of a payout that is yet to be made. */
const NEW_PART = 0;

/** Writes a changed commission, and moves it from its payout to the one that the source names now. */
async function putChanged(
  step: Step,
  { before, after, said }: { before: Commission; after: Commission; said: SourceCommission },
): Promise<Commission> {
  const { tx, context, account } = step;
  const isSame = before.payout_id === after.payout_id && before.amount === after.amount;
  const owner = await tx.get(promoterCampaigns, account.id, after.promoter_campaign_id);
  const made = after.payout_id === NEW_PART && owner !== null ? await payoutPartOf(step, said, owner) : null;
  const part = after.payout_id === null ? null : (made ?? { id: after.payout_id });
  const moved = isSame ? after : await moveInto(step, after, { part, before });
  await tx.put(commissions, moved);
  await book(tx, { ...context, isHistory: true }, { entity: "commission", before, after: moved });
  await ensureNonCashPayout(tx, { ...context, isHistory: true }, moved);
  return (await tx.get(commissions, moved.account_id, moved.id)) ?? moved;
}

/** Whether a refund that was only recorded here takes a commission back. */
async function hasOwnRefund({ tx, account }: Step, { taken_back_by_ids }: Commission): Promise<boolean> {
  for (const recordId of taken_back_by_ids) {
    const rows = await sourceIdsOf(tx.view, account.id, { kind: "commission", record_id: recordId });
    if (rows.length === 0) return true;
  }
  return false;
}

/** Whether a new commission takes back what a refund here has already taken back. */
async function isTakenBackHere(step: Step, said: SourceCommission): Promise<boolean> {
  if (said.amount >= 0 || said.sale_id === null) return false;
  const { tx, account, program } = step;
  if ((await findSourceId(tx, account.id, { program, kind: "commission", source_id: said.id })) !== null)
    return false;
  const [owner, saleId] = [await placeOf(step, said), await ownId(step, "sale", said.sale_id)];
  const sale = saleId === null ? null : await tx.get(sales, account.id, saleId);
  if (owner === null || sale === null) return false;
  const { promoter_id } = owner;
  const earned = await findEarned(tx, sale, { promoter_id, tier: said.tier_level, unit: said.unit });
  return earned !== null && hasOwnRefund(step, earned);
}

/** Whether the sale was recorded here independently, together with its commissions by the rewards here. */
async function isRecordedHere(
  { tx, account, program }: Step,
  { sale_id }: SourceCommission,
): Promise<boolean> {
  if (sale_id === null) return false;
  const sale = await findSourceId(tx, account.id, { program, kind: "sale", source_id: sale_id });
  return sale?.is_found_here === true;
}

async function keepAsRecorded({ tx, account, program }: Step, said: SourceCommission): Promise<Result> {
  const name = { program, kind: "commission" as const, source_id: said.id };
  if ((await findSourceId(tx, account.id, name)) !== null) return { outcome: "known" };
  const row = { account_id: account.id, ...name, record_id: 0, is_found_here: true as const };
  await tx.put(sourceIds, { ...row, source_digest: "-", own_digest: "-" });
  return { outcome: "found" };
}

import { originIn } from "../../people/origin.ts";
import { Failure } from "../../../failure.ts";
import { digest } from "../../../storage/digests.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { commissions, newCommission, type Commission } from "../commission/commission.ts";
import type { Context } from "../../context.ts";
import { isErased } from "../../people/erased.ts";
import { announce } from "../../events/event.ts";
import { announceMoney } from "../announcement.ts";
import { withHistory } from "../../people/lead/customer.ts";
import { isNamed, leads, type Lead } from "../../people/lead/lead.ts";
import { share } from "../../money.ts";
import { promoters, type Promoter } from "../../people/promoter/promoter.ts";
import { findCustomer, unreferred, type CustomerNames } from "./customer.ts";
import { isRefunded, isTakenBack, sales, type Refund, type Sale } from "./sale.ts";
import { isBonusLost, reopenTargets } from "./tiers.ts";
import {
  findWaitingSale,
  leftOfWaiting,
  waitingSalesOf,
  type RateRefund,
  type WaitingSale,
} from "./waiting.ts";

/** The input of a refund. Null fields are not given. */
export interface NewRefund {
  customer: Pick<CustomerNames, "uid" | "email" | "lead_id">;
  event_id: string;
  /** The event id of the sale, or null for the lead's latest sale that is not completely refunded. */
  sale_event_id: string | null;
  /** In the minor unit of its currency. Positive. */
  amount: number;
  /** ISO 4217 code. Null: that of the sale. */
  currency: string | null;
  created_at: Date | null;
  /** The waiting event that is recorded now. Absent: the refund has just arrived. */
  kept?: RateRefund;
}

/** The sale that a refund means, and its lead. @throws Failure `not_found`, `invalid` */
export async function loadRefunded(
  tx: Transaction,
  accountId: number,
  { customer, sale_event_id }: Pick<NewRefund, "customer" | "sale_event_id">,
): Promise<{ lead: Lead; sale: Sale | WaitingSale }> {
  const sale = sale_event_id === null ? null : await findNamed(tx, accountId, sale_event_id);
  const lead = await loadRefundedLead(tx, accountId, { customer, sale });
  if (sale_event_id === null) return { lead, sale: await loadLatest(tx, lead) };
  // Another customer's sale is answered like an unknown one.
  if (sale?.lead_id === lead.id) return { lead, sale };
  throw new Failure("invalid", `Error. The 'sale' event with the id '${sale_event_id}' was not found.`);
}

/**
 * The lead whose sale is refunded. An erased lead has no name any more, and an archived one may have lost its
 * names to another, so they are found by the sale that the refund names.
 *
 * @throws Failure `not_found`
 */
async function loadRefundedLead(
  tx: Transaction,
  accountId: number,
  { customer, sale }: Pick<NewRefund, "customer"> & { sale: Sale | WaitingSale | null },
): Promise<Lead> {
  const named = await findCustomer(tx, accountId, { ...customer, tid: null });
  if (named !== null && named.id === sale?.lead_id) return named;
  const lead = sale && (await tx.get(leads, accountId, sale.lead_id));
  if (lead?.archived_at && isNamed(lead, customer)) return lead;
  if (named !== null) return named;
  if (lead === null || !isErased(lead)) throw unreferred();
  return lead;
}

/**
 * The lead's latest sale that is not completely refunded. It may wait for an exchange rate.
 *
 * @throws Failure `invalid`
 */
async function loadLatest(tx: Transaction, lead: Lead): Promise<Sale | WaitingSale> {
  const [recorded, waiting] = [await latestRecorded(tx, lead), await latestWaiting(tx, lead)];
  if (recorded === null && waiting === null)
    throw new Failure("invalid", "Error. The customer has no sale that could be refunded.");
  if (recorded === null || (waiting !== null && waiting.created_at >= recorded.created_at))
    return waiting as WaitingSale;
  return recorded;
}

/**
 * The promoter whom a refund shows: the lead's. If the lead has moved and its new promoter is gone, the one
 * who was paid for the sale. Money is taken back from a blocked promoter, too.
 *
 * @throws Failure `not_found` if both are gone
 */
export async function loadPayer(reader: Reader, lead: Lead, sale: Sale | null): Promise<Promoter> {
  const promoter =
    (await reader.get(promoters, lead.account_id, lead.promoter_id)) ??
    (sale && (await reader.get(promoters, lead.account_id, sale.promoter_id)));
  if (promoter === null) throw unreferred();
  return promoter;
}

/** A refund of a sale, with the same owner. */
export function newRefund(
  sale: Sale,
  given: Pick<
    Refund,
    "id" | "event_id" | "amount_cents" | "original_amount" | "original_currency" | "created_at"
  >,
): Refund {
  return {
    account_id: sale.account_id,
    id: given.id,
    promoter_campaign_id: sale.promoter_campaign_id,
    promoter_id: sale.promoter_id,
    campaign_id: sale.campaign_id,
    lead_id: sale.lead_id,
    sale_id: sale.id,
    ...originIn(sale),
    event_id: given.event_id,
    amount_cents: given.amount_cents,
    original_amount: given.original_amount,
    original_currency: given.original_currency,
    commission_ids: [],
    created_at: given.created_at,
  };
}

/**
 * Writes how many sales of the lead are refunded whole. If all are, it is no longer a customer, until the money of one is
 * returned. Each sale counts once.
 */
export async function markRefunded(
  tx: Transaction,
  context: Context,
  { before, after, at }: { before: Sale; after: Sale; at: string },
): Promise<Lead> {
  const change = Number(isTakenBack(after)) - Number(isTakenBack(before));
  const dropped = Number(after.is_duplicate ?? false) - Number(before.is_duplicate ?? false);
  const lead = await tx.get(leads, after.account_id, after.lead_id);
  if (lead === null) throw new Error(`Sale ${after.id} has no lead`);
  if (change === 0 && dropped === 0) return lead;
  const refundedSalesCount = lead.refunded_sales_count + change;
  const salesCount = lead.sales_count - dropped;
  const isOver = refundedSalesCount === salesCount;
  const states: Partial<Record<Lead["state"], Lead["state"]>> = isOver
    ? { active: "refunded" }
    : { refunded: "active" };
  const state = states[lead.state] ?? lead.state;
  const marked = withHistory(
    lead,
    { ...lead, refunded_sales_count: refundedSalesCount, sales_count: salesCount, state },
    at,
  );
  await tx.put(leads, marked);
  await announce(tx, context, { entity: "referral", before: lead, after: marked });
  return marked;
}

/**
 * Takes back a part of each commission of a sale, of every tier and split. Rounding errors never add up: all
 * refunds of a sale together take back exactly what it gave. The bonus of a target goes back whole or not at
 * all. The refund is recorded by then, with the lead.
 *
 * @see docs/spec/money.md "Targets"
 */
export async function takeBack(
  tx: Transaction,
  context: Context,
  { lead, sale, after, refund }: { lead: Lead; sale: Sale; after: Sale; refund: Refund | null },
): Promise<Commission[]> {
  const added: Commission[] = [];
  const lost: Commission[] = [];
  // A sale with many refunds has many of these. They follow the commissions that they take back, so few are
  // read.
  const opposites = new Set<number>();
  for (const id of sale.commission_ids) {
    if (opposites.has(id)) continue;
    const commission = await tx.get(commissions, sale.account_id, id);
    if (commission === null) continue;
    for (const oppositeId of commission.taken_back_by_ids) opposites.add(oppositeId);
    if (commission.takes_back_id !== null) continue;
    const isBonus = commission.target_rules !== undefined;
    const isLost = isBonus && (await isBonusLost(tx, commission, { lead, sale: after }));
    const part = takenBack(commission, sale) - takenBack(commission, after);
    const whole = isLost ? -commission.amount : 0;
    const amount = isBonus ? whole : part;
    if (amount === 0) continue;
    if (isLost) lost.push(commission);
    added.push(await addOpposite(tx, context, { commission, amount, sale, refund }));
  }
  await reopenTargets(tx, sale, lost);
  return added;
}

/** The effect of a further commission on an earlier one. */
interface Opposite {
  commission: Commission;
  amount: number;
  sale: Sale;
  /** Null if no money went back, but the sale's amount was corrected. */
  refund: Refund | null;
}

/** Adds a commission that takes back a part of an earlier one, or returns it. */
export async function addOpposite(tx: Transaction, context: Context, given: Opposite): Promise<Commission> {
  const { commission, refund } = given;
  const opposite = oppositeOf(given, await context.store.nextId("commission"));
  await tx.insert(commissions, opposite);
  await announceMoney(tx, context, { entity: "commission", before: null, after: opposite });
  // Not announced, because commissions don't show the mark.
  await tx.put(commissions, {
    ...commission,
    taken_back_by_ids: [...commission.taken_back_by_ids, opposite.id],
    ...(refund === null && { corrected_by_ids: [...(commission.corrected_by_ids ?? []), opposite.id] }),
  });
  return opposite;
}

async function findNamed(tx: Transaction, accountId: number, eventId: string) {
  return (
    (await tx.find(sales, "event", accountId, [digest(eventId)])) ??
    (await findWaitingSale(tx, accountId, eventId))
  );
}

/** The latest sales are read first, until one is not completely refunded. */
async function latestRecorded(tx: Transaction, { account_id, id }: Lead): Promise<Sale | null> {
  for (let offset = 0; ; offset++) {
    const page = { limit: 1, offset, reverse: true };
    const [listed] = await tx.view.page(sales, "lead", account_id, [id], page);
    if (listed === undefined) return null;
    const sale = await tx.get(sales, account_id, listed.id);
    if (sale !== null && !isRefunded(sale)) return sale;
  }
}

async function latestWaiting(tx: Transaction, lead: Lead): Promise<WaitingSale | null> {
  for (const waiting of await waitingSalesOf(tx.view, lead))
    if ((await leftOfWaiting(tx, waiting)) > 0) return waiting;
  return null;
}

/**
 * The part of a commission that its sale's refunds take back. An instalment was computed from the rest of the
 * sale on its day, so only later refunds count. It is negative if a bank has returned money that was missing
 * on that day.
 */
function takenBack({ amount, sale_amount, original_sale_amount }: Commission, sale: Sale): number {
  const { amount_cents, refunded_cents, original_amount, refunded_original_amount } = sale;
  // A sale in another currency may be worth zero in the account's, and still earn a flat reward.
  const [left, whole, refunded] =
    amount_cents === 0
      ? [original_sale_amount, original_amount, refunded_original_amount]
      : [sale_amount, amount_cents, refunded_cents];
  const refundedSince = refunded - (whole - left);
  return left <= 0 ? 0 : share(amount, refundedSince, left);
}

/**
 * It has the status of the commission that it takes back, and is approved or denied with it. It was not made
 * by hand.
 */
function oppositeOf({ commission, amount, sale, refund }: Opposite, id: number): Commission {
  const { created_by_user: _, corrected_by_ids: __, ...earned } = commission;
  const event = refund ?? { ...sale, id: null, amount_cents: 0, original_amount: 0 };
  return newCommission({
    ...earned,
    id,
    amount,
    refund_id: event.id,
    takes_back_id: commission.id,
    taken_back_by_ids: [],
    event_id: event.event_id,
    sale_amount: 0 - event.amount_cents,
    original_sale_amount: 0 - event.original_amount,
    original_sale_currency: event.original_currency,
    sale_id: sale.id,
    payout_id: null,
    is_paid_elsewhere: false,
    internal_note: null,
    external_note: null,
    status_updated_at: null,
    created_at: event.created_at,
    // A correction is not a new sale.
    ...(refund === null && { is_silent: true as const }),
  });
}

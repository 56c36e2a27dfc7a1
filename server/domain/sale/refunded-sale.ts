import { Failure } from "../../failure.ts";
import type { Context } from "../context.ts";
import { isErased } from "../erasure/erased.ts";
import { announce } from "../event/event.ts";
import { withHistory } from "../lead/customer.ts";
import { isNamed, leads, type Lead } from "../lead/lead.ts";
import { promoters, type Promoter } from "../promoter/promoter.ts";
import { digest } from "../../storage/digests.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { findCustomer, nobody } from "./customer.ts";
import type { Refund, Sale } from "./record.ts";
import { isRefunded, isTakenBack } from "./refunded-part.ts";
import type { NewRefund } from "./refund.ts";
import { sales } from "./sales.ts";
import { findWaitingSale, leftOfWaiting, waitingSalesOf, type WaitingSale } from "./waiting.ts";

/**
 * The lead whose sale is refunded. An erased lead has no name any more, and an archived one may have left its names to
 * another, so the sale that the refund names finds them.
 *
 * @throws Failure `not_found`
 */
export async function loadRefundedLead(
  tx: Transaction,
  accountId: number,
  { customer, saleEventId }: Pick<NewRefund, "customer" | "saleEventId">,
): Promise<Lead> {
  const named = await findCustomer(tx, accountId, { ...customer, tid: null });
  const sale = saleEventId === null ? null : await findNamed(tx, accountId, saleEventId);
  if (named !== null && named.id === sale?.leadId) return named;
  const lead = sale && (await tx.get(leads, accountId, sale.leadId));
  if (lead?.archivedAt && isNamed(lead, customer)) return lead;
  if (named !== null) return named;
  if (lead === null || !isErased(lead)) throw nobody();
  return lead;
}

/**
 * The sale that a refund means: the named one, otherwise the lead's latest that is not refunded whole. It may wait for an
 * exchange rate.
 *
 * @throws Failure `invalid`
 */
export async function loadRefundedSale(
  tx: Transaction,
  lead: Lead,
  eventId: string | null,
): Promise<Sale | WaitingSale> {
  if (eventId !== null) {
    const sale = await findNamed(tx, lead.accountId, eventId);
    // Choice: another customer's sale is answered like an unknown one.
    if (sale?.leadId === lead.id) return sale;
    throw new Failure("invalid", `Error. The 'sale' event with the id '${eventId}' was not found.`);
  }
  const [recorded, waiting] = [await latestRecorded(tx, lead), await latestWaiting(tx, lead)];
  if (recorded === null && waiting === null)
    throw new Failure("invalid", "Error. The customer has no sale that could be refunded.");
  if (recorded === null || (waiting !== null && waiting.createdAt >= recorded.createdAt))
    return waiting as WaitingSale;
  return recorded;
}

async function findNamed(tx: Transaction, accountId: number, eventId: string) {
  return (
    (await tx.find(sales, "event", accountId, [digest(eventId)])) ??
    (await findWaitingSale(tx, accountId, eventId))
  );
}

/** The latest sales are read first, until one is not refunded whole. */
async function latestRecorded(tx: Transaction, { accountId, id }: Lead): Promise<Sale | null> {
  for (let offset = 0; ; offset++) {
    const page = { limit: 1, offset, reverse: true };
    const [listed] = await tx.view.page(sales, "lead", accountId, [id], page);
    if (listed === undefined) return null;
    const sale = await tx.get(sales, accountId, listed.id);
    if (sale !== null && !isRefunded(sale)) return sale;
  }
}

async function latestWaiting(tx: Transaction, lead: Lead): Promise<WaitingSale | null> {
  for (const waiting of await waitingSalesOf(tx.view, lead))
    if ((await leftOfWaiting(tx, waiting)) > 0) return waiting;
  return null;
}

/**
 * The promoter whom a refund shows: the lead's. If the lead was moved and its new promoter is gone, the one who was
 * paid for the sale.
 *
 * Choice: money is taken back from a blocked promoter, too.
 *
 * @throws Failure `not_found` if both are gone
 */
export async function loadPayer(reader: Reader, lead: Lead, sale: Sale | null): Promise<Promoter> {
  const promoter =
    (await reader.get(promoters, lead.accountId, lead.promoterId)) ??
    (sale && (await reader.get(promoters, lead.accountId, sale.promoterId)));
  if (promoter === null) throw nobody();
  return promoter;
}

/** A refund of a sale. It belongs to whom the sale belongs. */
export function newRefund(
  sale: Sale,
  given: Pick<Refund, "id" | "eventId" | "amountCents" | "originalAmount" | "originalCurrency" | "createdAt">,
): Refund {
  return {
    accountId: sale.accountId,
    id: given.id,
    promoterCampaignId: sale.promoterCampaignId,
    promoterId: sale.promoterId,
    campaignId: sale.campaignId,
    leadId: sale.leadId,
    saleId: sale.id,
    origin: sale.origin,
    eventId: given.eventId,
    amountCents: given.amountCents,
    originalAmount: given.originalAmount,
    originalCurrency: given.originalCurrency,
    commissionIds: [],
    createdAt: given.createdAt,
  };
}

/**
 * A lead whose sales are all refunded is no longer a customer, until the money of one comes back. Each sale counts once.
 * null: the lead stays as it is.
 */
export async function markRefunded(
  tx: Transaction,
  context: Context,
  { before, after, at }: { before: Sale; after: Sale; at: string },
): Promise<Lead | null> {
  const change = Number(isTakenBack(after)) - Number(isTakenBack(before));
  const dropped = Number(after.isDuplicate ?? false) - Number(before.isDuplicate ?? false);
  if (change === 0 && dropped === 0) return null;
  const lead = await tx.get(leads, after.accountId, after.leadId);
  if (lead === null) return null;
  const refundedSalesCount = lead.refundedSalesCount + change;
  const salesCount = lead.salesCount - dropped;
  const isOver = refundedSalesCount === salesCount;
  const states: Partial<Record<Lead["state"], Lead["state"]>> = isOver
    ? { active: "refunded" }
    : { refunded: "active" };
  const state = states[lead.state] ?? lead.state;
  const marked = withHistory(lead, { ...lead, refundedSalesCount, salesCount, state }, at);
  await tx.put(leads, marked);
  await announce(tx, context, { entity: "referral", before: lead, after: marked });
  return marked;
}

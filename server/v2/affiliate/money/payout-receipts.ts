import { z } from "zod";
import { loadPayout } from "../../../domain/payout/payout.ts";
import { dueStats, type PayoutSummary } from "../../../domain/payout/stats.ts";
import { promoterName } from "../../../domain/promoter/promoter.ts";
import { Failure } from "../../../failure.ts";
import { readPathId } from "../../path-id.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { invoiceFields, invoiceFieldsJson } from "./invoice-details.ts";
import { ownPayoutAnswer, ownPayoutJson } from "./payouts.ts";

const receiptAnswer = z
  .object({
    number: z.string(),
    payer: z.object({ name: z.string() }),
    payee: z.object({ name: z.string(), email: z.string(), ...invoiceFields }),
    currency: z.string(),
    tax_amount: z.int(),
    payout: ownPayoutAnswer,
  })
  .meta({ id: "PayoutReceipt" });

/** `GET /api/v2/affiliate/payouts/{id}/receipt` */
export const payoutReceiptOperation: AffiliateOperation = {
  summary: "Show the receipt of a payout",
  answer: receiptAnswer,
  refusals: ["not_found", "refused"],
  handle: showReceipt,
};

const due = z.object({ amount: z.int(), due_date: z.iso.date(), period_end: z.iso.date() }).nullable();

/** `GET /api/v2/affiliate/payouts/due_stats` */
export const ownDueStatsOperation: AffiliateOperation = {
  summary: "Show what the promoter will be paid, and when",
  answer: z
    .object({
      next: due,
      overdue: due,
      custom: z.object({ amount: z.int() }).nullable(),
      min_payment: z.int(),
      net_payout_days: z.int(),
    })
    .meta({ id: "PortalDueStats" }),
  handle: showDueStats,
};

/** Choice: only a payout that was paid has a receipt. */
async function showReceipt(request: AffiliateRequest) {
  const { event, account, promoter, context } = request;
  const payout = await loadPayout(context.store, account.id, readPathId(event));
  if (payout.promoterId !== promoter.id) throw new Failure("not_found", "Payout not found.");
  if (payout.status !== "completed") throw new Failure("refused", "This payout was not paid yet.");
  return {
    number: `${account.publicId}-${payout.id}`,
    payer: { name: account.name },
    payee: { name: promoterName(promoter), email: promoter.email, ...invoiceFieldsJson(promoter) },
    currency: account.currency,
    tax_amount: payout.totalInclTax - payout.amount,
    payout: await ownPayoutJson(request, payout),
  };
}

async function showDueStats({ account, promoter, context }: AffiliateRequest) {
  const { next, overdue, custom } = await dueStats(context, account, { promoterId: promoter.id });
  const sumOf = ({ promotersCount, centsInclTax }: PayoutSummary) =>
    promotersCount === 0 ? null : { amount: centsInclTax };
  const dueJson = (part: typeof next) =>
    part.due === null
      ? null
      : { amount: part.centsInclTax, due_date: part.due.dueDate, period_end: part.due.periodEndDate };
  return {
    next: dueJson(next),
    overdue: dueJson(overdue),
    custom: sumOf(custom),
    min_payment: account.minPaymentCents,
    net_payout_days: promoter.netPayoutDays ?? account.netPayoutDays,
  };
}

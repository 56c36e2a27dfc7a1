import { z } from "zod";
import { listPayouts } from "../../../domain/payout/search.ts";
import { dueStats } from "../../../domain/payout/stats.ts";
import { promoterName } from "../../../domain/promoter/promoter.ts";
import { Failure } from "../../../failure.ts";
import { readPathId } from "../../path-id.ts";
import { dueStatsAnswer, dueStatsJson } from "../../payout/payout-stats.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { invoiceFields, invoiceFieldsJson } from "./invoice-details.ts";
import { ownTermsJson } from "./payout-details.ts";
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

/** `GET /api/v2/affiliate/payouts/due_stats` */
export const ownDueStatsOperation: AffiliateOperation = {
  summary: "Show what the promoter will be paid, and when",
  answer: dueStatsAnswer,
  handle: showDueStats,
};

/** Choice: only a payout that was paid has a receipt. */
async function showReceipt(request: AffiliateRequest) {
  const { event, account, promoter, context } = request;
  const filter = { ids: [readPathId(event)], promoterId: promoter.id };
  const { records } = await listPayouts(context, account, { filter, sorting: [], limit: 1, offset: 0 });
  const [parts] = records;
  if (parts === undefined) throw new Failure("not_found", "Payout not found.");
  const { payout } = parts;
  if (payout.status !== "completed") throw new Failure("refused", "This payout was not paid yet.");
  return {
    number: `${account.publicId}-${payout.id}`,
    payer: { name: account.name },
    payee: { name: promoterName(promoter), email: promoter.email, ...invoiceFieldsJson(promoter) },
    currency: account.currency,
    tax_amount: payout.totalInclTax - payout.amount,
    payout: ownPayoutJson(request, parts),
  };
}

async function showDueStats({ account, promoter, context }: AffiliateRequest) {
  const found = await dueStats(context, account, { promoterId: promoter.id });
  return { meta: ownTermsJson(account, promoter), data: dueStatsJson(found) };
}

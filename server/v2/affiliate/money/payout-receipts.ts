import { z } from "zod";
import { shownName } from "../../../domain/program/account/brand.ts";
import { listPayouts } from "../../../domain/ledger/payout/search.ts";
import { dueStats } from "../../../domain/ledger/payout/stats.ts";
import { promoterName } from "../../../domain/people/promoter/promoter.ts";
import { Failure } from "../../../failure.ts";
import { readPathId } from "../../path-id.ts";
import { dueStatsAnswer, dueStatsJson } from "../../payout/payout-stats.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { invoiceFields, invoiceFieldsJson } from "./invoice-details.ts";
import { ownTermsJson } from "./payout-details.ts";
import { ownPayoutAnswer, ownPayoutJson } from "./payouts.ts";
import { field } from "../../../http/fields.ts";

const receiptAnswer = z
  .object({
    number: field(z.string(), "Number of the receipt. It never changes.", "acme-12"),
    payer: field(
      z.object({ name: field(z.string(), "The record's display name.", "Jane Doe") }),
      "The company.",
    ),
    payee: field(
      z.object({
        name: field(z.string(), "The record's display name.", "Jane Doe"),
        email: field(z.string(), "The person's e-mail address.", "jane@example.com"),
        ...invoiceFields,
      }),
      "The promoter, with their invoice details.",
    ),
    currency: field(z.string(), "The currency of the amounts.", "USD"),
    tax_amount: field(z.int(), "The tax within the total.", 400),
    payout: field(ownPayoutAnswer, "The payout that was paid."),
  })
  .meta({ id: "PayoutReceipt" });

/** `GET /api/v2/affiliate/payouts/{id}/receipt` */
export const payoutReceiptOperation: AffiliateOperation = {
  id: "getPayoutReceipt",
  summary: "Show the receipt of a payout",
  description: "Shows the receipt of a payout that was paid.",
  answer: receiptAnswer,
  refusals: ["not_found", "refused"],
  handle: showReceipt,
};

/** `GET /api/v2/affiliate/payouts/due_stats` */
export const ownDueStatsOperation: AffiliateOperation = {
  id: "getOwnDueStats",
  summary: "Show what the promoter will be paid, and when",
  description: "Shows the sums that are due next, overdue, and due on other terms.",
  answer: dueStatsAnswer,
  handle: showDueStats,
};

/** Only a completed payout has a receipt. */
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
    payer: { name: shownName(account) },
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

import { payouts } from "../../domain/ledger/payout/payout.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import type { V2Request } from "../operation.ts";
import type { Line } from "../../csv.ts";
import { parse } from "../../storage/table.ts";
import type { Schema } from "../../storage/query.ts";
import { amountCell, rowsById } from "./csv-pages.ts";

export const PAYOUT_COLUMNS = [
  "id",
  "promoter_id",
  "promoter_email",
  "campaign_id",
  "status",
  "amount",
  "tax_rate_percent",
  "total_incl_tax",
  "unit",
  "currency",
  "period_start",
  "period_end",
  "due_date",
  "payments_batch_id",
  "error",
  "paid_at",
  "created_at",
];

/** All payouts, with their promoters. Details of bank accounts are only in the files of payments batches. */
export async function* payoutPages({ account, context: { store } }: V2Request): AsyncGenerator<Line[]> {
  const query = store
    .query<Schema<{ payouts: typeof payouts; promoters: typeof promoters }>>()
    .selectFrom("payouts")
    .leftJoin("promoters", (join) =>
      join
        .onRef("promoters.account_id", "=", "payouts.account_id")
        .onRef("promoters.id", "=", "payouts.promoter_id"),
    )
    .where("payouts.account_id", "=", account.id)
    .select(["payouts.id", "payouts.doc as payout", "promoters.doc as promoter"]);
  const lineOf = (docs: { payout: string; promoter: string | null }): Line => {
    const payout = parse(payouts, docs.payout);
    const promoter = docs.promoter === null ? null : parse(promoters, docs.promoter);
    const { unit } = payout;
    return {
      id: payout.id,
      promoter_id: payout.promoterId,
      promoter_email: promoter?.email ?? null,
      campaign_id: payout.campaignId,
      status: payout.status,
      amount: amountCell(payout.amount, unit, account.currency),
      tax_rate_percent: payout.taxRateHundredths / 100,
      total_incl_tax: amountCell(payout.totalInclTax, unit, account.currency),
      unit,
      currency: unit === "cash" ? account.currency : null,
      period_start: payout.periodStart,
      period_end: payout.periodEnd,
      due_date: payout.dueDate,
      payments_batch_id: payout.paymentsBatchId,
      error: payout.error,
      paid_at: payout.paidAt,
      created_at: payout.createdAt,
    };
  };
  for await (const rows of rowsById(store, query, "payouts.id")) yield rows.map(lineOf);
}

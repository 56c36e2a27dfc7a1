import { Failure } from "../../failure.ts";
import type { Payout } from "./record.ts";
import { table } from "../../storage/table.ts";
import type { Reader } from "../../storage/store.ts";
import { dailySums, type Fact } from "../report/daily.ts";

export const payouts = table<Payout>()({
  name: "payout",
  columns: {
    id: "integer",
    promoter_campaign_id: "integer",
    promoter_id: "integer",
    campaign_id: "integer",
    status: "text",
    unit: "text",
    amount: "integer",
    total_incl_tax: "integer",
    period_start: "text",
    period_end: "text",
    period_end_date: ["text", periodEndDateOf],
    due_date: "text",
    has_own_terms: "integer",
    run_id: "integer",
    /** null: it claims no place in a run. */
    claimed_run_id: ["integer", ({ runId, status }) => (status === "cancelled" ? null : runId)],
    group_ref: "text",
    payments_batch_id: "integer",
    payout_method_id: "integer",
    paid_at: "text",
    created_at: "text",
  },
  few: [
    "status",
    "unit",
    "campaign_id",
    "has_own_terms",
    "due_date",
    "group_ref",
    "payments_batch_id",
    "claimed_run_id",
  ],
  unique: {
    /** A run pays a promoter once for each campaign and unit. */
    run: ["claimed_run_id", "promoter_id", "campaign_id", "unit"],
  },
  indexes: {
    status: { on: ["status"] },
    promoter: { on: ["promoter_id"] },
    batch: { on: ["payments_batch_id"], where: "payments_batch_id is not null" },
    batchStatus: { on: ["payments_batch_id", "status"], where: "payments_batch_id is not null" },
    group: { on: ["group_ref"], where: "group_ref is not null" },
    method: { on: ["payout_method_id"], where: "payout_method_id is not null" },
    due: { on: ["has_own_terms", "due_date", "status", "campaign_id"] },
    /** Adds up what a promoter was paid or is to be paid, without reading the payouts themselves. */
    sums: { on: ["promoter_id", "status", "unit", "amount", "total_incl_tax"] },
    /** The same without cash, of which there is mostly nothing. */
    otherUnits: { on: ["promoter_id", "status", "unit", "amount"], where: "unit <> 'cash'" },
  },
  sums: dailySums(paidFacts),
});

/** The calendar day on which the period of a payout ended, in the time zone that the account had. */
function periodEndDateOf({ periodEndDate, periodEnd }: Payout): string {
  return periodEndDate ?? periodEnd.slice(0, 10);
}

/** A completed payout counts on the day when it was paid. */
function paidFacts({ status, unit, amount, paidAt }: Payout): Fact[] {
  if (status !== "completed" || unit !== "cash" || paidAt === null) return [];
  return [{ metric: "paidCents", at: paidAt, amount }];
}

/** @throws Failure `not_found` */
export async function loadPayout(reader: Reader, accountId: number, id: number): Promise<Payout> {
  const payout = await reader.get(payouts, accountId, id);
  if (payout === null) throw new Failure("not_found", "Payout not found.");
  return payout;
}

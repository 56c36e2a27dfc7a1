import { isPaid } from "../../domain/ledger/commission/commission.ts";
import { allCommissions, type CommissionParts } from "../../domain/ledger/commission/search.ts";
import type { V2Request } from "../operation.ts";
import type { Line } from "../../csv.ts";
import { amountCell } from "./csv-pages.ts";

/** The columns are named like those of `tidemark import-csv` where it has them. */
export const COMMISSION_COLUMNS = [
  "id",
  "ref_id",
  "promoter_email",
  "campaign_id",
  "email",
  "uid",
  "amount",
  "unit",
  "currency",
  "status",
  "sale_amount",
  "event_id",
  "reward",
  "note",
  "payout_id",
  "created_at",
];

/** All commissions with their promoters and leads. @see docs/spec/v2.md "CSV files" */
export async function* commissionPages({ account, context }: V2Request): AsyncGenerator<Line[]> {
  for await (const chunk of allCommissions(context, account)) {
    yield chunk.map((parts) => lineOf(parts, account.currency));
  }
}

function lineOf(parts: CommissionParts, currency: string): Line {
  const { commission, promoter, promoterCampaign, lead } = parts;
  const { unit } = commission;
  return {
    id: commission.id,
    ref_id: promoterCampaign?.refToken ?? null,
    promoter_email: promoter?.email ?? null,
    campaign_id: commission.campaignId,
    email: lead?.email ?? null,
    uid: lead?.uid ?? null,
    amount: amountCell(commission.amount, unit, currency),
    unit,
    currency: unit === "cash" ? currency : null,
    status: isPaid(commission, parts.payout) ? "paid" : commission.status,
    sale_amount: amountCell(commission.saleCents, "cash", currency),
    event_id: commission.eventId,
    reward: commission.rewardName,
    note: commission.internalNote,
    payout_id: commission.payoutId,
    created_at: commission.createdAt,
  };
}

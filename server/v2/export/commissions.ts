import { commissions } from "../../domain/commission/commission.ts";
import type { Commission } from "../../domain/commission/record.ts";
import { leads } from "../../domain/lead/lead.ts";
import { payouts } from "../../domain/payout/payout.ts";
import { promoterCampaigns } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/promoter/promoter.ts";
import type { V2Request } from "../operation.ts";
import type { Line } from "../../csv.ts";
import { amountCell } from "./csv-pages.ts";

/** Columns that `tidemark import-csv` knows have its names. */
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

/** All commissions, with their promoters and leads. Choice: one that was paid has the status `paid`. */
export async function* commissionPages({ account, context: { store } }: V2Request): AsyncGenerator<Line[]> {
  const lineOf = async (commission: Commission): Promise<Line> => {
    const { leadId, payoutId, unit } = commission;
    const [promoter, promoterCampaign, lead, payout] = await Promise.all([
      store.get(promoters, account.id, commission.promoterId),
      store.get(promoterCampaigns, account.id, commission.promoterCampaignId),
      leadId === null ? null : store.get(leads, account.id, leadId),
      payoutId === null ? null : store.get(payouts, account.id, payoutId),
    ]);
    const isPaid = commission.isPaidElsewhere || payout?.status === "completed";
    return {
      id: commission.id,
      ref_id: promoterCampaign?.refToken ?? null,
      promoter_email: promoter?.email ?? null,
      campaign_id: commission.campaignId,
      email: lead?.email ?? null,
      uid: lead?.uid ?? null,
      amount: amountCell(commission.amount, unit, account.currency),
      unit,
      currency: unit === "cash" ? account.currency : null,
      status: isPaid ? "paid" : commission.status,
      sale_amount: amountCell(commission.saleCents, "cash", account.currency),
      event_id: commission.eventId,
      reward: commission.rewardName,
      note: commission.internalNote,
      payout_id: payoutId,
      created_at: commission.createdAt,
    };
  };
  for await (const page of store.scan(commissions, "id", account.id, [])) {
    yield await Promise.all(page.map(lineOf));
  }
}

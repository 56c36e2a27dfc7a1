import { leads } from "../../domain/lead/lead.ts";
import type { Lead } from "../../domain/lead/record.ts";
import { promoterCampaigns } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/promoter/promoter.ts";
import { findLatestSale } from "../../domain/sale/sales.ts";
import type { V2Request } from "../operation.ts";
import type { Line } from "../../csv.ts";
import { amountCell } from "./csv-pages.ts";

/** Columns that `tidemark import-csv` knows have its names. */
export const LEAD_COLUMNS = [
  "id",
  "email",
  "uid",
  "username",
  "first_name",
  "last_name",
  "state",
  "suspicion",
  "ref_id",
  "promoter_email",
  "campaign_id",
  "plan_name",
  "sub_id",
  "sales_count",
  "mrr",
  "customer_since",
  "cancelled_at",
  "created_at",
];

/** All leads, with their promoters. `mrr` is the monthly revenue that the latest sale brings. */
export async function* leadPages({ account, context: { store } }: V2Request): AsyncGenerator<Line[]> {
  const lineOf = async (lead: Lead): Promise<Line> => {
    const [promoter, promoterCampaign, sale] = await Promise.all([
      store.get(promoters, account.id, lead.promoterId),
      store.get(promoterCampaigns, account.id, lead.promoterCampaignId),
      lead.salesCount === 0 ? null : findLatestSale(store, lead),
    ]);
    const mrr = sale?.mrrCents ?? null;
    return {
      id: lead.id,
      email: lead.email,
      uid: lead.uid,
      username: lead.username,
      first_name: lead.firstName,
      last_name: lead.lastName,
      state: lead.state,
      suspicion: lead.suspicion,
      ref_id: promoterCampaign?.refToken ?? null,
      promoter_email: promoter?.email ?? null,
      campaign_id: lead.campaignId,
      plan_name: lead.planName,
      sub_id: lead.subId,
      sales_count: lead.salesCount,
      mrr: mrr === null ? null : amountCell(mrr, "cash", account.currency),
      customer_since: lead.customerSince,
      cancelled_at: lead.cancelledAt,
      created_at: lead.createdAt,
    };
  };
  for await (const page of store.scan(leads, "id", account.id, [])) {
    yield await Promise.all(page.filter(({ archivedAt }) => archivedAt === undefined).map(lineOf));
  }
}

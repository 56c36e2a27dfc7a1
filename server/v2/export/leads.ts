import { leads } from "../../domain/people/lead/lead.ts";
import type { promoterCampaigns } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import type { sales } from "../../domain/ledger/sale/sale.ts";
import type { V2Request } from "../operation.ts";
import type { Line } from "../../csv.ts";
import { parse } from "../../storage/table.ts";
import type { Schema } from "../../storage/query.ts";
import { amountCell, rowsById } from "./csv-pages.ts";

/** The columns are named like those of `tidemark import-csv` where it has them. */
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

type ExportSchema = Schema<{
  leads: typeof leads;
  promoters: typeof promoters;
  promoter_campaigns: typeof promoterCampaigns;
  sales: typeof sales;
}>;

interface LeadRow {
  lead: string;
  promoter: string | null;
  ref_token: string | null;
  mrr: number | null;
}

/** All leads, with their promoters. `mrr` is the monthly revenue that the latest sale brings. */
export async function* leadPages({ account, context: { store } }: V2Request): AsyncGenerator<Line[]> {
  const query = store
    .query<ExportSchema>()
    .selectFrom("leads")
    .leftJoin("promoters", (join) =>
      join
        .onRef("promoters.account_id", "=", "leads.account_id")
        .onRef("promoters.id", "=", "leads.promoter_id"),
    )
    .leftJoin("promoter_campaigns", (join) =>
      join
        .onRef("promoter_campaigns.account_id", "=", "leads.account_id")
        .onRef("promoter_campaigns.id", "=", "leads.promoter_campaign_id"),
    )
    .where("leads.account_id", "=", account.id)
    .where("leads.archived_at", "is", null)
    .select(["leads.id", "leads.doc as lead", "promoters.doc as promoter", "promoter_campaigns.ref_token"])
    .select(({ selectFrom }) =>
      selectFrom("sales")
        .select("sales.mrr_cents")
        .whereRef("sales.account_id", "=", "leads.account_id")
        .whereRef("sales.lead_id", "=", "leads.id")
        .orderBy("sales.created_at", "desc")
        .orderBy("sales.id", "desc")
        .limit(1)
        .as("mrr"),
    );
  const lineOf = (row: LeadRow): Line => {
    const lead = parse(leads, row.lead);
    const promoter = row.promoter === null ? null : parse(promoters, row.promoter);
    const mrr = row.mrr === null || lead.salesCount === 0 ? null : Number(row.mrr);
    return {
      id: lead.id,
      email: lead.email,
      uid: lead.uid,
      username: lead.username,
      first_name: lead.firstName,
      last_name: lead.lastName,
      state: lead.state,
      suspicion: lead.suspicion,
      ref_id: row.ref_token,
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
  for await (const rows of rowsById(store, query, "leads.id")) yield rows.map(lineOf);
}

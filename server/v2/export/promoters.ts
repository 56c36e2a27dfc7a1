import { promoterCampaigns } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import { parse } from "../../storage/table.ts";
import type { Schema } from "../../storage/query.ts";
import { rowsById } from "./csv-pages.ts";
import type { V2Request } from "../operation.ts";
import type { Line } from "../../csv.ts";

/** The columns are named like those of `tidemark import-csv` where it has them. */
export const PROMOTER_COLUMNS = [
  "id",
  "email",
  "first_name",
  "last_name",
  "ref_id",
  "cust_id",
  "promo_code",
  "campaign_id",
  "state",
  "parent_email",
  "website",
  "company_name",
  "country",
  "wallet_email",
  "landing_url",
  "note",
  "created_at",
  "archived_at",
];

/** All promoters, with their first campaign. */
export async function* promoterPages({ account, context: { store } }: V2Request): AsyncGenerator<Line[]> {
  const query = store
    .query<Schema<{ promoters: typeof promoters; promoter_campaigns: typeof promoterCampaigns }>>()
    .selectFrom("promoters")
    .leftJoin("promoters as parents", (join) =>
      join
        .onRef("parents.account_id", "=", "promoters.account_id")
        .onRef("parents.id", "=", "promoters.parent_promoter_id"),
    )
    .leftJoin("promoter_campaigns as firsts", (join) =>
      join
        .onRef("firsts.account_id", "=", "promoters.account_id")
        .onRef("firsts.id", "=", "promoters.default_promoter_campaign_id"),
    )
    .where("promoters.account_id", "=", account.id)
    .select(["promoters.id", "promoters.doc as promoter", "parents.doc as parent", "firsts.doc as first"]);
  const lineOf = (docs: { promoter: string; parent: string | null; first: string | null }): Line => {
    const promoter = parse(promoters, docs.promoter);
    const parent = docs.parent === null ? null : parse(promoters, docs.parent);
    const first = docs.first === null ? null : parse(promoterCampaigns, docs.first);
    const { profile } = promoter;
    return {
      id: promoter.id,
      email: promoter.email,
      first_name: profile.firstName,
      last_name: profile.lastName,
      ref_id: first?.refToken ?? null,
      cust_id: promoter.custId,
      promo_code: first?.coupon ?? null,
      campaign_id: first?.campaignId ?? null,
      state: first?.state ?? null,
      parent_email: parent?.email ?? null,
      website: profile.website,
      company_name: profile.companyName,
      country: profile.country,
      wallet_email: profile.walletEmail,
      landing_url: first?.landingUrl ?? null,
      note: promoter.note,
      created_at: promoter.createdAt,
      archived_at: promoter.archivedAt,
    };
  };
  for await (const rows of rowsById(store, query, "promoters.id")) yield rows.map(lineOf);
}

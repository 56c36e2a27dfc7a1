import { promoterCampaigns } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/promoter/promoter.ts";
import type { Promoter } from "../../domain/promoter/record.ts";
import type { V2Request } from "../operation.ts";
import type { Line } from "../../csv.ts";

/** Columns that `tidemark import-csv` knows have its names. */
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
  const lineOf = async (promoter: Promoter): Promise<Line> => {
    const { parentPromoterId: parentId, profile } = promoter;
    const [parent, first] = await Promise.all([
      parentId === null ? null : store.get(promoters, account.id, parentId),
      store.get(promoterCampaigns, account.id, promoter.defaultPromoterCampaignId),
    ]);
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
  for await (const page of store.scan(promoters, "id", account.id, [])) {
    yield await Promise.all(page.map(lineOf));
  }
}

import { sql } from "kysely";
import { Failure } from "../../failure.ts";
import type { Schema } from "../../storage/query.ts";
import type { Transaction, View } from "../../storage/store.ts";
import { campaigns, type Campaign } from "../program/campaign/campaign.ts";
import { commissions } from "./commission/commission.ts";
import { payouts } from "./payout/payout.ts";
import type { Product } from "../program/product.ts";
import { promoterCampaigns } from "../people/promoter-campaign/promoter-campaign.ts";
import { loadCampaignStats } from "../people/daily.ts";
import { sales } from "./sale/sale.ts";

/** Whether an account has amounts. */
export async function hasMoney({ view }: Transaction, accountId: number): Promise<boolean> {
  const found = [
    await view.page(sales, "id", accountId, [], { limit: 1 }),
    await view.page(commissions, "id", accountId, [], { limit: 1 }),
    await view.page(payouts, "id", accountId, [], { limit: 1 }),
  ];
  return found.some(({ length }) => length > 0);
}

type UseSchema = Schema<{
  sales: typeof sales;
  payouts: typeof payouts;
  campaigns: typeof campaigns;
  promoter_campaigns: typeof promoterCampaigns;
}>;

/**
 * Prevents the removal of a campaign that records belong to.
 *
 * @throws Failure `in_use`
 */
export async function refuseUsedCampaign(tx: Transaction, { account_id, id }: Campaign): Promise<void> {
  const stats = await loadCampaignStats(tx.view, account_id, id);
  const uses: [count: number, name: string][] = [
    [await tx.view.count(promoterCampaigns, "campaign", account_id, [id]), "promoter campaigns"],
    [await countPayouts(tx.view, account_id, id), "payouts"],
    [stats.commissions, "commissions"],
    [stats.sales, "sales"],
    [stats.referrals, "leads"],
    [await tx.view.count(campaigns, "upgrade", account_id, [id]), "upgrades of other campaigns"],
  ];
  for (const [count, name] of uses) {
    if (count > 0) throw new Failure("in_use", `${count} ${name} belong to the campaign`);
  }
}

/**
 * Prevents the removal of a product that rewards or sales name.
 *
 * @throws Failure `in_use`
 */
export async function refuseUsedProduct({ view }: Transaction, { account_id, id }: Product): Promise<void> {
  const query = view.query<UseSchema>();
  const total = sql<number>`count(*)`.as("total");
  const sold = query
    .selectFrom("sales")
    .select(total)
    .where("account_id", "=", account_id)
    .where("product_id", "=", id);
  const [inCampaigns, inPromoterCampaigns] = (["campaigns", "promoter_campaigns"] as const).map((from) =>
    query
      .selectFrom(from)
      .select(total)
      .where("account_id", "=", account_id)
      .where("rewarded_products", "is not", null)
      // In the format of `productsNamed`.
      .where("rewarded_products", "like", `% ${id} %`),
  );
  const counts = await view.rows(sold.unionAll(inCampaigns!).unionAll(inPromoterCampaigns!));
  const uses = counts.reduce((sum, row) => sum + Number(row.total), 0);
  if (uses > 0) throw new Failure("in_use", `${uses} records refer to the product`);
}

async function countPayouts(view: View, accountId: number, campaignId: number): Promise<number> {
  const query = view
    .query<UseSchema>()
    .selectFrom("payouts")
    .where("account_id", "=", accountId)
    .where("campaign_id", "=", campaignId)
    .select(({ fn }) => fn.countAll().as("count"));
  const [found] = await view.rows(query);
  return Number(found?.count ?? 0);
}

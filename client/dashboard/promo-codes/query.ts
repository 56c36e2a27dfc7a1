import { answer, api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { PAGE_LENGTH, type Rows } from "../../ui/table/list.ts";

type PromoterCampaign = components["schemas"]["PromoterCampaign"];

/** A promo code with its promoter. */
export type PromoCode = components["schemas"]["PromoCode"] & {
  /** Null if deleted. */
  owner: PromoterCampaign | null;
};

/** A page of promo codes. A code has only the id of its promoter campaign, so those of the page are loaded together. */
export async function loadPromoCodes(number: number, signal: AbortSignal): Promise<Rows<PromoCode>> {
  const query = { page: number, per_page: PAGE_LENGTH };
  const { rows, total } = await page(api.GET("/api/v2/company/promo_codes", { params: { query }, signal }));
  const ids = [...new Set(rows.map((code) => code.promoter_campaign_id))];
  const owners = ids.length === 0 ? [] : await loadOwners(ids, signal);
  const byId = new Map(owners.map((owner) => [owner.id, owner]));
  return {
    total,
    rows: rows.map((code) => ({ ...code, owner: byId.get(code.promoter_campaign_id) ?? null })),
  };
}

function loadOwners(ids: number[], signal: AbortSignal): Promise<PromoterCampaign[]> {
  const query = { ids, per_page: PAGE_LENGTH };
  return answer(api.GET("/api/v2/company/promoter_campaigns", { params: { query }, signal }));
}

import { api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { firstCampaignFirst } from "../session/session.ts";

/** One of the promoter's campaigns. */
export type Joined = components["schemas"]["PortalPromoterCampaign"];

/** The API's maximum page size, more than the campaigns of any promoter. */
const MOST = 100;

/** The promoter's campaigns. The one that the portal was opened for comes first. */
export async function loadJoined() {
  const params = { query: { per_page: MOST } };
  const { rows } = await page(api.GET("/api/v2/affiliate/promoter_campaigns", { params }));
  return firstCampaignFirst(rows);
}

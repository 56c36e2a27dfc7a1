import { api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { firstCampaignFirst } from "../session/session.ts";

/** The promoter in one of their campaigns. */
export type Joined = components["schemas"]["PortalPromoterCampaign"];

/** The longest page that the interface gives. Choice: nobody is in more campaigns. */
const MOST = 100;

/** The campaigns that the promoter is in. The one that the portal was opened for comes first. */
export async function loadJoined() {
  const params = { query: { per_page: MOST } };
  const { rows } = await page(api.GET("/api/v2/affiliate/promoter_campaigns", { params }));
  return firstCampaignFirst(rows);
}

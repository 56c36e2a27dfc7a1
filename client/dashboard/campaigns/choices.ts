import { api, page } from "../../ui/api/client.ts";
import { useLoad, type Loaded } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";

export type Campaign = components["schemas"]["Campaign"];

/** Enough for a drop-down list. */
const MOST = 100;

/** The campaigns to choose from. */
export function useCampaigns(): Loaded<Campaign[]> {
  return useLoad(async (signal) => {
    const query = { per_page: MOST };
    return (await page(api.GET("/api/v2/company/campaigns", { params: { query }, signal }))).rows;
  });
}

/** Campaigns as the options of a `Select`. */
export function campaignOptions(campaigns: Campaign[] | null): [value: string, words: string][] {
  return (campaigns ?? []).map(({ id, name }) => [String(id), name]);
}

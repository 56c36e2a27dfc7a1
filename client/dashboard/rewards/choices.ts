import { api, page } from "../../ui/api/client.ts";
import { useLoad, type Loaded } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import type { Reward } from "./sentence.ts";

/** Enough for a drop-down list. */
const MOST = 100;

/** The rewards to choose from. */
export function useRewards(scope: "promoters" | "referrals"): Loaded<Reward[]> {
  return useLoad(
    async (signal) => {
      const query = { per_page: MOST, scope };
      return (await page(api.GET("/api/v2/company/rewards", { params: { query }, signal }))).rows;
    },
    [scope],
  );
}

/** The products to choose from. */
export function useProducts(): Loaded<components["schemas"]["Product"][]> {
  return useLoad(async (signal) => {
    const query = { per_page: MOST };
    return (await page(api.GET("/api/v2/company/products", { params: { query }, signal }))).rows;
  });
}

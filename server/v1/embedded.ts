import type { z } from "zod";
import { promoters } from "../domain/promoter.ts";
import { promoterCampaigns } from "../domain/promoter-campaign.ts";
import type { Store } from "../storage/store.ts";
import { promoterSubsetJson, type promoterSubsetAnswer } from "./promoter-json.ts";
import { readPromoterParts, readPromotionParts } from "./promoter-parts.ts";
import { promotionJson, type promotionAnswer } from "./promotion-json.ts";

/** What V1 shows within its records. null: it is gone. */
export interface Embedded {
  promoter(id: number): Promise<z.output<typeof promoterSubsetAnswer> | null>;
  promotion(id: number): Promise<z.output<typeof promotionAnswer> | null>;
}

/** Reads each promoter and promotion once for one answer, however many of its records show them. */
export function newEmbedded(store: Store, accountId: number): Embedded {
  return {
    promoter: once(async (id) => {
      const promoter = await store.get(promoters, accountId, id);
      return promoter && promoterSubsetJson(await readPromoterParts(store, promoter));
    }),
    promotion: once(async (id) => {
      const promoterCampaign = await store.get(promoterCampaigns, accountId, id);
      return promoterCampaign && promotionJson(await readPromotionParts(store, promoterCampaign));
    }),
  };
}

/** Remembers what a function gave for each id. */
export function once<T>(read: (id: number) => Promise<T>): (id: number) => Promise<T> {
  const known = new Map<number, Promise<T>>();
  return (id) => {
    const value = known.get(id) ?? read(id);
    known.set(id, value);
    return value;
  };
}

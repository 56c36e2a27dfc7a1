import type { z } from "zod";
import { once, unlessGone } from "../domain/show.ts";
import { loadPromoter } from "../domain/promoter/promoter.ts";
import { loadPromoterCampaign } from "../domain/promoter-campaign/promoter-campaign.ts";
import type { View } from "../storage/store.ts";
import { promoterSubsetJson, type promoterSubsetAnswer } from "./promoter/promoter-json.ts";
import { readPromoterParts, readPromotionParts } from "./promoter/promoter-parts.ts";
import { promotionJson, type promotionAnswer } from "./promoter/promotion-json.ts";

/** The promoters and promotions that V1 shows within its records. null: deleted. */
export interface Embedded {
  promoter(id: number): Promise<z.output<typeof promoterSubsetAnswer> | null>;
  promotion(id: number): Promise<z.output<typeof promotionAnswer> | null>;
}

/** Reads each promoter and promotion once per answer, however many of its records show them. */
export function newEmbedded(view: View, accountId: number): Embedded {
  const promoter = async (id: number) =>
    promoterSubsetJson(await readPromoterParts(view, await loadPromoter(view, accountId, id)));
  const promotion = async (id: number) =>
    promotionJson(await readPromotionParts(view, await loadPromoterCampaign(view, accountId, id)));
  return {
    promoter: once((id) => unlessGone(promoter(id))),
    promotion: once((id) => unlessGone(promotion(id))),
  };
}

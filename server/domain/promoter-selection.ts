import { Failure } from "../failure.ts";
import type { Promoter, PromoterCampaign } from "../records.ts";
import type { Reader } from "../storage/store.ts";
import { promoCodes } from "./promo-code.ts";
import { findPromoterByEmail, promoters } from "./promoter.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { findByRefToken } from "./ref-token.ts";

/** What a promoter may be named by. */
export type Selector = "id" | "custId" | "authToken" | "email" | "refToken" | "promoCode";

/** A promoter as a request names them; any text may be asked for. */
export interface Selection {
  by: Selector;
  value: string;
}

/** The selection of a promoter whose id is known. */
export function byId(id: number): Selection {
  return { by: "id", value: String(id) };
}

/** A promoter that was found. */
export interface Selected {
  promoter: Promoter;
  /** The participation that was named by its ref token or code. null: the promoter themselves were named. */
  promoterCampaign: PromoterCampaign | null;
}

type Find<R> = (reader: Reader, accountId: number, value: string) => Promise<R | null>;

const PROMOTER_BY: Partial<Record<Selector, Find<Promoter>>> = {
  id: async (reader, accountId, value) =>
    /^\d{1,15}$/.test(value) ? reader.get(promoters, accountId, Number(value)) : null,
  custId: (reader, accountId, value) => reader.find(promoters, "custId", accountId, [value]),
  authToken: (reader, accountId, value) => reader.find(promoters, "authToken", accountId, [value]),
  email: findPromoterByEmail,
};

const PARTICIPATION_BY: Partial<Record<Selector, Find<PromoterCampaign>>> = {
  refToken: findByRefToken,
  promoCode: findByPromoCode,
};

/** The promoter that a selection leads to. @throws Failure `not_found` */
export async function loadSelected(
  reader: Reader,
  accountId: number,
  { by, value }: Selection,
): Promise<Selected> {
  const text = value.trim();
  const promoterCampaign = (await PARTICIPATION_BY[by]?.(reader, accountId, text)) ?? null;
  const promoter = promoterCampaign
    ? await reader.get(promoters, accountId, promoterCampaign.promoterId)
    : await PROMOTER_BY[by]?.(reader, accountId, text);
  if (!promoter) throw new Failure("not_found", "Promoter not found.");
  return { promoter, promoterCampaign };
}

/** By the code at the billing provider, by what customers type, or by a promo code in use. */
async function findByPromoCode(
  reader: Reader,
  accountId: number,
  value: string,
): Promise<PromoterCampaign | null> {
  const code = value.toLowerCase();
  const owner =
    (await reader.find(promoterCampaigns, "coupon", accountId, [value])) ??
    (await reader.find(promoterCampaigns, "displayCoupon", accountId, [code]));
  if (owner !== null) return owner;
  const promoCode = await reader.find(promoCodes, "code", accountId, [code]);
  return promoCode && reader.get(promoterCampaigns, accountId, promoCode.promoterCampaignId);
}

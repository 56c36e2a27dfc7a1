import { Failure } from "../../failure.ts";
import type { Promoter } from "./record.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import { indexed } from "../../storage/digests.ts";
import type { Reader } from "../../storage/store.ts";
import { findCodeOwner } from "../promo-code/promo-code.ts";
import { findPromoterByEmail, promoters } from "./promoter.ts";
import { findByRefToken } from "../promoter-campaign/ref-token.ts";

/** The values that can name a promoter. */
export type Selector = "id" | "custId" | "authToken" | "email" | "refToken" | "promoCode";

/** Names a promoter in a request. `value` may be any text. */
export interface Selection {
  by: Selector;
  value: string;
}

/** Selects a promoter by a known id. */
export function byId(id: number): Selection {
  return { by: "id", value: String(id) };
}

/** A promoter that was found. */
export interface Selected {
  promoter: Promoter;
  /** The promoter campaign whose ref token or code was given. null: another value named the promoter. */
  promoterCampaign: PromoterCampaign | null;
}

type Find<R> = (reader: Reader, accountId: number, value: string) => Promise<R | null>;

const PROMOTER_BY: Partial<Record<Selector, Find<Promoter>>> = {
  id: async (reader, accountId, value) =>
    /^\d{1,15}$/.test(value) ? reader.get(promoters, accountId, Number(value)) : null,
  custId: (reader, accountId, value) => reader.find(promoters, "custId", accountId, [indexed(value)]),
  authToken: (reader, accountId, value) => reader.find(promoters, "authToken", accountId, [value]),
  email: findPromoterByEmail,
};

const PROMOTER_CAMPAIGN_BY: Partial<Record<Selector, Find<PromoterCampaign>>> = {
  refToken: findByRefToken,
  promoCode: findCodeOwner,
};

/** Finds the promoter of a selection. @throws Failure `not_found` */
export async function loadSelected(
  reader: Reader,
  accountId: number,
  { by, value }: Selection,
): Promise<Selected> {
  const text = value.trim();
  const promoterCampaign = (await PROMOTER_CAMPAIGN_BY[by]?.(reader, accountId, text)) ?? null;
  const promoter = promoterCampaign
    ? await reader.get(promoters, accountId, promoterCampaign.promoterId)
    : await PROMOTER_BY[by]?.(reader, accountId, text);
  if (!promoter) throw new Failure("not_found", "Promoter not found.");
  return { promoter, promoterCampaign };
}

import { Failure } from "../failure.ts";
import type { PromoCode } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Reader } from "../storage/store.ts";

/** A code is one account's only among those in use, so that an archived one can be made anew. */
export const promoCodes = collection<PromoCode>()({
  name: "promo-code",
  id: (promoCode) => [promoCode.id],
  claims: {
    code: ({ code, archivedAt }) => (archivedAt === null ? [code.toLowerCase()] : null),
  },
  indexes: {
    promoterCampaign: ({ promoterCampaignId }) => [promoterCampaignId],
  },
  tallies: ({ promoterCampaignId }) => [
    [["all"], 1],
    [["promoterCampaign", promoterCampaignId], 1],
  ],
});

/** @throws Failure `not_found` */
export async function loadPromoCode(reader: Reader, accountId: number, id: number): Promise<PromoCode> {
  const promoCode = await reader.get(promoCodes, accountId, id);
  if (promoCode === null) throw new Failure("not_found", "Promo code not found.");
  return promoCode;
}

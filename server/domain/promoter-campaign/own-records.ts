import { Failure } from "../../failure.ts";
import type { PromoterCampaign } from "./record.ts";
import type { Reader } from "../../storage/store.ts";
import { loadPromoterCampaign } from "./promoter-campaign.ts";

/** Names a record of one promoter. */
export interface OwnRecord {
  accountId: number;
  promoterId: number;
  id: number;
}

/** A promoter campaign of this promoter. @throws Failure `not_found`, also for another promoter's */
export async function loadOwnPromoterCampaign(
  reader: Reader,
  { accountId, promoterId, id }: OwnRecord,
): Promise<PromoterCampaign> {
  const promoterCampaign = await loadPromoterCampaign(reader, accountId, id);
  if (promoterCampaign.promoterId !== promoterId) throw new Failure("not_found", "Promotion not found.");
  return promoterCampaign;
}

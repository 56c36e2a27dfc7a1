import type { Lead, Split } from "../lead/lead.ts";
import type { Reader } from "../../storage/store.ts";
import { acceptsLeads, promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";

/**
 * The parts of a lead's commissions that go to others. The part of a promoter campaign that is gone or not accepted stays
 * with the lead's own promoter.
 */
export async function payableSplits(reader: Reader, { accountId, splits }: Lead): Promise<Split[]> {
  const payable: Split[] = [];
  for (const split of splits ?? []) {
    const owner = await reader.get(promoterCampaigns, accountId, split.promoterCampaignId);
    if (owner !== null && acceptsLeads(owner)) payable.push(split);
  }
  return payable;
}

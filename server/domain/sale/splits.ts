import type { Lead, Split } from "../lead/record.ts";
import type { Reader } from "../../storage/store.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";

/**
 * The parts of a lead's commissions that go to others.
 *
 * Choice: the part of a promoter campaign that is gone or blocked stays with the lead's own promoter.
 */
export async function payableSplits(reader: Reader, { accountId, splits }: Lead): Promise<Split[]> {
  const payable: Split[] = [];
  for (const split of splits ?? []) {
    const owner = await reader.get(promoterCampaigns, accountId, split.promoterCampaignId);
    if (owner !== null && owner.state !== "blocked") payable.push(split);
  }
  return payable;
}

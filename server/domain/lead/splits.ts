import { Failure } from "../../failure.ts";
import { WHOLE } from "../money/money.ts";
import type { Reader } from "../../storage/store.ts";
import { loadPromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import type { Lead } from "./record.ts";

/**
 * Checks that the splits of a lead name other promoter campaigns, each once, and give away no more than there is.
 *
 * @throws Failure `not_found` for an unknown promoter campaign, `invalid`
 */
export async function checkSplits(
  reader: Reader,
  lead: Pick<Lead, "accountId" | "promoterCampaignId" | "splits">,
): Promise<void> {
  const splits = lead.splits ?? [];
  const ids = splits.map(({ promoterCampaignId }) => promoterCampaignId);
  for (const id of ids) await loadPromoterCampaign(reader, lead.accountId, id);
  const total = splits.reduce((sum, { percentTenThousandths }) => sum + percentTenThousandths, 0);
  const faults: string[] = [];
  if (new Set(ids).size < ids.length) faults.push("must not name a promoter campaign twice");
  if (ids.includes(lead.promoterCampaignId))
    faults.push("must not name the referral's own promoter campaign");
  if (total > WHOLE) faults.push("must not be more than 100 percent together");
  if (faults.length > 0) throw new Failure("invalid", "The splits are invalid", { splits: faults });
}

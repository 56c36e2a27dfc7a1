import type { Lead } from "../lead/record.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { loadOwnedRecords } from "../../storage/transaction/owned-records.ts";
import { commissions } from "./commission.ts";

/**
 * Moves the commissions that a lead earned for its promoter to another promoter campaign. Paid ones never move.
 *
 * Choice: commissions for the promoter's parents stay with the parents. Payouts don't name their commissions yet, so
 * all that were not paid elsewhere count as unpaid.
 */
export async function moveCommissions(
  tx: Transaction,
  store: Store,
  { lead, target }: { lead: Lead; target: PromoterCampaign },
): Promise<void> {
  const { accountId, id, promoterId } = lead;
  for (const commission of await loadOwnedRecords([tx, store], commissions, {
    accountId,
    index: "lead",
    ownerId: id,
  })) {
    if (commission.promoterId !== promoterId || commission.isPaidElsewhere) continue;
    await tx.put(commissions, {
      ...commission,
      promoterCampaignId: target.id,
      promoterId: target.promoterId,
      campaignId: target.campaignId,
    });
  }
}

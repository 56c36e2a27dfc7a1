import type { Lead, PromoterCampaign } from "../records.ts";
import type { Store, Transaction } from "../storage/store.ts";
import { commissions } from "./commission.ts";

/**
 * Gives what a lead has earned for its promoter to another promoter campaign. What was paid never moves.
 *
 * Choice: what it earned for parents of the promoter stays with them. Payouts don't name their
 * commissions yet, so all that were not paid elsewhere count as unpaid.
 */
export async function moveCommissions(
  tx: Transaction,
  store: Store,
  { lead, target }: { lead: Lead; target: PromoterCampaign },
): Promise<void> {
  const { accountId, id, promoterId } = lead;
  for await (const chunk of store.scan(commissions, "lead", accountId, [id])) {
    for (const { id: commissionId } of chunk) {
      const commission = await tx.get(commissions, accountId, commissionId);
      if (commission?.promoterId !== promoterId || commission.isPaidElsewhere) continue;
      const { id: promoterCampaignId, campaignId } = target;
      await tx.put(commissions, {
        ...commission,
        promoterCampaignId,
        promoterId: target.promoterId,
        campaignId,
      });
    }
  }
}

import type { Commission, Lead, PromoterCampaign } from "../records.ts";
import type { Store, Transaction } from "../storage/store.ts";
import { addToBalance } from "./balance.ts";
import { commissions } from "./commission.ts";

/**
 * Gives what a lead has earned for its promoter to another promoter campaign, with the balances.
 *
 * Choice: what it earned for parents of the promoter stays with them. Payouts don't name their
 * commissions yet, so all approved ones count as unpaid.
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
      if (commission?.promoterId === promoterId) await move(tx, commission, target);
    }
  }
}

async function move(tx: Transaction, commission: Commission, target: PromoterCampaign): Promise<void> {
  const { unit, amount, status } = commission;
  const moved = {
    ...commission,
    promoterCampaignId: target.id,
    promoterId: target.promoterId,
    campaignId: target.campaignId,
  };
  await tx.put(commissions, moved);
  if (status !== "approved") return;
  await addToBalance(tx, commission, { unit, earnings: -amount, current: -amount });
  await addToBalance(tx, moved, { unit, earnings: amount, current: amount });
}

import {
  commissions,
  newCommission,
  type Commission,
} from "../../server/domain/ledger/commission/commission.ts";
import type { Context } from "../../server/domain/context.ts";
import type { Promoter } from "../../server/domain/people/promoter/promoter.ts";

export { newCommission } from "../../server/domain/ledger/commission/commission.ts";

/** Stores a commission, by default of 10.00 for a promoter's default campaign. */
export async function addCommission(
  { store, now }: Context,
  { accountId, id: promoterId, defaultPromoterCampaignId: promoterCampaignId }: Promoter,
  changes: Partial<Commission> = {},
): Promise<Commission> {
  const commission = newCommission({
    accountId,
    id: await store.nextId("commission"),
    promoterCampaignId,
    promoterId,
    campaignId: 1,
    amount: 1_000,
    createdAt: now.toISOString(),
    ...changes,
  });
  await store.transact((tx) => tx.insert(commissions, commission));
  return commission;
}

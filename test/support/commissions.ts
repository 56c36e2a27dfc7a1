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
  { account_id, id: promoterId, default_promoter_campaign_id: promoterCampaignId }: Promoter,
  changes: Partial<Commission> = {},
): Promise<Commission> {
  const commission = newCommission({
    account_id,
    id: await store.nextId("commission"),
    promoter_campaign_id: promoterCampaignId,
    promoter_id: promoterId,
    campaign_id: 1,
    amount: 1_000,
    created_at: now.toISOString(),
    ...changes,
  });
  await store.transact((tx) => tx.insert(commissions, commission));
  return commission;
}

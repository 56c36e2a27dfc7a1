import { loadBalance } from "../domain/balance.ts";
import { loadCampaign } from "../domain/campaign.ts";
import { listParticipations } from "../domain/participation.ts";
import { findSelectedPayoutMethod } from "../domain/payout-method.ts";
import { promoters } from "../domain/promoter.ts";
import { loadPromoterStats } from "../domain/stats.ts";
import type { Account, Promoter } from "../records.ts";
import type { Store } from "../storage/store.ts";
import type { PromoterParts } from "./promoter-json.ts";

/** What of a promoter is shown only sometimes. */
export interface Extras {
  withPayoutMethod: boolean;
  withParent: boolean;
}

/** The extras that are shown where a request says nothing of them. */
export const USUAL_EXTRAS: Extras = { withPayoutMethod: true, withParent: false };

/** Reads what V2 shows of a promoter beside their own record. */
export async function readPromoterParts(
  store: Store,
  account: Account,
  { promoter, withPayoutMethod, withParent }: Extras & { promoter: Promoter },
): Promise<PromoterParts> {
  const { accountId, id } = promoter;
  const found = await listParticipations(store, accountId, id);
  const participations = [];
  for (const promoterCampaign of found) {
    const campaign = await loadCampaign(store, accountId, promoterCampaign.campaignId);
    participations.push({ promoterCampaign, campaign });
  }
  return {
    account,
    promoter,
    participations,
    stats: await loadPromoterStats(store, accountId, id),
    balance: await loadBalance(store, accountId, id),
    payoutMethod: withPayoutMethod ? await findSelectedPayoutMethod(store, accountId, id) : undefined,
    parent: withParent ? await findParent(store, promoter) : undefined,
  };
}

async function findParent(store: Store, { accountId, parentPromoterId }: Promoter): Promise<Promoter | null> {
  return parentPromoterId === null ? null : store.get(promoters, accountId, parentPromoterId);
}

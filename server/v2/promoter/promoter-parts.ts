import type { z } from "zod";
import { loadBalance } from "../../domain/commission/balance.ts";
import { listPromoterCampaigns } from "../../domain/promoter-campaign/joining.ts";
import { findSelectedPayoutMethod } from "../../domain/payout-method/payout-method.ts";
import { promoters } from "../../domain/promoter/promoter.ts";
import { withCampaign } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { showAll, type Show } from "../../domain/show.ts";
import { loadPromoterStats } from "../../domain/report/counters.ts";
import type { Account } from "../../domain/account/record.ts";
import type { Promoter } from "../../domain/promoter/record.ts";
import type { View } from "../../storage/store.ts";
import { promoterJson, type PromoterParts, type promoterAnswer } from "./promoter-json.ts";

/** The parts of a promoter that are only shown on request. */
export interface Extras {
  withPayoutMethod: boolean;
  withParent: boolean;
}

/** The parts that are shown by default. */
export const USUAL_EXTRAS: Extras = { withPayoutMethod: true, withParent: false };

/** Shows a promoter of an account with the default parts. */
export function showPromoterOf(account: Account): Show<Promoter, z.output<typeof promoterAnswer>> {
  return async (view, promoter) =>
    promoterJson(await readPromoterParts(view, account, { promoter, ...USUAL_EXTRAS }));
}

/** Reads what V2 shows of a promoter besides their own record. */
export async function readPromoterParts(
  view: View,
  account: Account,
  { promoter, withPayoutMethod, withParent }: Extras & { promoter: Promoter },
): Promise<PromoterParts> {
  const { accountId, id } = promoter;
  const found = await listPromoterCampaigns(view, accountId, id);
  const promoterCampaigns = await showAll(view, found, withCampaign);
  return {
    account,
    promoter,
    promoterCampaigns,
    stats: await loadPromoterStats(view, accountId, id),
    balance: await loadBalance(view, accountId, id),
    payoutMethod: withPayoutMethod ? await findSelectedPayoutMethod(view, accountId, id) : undefined,
    parent: withParent ? await findParent(view, promoter) : undefined,
  };
}

async function findParent(view: View, { accountId, parentPromoterId }: Promoter): Promise<Promoter | null> {
  return parentPromoterId === null ? null : view.get(promoters, accountId, parentPromoterId);
}

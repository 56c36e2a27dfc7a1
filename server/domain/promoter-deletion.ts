import { Failure } from "../failure.ts";
import type { Promoter, PromoterCampaign } from "../records.ts";
import type { Transaction } from "../storage/store.ts";
import type { Context } from "./context.ts";
import { loadOwnedRecords } from "./owned.ts";
import { announce } from "./event.ts";
import { lockPromoterCampaigns } from "./participation.ts";
import { payoutMethods } from "./payout-method.ts";
import { promoCodes } from "./promo-code.ts";
import { archivedStates } from "./promoter-archive.ts";
import { promoters } from "./promoter.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { loadSelected, type Selection } from "./promoter-selection.ts";
import { refTokens } from "./ref-token.ts";
import { promoterAddresses } from "./suspicion.ts";

/**
 * Removes a promoter with their participations, payout methods and addresses.
 *
 * Choice: whoever has earned anything stays, as money must remain accounted for. Leads stay: the
 * people signed up all the same. Promo codes are archived, as the payment processor may know them.
 * Ref tokens are retired, so that old links can't come to mean somebody else. Promoters below lose
 * their parent. Whatever comes to be theirs reads them, or their participation, so that it is either
 * found here or refused.
 *
 * @throws Failure `not_found`, or `refused` for a promoter with commissions or payouts
 */
export async function deletePromoter(
  context: Context,
  accountId: number,
  selection: Selection,
): Promise<Promoter> {
  const { store } = context;
  return store.transact(async (tx) => {
    const { promoter } = await loadSelected(tx, accountId, selection);
    const joined = await lockPromoterCampaigns(tx, store, promoter);
    await refuseEarner(tx, promoter, joined);
    await removePromoterCampaigns(tx, context, joined);
    const own = { accountId, ownerId: promoter.id };
    for (const child of await loadOwnedRecords([tx, store], promoters, { ...own, index: "parent" })) {
      const orphan = { ...child, parentPromoterId: null };
      await tx.put(promoters, orphan);
      await announce(tx, context, { entity: "promoter", before: child, after: orphan });
    }
    for (const method of await loadOwnedRecords([tx, store], payoutMethods, { ...own, index: "promoter" }))
      await tx.remove(payoutMethods, accountId, method.id);
    const seen = await loadOwnedRecords([tx, store], promoterAddresses, { ...own, index: "id" });
    for (const address of seen)
      await tx.remove(promoterAddresses, accountId, ...promoterAddresses.id(address));
    await tx.remove(promoters, accountId, promoter.id);
    await announce(tx, context, { entity: "promoter", before: promoter, after: null });
    return promoter;
  });
}

/** All is read by key, so that the commit notices what is earned meanwhile. */
async function refuseEarner(
  tx: Transaction,
  { accountId, id }: Promoter,
  joined: PromoterCampaign[],
): Promise<void> {
  let count = await tx.sum(accountId, ["payout/promoter", id]);
  for (const promoterCampaign of joined) {
    count += await tx.sum(accountId, ["stats.promoter", id, promoterCampaign.id, "commissions"]);
  }
  if (count > 0) {
    throw new Failure(
      "refused",
      "Promoter has rewards or payouts and can't be removed; archive them instead.",
    );
  }
}

async function removePromoterCampaigns(
  tx: Transaction,
  context: Context,
  joined: PromoterCampaign[],
): Promise<void> {
  const { store, now } = context;
  for (const promoterCampaign of joined) {
    const { accountId, id, refToken } = promoterCampaign;
    const own = { accountId, index: "promoterCampaign", ownerId: id } as const;
    for (const promoCode of await loadOwnedRecords([tx, store], promoCodes, own)) {
      if (promoCode.archivedAt !== null) continue;
      const archived = { ...promoCode, archivedAt: now.toISOString() };
      await tx.put(promoCodes, archived);
      await announce(tx, context, { entity: "promo_code", before: promoCode, after: archived });
    }
    await tx.put(refTokens, { accountId, token: refToken, promoterCampaignId: null });
    await tx.remove(archivedStates, accountId, id);
    await tx.remove(promoterCampaigns, accountId, id);
    await announce(tx, context, { entity: "promoter_campaign", before: promoterCampaign, after: null });
  }
}

import { Failure } from "../../failure.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../events/event.ts";
import { removeDocuments } from "../people/contract/document.ts";
import { promoterAddresses } from "../people/lead/suspicion.ts";
import { taxDetails } from "./invoice/tax-details.ts";
import { payoutHolds } from "./payout-method/changes.ts";
import { stripeAccounts } from "./payment/stripe-account.ts";
import { payoutMethods } from "./payout-method/payout-method.ts";
import { payouts } from "./payout/payout.ts";
import { promoCodes } from "../people/promo-code/promo-code.ts";
import {
  promoterCampaigns,
  refTokens,
  type PromoterCampaign,
} from "../people/promoter-campaign/promoter-campaign.ts";
import { lockPromoterCampaigns } from "../people/promoter-campaign/search.ts";
import { forgetMailings } from "../people/mailing/mailing.ts";
import { removeOwnLinks } from "../people/referral-link.ts";
import { loadStats } from "../people/daily.ts";
import { archivedStates } from "../people/promoter/changes.ts";
import { promoters, type Promoter } from "../people/promoter/promoter.ts";
import { loadSelected, type Selection } from "../people/promoter/search.ts";

/**
 * Deletes a promoter with their promoter campaigns, payout methods and addresses. All transactions that add
 * records for the promoter read their record or their promoter campaign, so a concurrent one is either found
 * here or refused.
 *
 * @throws Failure `not_found`, or `refused` for a promoter with commissions, sales or payouts
 * @see docs/spec/states.md "Promoters and promoter campaigns", 4
 */
export async function deletePromoter(
  tx: Transaction,
  context: Context,
  accountId: number,
  selection: Selection,
): Promise<Promoter> {
  const { promoter } = await loadSelected(tx, accountId, selection);
  const joined = await lockPromoterCampaigns(tx, promoter);
  await refuseEarner(tx, promoter, joined);
  await removePromoterCampaigns(tx, context, joined);
  const { id } = promoter;
  for (const child of await tx.view.list(promoters, "parent", accountId, [id])) {
    const orphan = { ...child, parent_promoter_id: null };
    await tx.put(promoters, orphan);
    await announce(tx, context, { entity: "promoter", before: child, after: orphan });
  }
  for (const method of await tx.view.list(payoutMethods, "promoter", accountId, [id])) {
    await tx.remove(payoutMethods, accountId, method.id);
    await announce(tx, context, { entity: "payout_method", before: method, after: null });
  }
  await tx.remove(payoutHolds, accountId, id);
  await forgetMailings(tx, { account_id: accountId, id });
  await removeDocuments(tx, promoter);
  await tx.remove(stripeAccounts, accountId, id);
  await tx.remove(taxDetails, accountId, id);
  for (const { address_hash } of await tx.view.list(promoterAddresses, "id", accountId, [id]))
    await tx.remove(promoterAddresses, accountId, id, address_hash);
  await tx.remove(promoters, accountId, id);
  await announce(tx, context, { entity: "promoter", before: promoter, after: null });
  return promoter;
}

/** The promoter and their promoter campaigns are locked, so that nothing is earned meanwhile. */
async function refuseEarner(
  tx: Transaction,
  { account_id, id }: Promoter,
  joined: PromoterCampaign[],
): Promise<void> {
  let count = await tx.view.count(payouts, "promoter", account_id, [id]);
  for (const promoterCampaign of joined) {
    const stats = await loadStats(tx.view, promoterCampaign);
    count += stats.commissions + stats.sales;
  }
  if (count > 0) {
    throw new Failure(
      "refused",
      "Promoter has rewards, sales or payouts and can't be removed; archive them instead.",
    );
  }
}

async function removePromoterCampaigns(
  tx: Transaction,
  context: Context,
  joined: PromoterCampaign[],
): Promise<void> {
  for (const promoterCampaign of joined) {
    const { account_id, id, ref_token, more_ref_tokens = [] } = promoterCampaign;
    for (const promoCode of await tx.view.list(promoCodes, "promoter_campaign", account_id, [id])) {
      if (promoCode.archived_at !== null) continue;
      const archived = { ...promoCode, archived_at: context.now.toISOString() };
      await tx.put(promoCodes, archived);
      await announce(tx, context, { entity: "promo_code", before: promoCode, after: archived });
    }
    await removeOwnLinks(tx, promoterCampaign);
    for (const token of [ref_token, ...more_ref_tokens])
      await tx.put(refTokens, { account_id, token, promoter_campaign_id: null });
    await tx.remove(archivedStates, account_id, id);
    await tx.remove(promoterCampaigns, account_id, id);
    await announce(tx, context, { entity: "promoter_campaign", before: promoterCampaign, after: null });
  }
}

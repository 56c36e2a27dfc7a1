import { Failure } from "../../failure.ts";
import { SYSTEM } from "../account/record.ts";
import type { Campaign } from "./record.ts";
import type { Transaction } from "../../storage/store.ts";
import { accounts } from "../account/account.ts";
import { campaigns, loadCampaign } from "./campaign.ts";
import type { Context } from "../context.ts";
import { updateWantedEvents } from "../event/wanted-events.ts";
import type { Show } from "../show.ts";

/**
 * Deletes a campaign that nothing belongs to.
 *
 * Choice: a campaign can't be deleted while payouts, rewards, sales or leads belong to it, even if its promoters have moved
 * on, because those records are shown with their campaign. Nor can one that another campaign upgrades to.
 *
 * @throws Failure `not_found`, `in_use` while something belongs to it or it is the default campaign
 */
export function deleteCampaign<T>(
  { store }: Context,
  accountId: number,
  { id, show }: { id: number; show: Show<Campaign, T> },
): Promise<T> {
  return store.transact(async (tx) => {
    const campaign = await loadCampaign(tx, accountId, id);
    const account = await tx.get(accounts, SYSTEM, accountId);
    if (account?.defaultCampaignId === id) {
      throw new Failure("in_use", "The default campaign can't be deleted");
    }
    await refuseUsed(tx, campaign);
    await tx.remove(campaigns, accountId, id);
    if (campaign.emails.length > 0)
      await updateWantedEvents(tx, store, { accountId, campaign: { id, after: null } });
    return show(tx.view, campaign);
  });
}

/** Reads the counts within the transaction, so that a record added meanwhile stops the deletion. */
async function refuseUsed(tx: Transaction, { accountId, id }: Campaign): Promise<void> {
  const uses: [count: number, name: string][] = [
    [await tx.sum(accountId, ["promoter-campaign/campaign", id]), "promoter campaigns"],
    [await tx.sum(accountId, ["payout/campaign", id]), "payouts"],
    [await tx.sum(accountId, ["stats.campaign", id, "commissions"]), "commissions"],
    [await tx.sum(accountId, ["stats.campaign", id, "sales"]), "sales"],
    [await tx.sum(accountId, ["stats.campaign", id, "referrals"]), "leads"],
    [await tx.sum(accountId, ["campaign.upgrade", id]), "upgrades of other campaigns"],
  ];
  for (const [count, name] of uses) {
    if (count > 0) throw new Failure("in_use", `${count} ${name} belong to the campaign`);
  }
}

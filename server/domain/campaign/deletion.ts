import { Failure } from "../../failure.ts";
import { accounts, SYSTEM } from "../account/account.ts";
import type { Campaign } from "./record.ts";
import type { Schema } from "../../storage/query.ts";
import type { Transaction, View } from "../../storage/store.ts";
import { campaigns, loadCampaign } from "./campaign.ts";
import type { Context } from "../context.ts";
import { updateWantedEvents } from "../event/wanted-events.ts";
import type { payouts } from "../payout/payout.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { loadCampaignStats } from "../report/stats.ts";
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
    await tx.lock(campaigns, accountId, id);
    await refuseUsed(tx, campaign);
    await tx.remove(campaigns, accountId, id);
    if (campaign.emails.length > 0) await updateWantedEvents(tx, accountId);
    return show(tx.view, campaign);
  });
}

/** The campaign is locked, so that nothing is added to it meanwhile. */
async function refuseUsed(tx: Transaction, { accountId, id }: Campaign): Promise<void> {
  const stats = await loadCampaignStats(tx.view, accountId, id);
  const uses: [count: number, name: string][] = [
    [await tx.view.count(promoterCampaigns, "campaign", accountId, [id]), "promoter campaigns"],
    [await countPayouts(tx.view, accountId, id), "payouts"],
    [stats.commissions, "commissions"],
    [stats.sales, "sales"],
    [stats.referrals, "leads"],
    [await tx.view.count(campaigns, "upgrade", accountId, [id]), "upgrades of other campaigns"],
  ];
  for (const [count, name] of uses) {
    if (count > 0) throw new Failure("in_use", `${count} ${name} belong to the campaign`);
  }
}

async function countPayouts(view: View, accountId: number, campaignId: number): Promise<number> {
  const question = view
    .question<Schema<{ payouts: typeof payouts }>>()
    .selectFrom("payouts")
    .where("account_id", "=", accountId)
    .where("campaign_id", "=", campaignId)
    .select(({ fn }) => fn.countAll().as("count"));
  const [found] = await view.rows(question);
  return Number(found?.count ?? 0);
}

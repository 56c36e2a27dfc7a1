import type { PromoterCampaign, PromoterCampaignState } from "./record.ts";
import type { RewardEntry } from "../reward/reward.ts";
import type { Transaction } from "../../storage/store.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { findTakenFields } from "./link-changes.ts";
import { requireInUse, loadPromoter } from "../promoter/promoter.ts";
import { refuseErased } from "../erasure/erased.ts";
import { announce } from "../event/event.ts";
import { loadPromoterCampaign, promoterCampaigns } from "./promoter-campaign.ts";
import { replaceRefToken } from "./ref-token.ts";
import { checkRewardEntries } from "../reward/changes.ts";
import type { Show } from "../show.ts";
import { refuseTaken } from "../../storage/taken.ts";

/** Changes to a promoter campaign. undefined: unchanged. */
export interface PromoterCampaignChanges {
  state?: PromoterCampaignState | undefined;
  refToken?: string | undefined;
  coupon?: string | null | undefined;
  displayCoupon?: string | null | undefined;
  /** A page of the promoter's own. A visit of it counts as a click on their link. null: none. */
  directUrl?: string | null | undefined;
  rewardsForPromoters?: RewardEntry[] | undefined;
  rewardsForReferrals?: RewardEntry[] | undefined;
  /** Whether the promoter campaign has its own rewards instead of the campaign's. */
  hasOwnPromoterRewards?: boolean | undefined;
  hasOwnReferralRewards?: boolean | undefined;
}

/**
 * Changes a promoter campaign. The state may change from any to any other. A former ref token then leads to nobody.
 *
 * Choice: the state of an archived promoter can't change until they are restored, as in the batches. Sending it back
 * unchanged is allowed.
 *
 * @throws Failure `not_found`, `refused` for an erased promoter or for the state of an archived one, `rule_broken`,
 * `taken` naming every unique field that belongs to another
 * @see docs/spec/v2.md "Update a promoter campaign"
 */
export function updatePromoterCampaign<T>(
  context: Context,
  accountId: number,
  input: { id: number; changes: PromoterCampaignChanges; show: Show<PromoterCampaign, T> },
): Promise<T> {
  const { id, changes, show } = input;
  return context.store.transact(async (tx) => {
    const before = await loadPromoterCampaign(tx, accountId, id);
    const { state = before.state } = changes;
    const promoter = await loadPromoter(tx, accountId, before.promoterId);
    refuseErased(promoter);
    if (state !== before.state) requireInUse(promoter);
    const after: PromoterCampaign = {
      ...before,
      state,
      refToken: changes.refToken ?? before.refToken,
      coupon: changes.coupon === undefined ? before.coupon : changes.coupon,
      displayCoupon: changes.displayCoupon === undefined ? before.displayCoupon : changes.displayCoupon,
      ...pageAfter(before, changes.directUrl),
      ...(await rewardsAfter(tx, before, changes)),
    };
    refuseTaken(await findTakenFields(tx, before, after));
    if (after.refToken !== before.refToken) await replaceRefToken(tx, before, after.refToken);
    await tx.put(promoterCampaigns, after);
    await announce(tx, context, { entity: "promoter_campaign", before, after });
    return show(tx.view, after);
  });
}

/** V1 can set a landing page without tracking. This field does not show it, so clearing the field keeps that page. */
function pageAfter(
  { landingUrl, usesUrlTracking }: PromoterCampaign,
  directUrl: string | null | undefined,
): Pick<PromoterCampaign, "landingUrl" | "usesUrlTracking"> {
  if (directUrl === undefined) return { landingUrl, usesUrlTracking };
  if (directUrl !== null) return { landingUrl: directUrl, usesUrlTracking: true };
  return { landingUrl: usesUrlTracking ? null : landingUrl, usesUrlTracking: false };
}

async function rewardsAfter(
  tx: Transaction,
  before: PromoterCampaign,
  changes: PromoterCampaignChanges,
): Promise<Pick<PromoterCampaign, "rewardsForPromoters" | "rewardsForReferrals">> {
  const { accountId } = before;
  const campaign = await loadCampaign(tx, accountId, before.campaignId);
  const forPromoters = ownRewards({
    own: before.rewardsForPromoters,
    usual: campaign.rewardsForPromoters,
    given: changes.rewardsForPromoters,
    isOwn: changes.hasOwnPromoterRewards,
  });
  const forReferrals = ownRewards({
    own: before.rewardsForReferrals,
    usual: campaign.rewardsForReferrals,
    given: changes.rewardsForReferrals,
    isOwn: changes.hasOwnReferralRewards,
  });
  await checkRewardEntries(tx, accountId, { scope: "promoters", entries: forPromoters ?? [] });
  await checkRewardEntries(tx, accountId, { scope: "referrals", entries: forReferrals ?? [] });
  return { rewardsForPromoters: forPromoters, rewardsForReferrals: forReferrals };
}

/**
 * The promoter campaign's own rewards.
 *
 * Choice: entries alone mean that it is customised. Customised without entries begins with the campaign's entries, so
 * that nothing changes for the promoter yet. Not customised drops all entries, even those in the request, because
 * clients send back what they were shown.
 */
function ownRewards(rewards: {
  own: RewardEntry[] | null;
  usual: RewardEntry[];
  given: RewardEntry[] | undefined;
  isOwn: boolean | undefined;
}): RewardEntry[] | null {
  const { own, usual, given, isOwn = given === undefined ? own !== null : true } = rewards;
  return isOwn ? (given ?? own ?? usual) : null;
}

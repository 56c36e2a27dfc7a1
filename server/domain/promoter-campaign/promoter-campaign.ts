import { couponCounts } from "../promo-code/coupons.ts";
import { Failure } from "../../failure.ts";
import type { Campaign } from "../campaign/record.ts";
import type { PromoterCampaign } from "./record.ts";
import { collection, listCounts } from "../../storage/collection.ts";
import type { Reader } from "../../storage/store.ts";
import { campaigns, loadCampaign, refParam } from "../campaign/campaign.ts";
import { entryCounts } from "../reward/entry.ts";
import { parseUrl } from "../../url.ts";

export const promoterCampaigns = collection<PromoterCampaign>()({
  name: "promoter-campaign",
  id: (promoterCampaign) => [promoterCampaign.id],
  claims: {
    promoterInCampaign: ({ promoterId, campaignId }) => [promoterId, campaignId],
    coupon: ({ coupon }) => (coupon === null ? null : [coupon]),
    displayCoupon: ({ displayCoupon }) => (displayCoupon === null ? null : [displayCoupon.toLowerCase()]),
    directUrl: ({ landingUrl, usesUrlTracking }) =>
      landingUrl !== null && usesUrlTracking ? [trackedPage(landingUrl) ?? landingUrl] : null,
  },
  indexes: {
    promoter: ({ promoterId }) => [promoterId],
    campaign: ({ campaignId }) => [campaignId],
    state: ({ state }) => [state],
    campaignState: ({ campaignId, state }) => [campaignId, state],
    /** In the order of the promoters. */
    stateCampaign: ({ state, campaignId, promoterId }) => [state, campaignId, promoterId],
  },
  counts: (promoterCampaign) => {
    const { campaignId, promoterId, state, coupon, rewardsForPromoters, rewardsForReferrals } =
      promoterCampaign;
    return [
      ...couponCounts("promoter-campaign", coupon),
      ...listCounts("promoter-campaign", {
        campaign: [campaignId],
        promoter: [promoterId],
        state: [state],
        campaignState: [campaignId, state],
        stateCampaign: [state, campaignId],
      }),
      ...entryCounts([...(rewardsForPromoters ?? []), ...(rewardsForReferrals ?? [])]),
    ];
  },
});

type Named = "accountId" | "id" | "campaignId" | "promoterId" | "state" | "refToken" | "createdAt";

/** A new promoter campaign with the given fields, and without coupons, landing page or rewards of its own. */
export function newPromoterCampaign(
  given: Pick<PromoterCampaign, Named> & Partial<PromoterCampaign>,
): PromoterCampaign {
  return {
    coupon: null,
    displayCoupon: null,
    landingUrl: null,
    usesUrlTracking: false,
    rewardsForPromoters: null,
    rewardsForReferrals: null,
    targetsReached: [],
    ...given,
  };
}

/** Whether the promoter campaign may get new clicks and leads, and shares of what others' leads earn. */
export function acceptsLeads(promoterCampaign: PromoterCampaign): boolean {
  return promoterCampaign.state === "accepted";
}

/**
 * Whether the promoter campaign earns from the sales of its own leads. An inactive one gets no new leads, but keeps those
 * it has.
 */
export function earnsFromLeads({ state }: PromoterCampaign): boolean {
  return state === "accepted" || state === "inactive";
}

/** Checks that a promoter campaign with URL tracking has a landing page. @throws Failure `invalid` */
export function requireLandingPage({
  landingUrl,
  usesUrlTracking,
}: Pick<PromoterCampaign, "landingUrl" | "usesUrlTracking">): void {
  if (landingUrl !== null || !usesUrlTracking) return;
  const fields = { landingUrl: ["can't be blank with url_tracking"] };
  throw new Failure("invalid", "The landing page is missing", fields);
}

/** The link that the promoter shares. */
export function refLink(promoterCampaign: PromoterCampaign, campaign: Campaign): string {
  const page = promoterCampaign.landingUrl ?? campaign.landingUrl;
  return promoterCampaign.usesUrlTracking ? page : linkTo(page, promoterCampaign, campaign);
}

/** The link to a page that names the promoter. */
export function linkTo(page: string, promoterCampaign: PromoterCampaign, campaign: Campaign): string {
  const link = parseUrl(page);
  if (link === null) return page;
  link.searchParams.set(refParam(campaign), promoterCampaign.refToken);
  return link.href;
}

/**
 * The part of a page's address that direct URL tracking compares: host and path, without scheme, `www.`, query,
 * fragment and trailing slash. null: not a web address.
 */
export function trackedPage(address: string): string | null {
  const page = parseUrl(address);
  if (page === null || !/^https?:$/.test(page.protocol)) return null;
  const { host, pathname } = page;
  return host.replace(/^www\./, "") + pathname.replace(/\/+$/, "");
}

/** @throws Failure `not_found` */
export async function loadPromoterCampaign(
  reader: Reader,
  accountId: number,
  id: number,
): Promise<PromoterCampaign> {
  const promoterCampaign = await reader.get(promoterCampaigns, accountId, id);
  if (promoterCampaign === null) throw new Failure("not_found", "Promotion not found.");
  return promoterCampaign;
}

/**
 * A promoter campaign with its campaign. A campaign can be deleted once its promoters have moved on. If it is gone,
 * the promoter campaign has moved since it was read, and is read again.
 *
 * @throws Failure `not_found` if the promoter campaign is gone
 */
export async function withCampaign(
  reader: Reader,
  promoterCampaign: PromoterCampaign,
): Promise<{ promoterCampaign: PromoterCampaign; campaign: Campaign }> {
  const { accountId, id, campaignId } = promoterCampaign;
  const campaign = await reader.get(campaigns, accountId, campaignId);
  if (campaign !== null) return { promoterCampaign, campaign };
  const moved = await loadPromoterCampaign(reader, accountId, id);
  return { promoterCampaign: moved, campaign: await loadCampaign(reader, accountId, moved.campaignId) };
}

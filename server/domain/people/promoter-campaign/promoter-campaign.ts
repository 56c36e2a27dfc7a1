import { Failure } from "../../../failure.ts";
import { indexed } from "../../../storage/digests.ts";
import type { Reader } from "../../../storage/store.ts";
import { table } from "../../../storage/table.ts";
import { parseUrl } from "../../../url.ts";
import { campaigns, loadCampaign, refParam, type Campaign } from "../../program/campaign/campaign.ts";
import { foldedCoupon, productsNamed, type RewardEntry } from "../../program/reward/reward.ts";

export const PROMOTER_CAMPAIGN_STATES = ["pending", "accepted", "rejected", "blocked", "inactive"] as const;

export type PromoterCampaignState = (typeof PROMOTER_CAMPAIGN_STATES)[number];

/** A promoter in a campaign. V1 calls it a promotion. */
export interface PromoterCampaign {
  accountId: number;
  id: number;
  campaignId: number;
  promoterId: number;
  state: PromoterCampaignState;
  /** The referral id in links, lower case. */
  refToken: string;
  /** The ref tokens of further links from another program, lower case. Absent: none. */
  moreRefTokens?: string[];
  /** The code or id at the payment processor (V1 `promo_code`). */
  coupon: string | null;
  /** The code that customers enter at the checkout (V1 `customer_promo_code`). */
  displayCoupon: string | null;
  /** The promoter's own landing page, or null for the campaign's. */
  landingUrl: string | null;
  /** Whether a visit of `landingUrl` counts as a click even without a parameter. */
  usesUrlTracking: boolean;
  /** Rewards of this promoter campaign alone, or null for the campaign's. */
  rewardsForPromoters: RewardEntry[] | null;
  rewardsForReferrals: RewardEntry[] | null;
  /** The target rewards that the promoter has got, each once. */
  targetsReached: { rewardId: number; at: string }[];
  /**
   * The sales that reached a target until a refund took the bonus back. Their refunded part counts for no
   * target. Absent: none.
   */
  lostTargetSaleIds?: number[];
  /** The terms of the campaign that the promoter has accepted, by version, and when. Absent: none. */
  acceptedTerms?: { version: string; at: string };
  createdAt: string;
}

/** A record that belongs to a promoter campaign: a lead, or a commission. */
export interface Belonging {
  accountId: number;
  promoterCampaignId: number;
  promoterId: number;
  campaignId: number;
}

export const promoterCampaigns = table<PromoterCampaign>()({
  name: "promoter-campaign",
  columns: {
    id: "integer",
    promoter_id: "integer",
    campaign_id: "integer",
    state: "text",
    ref_token: "text",
    coupon: ["text", ({ coupon }) => coupon && indexed(coupon)],
    /** Coupons are unique in their exact spelling, and some are looked up without case. */
    folded_coupon: ["text", ({ coupon }) => coupon && foldedCoupon(coupon)],
    display_coupon: ["text", ({ displayCoupon }) => displayCoupon && foldedCoupon(displayCoupon)],
    /** The page whose visits count as clicks. */
    direct_url: [
      "text",
      ({ landingUrl, usesUrlTracking }) =>
        landingUrl !== null && usesUrlTracking ? indexed(trackedPage(landingUrl) ?? landingUrl) : null,
    ],
    words: ["text", wordsOf],
    rewarded_products: [
      "text",
      ({ rewardsForPromoters, rewardsForReferrals }) =>
        productsNamed([...(rewardsForPromoters ?? []), ...(rewardsForReferrals ?? [])]),
    ],
    created_at: "text",
  },
  few: ["campaign_id", "state"],
  unique: {
    promoterInCampaign: ["promoter_id", "campaign_id"],
    coupon: ["coupon"],
    displayCoupon: ["display_coupon"],
    directUrl: ["direct_url"],
  },
  indexes: {
    promoter: { on: ["promoter_id"] },
    campaign: { on: ["campaign_id"] },
    state: { on: ["state"] },
    campaignState: { on: ["campaign_id", "state"] },
    /** In the order of the promoters. */
    stateCampaign: { on: ["state", "campaign_id", "promoter_id"] },
    foldedCoupon: { on: ["folded_coupon"], where: "folded_coupon is not null" },
    rewarded: { on: ["id"], where: "rewarded_products is not null" },
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

/**
 * Whether the promoter campaign may get new clicks and leads, and shares of the commissions from others'
 * leads.
 */
export function acceptsLeads(promoterCampaign: PromoterCampaign): boolean {
  return promoterCampaign.state === "accepted";
}

/**
 * The promoter campaign with this id, if it may get leads.
 *
 * @throws Failure `not_found`, `refused` if it is not accepted
 */
export async function loadOwner(reader: Reader, accountId: number, id: number): Promise<PromoterCampaign> {
  const owner = await loadPromoterCampaign(reader, accountId, id);
  requireAccepted(owner);
  return owner;
}

/** @throws Failure `refused` if the promoter campaign may not get leads */
export function requireAccepted(owner: PromoterCampaign): void {
  if (acceptsLeads(owner)) return;
  throw new Failure("refused", `The promoter campaign is ${owner.state} and can't get leads`);
}

/**
 * Whether the promoter campaign earns from the sales of its own leads. An inactive one gets no new leads, but
 * keeps those it has.
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

/** The link to a page, with the promoter's ref token. */
export function linkTo(page: string, promoterCampaign: PromoterCampaign, campaign: Campaign): string {
  const link = parseUrl(page);
  if (link === null) return page;
  link.searchParams.set(refParam(campaign), promoterCampaign.refToken);
  return link.href;
}

/**
 * The part of a page's address that direct URL tracking compares: host and path, without scheme, `www.`,
 * query, fragment and trailing slash. Null if it is not a web address.
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

/** Identifies a record of one promoter. */
export interface OwnRecord {
  accountId: number;
  promoterId: number;
  id: number;
}

/** A promoter campaign of this promoter. @throws Failure `not_found`, also for another promoter's */
export async function loadOwnPromoterCampaign(
  reader: Reader,
  { accountId, promoterId, id }: OwnRecord,
): Promise<PromoterCampaign> {
  const promoterCampaign = await loadPromoterCampaign(reader, accountId, id);
  if (promoterCampaign.promoterId !== promoterId) throw new Failure("not_found", "Promotion not found.");
  return promoterCampaign;
}

/**
 * A promoter campaign with its campaign. A campaign can be deleted once its promoters have moved on. If it is
 * gone, the promoter campaign has moved since it was read, and is read again.
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

/** The promoter campaign's own texts that a search matches, in lower case. */
function wordsOf({ refToken, moreRefTokens = [], coupon, displayCoupon }: PromoterCampaign): string {
  return [refToken, coupon ?? "", displayCoupon ?? "", ...moreRefTokens].join("\n").toLowerCase();
}

import anyAscii from "any-ascii";
import { Failure } from "../../../failure.ts";
import { indexed, digest } from "../../../storage/digests.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import { parseUrl } from "../../../url.ts";
import { campaigns, loadCampaign, refParam, type Campaign } from "../../program/campaign/campaign.ts";
import { foldedCoupon, productsNamed, type RewardEntry } from "../../program/reward/reward.ts";
import type { Chance } from "../../context.ts";

export const PROMOTER_CAMPAIGN_STATES = ["pending", "accepted", "rejected", "blocked", "inactive"] as const;

export type PromoterCampaignState = (typeof PROMOTER_CAMPAIGN_STATES)[number];

const promoterCampaignFields = {
  id: integer(),
  campaign_id: integer(),
  promoter_id: integer(),
  state: text<PromoterCampaignState>(),
  /** The referral id in links, lower case. */
  ref_token: text().personal(),
  /** The ref tokens of further links from another program, lower case. Absent: none. */
  more_ref_tokens: json<string[]>().optional().personal(),
  /** The code or id at the payment processor (V1 `promo_code`). */
  coupon: text().nullable().personal(),
  /** The code that customers enter at the checkout (V1 `customer_promo_code`). */
  display_coupon: text().nullable().personal(),
  /** The promoter's own landing page, or null for the campaign's. */
  landing_url: text().nullable().personal(),
  /** Whether a visit of `landing_url` counts as a click even without a parameter. */
  uses_url_tracking: flag(),
  /** Rewards of this promoter campaign alone, or null for the campaign's. */
  rewards_for_promoters: json<RewardEntry[]>().nullable(),
  rewards_for_referrals: json<RewardEntry[]>().nullable(),
  /** The target rewards that the promoter has got, each once. */
  targets_reached: json<{ reward_id: number; at: string }[]>(),
  /** The terms of the campaign that the promoter has accepted, by version, and when. Absent: none. */
  accepted_terms: json<{ version: string; at: string }>().optional(),
  created_at: time(),
};

/** A promoter in a campaign. V1 calls it a promotion. */
export type PromoterCampaign = RowOf<typeof promoterCampaignFields>;

/** A record that belongs to a promoter campaign: a lead, or a commission. */
export interface Belonging {
  account_id: number;
  promoter_campaign_id: number;
  promoter_id: number;
  campaign_id: number;
}

export const promoterCampaigns = table("promoter-campaign", promoterCampaignFields, {
  derived: {
    coupon_key: ["text", ({ coupon }) => coupon && indexed(coupon)],
    /** Coupons are unique in their exact spelling, and some are looked up without case. */
    folded_coupon: ["text", ({ coupon }) => coupon && foldedCoupon(coupon)],
    folded_display_coupon: ["text", ({ display_coupon }) => display_coupon && foldedCoupon(display_coupon)],
    /** The page whose visits count as clicks. */
    direct_url: [
      "text",
      ({ landing_url, uses_url_tracking }) =>
        landing_url !== null && uses_url_tracking ? indexed(trackedPage(landing_url) ?? landing_url) : null,
    ],
    words: ["text", wordsOf],
    rewarded_products: [
      "text",
      ({ rewards_for_promoters, rewards_for_referrals }) =>
        productsNamed([...(rewards_for_promoters ?? []), ...(rewards_for_referrals ?? [])]),
    ],
  },
  few: ["campaign_id", "state"],
  unique: {
    promoter_in_campaign: ["promoter_id", "campaign_id"],
    coupon: ["coupon_key"],
    display_coupon: ["folded_display_coupon"],
    direct_url: ["direct_url"],
  },
  indexes: {
    promoter: { on: ["promoter_id"] },
    campaign: { on: ["campaign_id"] },
    state: { on: ["state"] },
    campaign_state: { on: ["campaign_id", "state"] },
    /** In the order of the promoters. */
    state_campaign: { on: ["state", "campaign_id", "promoter_id"] },
    folded_coupon: { on: ["folded_coupon"], where: "folded_coupon is not null" },
    rewarded: { on: ["id"], where: "rewarded_products is not null" },
  },
});

type Named = "account_id" | "id" | "campaign_id" | "promoter_id" | "state" | "ref_token" | "created_at";

/** A new promoter campaign with the given fields, and without coupons, landing page or rewards of its own. */
export function newPromoterCampaign(
  given: Pick<PromoterCampaign, Named> & Partial<PromoterCampaign>,
): PromoterCampaign {
  return {
    coupon: null,
    display_coupon: null,
    landing_url: null,
    uses_url_tracking: false,
    rewards_for_promoters: null,
    rewards_for_referrals: null,
    targets_reached: [],
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
  landing_url,
  uses_url_tracking,
}: Pick<PromoterCampaign, "landing_url" | "uses_url_tracking">): void {
  if (landing_url !== null || !uses_url_tracking) return;
  const fields = { landing_url: ["can't be blank with url_tracking"] };
  throw new Failure("invalid", "The landing page is missing", fields);
}

/** The link that the promoter shares. */
export function refLink(promoterCampaign: PromoterCampaign, campaign: Campaign): string {
  const page = promoterCampaign.landing_url ?? campaign.landing_url;
  return promoterCampaign.uses_url_tracking ? page : linkTo(page, promoterCampaign, campaign);
}

/** The link to a page, with the promoter's ref token. */
export function linkTo(page: string, promoterCampaign: PromoterCampaign, campaign: Campaign): string {
  const link = parseUrl(page);
  if (link === null) return page;
  link.searchParams.set(refParam(campaign), promoterCampaign.ref_token);
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
  account_id: number;
  promoter_id: number;
  id: number;
}

/** A promoter campaign of this promoter. @throws Failure `not_found`, also for another promoter's */
export async function loadOwnPromoterCampaign(
  reader: Reader,
  { account_id, promoter_id, id }: OwnRecord,
): Promise<PromoterCampaign> {
  const promoterCampaign = await loadPromoterCampaign(reader, account_id, id);
  if (promoterCampaign.promoter_id !== promoter_id) throw new Failure("not_found", "Promotion not found.");
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
  const { account_id, id, campaign_id } = promoterCampaign;
  const campaign = await reader.get(campaigns, account_id, campaign_id);
  if (campaign !== null) return { promoterCampaign, campaign };
  const moved = await loadPromoterCampaign(reader, account_id, id);
  return { promoterCampaign: moved, campaign: await loadCampaign(reader, account_id, moved.campaign_id) };
}

/** The promoter campaign's own texts that a search matches, in lower case. */
function wordsOf({ ref_token, more_ref_tokens = [], coupon, display_coupon }: PromoterCampaign): string {
  return [ref_token, coupon ?? "", display_coupon ?? "", ...more_ref_tokens].join("\n").toLowerCase();
}

/** The longest ref token, in characters. */
export const REF_TOKEN_LENGTH = 100;

/**
 * The promoter campaign of a ref token. Kept for ever, so that a token can never lead to another promoter.
 */
const refTokenFields = {
  token: text().personal(),
  /** Null if it is retired and leads to no promoter. */
  promoter_campaign_id: integer().nullable(),
  /**
   * The promoter campaign that a retired token belonged to. Absent: the token is in use, or that campaign is
   * gone.
   */
  retired_from: integer().optional(),
};

/** Tokens are compared in lower case and never reused, so each record is kept for ever. */
export const refTokens = table("ref-token", refTokenFields, {
  key: ["token"],
  indexes: {
    retired_from: { on: ["retired_from"], where: "retired_from is not null" },
  },
});

/** Tokens that contained the name of an erased promoter. They are never issued again. */
export const forgottenTokens = table(
  "forgotten-token",
  { token_hash: text() },
  {
    key: ["token_hash"],
  },
);

/** Lower-case letters, digits, `-` and `_`. @see docs/spec/v1.md "Create a promoter" */
const REF_TOKEN = /^[a-z0-9_-]+$/;

/** Whether a text is a valid ref token. */
export function isRefToken(text: string): boolean {
  return text.length <= REF_TOKEN_LENGTH && REF_TOKEN.test(text);
}

/**
 * Whether a link from another program may end with a text. Other programs allow more characters: such tokens
 * are found, but can't be chosen here.
 */
export function isFormerToken(text: string): boolean {
  return text !== "" && text.length <= REF_TOKEN_LENGTH && !/\p{Cc}/u.test(text);
}

/** The promoter campaign that a ref id leads to, in any state, or null. */
export async function findByRefToken(
  reader: Reader,
  accountId: number,
  text: string,
): Promise<PromoterCampaign | null> {
  const token = text.trim().toLowerCase();
  if (!isFormerToken(token)) return null;
  const refToken = await reader.get(refTokens, accountId, token);
  if (refToken === null || refToken.promoter_campaign_id === null) return null;
  return reader.get(promoterCampaigns, accountId, refToken.promoter_campaign_id);
}

/**
 * Of several ref ids, the first one's promoter campaign that may get leads, or null. A page's own parameters
 * may have the names that links use, so an unknown ref id must not hide the next one.
 */
export async function findAccepting(
  reader: Reader,
  accountId: number,
  texts: string[],
): Promise<PromoterCampaign | null> {
  for (const text of texts) {
    const found = await findByRefToken(reader, accountId, text);
    if (found !== null && acceptsLeads(found)) return found;
  }
  return null;
}

/** Whether this token was never used. */
export async function isFreeRefToken(tx: Transaction, accountId: number, token: string): Promise<boolean> {
  if ((await tx.get(refTokens, accountId, token)) !== null) return false;
  return (await tx.get(forgottenTokens, accountId, digest(token))) === null;
}

/**
 * Removes all tokens of a promoter campaign, including former ones. Their hashes stay, so that they are never
 * issued again.
 */
export async function forgetRefTokens(
  tx: Transaction,
  { account_id, id, ref_token, more_ref_tokens = [] }: PromoterCampaign,
): Promise<void> {
  const former = await tx.view.list(refTokens, "retired_from", account_id, [id]);
  for (const token of [ref_token, ...more_ref_tokens, ...former.map(({ token }) => token)]) {
    await tx.remove(refTokens, account_id, token);
    await tx.put(forgottenTokens, { account_id, token_hash: digest(token) });
  }
}

/**
 * Gives a promoter campaign a free token. The former one is retired for ever: it leads to no promoter and is
 * never issued again.
 */
export async function replaceRefToken(
  tx: Transaction,
  { account_id, id, ref_token }: PromoterCampaign,
  token: string,
): Promise<void> {
  await tx.put(refTokens, { account_id, token: ref_token, promoter_campaign_id: null, retired_from: id });
  await tx.put(refTokens, { account_id, token, promoter_campaign_id: id });
}

/** Makes a free token from the first name, otherwise from the e-mail's local part, otherwise at random. */
export async function deriveRefToken(
  tx: Transaction,
  chance: Chance,
  promoter: { account_id: number; first_name: string | null; email: string },
): Promise<string> {
  const base = asciiWord(promoter.first_name ?? "") || asciiWord(promoter.email.split("@")[0] ?? "");
  if (base !== "" && (await isFreeRefToken(tx, promoter.account_id, base))) return base;
  // Two digits are enough for rare names. The hundredth John needs more.
  for (const count of [2, 2, 3, 4, 6, 8, 10]) {
    const token = base + chance.digits(count);
    if (await isFreeRefToken(tx, promoter.account_id, token)) return token;
  }
  return chance.uuid();
}

const DERIVED_LENGTH = 40;

function asciiWord(text: string): string {
  return anyAscii(text)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "")
    .slice(0, DERIVED_LENGTH);
}

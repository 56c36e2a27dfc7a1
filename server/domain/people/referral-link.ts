import { Failure } from "../../failure.ts";
import type { Reader, Transaction, View } from "../../storage/store.ts";
import { integer, table, text, time, type RowOf } from "../../storage/table.ts";
import { parseUrl } from "../../url.ts";
import { loadCampaign, type Campaign } from "../program/campaign/campaign.ts";
import type { Context } from "../context.ts";
import {
  linkTo,
  loadOwnPromoterCampaign,
  loadPromoterCampaign,
  promoterCampaigns,
  refLink,
  type OwnRecord,
  type PromoterCampaign,
} from "./promoter-campaign/promoter-campaign.ts";
import { loadPromoterInUse } from "./promoter/promoter.ts";

const fields = {
  id: integer(),
  promoter_campaign_id: integer(),
  promoter_id: integer(),
  name: text().personal(),
  /** The page that it leads to, or null for that of the default link. */
  url: text().nullable().personal(),
  /** The name of the channel, which clicks and leads by the link carry, or null. */
  sub_id: text().nullable().personal(),
  /** The link's own ref token, from another program. Absent: the promoter campaign's token. */
  ref_token: text().optional().personal(),
  created_at: time(),
};

/** A link that a promoter made for a page or a channel of their choice. */
type OwnLink = RowOf<typeof fields>;

export const ownLinks = table("own-link", fields, {
  indexes: { promoter_campaign: { on: ["promoter_campaign_id"] } },
});

/** The fields of a link that its promoter chooses. */
type OwnLinkInput = Pick<OwnLink, "name" | "url" | "sub_id">;

/** The promoter and the promoter campaign of a link. */
interface OwnerOfLink {
  account_id: number;
  promoter_id: number;
  promoter_campaign_id: number;
}

/** Enough for every promoter, and a list can show them all. */
const MOST_LINKS = 100;

/**
 * Makes a link.
 *
 * @throws Failure `not_found` for a promoter campaign that is not the promoter's, `refused` for an archived
 * promoter or after too many links, `invalid` for a page of another site
 */
export async function createOwnLink(
  tx: Transaction,
  { now }: Context,
  { account_id, promoter_id, promoter_campaign_id, ...input }: OwnLinkInput & OwnerOfLink,
): Promise<OwnLink> {
  const id = await tx.nextId("own-link");
  await loadPromoterInUse(tx, account_id, promoter_id);
  const owner = await loadOwnPromoterCampaign(tx, { account_id, promoter_id, id: promoter_campaign_id });
  await refuseOtherSite(tx, owner, input.url);
  // Otherwise two concurrent requests could both create the last one.
  await tx.lock(promoterCampaigns, account_id, owner.id);
  const count = await tx.view.count(ownLinks, "promoter_campaign", account_id, [owner.id]);
  if (count >= MOST_LINKS) throw new Failure("refused", `You have ${MOST_LINKS} links; remove one first.`);
  const link = {
    account_id,
    id,
    promoter_campaign_id: owner.id,
    promoter_id,
    ...input,
    created_at: now.toISOString(),
  };
  await tx.put(ownLinks, link);
  return link;
}

/**
 * Changes a link. Undefined fields stay unchanged.
 *
 * @throws Failure like `createOwnLink`
 */
export async function updateOwnLink(
  tx: Transaction,
  wanted: OwnRecord,
  changes: { [Field in keyof OwnLinkInput]?: OwnLinkInput[Field] | undefined },
): Promise<OwnLink> {
  const before = await loadOwnLink(tx, wanted);
  const after: OwnLink = {
    ...before,
    name: changes.name ?? before.name,
    url: changes.url === undefined ? before.url : changes.url,
    sub_id: changes.sub_id === undefined ? before.sub_id : changes.sub_id,
  };
  const owner = await loadPromoterCampaign(tx, before.account_id, before.promoter_campaign_id);
  await refuseOtherSite(tx, owner, after.url);
  await tx.put(ownLinks, after);
  return after;
}

/**
 * Removes a link from the promoter's list. Its address keeps working.
 *
 * @throws Failure `not_found`
 */
export async function removeOwnLink(tx: Transaction, wanted: OwnRecord): Promise<void> {
  const { account_id, id } = await loadOwnLink(tx, wanted);
  await tx.remove(ownLinks, account_id, id);
}

/** Removes the links of a promoter campaign as part of a larger change. */
export async function removeOwnLinks(tx: Transaction, { account_id, id }: PromoterCampaign): Promise<void> {
  for (const link of await tx.view.list(ownLinks, "promoter_campaign", account_id, [id])) {
    await tx.remove(ownLinks, account_id, link.id);
  }
}

/** A link that this promoter made. @throws Failure `not_found`, also for another promoter's */
export async function loadOwnLink(
  reader: Reader,
  { account_id, promoter_id, id }: OwnRecord,
): Promise<OwnLink> {
  const link = await reader.get(ownLinks, account_id, id);
  if (link === null || link.promoter_id !== promoter_id) throw new Failure("not_found", "Link not found.");
  return link;
}

/** A link that a promoter shares. */
export interface ReferralLink {
  /**
   * The id of the campaign's page or of the promoter's own link, or 0 for the default link, which has no
   * record.
   */
  id: number;
  name: string;
  url: string;
  is_default: boolean;
  /** The maker of the link, who chose its page. */
  source: "campaign" | "promoter";
  /** The name of the channel, or null. */
  sub_id: string | null;
}

/**
 * The links of a promoter campaign: the default one first, then those to the campaign's further pages, then
 * the promoter's own.
 */
export async function listReferralLinks(
  view: View,
  promoterCampaign: PromoterCampaign,
  campaign: Campaign,
): Promise<ReferralLink[]> {
  const usual: ReferralLink = {
    id: 0,
    name: campaign.name,
    url: refLink(promoterCampaign, campaign),
    is_default: true,
    source: promoterCampaign.landing_url === null ? "campaign" : "promoter",
    sub_id: null,
  };
  const pages = campaign.links.map(({ id, name, url }): ReferralLink => ({
    id,
    name,
    url: linkTo(url, promoterCampaign, campaign),
    is_default: false,
    source: "campaign",
    sub_id: null,
  }));
  const own = (await listOwnLinks(view, promoterCampaign)).map((link): ReferralLink => ({
    id: link.id,
    name: link.name,
    url: ownLinkUrl(link, promoterCampaign, campaign),
    is_default: false,
    source: "promoter",
    sub_id: link.sub_id,
  }));
  return [usual, ...pages, ...own];
}

/**
 * A link must lead to a site of the campaign. Other pages have no script to count the click, and would gain
 * trust from the company's name.
 */
async function refuseOtherSite(tx: Transaction, owner: PromoterCampaign, url: string | null): Promise<void> {
  if (url === null) return;
  const campaign = await loadCampaign(tx, owner.account_id, owner.campaign_id);
  if (isOwnPage(campaign, url)) return;
  const fault = `must be a page of ${sitesOf(campaign)[0] ?? "the campaign's site"}`;
  throw new Failure("invalid", `Validation failed: url ${fault}`, { url: [fault] });
}

/** Whether an address is a page of one of a campaign's sites. */
export function isOwnPage(campaign: Campaign, url: string): boolean {
  const host = siteOf(url);
  return host !== null && sitesOf(campaign).some((site) => host === site || host.endsWith(`.${site}`));
}

function sitesOf({ landing_url, links, allowed_origins }: Campaign): string[] {
  const pages = [landing_url, ...links.map((link) => link.url), ...allowed_origins];
  return pages.map(siteOf).filter((site) => site !== null);
}

/** The host of an address, or of an allowed site in a campaign's format (`*.shop.example`). */
function siteOf(address: string): string | null {
  const host = parseUrl(address)?.hostname ?? address.replace(/^\*\.|[/:].*$/g, "");
  return /^[a-z0-9.-]+$/i.test(host) ? host.toLowerCase().replace(/^www\./, "") : null;
}

/** The promoter's own links in one of their campaigns, oldest first. */
function listOwnLinks(view: View, { account_id, id }: PromoterCampaign): Promise<OwnLink[]> {
  return view.page(ownLinks, "promoter_campaign", account_id, [id], { limit: MOST_LINKS });
}

/** The parameter of a page's address that names the channel. */
const SUB_ID_PARAM = "sub_id";

/** The address that a promoter shares. */
function ownLinkUrl(link: OwnLink, promoterCampaign: PromoterCampaign, campaign: Campaign): string {
  const page = link.url ?? promoterCampaign.landing_url ?? campaign.landing_url;
  const { ref_token = promoterCampaign.ref_token } = link;
  const url = linkTo(page, { ...promoterCampaign, ref_token }, campaign);
  if (link.sub_id === null) return url;
  const withChannel = parseUrl(url);
  if (withChannel === null) return url;
  withChannel.searchParams.set(SUB_ID_PARAM, link.sub_id);
  return withChannel.href;
}

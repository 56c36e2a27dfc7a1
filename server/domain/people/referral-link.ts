import { Failure } from "../../failure.ts";
import type { Reader, Transaction, View } from "../../storage/store.ts";
import { table } from "../../storage/table.ts";
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

/** A link that a promoter made for a page or a channel of their choice. */
interface OwnLink {
  accountId: number;
  id: number;
  promoterCampaignId: number;
  promoterId: number;
  name: string;
  /** The page that it leads to, or null for that of the default link. */
  url: string | null;
  /** The name of the channel, which clicks and leads by the link carry, or null. */
  subId: string | null;
  /** The link's own ref token, from another program. Absent: the promoter campaign's token. */
  refToken?: string;
  createdAt: string;
}

export const ownLinks = table<OwnLink>()({
  name: "own-link",
  columns: {
    id: "integer",
    promoter_campaign_id: "integer",
    promoter_id: "integer",
    sub_id: "text",
    created_at: "text",
  },
  indexes: { promoterCampaign: { on: ["promoter_campaign_id"] } },
});

/** The fields of a link that its promoter chooses. */
type OwnLinkInput = Pick<OwnLink, "name" | "url" | "subId">;

/** The promoter and the promoter campaign of a link. */
interface OwnerOfLink {
  accountId: number;
  promoterId: number;
  promoterCampaignId: number;
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
  context: Context,
  { accountId, promoterId, promoterCampaignId, ...input }: OwnLinkInput & OwnerOfLink,
): Promise<OwnLink> {
  const id = await context.store.nextId("own-link");
  return context.store.transact(async (tx) => {
    await loadPromoterInUse(tx, accountId, promoterId);
    const owner = await loadOwnPromoterCampaign(tx, { accountId, promoterId, id: promoterCampaignId });
    await refuseOtherSite(tx, owner, input.url);
    // Otherwise two concurrent requests could both create the last one.
    await tx.lock(promoterCampaigns, accountId, owner.id);
    const count = await tx.view.count(ownLinks, "promoterCampaign", accountId, [owner.id]);
    if (count >= MOST_LINKS) throw new Failure("refused", `You have ${MOST_LINKS} links; remove one first.`);
    const createdAt = context.now.toISOString();
    const link = { accountId, id, promoterCampaignId: owner.id, promoterId, ...input, createdAt };
    await tx.put(ownLinks, link);
    return link;
  });
}

/**
 * Changes a link. Undefined fields stay unchanged.
 *
 * @throws Failure like `createOwnLink`
 */
export function updateOwnLink(
  { store }: Context,
  wanted: OwnRecord,
  changes: { [Field in keyof OwnLinkInput]?: OwnLinkInput[Field] | undefined },
): Promise<OwnLink> {
  return store.transact(async (tx) => {
    const before = await loadOwnLink(tx, wanted);
    const after: OwnLink = {
      ...before,
      name: changes.name ?? before.name,
      url: changes.url === undefined ? before.url : changes.url,
      subId: changes.subId === undefined ? before.subId : changes.subId,
    };
    const owner = await loadPromoterCampaign(tx, before.accountId, before.promoterCampaignId);
    await refuseOtherSite(tx, owner, after.url);
    await tx.put(ownLinks, after);
    return after;
  });
}

/**
 * Removes a link from the promoter's list. Its address keeps working.
 *
 * @throws Failure `not_found`
 */
export async function removeOwnLink({ store }: Context, wanted: OwnRecord): Promise<void> {
  await store.transact(async (tx) => {
    const { accountId, id } = await loadOwnLink(tx, wanted);
    await tx.remove(ownLinks, accountId, id);
  });
}

/** Removes the links of a promoter campaign as part of a larger change. */
export async function removeOwnLinks(tx: Transaction, { accountId, id }: PromoterCampaign): Promise<void> {
  for (const link of await tx.view.list(ownLinks, "promoterCampaign", accountId, [id])) {
    await tx.remove(ownLinks, accountId, link.id);
  }
}

/** A link that this promoter made. @throws Failure `not_found`, also for another promoter's */
export async function loadOwnLink(
  reader: Reader,
  { accountId, promoterId, id }: OwnRecord,
): Promise<OwnLink> {
  const link = await reader.get(ownLinks, accountId, id);
  if (link === null || link.promoterId !== promoterId) throw new Failure("not_found", "Link not found.");
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
  isDefault: boolean;
  /** The maker of the link, who chose its page. */
  source: "campaign" | "promoter";
  /** The name of the channel, or null. */
  subId: string | null;
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
    isDefault: true,
    source: promoterCampaign.landingUrl === null ? "campaign" : "promoter",
    subId: null,
  };
  const pages = campaign.links.map(({ id, name, url }): ReferralLink => ({
    id,
    name,
    url: linkTo(url, promoterCampaign, campaign),
    isDefault: false,
    source: "campaign",
    subId: null,
  }));
  const own = (await listOwnLinks(view, promoterCampaign)).map((link): ReferralLink => ({
    id: link.id,
    name: link.name,
    url: ownLinkUrl(link, promoterCampaign, campaign),
    isDefault: false,
    source: "promoter",
    subId: link.subId,
  }));
  return [usual, ...pages, ...own];
}

/**
 * A link must lead to a site of the campaign. Other pages have no script to count the click, and would gain
 * trust from the company's name.
 */
async function refuseOtherSite(tx: Transaction, owner: PromoterCampaign, url: string | null): Promise<void> {
  if (url === null) return;
  const campaign = await loadCampaign(tx, owner.accountId, owner.campaignId);
  if (isOwnPage(campaign, url)) return;
  const fault = `must be a page of ${sitesOf(campaign)[0] ?? "the campaign's site"}`;
  throw new Failure("invalid", `Validation failed: url ${fault}`, { url: [fault] });
}

/** Whether an address is a page of one of a campaign's sites. */
export function isOwnPage(campaign: Campaign, url: string): boolean {
  const host = siteOf(url);
  return host !== null && sitesOf(campaign).some((site) => host === site || host.endsWith(`.${site}`));
}

function sitesOf({ landingUrl, links, allowedOrigins }: Campaign): string[] {
  const pages = [landingUrl, ...links.map((link) => link.url), ...allowedOrigins];
  return pages.map(siteOf).filter((site) => site !== null);
}

/** The host of an address, or of an allowed site in a campaign's format (`*.shop.example`). */
function siteOf(address: string): string | null {
  const host = parseUrl(address)?.hostname ?? address.replace(/^\*\.|[/:].*$/g, "");
  return /^[a-z0-9.-]+$/i.test(host) ? host.toLowerCase().replace(/^www\./, "") : null;
}

/** The promoter's own links in one of their campaigns, oldest first. */
function listOwnLinks(view: View, { accountId, id }: PromoterCampaign): Promise<OwnLink[]> {
  return view.page(ownLinks, "promoterCampaign", accountId, [id], { limit: MOST_LINKS });
}

/** The parameter of a page's address that names the channel. */
const SUB_ID_PARAM = "sub_id";

/** The address that a promoter shares. */
function ownLinkUrl(link: OwnLink, promoterCampaign: PromoterCampaign, campaign: Campaign): string {
  const page = link.url ?? promoterCampaign.landingUrl ?? campaign.landingUrl;
  const { refToken = promoterCampaign.refToken } = link;
  const url = linkTo(page, { ...promoterCampaign, refToken }, campaign);
  if (link.subId === null) return url;
  const withChannel = parseUrl(url);
  if (withChannel === null) return url;
  withChannel.searchParams.set(SUB_ID_PARAM, link.subId);
  return withChannel.href;
}

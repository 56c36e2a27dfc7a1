import type { Account } from "../../program/account/account.ts";
import { isAllowedOrigin } from "../../program/campaign/allowed-origin.ts";
import { loadCampaign, type Campaign } from "../../program/campaign/campaign.ts";
import { loadPromoter, type Promoter } from "../promoter/promoter.ts";
import {
  acceptsLeads,
  promoterCampaigns,
  trackedPage,
  findAccepting,
  type PromoterCampaign,
} from "../promoter-campaign/promoter-campaign.ts";
import {
  findVisitor,
  isExpired,
  removeVisitor,
  visitors,
  withFormer,
  type Handover,
  type Visitor,
} from "./visitor.ts";
import { indexed } from "../../../storage/digests.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { leads } from "../lead/lead.ts";
import { findRecordId } from "../../program/migration/source-id.ts";
import { adTrafficPolicy, hashAddress, isAdTraffic } from "../lead/suspicion.ts";
import { originOf, subKeyOf } from "../origin.ts";
import { parseUrl } from "../../../url.ts";
import { DAY_MS } from "../../span.ts";

/** Parameters of the landing page that name the promoter's own channel. */
const SUB_ID_PARAMS = ["sub_id", "svc_sid", "fp_sid"];

/** A visit through a referral link, or of a page with direct URL tracking. */
export interface Click {
  /** Made in the browser, so that a repeated click of the same visit is the same visitor. */
  tid: string;
  /** The first one that leads to a promoter is used. Empty: the page's address names the promoter. */
  refTokens: string[];
  /** The browser's previous visitor id. */
  cookieTid: string | null;
  url: string | null;
  referrer: string | null;
  address: string | null;
  /** Whether the page asked the visitor for consent and got it. */
  has_consent: boolean;
  /** The sender's or the visitor's id in a former program. It is used if no ref token is. */
  formerId: string | null;
  /** Null if the tid comes from no other site. */
  handover: Handover | null;
  /** How long the browser has kept the click, or 0 if it was sent immediately. */
  ageMs: number;
  /** Whether a later click of the browser was answered before. */
  isPast: boolean;
}

/** How the browser should identify the visitor from now on. */
export interface Visit {
  tid: string;
  ref_token: string;
  /** The days that remain of the cookie's life. */
  cookieDays: number;
  /** Whether this click was counted. */
  isNew: boolean;
}

/** The visit of a known visitor. */
interface KnownVisit extends Visit {
  /** Whether the campaign keeps the visitor with the first promoter. */
  keepsFirst: boolean;
}

/** The promoter that a click leads to. */
interface Destination {
  promoterCampaign: PromoterCampaign;
  promoter: Promoter;
  campaign: Campaign;
}

/** Makes the visitor of a click and counts the click once. Resolves to null if it leads to no promoter. */
export function recordClick(context: Context, account: Account, click: Click): Promise<Visit | null> {
  return context.store.transact(async (tx) => {
    const visit = await visitOf(tx, context, { account, click });
    return visit && latestVisit(tx, context, { account, click, visit });
  });
}

/**
 * The visit that the browser continues with: an older click that arrives late does not replace a visitor who
 * has followed a later link.
 *
 * @see docs/spec/tracking.md "Attribution"
 */
export async function latestVisit(
  tx: Transaction,
  { now }: Context,
  { account, click, visit }: { account: Account; click: Click; visit: Visit },
): Promise<Visit> {
  const { cookieTid, ageMs, isPast } = click;
  if (!(ageMs > 0 || isPast) || cookieTid === null || cookieTid === visit.tid) return visit;
  const present = await findVisitor(tx, account.id, { tid: cookieTid, now });
  if (present === null || !(isPast || clickedAtMs(present) > now.getTime() - ageMs)) return visit;
  const kept = await knownVisit(tx, present, now);
  if (kept === null) return visit;
  const { former_tids } = present;
  if (!former_tids?.includes(visit.tid))
    await tx.put(visitors, { ...present, former_tids: withFormer(visit.tid, former_tids) });
  return { ...kept, isNew: visit.isNew };
}

const clickedAtMs = ({ clicked_at, created_at }: Visitor): number => Date.parse(clicked_at ?? created_at);

/** The same as part of a larger change. */
export async function visitOf(
  tx: Transaction,
  context: Context,
  { account, click }: { account: Account; click: Click },
): Promise<Visit | null> {
  const { now } = context;
  const repeated = await tx.get(visitors, account.id, click.tid);
  if (repeated !== null && !isExpired(repeated, now)) {
    const { handover } = click;
    if (handover === null) return knownVisit(tx, repeated, now);
    if (isOfAnother(handover, repeated)) {
      const own = { ...click, tid: handover.spare_tid, handover: null };
      return visitOf(tx, context, { account, click: own });
    }
    await tx.put(visitors, { ...repeated, handover });
    return knownVisit(tx, repeated, now);
  }
  const tid = click.cookieTid;
  const former = tid === null ? null : await findVisitor(tx, account.id, { tid, now });
  const visit = former && (await knownVisit(tx, former, now));
  if (visit?.keepsFirst) return visit;
  const destination = await findDestination(tx, account.id, click);
  if (destination === null) return null;
  const { promoterCampaign } = destination;
  // The same promoter's link again: written differently, after the cookie was lost, or in a restored tab.
  if (former?.promoter_campaign_id === promoterCampaign.id) return visit;
  // A browser may keep a cookie longer than its expiry.
  if (repeated !== null) await removeVisitor(tx, repeated);
  return newVisit(tx, context, { account, click, destination, former });
}

/** Whether another person came by the address before, so that this one got it from them. */
function isOfAnother({ at, spare_tid }: Handover, { handover: taken }: Visitor): boolean {
  return taken !== undefined && at <= taken.at && spare_tid !== taken.spare_tid;
}

async function newVisit(
  tx: Transaction,
  { now }: Context,
  given: { account: Account; click: Click; destination: Destination; former: Visitor | null },
): Promise<Visit | null> {
  const { account, click, destination, former } = given;
  const { promoterCampaign, promoter, campaign } = destination;
  const query = pageQuery(click.url);
  const isAd = isAdTraffic(query, account);
  if (isAd && adTrafficPolicy(promoter, campaign) === "block") return null;
  const isOwnPage = click.refTokens.length === 0;
  const channel = subId(query);
  const day = now.toISOString().slice(0, 10);
  const isOwnSite = (origin: string) =>
    isAllowedOrigin(origin, campaign.allowed_origins, campaign.landing_url);
  const visitor: Visitor = {
    account_id: account.id,
    tid: click.tid,
    promoter_campaign_id: promoterCampaign.id,
    promoter_id: promoter.id,
    campaign_id: campaign.id,
    ...(await originOf(tx, { account_id: account.id, day }, { ...click, isOwnPage, isOwnSite })),
    sub_key: channel === null ? null : await subKeyOf(tx, promoterCampaign, { sub_id: channel, day }),
    url: shortened(click.url),
    referrer: shortened(click.referrer),
    sub_id: channel,
    is_ad_traffic: isAd,
    ...(click.has_consent && { has_consent: true }),
    ...(click.handover !== null && { handover: click.handover }),
    address_hash: click.address === null ? null : hashAddress(account, click.address),
    ...(former !== null && { former_tids: withFormer(former.tid, former.former_tids) }),
    created_at: now.toISOString(),
    ...(click.ageMs > 0 && { clicked_at: new Date(now.getTime() - click.ageMs).toISOString() }),
    expires_at: new Date(now.getTime() + campaign.visitor_cookie_days * DAY_MS).toISOString(),
  };
  await tx.insert(visitors, visitor);
  const { ref_token } = promoterCampaign;
  return { tid: click.tid, ref_token, cookieDays: campaign.visitor_cookie_days, isNew: true };
}

/** The visit of a known visitor, or null if their promoter may no longer get leads. */
async function knownVisit(tx: Transaction, visitor: Visitor, now: Date): Promise<KnownVisit | null> {
  const promoterCampaign = await tx.get(promoterCampaigns, visitor.account_id, visitor.promoter_campaign_id);
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  const campaign = await loadCampaign(tx, visitor.account_id, promoterCampaign.campaign_id);
  return {
    tid: visitor.tid,
    ref_token: promoterCampaign.ref_token,
    cookieDays: Math.ceil((Date.parse(visitor.expires_at) - now.getTime()) / DAY_MS),
    isNew: false,
    keepsFirst: campaign.attribution === "first",
  };
}

async function findDestination(
  tx: Transaction,
  accountId: number,
  { refTokens, formerId, url }: Click,
): Promise<Destination | null> {
  const named =
    refTokens.length === 0
      ? await findByPage(tx, accountId, url)
      : await findAccepting(tx, accountId, refTokens);
  const promoterCampaign =
    named ?? (formerId === null ? null : await findByFormerId(tx, accountId, formerId));
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  return {
    promoterCampaign,
    promoter: await loadPromoter(tx, accountId, promoterCampaign.promoter_id),
    campaign: await loadCampaign(tx, accountId, promoterCampaign.campaign_id),
  };
}

/** The promoter campaign of a promoter, or of a customer, by an id in a former program. */
async function findByFormerId(
  tx: Transaction,
  accountId: number,
  formerId: string,
): Promise<PromoterCampaign | null> {
  const ours = (kind: "promoter" | "customer") => findRecordId(tx, accountId, { kind, source_id: formerId });
  const promoterId = await ours("promoter");
  const leadId = promoterId === null ? await ours("customer") : null;
  const lead = leadId === null ? null : await tx.get(leads, accountId, leadId);
  if (lead !== null) return tx.get(promoterCampaigns, accountId, lead.promoter_campaign_id);
  if (promoterId === null) return null;
  // @see docs/spec/tracking.md "Attribution"
  const all = await tx.view.list(promoterCampaigns, "promoter", accountId, [promoterId]);
  return all.find(acceptsLeads) ?? null;
}

async function findByPage(
  tx: Transaction,
  accountId: number,
  url: string | null,
): Promise<PromoterCampaign | null> {
  const page = url === null ? null : trackedPage(url);
  return page === null ? null : tx.find(promoterCampaigns, "direct_url", accountId, [indexed(page)]);
}

/** The query of a page's address. Empty if the address is not valid. */
function pageQuery(url: string | null): URLSearchParams {
  const page = url?.includes("?") === true ? parseUrl(url) : null;
  return page?.searchParams ?? new URLSearchParams();
}

function subId(query: URLSearchParams): string | null {
  const name = SUB_ID_PARAMS.find((param) => query.get(param));
  return name === undefined ? null : query.get(name)!.slice(0, LONGEST_SUB_ID);
}

const LONGEST_SUB_ID = 250;
/** In bytes, because strangers may send any characters. */
const LONGEST_ADDRESS = 1_024;

/** An address that is kept: without its query if it is too long with it. */
function shortened(address: string | null): string | null {
  const forms = address === null ? [] : [address, address.replace(/[?#].*$/s, "")];
  return forms.find((form) => Buffer.byteLength(form) <= LONGEST_ADDRESS) ?? null;
}

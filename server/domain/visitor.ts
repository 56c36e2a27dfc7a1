import type { Account, Campaign, Promoter, PromoterCampaign, Visitor } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Reader, Store, Transaction } from "../storage/store.ts";
import { loadCampaign } from "./campaign.ts";
import type { Context } from "./context.ts";
import { loadPromoter } from "./promoter.ts";
import { acceptsLeads, promoterCampaigns, trackedPage } from "./promoter-campaign.ts";
import { findByRefToken } from "./ref-token.ts";
import { countFact } from "./stats.ts";
import { adTrafficPolicy, hashAddress, isAdTraffic } from "./suspicion.ts";

/** A UUID v4. Anything longer would not fit a storage key. */
const TID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Parameters of the landing page's address that name the promoter's own channel. */
const SUB_ID_PARAMS = ["sub_id", "svc_sid", "fp_sid"];

export const visitors = collection<Visitor>()({
  name: "visitor",
  id: (visitor) => [visitor.tid],
  claims: {},
  indexes: {},
});

/** A visit of a referral link, or of a page that is tracked by its own address. */
export interface Click {
  /** Made in the browser, so that a repeated click of the same visit is the same visitor. */
  tid: string;
  /** null: the page's address names the promoter. */
  refToken: string | null;
  /** The visitor that the browser was so far. */
  cookieTid: string | null;
  url: string | null;
  referrer: string | null;
  address: string | null;
}

/** Who the browser is from now on. */
export interface ClickResult {
  tid: string;
  refToken: string;
  cookieDays: number;
}

/** Whom a click leads to. */
interface Destination {
  promoterCampaign: PromoterCampaign;
  promoter: Promoter;
  campaign: Campaign;
}

/** Makes the visitor of a click and counts it, once per visitor; null when it leads to nobody. */
export function recordClick(context: Context, account: Account, click: Click): Promise<ClickResult | null> {
  return context.store.transact(async (tx) => {
    const known = await tx.get(visitors, account.id, click.tid);
    if (known !== null) return resultFor(tx, known);
    const first = await findFirstVisitor(tx, account.id, { tid: click.cookieTid, now: context.now });
    if (first !== null) return resultFor(tx, first);
    const destination = await findDestination(tx, account.id, click);
    if (destination === null) return null;
    const query = pageQuery(click.url);
    const isAd = isAdTraffic(query);
    const { promoterCampaign, promoter, campaign } = destination;
    if (isAd && adTrafficPolicy(promoter, campaign) === "block") return null;
    await tx.insert(visitors, {
      accountId: account.id,
      tid: click.tid,
      promoterCampaignId: promoterCampaign.id,
      url: click.url,
      referrer: click.referrer,
      subId: subId(query),
      isAdTraffic: isAd,
      addressHash: click.address === null ? null : hashAddress(account, click.address),
      createdAt: context.now.toISOString(),
    });
    countFact(tx, promoterCampaign, { metric: "clicks", at: context.now });
    return resultOf(click.tid, promoterCampaign, campaign);
  });
}

/** The promoter that sent a visitor, and by which participation; null for a tid that is nobody's. */
export async function findVisitorDetails(
  store: Store,
  accountId: number,
  tid: string,
): Promise<{ promoter: Promoter; promoterCampaign: PromoterCampaign } | null> {
  const visitor = await findVisitor(store, accountId, tid);
  if (visitor === null) return null;
  const promoterCampaign = await store.get(promoterCampaigns, accountId, visitor.promoterCampaignId);
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  return { promoter: await loadPromoter(store, accountId, promoterCampaign.promoterId), promoterCampaign };
}

/** The visitor with this id, or null; any text may be asked for. */
export async function findVisitor(reader: Reader, accountId: number, tid: string): Promise<Visitor | null> {
  const id = tid.trim().toLowerCase();
  return TID.test(id) ? reader.get(visitors, accountId, id) : null;
}

/** The visitor whose campaign keeps the first promoter while the cookie lives, or null. */
async function findFirstVisitor(
  tx: Transaction,
  accountId: number,
  cookie: { tid: string | null; now: Date },
): Promise<Visitor | null> {
  if (cookie.tid === null) return null;
  const visitor = await findVisitor(tx, accountId, cookie.tid);
  if (visitor === null) return null;
  const promoterCampaign = await tx.get(promoterCampaigns, accountId, visitor.promoterCampaignId);
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  const campaign = await loadCampaign(tx, accountId, promoterCampaign.campaignId);
  const ageDays = (cookie.now.getTime() - Date.parse(visitor.createdAt)) / DAY_MS;
  return campaign.attribution === "first" && ageDays < campaign.visitorCookieDays ? visitor : null;
}

async function resultFor(tx: Transaction, visitor: Visitor): Promise<ClickResult | null> {
  const promoterCampaign = await tx.get(promoterCampaigns, visitor.accountId, visitor.promoterCampaignId);
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  const campaign = await loadCampaign(tx, visitor.accountId, promoterCampaign.campaignId);
  return resultOf(visitor.tid, promoterCampaign, campaign);
}

function resultOf(tid: string, { refToken }: PromoterCampaign, campaign: Campaign): ClickResult {
  return { tid, refToken, cookieDays: campaign.visitorCookieDays };
}

async function findDestination(
  tx: Transaction,
  accountId: number,
  { refToken, url }: Click,
): Promise<Destination | null> {
  const promoterCampaign =
    refToken === null ? await findByPage(tx, accountId, url) : await findByRefToken(tx, accountId, refToken);
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  return {
    promoterCampaign,
    promoter: await loadPromoter(tx, accountId, promoterCampaign.promoterId),
    campaign: await loadCampaign(tx, accountId, promoterCampaign.campaignId),
  };
}

async function findByPage(
  tx: Transaction,
  accountId: number,
  url: string | null,
): Promise<PromoterCampaign | null> {
  const page = url === null ? null : trackedPage(url);
  return page === null ? null : tx.find(promoterCampaigns, "directUrl", accountId, [page]);
}

/** The parameters that a page was opened with; none for what is no address. */
function pageQuery(url: string | null): URLSearchParams {
  const hasQuery = url?.includes("?") === true && URL.canParse(url);
  return hasQuery ? new URL(url).searchParams : new URLSearchParams();
}

function subId(query: URLSearchParams): string | null {
  const name = SUB_ID_PARAMS.find((param) => query.get(param));
  return name === undefined ? null : query.get(name);
}

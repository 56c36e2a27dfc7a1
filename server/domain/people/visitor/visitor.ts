import { fingerprint } from "../../../storage/digests.ts";
import { keyOf } from "../../../storage/record.ts";
import type { Reader, Store, Transaction } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import { accounts, servedAccounts } from "../../program/account/account.ts";
import { calendarOf } from "../../program/account/time-zone.ts";
import { SYSTEM, type Context, type LeasedContext } from "../../context.ts";
import { originFields, originIn, originKeys, type Origin } from "../origin.ts";
import {
  acceptsLeads,
  promoterCampaigns,
  type PromoterCampaign,
} from "../promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../promoter/promoter.ts";
import { dailySums } from "../daily.ts";

/** How another site of the customer handed its visitor over: in an address, which people may share. */
export interface Handover {
  /** When the address was made, in milliseconds. It distinguishes addresses. */
  at: number;
  /** The id of further people who use the same address. Made in the browser: UUID v4. */
  spare_tid: string;
}

const visitorFields = {
  /** UUID v4, made in the browser. */
  tid: text().personal(),
  promoter_campaign_id: integer(),
  promoter_id: integer(),
  /** The campaign of the click. It stays, even if the promoter moves to another one. */
  campaign_id: integer(),
  ...originFields,
  /** The page that the link led to. */
  url: text().nullable().personal(),
  referrer: text().nullable().personal(),
  sub_id: text().nullable().personal(),
  is_ad_traffic: flag(),
  /** Absent: the page did not ask for consent. */
  has_consent: flag().optional(),
  /** The latest one used. Absent: the visitor has stayed on one site. */
  handover: json<Handover>().optional(),
  address_hash: text().nullable().personal(),
  /** The browser's other visitors, who followed earlier links, latest first. Absent: none. */
  former_tids: json<string[]>().optional().personal(),
  created_at: time(),
  /** When the link was followed. Absent: the click arrived immediately, at `created_at`. */
  clicked_at: time().optional(),
  /** When the browser's cookie expires. From then on the visitor is unknown. */
  expires_at: time(),
};

/** A person who followed a referral link. */
export type Visitor = RowOf<typeof visitorFields>;

const pastClicksFields = {
  promoter_campaign_id: integer(),
  promoter_id: integer(),
  campaign_id: integer(),
  /** Calendar day of the account. */
  day: text(),
  ...originFields,
  count: integer(),
};

/** The clicks of one day and origin whose visitors have expired. */
export type PastClicks = RowOf<typeof pastClicksFields>;

export const visitors = table("visitor", visitorFields, {
  key: ["tid"],
  sums: dailySums(({ created_at: at }) => [{ metric: "clicks", at }]),
});

/** The promoter and promoter campaign that sent a visitor, or null. `tid` may be any text. */
export async function findVisitorDetails(
  store: Store,
  accountId: number,
  { tid, now }: { tid: string; now: Date },
): Promise<{ promoter: Promoter; promoterCampaign: PromoterCampaign } | null> {
  const visitor = await findVisitor(store, accountId, { tid, now });
  if (visitor === null) return null;
  const promoterCampaign = await store.get(promoterCampaigns, accountId, visitor.promoter_campaign_id);
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  const promoter = await store.get(promoters, accountId, promoterCampaign.promoter_id);
  return promoter && { promoter, promoterCampaign };
}

/** A UUID v4. */
const TID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The visitor with this tid, or null if unknown or expired. `tid` may be any text. */
export async function findVisitor(
  reader: Reader,
  accountId: number,
  { tid, now }: { tid: string; now: Date },
): Promise<Visitor | null> {
  const id = tid.trim().toLowerCase();
  const visitor = TID.test(id) ? await reader.get(visitors, accountId, id) : null;
  return visitor === null || isExpired(visitor, now) ? null : visitor;
}

/** Whether the visitor's cookie has expired. */
export function isExpired({ expires_at }: Visitor, now: Date): boolean {
  return Date.parse(expires_at) <= now.getTime();
}

/** The most visitors of earlier links that a visitor knows. */
const MOST_FORMER = 20;

/** The earlier visitors that a visitor names, and one more. */
export function withFormer(tid: string, formerTids: string[] = []): string[] {
  return [tid, ...formerTids].slice(0, MOST_FORMER);
}

/** A visitor, and those of the browser's earlier links. */
export async function visitorsOfBrowser(reader: Pick<Reader, "get">, latest: Visitor): Promise<Visitor[]> {
  const { account_id, former_tids = [] } = latest;
  const former = await Promise.all(former_tids.map((tid) => reader.get(visitors, account_id, tid)));
  return [latest, ...former.filter((each) => each !== null)];
}

/** @see docs/spec/tracking.md "Consent" */
const BRIEF_MS = 60_000;

/**
 * Removes a visitor who has withdrawn consent, and those of the browser's earlier links. Unknown ones are ignored. A consent
 * tool may give the visitor's answer, take it back and give it again, so a click of the last minute no longer counts.
 */
export async function withdrawVisitor(
  { store, now }: Context,
  accountId: number,
  tid: string,
): Promise<void> {
  await store.transact(async (tx) => {
    const latest = await findVisitor(tx, accountId, { tid, now });
    for (const visitor of latest === null ? [] : await visitorsOfBrowser(tx, latest)) {
      const isBrief = now.getTime() - Date.parse(visitor.created_at) < BRIEF_MS;
      await (isBrief ? tx.remove(visitors, accountId, visitor.tid) : removeVisitor(tx, visitor));
    }
  });
}

/** Removes a visitor. The click still counts. */
export async function removeVisitor(tx: Transaction, visitor: Visitor): Promise<void> {
  const { account_id, tid, promoter_campaign_id, promoter_id, campaign_id, created_at } = visitor;
  const day = calendarOf(await tx.get(accounts, SYSTEM, account_id))(created_at);
  await tx.remove(visitors, account_id, tid);
  const owner = { account_id, promoter_campaign_id, promoter_id, campaign_id };
  await addPastClicks(tx, { ...owner, ...originIn(visitor), day, count: 1 });
}

/** The clicks of expired visitors. Visitors are deleted, but their clicks still count here. */
export const pastClicks = table("past-clicks", pastClicksFields, {
  key: ["day", "promoter_campaign_id", "campaign_id", "origin_key"],
  derived: {
    origin_key: ["text", originKey],
    clicks: ["integer", ({ count }) => count],
  },
  sums: dailySums(({ day: at, count: amount }) => [{ metric: "clicks", at, amount }]),
});

/**
 * The day of clicks that another program has only counted. It precedes all others, so that lists and totals
 * have these clicks, and charts and reports over time don't.
 */
export const NO_DAY = "0001-01-01";

/** Adds clicks to those of their day. */
export async function addPastClicks(tx: Transaction, added: PastClicks): Promise<void> {
  const known = await tx.get(pastClicks, added.account_id, ...keyOf(pastClicks, added));
  await tx.put(pastClicks, { ...added, count: added.count + (known?.count ?? 0) });
}

/** Visitors in one commit: enough to share its cost, few enough to let other requests in. */
const REMOVED_AT_ONCE = 100;

/**
 * Visits all visitors in small steps and removes the expired ones. Their clicks still count. An interrupted
 * sweep leaves nothing half done. The next one starts over.
 */
export async function* sweepVisitors(sweep: LeasedContext): AsyncGenerator<void> {
  const { store, clock } = sweep;
  for await (const { id } of servedAccounts(store)) {
    for await (const chunk of store.scan(visitors, "id", id, [])) {
      const now = clock();
      const expired = chunk.filter((visitor) => isExpired(visitor, now));
      for (let at = 0; at < expired.length; at += REMOVED_AT_ONCE) {
        await remove(sweep, expired.slice(at, at + REMOVED_AT_ONCE));
      }
      yield;
    }
  }
}

/** Clicks that were imported have no origin. */
function originKey(origin: Origin): string {
  const { source_key, sub_key } = origin;
  if (source_key === null) return "";
  const keys = originKeys(origin).map(([, key]) => key);
  return fingerprint([...keys, ...(sub_key === null ? [] : [sub_key])]);
}

async function remove({ store, guard }: LeasedContext, expired: Visitor[]): Promise<void> {
  await store.transact(async (tx) => {
    await guard(tx);
    for (const { account_id, tid, created_at } of expired) {
      const visitor = await tx.get(visitors, account_id, tid);
      // A visitor who has returned meanwhile has a new record.
      if (visitor?.created_at === created_at) await removeVisitor(tx, visitor);
    }
  });
}

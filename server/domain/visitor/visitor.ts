import type { Promoter } from "../promoter/record.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Visitor } from "./record.ts";
import { table } from "../../storage/table.ts";
import type { Reader, Store, Transaction } from "../../storage/store.ts";
import { ORIGIN_COLUMNS } from "../origin/origin.ts";
import type { Context } from "../context.ts";
import { addPastClicks } from "./past-clicks.ts";
import { promoters } from "../promoter/promoter.ts";
import { acceptsLeads, promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { findAccepting } from "../promoter-campaign/ref-token.ts";
import { dailySums } from "../report/daily.ts";

/** A UUID v4. */
const TID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const visitors = table<Visitor>()({
  name: "visitor",
  key: ["tid"],
  columns: {
    tid: "text",
    promoter_campaign_id: "integer",
    promoter_id: "integer",
    campaign_id: "integer",
    ...ORIGIN_COLUMNS,
    address_hash: "text",
    created_at: "text",
    expires_at: "text",
  },
  sums: dailySums(({ createdAt: at }) => [{ metric: "clicks", at }]),
});

/** The promoter and promoter campaign that sent a visitor, or null. The ref ids are used if the tid is unknown. */
export async function findVisitorDetails(
  store: Store,
  accountId: number,
  { tid, refTokens, now }: { tid: string; refTokens: string[]; now: Date },
): Promise<{ promoter: Promoter; promoterCampaign: PromoterCampaign } | null> {
  const visitor = await findVisitor(store, accountId, { tid, now });
  const promoterCampaign = visitor
    ? await store.get(promoterCampaigns, accountId, visitor.promoterCampaignId)
    : await findAccepting(store, accountId, refTokens);
  if (promoterCampaign === null || !acceptsLeads(promoterCampaign)) return null;
  const promoter = await store.get(promoters, accountId, promoterCampaign.promoterId);
  return promoter && { promoter, promoterCampaign };
}

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
export function isExpired({ expiresAt }: Visitor, now: Date): boolean {
  return Date.parse(expiresAt) <= now.getTime();
}

/** Removes a visitor who has withdrawn consent. An unknown one is none. */
export async function withdrawVisitor(
  { store, now }: Context,
  accountId: number,
  tid: string,
): Promise<void> {
  await store.transact(async (tx) => {
    const visitor = await findVisitor(tx, accountId, { tid, now });
    if (visitor !== null) await removeVisitor(tx, visitor);
  });
}

/** Removes a visitor. The click keeps counting. */
export async function removeVisitor(tx: Transaction, visitor: Visitor): Promise<void> {
  const { accountId, tid, promoterCampaignId, promoterId, campaignId, origin, createdAt } = visitor;
  const day = createdAt.slice(0, 10);
  await tx.remove(visitors, accountId, tid);
  const owner = { accountId, promoterCampaignId, promoterId, campaignId };
  await addPastClicks(tx, { ...owner, day, origin, count: 1 });
}

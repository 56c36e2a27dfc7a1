import { accounts, type Account } from "../../domain/account/account.ts";
import { campaigns, type Campaign } from "../../domain/campaign/campaign.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../../domain/promoter-campaign/promoter-campaign.ts";
import { pastClicks, visitors, type PastClicks, type Visitor } from "../../domain/visitor/visitor.ts";
import type { Items } from "../item.ts";
import { item, recordsOf, type Changes } from "./conversion.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const USUAL_COOKIE_DAYS = 60;

type FormerVisitor = Omit<Visitor, "promoterId" | "campaignId" | "expiresAt">;

/** The promoter and campaign that a promoterCampaign's clicks count for. */
interface Owner {
  promoterId: number;
  campaignId: number;
  cookieDays: number;
}

/**
 * Adds to each visitor the promoter and campaign that it counts for, and when its cookie expires. Clicks that
 * were counted without a visitor, or whose visitor has expired, become past clicks.
 *
 * Choice: a promoterCampaign's clicks count for the campaign that it is in now, because the store did not
 * keep the campaign of each click. If the promoterCampaign was deleted, they count for the default campaign
 * and for no promoter.
 */
export async function clicks(items: Items): Promise<Changes> {
  const ownerOf = await readOwners(items);
  const visitCounts = new Map<string, number>();
  for (const { accountId, createdAt, promoterCampaignId } of await recordsOf<Visitor>(items, visitors)) {
    const visit = `${accountId} ${createdAt.slice(0, 10)} ${promoterCampaignId}`;
    visitCounts.set(visit, (visitCounts.get(visit) ?? 0) + 1);
  }
  return {
    [visitors.name]: (visitor: FormerVisitor) => [item(visitors, owned(visitor, ownerOf(visitor)))],
    [pastClicks.name]: (past: PastClicks) => {
      const { accountId, day, promoterCampaignId } = past;
      const count = past.count - (visitCounts.get(`${accountId} ${day} ${promoterCampaignId}`) ?? 0);
      const { promoterId, campaignId } = ownerOf(past);
      return count > 0 ? [item(pastClicks, { ...past, promoterId, campaignId, count })] : [];
    },
  };
}

function owned(visitor: FormerVisitor, { cookieDays, promoterId, campaignId }: Owner): Visitor {
  const expiresAt = new Date(Date.parse(visitor.createdAt) + cookieDays * DAY_MS).toISOString();
  return { ...visitor, promoterId, campaignId, expiresAt };
}

async function readOwners(
  items: Items,
): Promise<(of: { accountId: number; promoterCampaignId: number }) => Owner> {
  const cookieDays = new Map<string, number>();
  for (const { accountId, id, visitorCookieDays } of await recordsOf<Campaign>(items, campaigns)) {
    cookieDays.set(`${accountId} ${id}`, visitorCookieDays);
  }
  const defaults = new Map<number, number>();
  for (const { id, defaultCampaignId } of await recordsOf<Account>(items, accounts)) {
    defaults.set(id, defaultCampaignId);
  }
  const places = new Map<string, PromoterCampaign>();
  for (const each of await recordsOf<PromoterCampaign>(items, promoterCampaigns)) {
    places.set(`${each.accountId} ${each.id}`, each);
  }
  return ({ accountId, promoterCampaignId }) => {
    const place = places.get(`${accountId} ${promoterCampaignId}`);
    const campaignId = place?.campaignId ?? defaults.get(accountId) ?? 0;
    return {
      promoterId: place?.promoterId ?? 0,
      campaignId,
      cookieDays: cookieDays.get(`${accountId} ${campaignId}`) ?? USUAL_COOKIE_DAYS,
    };
  };
}

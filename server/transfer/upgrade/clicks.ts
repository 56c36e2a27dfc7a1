import { accounts } from "../../domain/account/account.ts";
import { campaigns } from "../../domain/campaign/campaign.ts";
import { pastClicks } from "../../domain/visitor/past-clicks.ts";
import { promoterCampaigns } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { visitors } from "../../domain/visitor/visitor.ts";
import { SYSTEM, type Account } from "../../domain/account/record.ts";
import type { Visitor } from "../../domain/visitor/record.ts";
import type { AtomicDriver } from "../../storage/driver.ts";
import { allIn, entryIn, recordsIn } from "../records-in.ts";
import type { Work } from "../work.ts";

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
export async function upgradeClicks(driver: AtomicDriver, work: Work): Promise<void> {
  for (const account of await allIn(driver, accounts, SYSTEM)) {
    const ownerOf = await readOwners(driver, account);
    const visitCounts = new Map<string, number>();
    for await (const chunk of recordsIn(driver, visitors, account.id)) {
      for (const { createdAt, promoterCampaignId } of chunk) {
        const key = `${createdAt.slice(0, 10)} ${promoterCampaignId}`;
        visitCounts.set(key, (visitCounts.get(key) ?? 0) + 1);
      }
      // Visitors with an `expiresAt` were upgraded before an interruption.
      const old: FormerVisitor[] = chunk.filter((visitor) => !("expiresAt" in visitor));
      const puts = old.map((visitor) =>
        entryIn(visitors, owned(visitor, ownerOf(visitor.promoterCampaignId))),
      );
      if (puts.length > 0) await work.commit({ puts });
    }
    for await (const chunk of recordsIn(driver, pastClicks, account.id)) {
      const old = chunk.filter(({ campaignId }) => campaignId === 0);
      const puts = old.flatMap((past) => {
        const { promoterId, campaignId } = ownerOf(past.promoterCampaignId);
        const count = past.count - (visitCounts.get(`${past.day} ${past.promoterCampaignId}`) ?? 0);
        return count > 0 ? [entryIn(pastClicks, { ...past, promoterId, campaignId, count })] : [];
      });
      const removes = old.map((past) => entryIn(pastClicks, past)[0]);
      if (removes.length > 0) await work.commit({ puts, removes });
    }
  }
}

function owned(visitor: FormerVisitor, owner: Owner): Visitor {
  const { cookieDays, promoterId, campaignId } = owner;
  const expiresAt = new Date(Date.parse(visitor.createdAt) + cookieDays * DAY_MS).toISOString();
  return { ...visitor, promoterId, campaignId, expiresAt };
}

async function readOwners(driver: AtomicDriver, account: Account): Promise<(id: number) => Owner> {
  const cookieDays = new Map(
    (await allIn(driver, campaigns, account.id)).map(({ id, visitorCookieDays }) => [id, visitorCookieDays]),
  );
  const owners = new Map<number, Owner>();
  const ownerBy = (promoterId: number, campaignId: number): Owner => ({
    promoterId,
    campaignId,
    cookieDays: cookieDays.get(campaignId) ?? USUAL_COOKIE_DAYS,
  });
  for (const { id, promoterId, campaignId } of await allIn(driver, promoterCampaigns, account.id)) {
    owners.set(id, ownerBy(promoterId, campaignId));
  }
  return (id) => owners.get(id) ?? ownerBy(0, account.defaultCampaignId);
}

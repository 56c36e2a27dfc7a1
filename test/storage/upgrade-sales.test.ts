import { expect, it } from "vitest";
import { campaigns } from "../../server/domain/campaign/campaign.ts";
import { leads } from "../../server/domain/lead/lead.ts";
import { promoterCampaigns } from "../../server/domain/promoter-campaign/promoter-campaign.ts";
import { pastClicks } from "../../server/domain/visitor/past-clicks.ts";
import { visitors } from "../../server/domain/visitor/visitor.ts";
import { memoryDriver } from "../../server/storage/drivers/memory.ts";
import { recordKey } from "../../server/storage/collection.ts";
import { LAYOUT, MARK_KEY } from "../../server/storage/layout.ts";
import type { Key } from "../../server/storage/keys.ts";
import { upgradeSales } from "../../server/transfer/upgrade/sales.ts";
import { beginWork } from "../../server/transfer/work.ts";
import { accounts } from "../../server/domain/account/account.ts";

const UNDER_WAY = { work: "upgrade", stage: "upgrade", source: null, layout: 7, filledCount: 0 } as const;
const TID = "7f1b2c3d-1111-4222-8333-444455556666";

it("upgrades records of layout 7, and changes nothing if it runs again", async () => {
  const driver = memoryDriver();
  const put = async (from: { name: string }, id: Key, record: object) => {
    const account = from === accounts ? 0 : 1;
    const key = recordKey(from, account, id);
    const value = JSON.stringify({ accountId: account, ...record });
    await driver.commit({ checks: [], puts: [[key, value]], removes: [], sums: [] });
    return async () => JSON.parse((await driver.getItem(key)) as string) as unknown;
  };
  await driver.commit({
    checks: [],
    puts: [[MARK_KEY, JSON.stringify({ version: LAYOUT })]],
    removes: [],
    sums: [],
  });
  const entry = { applyOn: "specific", productIds: [7], rewardId: 1 };
  const rewards = { rewardsForPromoters: [entry], rewardsForReferrals: [] };
  await put(accounts, [1], { id: 1 });
  const campaign = await put(campaigns, [1], { id: 1, ...rewards });
  const joined = await put(promoterCampaigns, [1], { id: 1, ...rewards, rewardsForReferrals: null });
  const visitor = await put(visitors, [TID], { tid: TID });
  const past = { day: "2026-03-04", promoterCampaignId: 1, campaignId: 1, count: 2 };
  const clicks = await put(pastClicks, [past.day, 1, 1], past);
  const lead = await put(leads, [1], { id: 1, tid: TID, state: "signup" });

  for (let run = 0; run < 2; run++) {
    await upgradeSales(driver, await beginWork(driver, UNDER_WAY));
    // There were no products, so the ids named nothing. A product of a later day must not inherit the rewards.
    const forPromoters = [{ ...entry, productIds: [] }];
    expect(await campaign()).toMatchObject({ rewardsForPromoters: forPromoters, rewardsForReferrals: [] });
    expect(await joined()).toMatchObject({ rewardsForPromoters: forPromoters, rewardsForReferrals: null });
    expect(await visitor()).toEqual({ accountId: 1, tid: TID, origin: null });
    expect(await clicks()).toEqual({ accountId: 1, ...past, origin: null });
    expect(await lead()).toMatchObject({ entrySource: "cookie", origin: null, splits: null });
  }
});

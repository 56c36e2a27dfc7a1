import { expect, it } from "vitest";
import type { Item } from "../../server/transfer/item.ts";
import { converted } from "../../server/transfer/upgrade/former-items.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const entry = { applyOn: "specific", productIds: [7], rewardId: 1 };
const rewards = { rewardsForPromoters: [entry], rewardsForReferrals: [] };
const past = { day: "2026-03-04", promoterCampaignId: 1, campaignId: 1, count: 2 };
const seller = { promoterCampaignId: 1, unit: "cash", amount: 500 };
const soldAt = "2026-01-31T23:59:59.999Z";

/** Records of layout 7, whose fields matter here. */
const RECORDS = {
  account: { id: 1 },
  campaign: { id: 1, ...rewards, letters: { welcome: true } },
  "promoter-campaign": { id: 1, ...rewards, rewardsForReferrals: null },
  visitor: { tid: TID },
  "past-clicks": past,
  lead: { id: 1, tid: TID, state: "signup" },
  reward: { id: 1, schemas: [{ amountHundredths: 1_250 }] },
  commission: { id: 1, ...seller, status: "approved", conversionCents: 2_000, createdAt: soldAt },
  payout: { id: 9, ...seller, status: "completed", periodEnd: soldAt },
  promoter: { id: 1, email: "jane@example.com" },
};

it("gives records of layout 7 what sales brought", async () => {
  const items = Object.entries(RECORDS).map(([collection, record]): Item => {
    return { collection, text: JSON.stringify({ accountId: collection === "account" ? 0 : 1, ...record }) };
  });
  const found: Record<string, unknown> = {};
  for await (const chunk of converted(7, async function* () {
    yield items;
  })()) {
    for (const { collection, text } of chunk) found[collection] = JSON.parse(text);
  }
  // There were no products, so the ids named nothing. A product of a later day must not inherit the rewards.
  const forPromoters = [{ ...entry, productIds: [] }];
  expect(found).toEqual({
    account: expect.objectContaining({ payoutCycle: "monthly", minPayingCustomers: 0 }) as unknown,
    campaign: expect.objectContaining({
      rewardsForPromoters: forPromoters,
      rewardsForReferrals: [],
      emails: { welcome: true },
    }) as unknown,
    "promoter-campaign": expect.objectContaining({
      rewardsForPromoters: forPromoters,
      rewardsForReferrals: null,
    }) as unknown,
    visitor: { accountId: 1, tid: TID, origin: null },
    "past-clicks": { accountId: 1, ...past, origin: null },
    lead: expect.objectContaining({
      entrySource: "cookie",
      origin: null,
      splits: null,
      salesCount: 0,
    }) as unknown,
    reward: { accountId: 1, id: 1, schemas: [{ amountTenThousandths: 125_000 }] },
    commission: expect.objectContaining({ type: "sale", saleCents: 2_000, payoutId: 9 }) as unknown,
    payout: { accountId: 1, ...RECORDS.payout, runId: null },
    promoter: { accountId: 1, ...RECORDS.promoter },
  });
});

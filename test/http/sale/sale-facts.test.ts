import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer, trackV2 } from "../../support/money.ts";
import { company, outcome } from "../../support/v2.ts";
import { storeServerRates } from "../../support/operations.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await app.v1("/track/signup", { email: "sam@example.net", ref_id: "jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const makeDiscount = (more: Record<string, unknown>) =>
  makeReward(app, [{ unit: "discount_per", amount: 10 }], { is_promoter_reward: false, ...more });

/** Gives referred people a discount, and answers with its id. */
async function discount(more: Record<string, unknown>): Promise<number> {
  const id = await makeDiscount({ name: "10% off", ...more });
  const rewards_for_referrals = [{ reward_id: id, apply_on: "all", product_ids: [] }];
  expect(await app.v2("PUT", "/campaigns/1", { rewards_for_referrals })).toMatchObject({ status: 200 });
  return id;
}

const sell = (event_id: string, more: object = {}) =>
  outcome(trackV2(app, "sale", { email: "sam@example.net", event_id, amount: 10_000, ...more }));
const rewardOf = async (event_id: string, created_at: string) => {
  const { body } = await sell(event_id, { created_at });
  return (body as { referral_reward: unknown }).referral_reward;
};

/** What a sale without any options shows. */
const SALE = {
  id: expect.any(Number) as number,
  etype: "sale",
  sale_amount: 10_000,
  original_sale_amount: 10_000,
  original_sale_currency: null,
  event_id: "order-1",
  plan_id: null,
  billing_period: null,
  quantity: 1,
  mrr: null,
  referral_reward: null,
  created_at: NOW,
  referral: { id: 1, email: "sam@example.net", uid: null },
  commissions: [],
};

describe("a sale shows", () => {
  it("how it was understood, and the reward that the lead gets", async () => {
    const id = await discount({});
    expect(
      await sell("order-1", { quantity: 3, mrr: "2900", plan: "pro", billing_period: "monthly" }),
    ).toEqual({
      status: 200,
      body: {
        ...SALE,
        plan_id: "pro",
        billing_period: "monthly",
        quantity: 3,
        mrr: 2_900,
        referral_reward: { id, name: "10% off" },
      },
    });
  });

  it("no reward where none is offered", async () => {
    expect(await sell("order-1")).toEqual({ status: 200, body: SALE });
  });

  it("the reward of the promo code that it names, unless that is for promoters", async () => {
    const id = await discount({});
    const bySpring = await makeDiscount({ name: "Spring" });
    const ofPromoter = await makeReward(app);
    const codes = { SPRING: bySpring, JANE10: ofPromoter };
    for (const [code, reward_id] of Object.entries(codes)) {
      await app.v2("POST", "/promo_codes", { code, reward_id, promoter_campaign_id: 1 });
    }
    expect(await sell("order-1", { promo_code: " spring " })).toEqual({
      status: 200,
      body: { ...SALE, referral_reward: { id: bySpring, name: "Spring" } },
    });
    for (const promo_code of ["JANE10", "UNKNOWN"]) {
      expect(await sell(promo_code, { promo_code })).toEqual({
        status: 200,
        body: { ...SALE, event_id: promo_code, referral_reward: { id, name: "10% off" } },
      });
    }
  });

  it("the amount and the currency that were given, and so do its commission and its refund", async () => {
    await offer(app, await makeReward(app));
    const rate = (day: string, USD: string) => ({ day, base: "EUR", rates: { USD } });
    await storeServerRates(app, rate("2026-03-04", "1.1"), rate("2026-03-05", "2"));
    const amounts = { sale_amount: 11_000, original_sale_amount: 10_000, original_sale_currency: "EUR" };
    const commission = { ...amounts, amount: 1_100 };
    expect(await sell("order-1", { currency: "eur" })).toEqual({
      status: 200,
      body: { ...SALE, ...amounts, commissions: [expect.objectContaining(commission)] },
    });
    // The refund goes by the sale's own rate.
    app.setNow("2026-03-05T00:00:00.000Z");
    const refund = { email: "sam@example.net", event_id: "re-1", amount: 2_500, currency: "EUR" };
    expect((await trackV2(app, "refund", refund)).status).toBe(200);
    const { body } = await company(app, "GET /commissions");
    const back = { sale_amount: -2_750, original_sale_amount: -2_500, original_sale_currency: "EUR" };
    expect(body).toMatchObject([commission, { ...back, amount: -275 }]);
  });

  it("the monthly revenue in the account's currency", async () => {
    await storeServerRates(app, { day: "2026-03-04", base: "EUR", rates: { USD: "1.1" } });
    expect(await sell("order-1", { currency: "EUR", mrr: 5_000 })).toEqual({
      status: 200,
      body: { ...SALE, sale_amount: 11_000, original_sale_currency: "EUR", mrr: 5_500 },
    });
  });

  it.each([
    ["once", {}, [true, false, false]],
    ["repeating", { duration_in_months: 2 }, [true, true, false]],
    ["forever", {}, [true, true, true]],
  ])("a reward with the duration %s as long as the lead gets it", async (duration, more, given) => {
    const id = await discount({ duration, ...more });
    const shown = [
      await rewardOf("order-1", "2026-01-05"),
      await rewardOf("order-2", "2026-02-05"),
      await rewardOf("order-3", "2026-03-05"),
    ];
    expect(shown).toEqual(given.map((isGiven) => (isGiven ? { id, name: "10% off" } : null)));
  });
});

it("a promo code makes leads beyond the limits of its reward, which the shop judges", async () => {
  const reward_id = await discount({ max_redemptions: 1, new_customers_only: true });
  await app.v2("POST", "/promo_codes", { code: "JANE10", reward_id, promoter_campaign_id: 1 });
  for (const name of ["ann", "ben"]) {
    const sale = { email: `${name}@example.net`, event_id: name, amount: 5_000, promo_code: "jane10" };
    expect(await trackV2(app, "sale", sale)).toMatchObject({ status: 200, body: { event_id: name } });
  }
  const { body } = await app.v2("GET", "/referrals");
  expect(body).toMatchObject([
    { email: "sam@example.net", entry_source: "api" },
    { email: "ann@example.net", entry_source: "coupon" },
    { email: "ben@example.net", entry_source: "coupon" },
  ]);
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { company, join, outcome, reward } from "../../support/v2.ts";

const TID = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const JANE = { id: 1, email: "jane@example.com", name: "jane@example.com" };
const EMPTY = {
  id: null,
  event_id: null,
  amount: null,
  unit: null,
  original_amount: null,
  original_currency: null,
  refundable_amount: null,
  status: null,
  plan_id: null,
  quantity: null,
  mrr: null,
  referral_reward: null,
  tier: null,
  reward: null,
  promoter: null,
  due_date: null,
  source: null,
  page: null,
  landing_url: null,
  referrer: null,
  sub_id: null,
  is_ad_traffic: null,
};
const CLICK = {
  ...EMPTY,
  kind: "click",
  at: NOW,
  source: "blog.example",
  page: "https://www.acme.example/pricing",
  landing_url: "https://www.acme.example/pricing?via=jane",
  referrer: "https://blog.example/post",
  is_ad_traffic: false,
};

describe("GET /referrals/{id}/timeline", () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp("memory");
    await join(app, "jane@example.com", { ref_id: "jane" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const timeline = (path = "1") => outcome(company(app, `GET /referrals/${path}/timeline`));
  const track = async (path: string, params: Record<string, string>) =>
    expect((await app.v1(`/track/${path}`, params)).status).toBe(200);
  const click = () =>
    app.browser("/t/click", {
      tid: TID,
      ref_id: "jane",
      url: "https://www.acme.example/pricing?via=jane",
      referrer: "https://blog.example/post",
    });

  it("tells a lead's whole story, oldest first", async () => {
    const rewardId = await reward(app);
    const discount = await reward(app, { name: "10% off", is_promoter_reward: false });
    await company(app, "PUT /campaigns/1", {
      rewards_for_promoters: [{ reward_id: rewardId }],
      rewards_for_referrals: [{ reward_id: discount }],
    });
    await click();
    app.setNow("2026-03-05T00:00:00.000Z");
    await track("signup", { email: "sam@example.com", tid: TID });
    app.setNow("2026-03-06T00:00:00.000Z");
    await track("sale", {
      email: "sam@example.com",
      event_id: "inv_1",
      amount: "10000",
      plan: "pro",
      mrr: "2900",
    });
    app.setNow("2026-03-07T00:00:00.000Z");
    await track("refund", { email: "sam@example.com", event_id: "ref_1", amount: "2500" });
    app.setNow("2026-03-08T00:00:00.000Z");
    await track("cancellation", { email: "sam@example.com" });
    app.setNow("2026-03-09T00:00:00.000Z");
    await company(app, "POST /commissions/generate_payouts", { ids: [1, 2] });

    const commission = {
      ...EMPTY,
      kind: "commission",
      unit: "cash",
      status: "approved",
      tier: 1,
      reward: "20 percent",
      promoter: JANE,
    };
    expect(await timeline()).toEqual({
      status: 200,
      body: [
        CLICK,
        { ...EMPTY, kind: "signup", at: "2026-03-05T00:00:00.000Z" },
        {
          ...EMPTY,
          kind: "sale",
          at: "2026-03-06T00:00:00.000Z",
          id: 2,
          event_id: "inv_1",
          amount: 10_000,
          unit: "cash",
          original_amount: 10_000,
          refundable_amount: 7_500,
          plan_id: "pro",
          quantity: 1,
          mrr: 2_900,
          referral_reward: "10% off",
        },
        { ...commission, at: "2026-03-06T00:00:00.000Z", id: 1, event_id: "inv_1", amount: 2_000 },
        {
          ...EMPTY,
          kind: "refund",
          at: "2026-03-07T00:00:00.000Z",
          id: 3,
          event_id: "ref_1",
          amount: 2_500,
          unit: "cash",
          original_amount: 2_500,
        },
        { ...commission, at: "2026-03-07T00:00:00.000Z", id: 2, event_id: "ref_1", amount: -500 },
        { ...EMPTY, kind: "cancellation", at: "2026-03-08T00:00:00.000Z" },
        {
          ...EMPTY,
          kind: "payout",
          at: "2026-03-09T00:00:00.000Z",
          id: 1,
          amount: 1_500,
          unit: "cash",
          status: "pending",
          due_date: "2026-04-08",
        },
      ],
    });
  });

  it("keeps the source and the page of a visitor who has expired", async () => {
    await click();
    await track("signup", { email: "sam@example.com", tid: TID });
    await app.records.remove("visitor", TID);
    expect(await timeline()).toEqual({
      status: 200,
      body: [
        { ...CLICK, at: null, landing_url: null, referrer: null, is_ad_traffic: null },
        { ...EMPTY, kind: "signup", at: NOW },
      ],
    });
  });

  it("has no click for a lead that came by name, and finds it by e-mail", async () => {
    await track("signup", { email: "sam@example.com", ref_id: "jane" });
    expect(await timeline("sam@example.com")).toEqual({
      status: 404,
      body: { message: "Lead not found.", code: "not_found" },
    });
    const found = outcome(company(app, "GET /referrals/sam@example.com/timeline?find_by=email"));
    expect(await found).toEqual({ status: 200, body: [{ ...EMPTY, kind: "signup", at: NOW }] });
  });
});

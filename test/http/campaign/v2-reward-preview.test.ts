import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { company, invalid, outcome, reward } from "../../support/v2.ts";

const THIRTY = {
  name: "30 percent",
  is_promoter_reward: true,
  schemas: [{ unit: "cash", amount: 30, flat_amount: false }],
};
const PARENT = {
  name: "Parent",
  is_promoter_reward: true,
  promoter_reward_type: "tier",
  tier_level: 2,
  tier_reward_mode: "tier_override_mode",
  schemas: [{ unit: "cash", amount: 10, flat_amount: false }],
};

describe("POST /rewards/preview", () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp("memory");
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const preview = (body: unknown) => outcome(company(app, "POST /rewards/preview", body));
  const answer = (earnings: unknown[], saleAmount = 9_900) => ({
    status: 200,
    body: { sale_amount: saleAmount, currency: "USD", earnings },
  });
  const mine = (amount: number, unit = "cash") => ({
    tier: 1,
    reward: { id: null, name: "30 percent" },
    unit,
    amount,
  });

  it("works out what the promoter and the parent would get, and changes nothing", async () => {
    expect(await preview({ drafts: [THIRTY, PARENT], sale_amount: 9_900 })).toEqual(
      answer([mine(2_970), { tier: 2, reward: { id: null, name: "Parent" }, unit: "cash", amount: 990 }]),
    );
    expect((await company(app, "GET /rewards")).body).toEqual([]);
  });

  it("gives nothing once the reward has ended for the customer", async () => {
    const draft = { ...THIRTY, duration: "repeating", duration_in_months: 12 };
    const after = (months: number) =>
      preview({ drafts: [draft], sale_amount: 9_900, customer_age_in_months: months });
    expect(await after(11)).toEqual(answer([mine(2_970)]));
    expect(await after(12)).toEqual(answer([]));
    const once = { ...THIRTY, duration: "once" };
    expect(await preview({ drafts: [once], sale_amount: 9_900, sales_count: 2 })).toEqual(answer([]));
  });

  it("judges rules and multiplies flat amounts", async () => {
    const flat = { unit: "cash", amount: 5, flat_amount: true };
    const rules = [{ type: "customer_sales_count", operator: "less than or equal to", value: 1 }];
    const drafts = [{ ...THIRTY, schemas: [{ ...flat, rules }] }];
    expect(await preview({ drafts, sale_amount: 9_900, quantity: 3 })).toEqual(answer([mine(1_500)]));
    expect(await preview({ drafts, sale_amount: 9_900, sales_count: 2 })).toEqual(answer([]));
  });

  it("takes saved rewards with the sales that they are for", async () => {
    const id = await reward(app);
    const entries = [{ reward_id: id, apply_on: "yearly" }];
    expect(await preview({ entries, sale_amount: 10_000, billing_period: "yearly" })).toEqual(
      answer([{ tier: 1, reward: { id, name: "20 percent" }, unit: "cash", amount: 2_000 }], 10_000),
    );
    expect(await preview({ entries, sale_amount: 10_000 })).toEqual(answer([], 10_000));
  });

  it("refuses what a reward or a sale can't be", async () => {
    const incomplete = { ...PARENT, tier_level: null };
    expect(await preview({ drafts: [incomplete], sale_amount: 100 })).toEqual(
      invalid({ tier_level: ["can't be blank in a tier reward"] }, 400),
    );
    expect(await preview({ drafts: [THIRTY], sale_amount: -1 })).toEqual(
      invalid({ sale_amount: ["must be positive"] }),
    );
    expect(await preview({ entries: [{ reward_id: 99 }], sale_amount: 100 })).toEqual({
      status: 404,
      body: { message: "Reward not found.", code: "not_found" },
    });
  });
});

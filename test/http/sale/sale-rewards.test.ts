import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { cashOf, makeReward, offer, trackV2 } from "../../support/money.ts";
import { company, join } from "../../support/v2.ts";

const [JANE, BOB, ZOE] = [1, 2, 3];

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  for (const name of ["jane", "bob", "zoe"]) await join(app, `${name}@example.com`, { ref_id: name });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

interface Shown {
  tier: number;
  amount: number;
  unit: string;
  promoter_campaign: { promoter_id: number; campaign_id: number };
}

let sold = 0;
beforeEach(() => void (sold = 0));

/** Sells for 100.00 to a lead of Jane's. Returns the commissions as `tier: amount of promoter in campaign`. */
async function earned(params: Record<string, unknown> = {}): Promise<string[]> {
  const sale = { email: "lead@example.com", ref_id: "jane", event_id: `inv_${++sold}`, amount: 10_000 };
  const { status, body } = await trackV2(app, "sale", { ...sale, ...params });
  expect(status).toBe(200);
  return (body as { commissions: Shown[] }).commissions.map(
    ({ tier, amount, promoter_campaign: owner }) =>
      `${tier}: ${amount} of ${owner.promoter_id} in ${owner.campaign_id}`,
  );
}

const entry = (reward_id: number) => ({ apply_on: "all", product_ids: [], reward_id });
const own = (promoterCampaignId: number, ...rewardIds: number[]) =>
  company(app, `PUT /promoter_campaigns/${promoterCampaignId}`, {
    promoter_rewards_customized: true,
    rewards_for_promoters: rewardIds.map(entry),
  });
/** A reward of some percent of the sale for the parent on a level. */
const tier = (level: number, amount: number) =>
  makeReward(app, [{ amount }], {
    promoter_reward_type: "tier",
    tier_level: level,
    tier_reward_mode: "tier_override_mode",
  });
const allCommissions = () => app.records.all("commission");

describe("a sale is paid by the rewards", () => {
  it("of the promoter campaign if it has its own, otherwise of the campaign", async () => {
    await offer(app, await makeReward(app));
    expect(await earned()).toEqual(["1: 1000 of 1 in 1"]);
    await own(1, await makeReward(app, [{ amount: 20 }]));
    expect(await earned()).toEqual(["1: 2000 of 1 in 1"]);
    await own(1);
    expect(await earned()).toEqual([]);
    await company(app, "PUT /promoter_campaigns/1", { promoter_rewards_customized: false });
    expect(await earned()).toEqual(["1: 1000 of 1 in 1"]);
  });

  it("of its time: later changes never change a commission, and a refund goes by the old terms", async () => {
    const rewardId = await makeReward(app);
    await offer(app, rewardId);
    await earned();
    const before = await allCommissions();
    await company(app, `PUT /rewards/${rewardId}`, {
      name: "half",
      schemas: [{ unit: "cash", amount: 50, flat_amount: false }],
    });
    await offer(app);
    await company(app, "PUT /campaigns/1", { name: "Other", auto_approve_commissions: false });
    const split_details = [{ promoter_campaign_id: BOB, percentage: 90 }];
    await company(app, "PUT /referrals/1", { split_details });
    expect(await allCommissions()).toEqual(before);
    await trackV2(app, "refund", { email: "lead@example.com", event_id: "re_1", amount: 10_000 });
    expect(await cashOf(app, JANE)).toEqual([0, 0, 0]);
    expect((await allCommissions()).map(({ amount, reward_name }) => [amount, reward_name])).toEqual([
      [1_000, "ten percent"],
      [-1_000, "ten percent"],
    ]);
  });

  it("for the referred person too, which the sale keeps and nobody is paid", async () => {
    const discount = await makeReward(app, [{ amount: 10 }], { is_promoter_reward: false });
    const monthly = await makeReward(app, [{ amount: 20 }], { is_promoter_reward: false });
    await company(app, "PUT /campaigns/1", {
      rewards_for_referrals: [entry(discount), { ...entry(monthly), apply_on: "monthly" }],
    });
    expect([await earned(), await earned({ billing_period: "monthly" })]).toEqual([[], []]);
    await company(app, "PUT /promoter_campaigns/1", {
      referral_rewards_customized: true,
      rewards_for_referrals: [],
    });
    expect(await earned()).toEqual([]);
    const kept = await app.records.all("sale");
    expect(kept.map(({ referral_reward_id }) => referral_reward_id)).toEqual([discount, monthly, null]);
    expect(await allCommissions()).toEqual([]);
  });
});

describe("the parents of a sale's promoter", () => {
  const assign = (parent_promoter_id: number, ids: number[]) =>
    app.v2("POST", "/promoters/assign_parent", { parent_promoter_id, ids });

  describe("with one who began in another campaign", () => {
    // Ann's default promoter campaign is 4, in the second campaign. Her other one is 5.
    beforeEach(async () => {
      await company(app, "POST /campaigns", { name: "Second", landing_url: "https://2.example/" });
      await join(app, "ann@example.com", { campaign_id: "2" });
      await assign(4, [JANE]);
      await assign(ZOE, [4]);
      await offer(app, await makeReward(app), await tier(2, 5), await tier(3, 3));
      const rewards_for_promoters = [entry(await tier(2, 4))];
      await company(app, "PUT /campaigns/2", { rewards_for_promoters });
    });
    const above = ["1: 1000 of 1 in 1", "3: 300 of 3 in 1"];

    it.each([
      [null, "accepted", "2: 400 of 4 in 2"],
      [null, "rejected", null],
      ["accepted", "accepted", "2: 500 of 4 in 1"],
      ["accepted", "blocked", "2: 500 of 4 in 1"],
      ["rejected", "accepted", null],
      ["blocked", "accepted", null],
      ["pending", "accepted", null],
      ["inactive", "accepted", null],
      [null, "inactive", null],
    ])("who is %s in the sale's campaign and %s in the default one: %s", async (same, usual, expected) => {
      if (same !== null) {
        await company(app, "POST /promoters/add_to_campaign", { ids: [4], campaign_id: 1 });
        await company(app, "PUT /promoter_campaigns/5", { state: same });
      }
      await company(app, "PUT /promoter_campaigns/4", { state: usual });
      expect(await earned()).toEqual(expected === null ? above : above.toSpliced(1, 0, expected));
    });
  });

  it("are paid by their own rewards if they have any", async () => {
    await assign(BOB, [JANE]);
    await offer(app, await makeReward(app), await tier(2, 5));
    await own(BOB, await tier(2, 7));
    expect(await earned()).toEqual(["1: 1000 of 1 in 1", "2: 700 of 2 in 1"]);
  });

  it.each([
    ["is above herself", { [JANE]: JANE }, []],
    ["and her parent are above each other", { [JANE]: BOB, [BOB]: JANE }, ["2: 200 of 2 in 1"]],
    ["is below a circle", { [JANE]: BOB, [BOB]: ZOE, [ZOE]: BOB }, ["2: 200 of 2 in 1", "3: 300 of 3 in 1"]],
  ])("are paid once if she %s", async (_, parents, paid) => {
    await offer(app, await makeReward(app), await tier(2, 2), await tier(3, 3), await tier(4, 4));
    // No operation makes a circle, but data may come from elsewhere.
    for (const [id, parentPromoterId] of Object.entries(parents)) {
      await app.records.change("promoter", Number(id), { parent_promoter_id: parentPromoterId });
    }
    expect(await earned()).toEqual(["1: 1000 of 1 in 1", ...paid]);
  });

  it.each([
    ["pending", []],
    ["rejected", []],
    ["inactive", ["1: 750 of 1 in 1", "2: 500 of 2 in 1", "1: 250 of 3 in 1"]],
    ["accepted", ["1: 750 of 1 in 1", "2: 500 of 2 in 1", "1: 250 of 3 in 1"]],
  ])("and those who share are paid for the sales of a promoter who is %s: %j", async (state, paid) => {
    await assign(BOB, [JANE]);
    await offer(app, await makeReward(app), await tier(2, 5));
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    const split_details = [{ promoter_campaign_id: ZOE, percentage: 25 }];
    await company(app, "PUT /referrals/1", { split_details });
    await company(app, "PUT /promoter_campaigns/1", { state });
    expect((await earned()).toSorted()).toEqual(paid.toSorted());
    await company(app, "PUT /promoter_campaigns/1", { state: "accepted" });
    // What was missed meanwhile is not made up for.
    expect(await allCommissions()).toHaveLength(paid.length);
  });

  it("are paid up to the tenth level", async () => {
    for (let id = 4; id <= 11; id++) await join(app, `p${id}@example.com`);
    for (let id = 1; id <= 10; id++) await assign(id + 1, [id]);
    await offer(app, await makeReward(app), await tier(10, 2), await tier(11, 3));
    expect(await earned()).toEqual(["1: 1000 of 1 in 1", "10: 200 of 10 in 1"]);
  });
});

describe("rules are judged at the moment of the sale, with this sale counted", () => {
  const rule = (type: string, operator: string, value: number, join = "and") => ({
    type:
      { age: "customer_age_in_months", sales: "customer_sales_count" }[type] ?? `promoter_campaign_${type}`,
    operator,
    value,
    join,
  });
  /** Offers 1.00 for each sale for which these rules hold. */
  const offerIf = async (rules: object[], more: Record<string, unknown> = {}) =>
    offer(app, await makeReward(app, [{ amount: 1, flat_amount: true, rules }], more));
  const sale = (email: string, amount = 10_000) => ({ email, amount });
  const on = (day: string) => ({ created_at: `${day}T12:00:00.000Z` });

  it.each([
    [
      "every second sale of a customer",
      [rule("sales", "multiple of", 2)],
      [
        sale("a@x.example"),
        sale("a@x.example"),
        sale("b@x.example"),
        sale("a@x.example"),
        sale("a@x.example"),
      ],
      [0, 1, 0, 0, 1],
    ],
    [
      "the months since a customer's first sale",
      [rule("age", "greater than or equal to", 1)],
      [on("2026-01-31"), on("2026-02-27"), on("2026-02-28"), on("2026-03-02")],
      [0, 0, 1, 1],
    ],
    [
      "each second customer of a promoter",
      [rule("customers_count", "multiple of", 2)],
      [sale("a@x.example"), sale("b@x.example"), sale("c@x.example"), sale("d@x.example")],
      [0, 1, 0, 1],
    ],
    [
      "what a promoter has sold",
      [rule("revenue", ">=", 20_000)],
      [sale("a@x.example", 10_000), sale("b@x.example", 9_999), sale("a@x.example", 1)],
      [0, 0, 1],
    ],
    [
      "two counts together",
      [rule("sales", ">", 1), rule("revenue", "<", 20_001)],
      [sale("a@x.example"), sale("a@x.example", 1), sale("a@x.example")],
      [0, 1, 0],
    ],
    [
      "one of two counts",
      [rule("sales", "=", 1), rule("revenue", ">", 30_000, "or")],
      [sale("a@x.example"), sale("a@x.example"), sale("a@x.example"), sale("a@x.example")],
      [1, 0, 0, 1],
    ],
  ])("by %s", async (_, rules, bought, expected) => {
    await offerIf(rules);
    const paid: number[] = [];
    for (const params of bought) paid.push((await earned(params)).length);
    expect(paid).toEqual(expected);
  });

  it.each([
    ["each second customer", [rule("customers_count", "multiple of", 2)], {}, 3],
    ["each sale from the fourth on", [rule("revenue", ">=", 40_000)], {}, 3],
    ["a target", [rule("revenue", ">=", 40_000)], { promoter_reward_type: "target" }, 1],
  ])("by %s, even if six customers buy at once", async (_, rules, more, expected) => {
    await offerIf(rules, more);
    const buyers = Array.from({ length: 6 }, (_, at) => sale(`lead-${at}@example.com`));
    const paid = await Promise.all(buyers.map((params) => earned(params)));
    expect(paid.flat()).toHaveLength(expected);
  });
});

describe("a reward lasts", () => {
  const offerFor = async (duration: Record<string, unknown>) =>
    offer(app, await makeReward(app, undefined, duration));

  it("for its months since the customer's first sale, of whatever length", async () => {
    await offerFor({ duration: "repeating", duration_in_months: 2 });
    const paid: number[] = [];
    for (const day of ["2026-01-31", "2026-02-28", "2026-03-30", "2026-03-31"]) {
      paid.push((await earned({ created_at: `${day}T12:00:00.000Z` })).length);
    }
    expect(paid).toEqual([1, 1, 1, 0]);
  });

  it("for one sale of each customer, even if sales come at once", async () => {
    await offerFor({ duration: "once" });
    const buyers = ["a@x.example", "a@x.example", "b@x.example", "a@x.example", "b@x.example"];
    await Promise.all(buyers.map((email) => app.v1("/track/signup", { email, ref_id: "jane" })));
    const paid = await Promise.all(buyers.map((email) => earned({ email })));
    expect(paid.flat()).toHaveLength(2);
    expect(await earned({ email: "a@x.example" })).toEqual([]);
  });
});

describe("a split sale", () => {
  const split = (...percentages: [promoterCampaignId: number, percentage: number][]) =>
    company(app, "PUT /referrals/1", {
      split_details: percentages.map(([promoter_campaign_id, percentage]) => ({
        promoter_campaign_id,
        percentage,
      })),
    });
  beforeEach(async () => {
    await offer(app, await makeReward(app));
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
  });

  it("pays parts that add up to the whole", async () => {
    await split([BOB, 33.3333], [ZOE, 33.3333]);
    expect(await earned({ amount: 1_000 })).toEqual([
      "1: 33 of 2 in 1",
      "1: 34 of 3 in 1",
      "1: 33 of 1 in 1",
    ]);
  });

  it.each(["blocked", "pending", "rejected", "inactive"])(
    "leaves the part of someone who is %s to its own promoter",
    async (state) => {
      await split([BOB, 25], [ZOE, 25]);
      await company(app, "PUT /promoter_campaigns/2", { state });
      expect(await earned()).toEqual(["1: 250 of 3 in 1", "1: 750 of 1 in 1"]);
    },
  );

  it("is no longer split once its splits are cleared", async () => {
    await split([BOB, 25]);
    await split();
    expect(await earned()).toEqual(["1: 1000 of 1 in 1"]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerOf, startApp, type TestApp } from "../../support/app.ts";
import { visitingPromoter } from "../../support/portal.ts";
import { company, reward } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const CLICK =
  "A click counts for 60 days: everyone who signs up within that time is yours. If a visitor followed links of several promoters, the last one counts.";
const APPROVED = "Commissions are approved immediately.";
const PAID = "Commissions approved in a month are paid 30 days after its end.";
const cash = (amount: number, isFlat = false, rules: object[] = []) => ({
  schemas: [{ unit: "cash", amount, flat_amount: isFlat, rules }],
});

/** Makes rewards the only ones of the campaign, and shows what its sign-up page offers. */
async function offerOf(entries: object[]): Promise<string[]> {
  await company(app, "PUT /campaigns/1", { rewards_for_promoters: entries });
  const { body } = await answerOf(await app.request("/api/v2/join/1"));
  return (body as { offer: string[] }).offer;
}
const offered = async (over: object, entry: object = {}) => {
  const [earning] = await offerOf([{ reward_id: await reward(app, { ...over }), ...entry }]);
  return earning;
};

describe("what a campaign offers", () => {
  it("is only how long a click counts if it pays nothing", async () => {
    expect(await offerOf([])).toEqual([CLICK]);
  });

  it("says what is earned, when it is approved and paid, and how long a click counts", async () => {
    const id = await reward(app, { ...cash(20), duration: "repeating", duration_in_months: 12 });
    expect(await offerOf([{ reward_id: id }])).toEqual([
      "You earn 20% of each sale, for 12 months after the customer's first one.",
      APPROVED,
      PAID,
      CLICK,
    ]);
    await company(app, "PUT /account", { payout_cycle: "weekly", net_payout_days: 1, min_payment: 5_000 });
    await company(app, "PUT /campaigns/1", { auto_approve_commissions: false, visitor_cookie_life: 1 });
    expect((await offerOf([{ reward_id: id }])).slice(1)).toEqual([
      "Each commission is reviewed before it is approved.",
      "Commissions approved in a week are paid 1 day after its end, if they add up to at least $50.00.",
      CLICK.replace("60 days", "1 day"),
    ]);
  });

  it.each([
    [
      "You earn $5.50 for each sale, for a customer's first sale only.",
      { ...cash(5.5, true), duration: "once" },
      {},
    ],
    [
      "You earn 20% of each sale of a yearly plan, for as long as the customer buys.",
      cash(20),
      { apply_on: "yearly" },
    ],
    [
      "You earn 10% of what is earned by each sale of promoters whom you bring in, for as long as the customer buys.",
      { ...cash(10), promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_commission_mode" },
      {},
    ],
    [
      "You earn $100.00 once, if the number of your customers is greater than or equal to 10.",
      {
        ...cash(100, true, [{ type: "promoter_campaign_customers_count", operator: ">=", value: 10 }]),
        promoter_reward_type: "target",
      },
      {},
    ],
    [
      "You earn $100.00 once, if the revenue that you have brought is greater than $1,000.00.",
      {
        ...cash(100, true, [{ type: "promoter_campaign_revenue", operator: ">", value: 100_000 }]),
        promoter_reward_type: "target",
      },
      {},
    ],
  ])("says: %s", async (sentence, over, entry) => {
    expect(await offered(over, entry)).toBe(sentence);
  });

  it("leaves out what is hidden", async () => {
    expect(await offerOf([{ reward_id: await reward(app, { hide_reward: true }) }])).toEqual([
      APPROVED,
      PAID,
      CLICK,
    ]);
  });
});

it("shows promoters their own rewards and terms, and others those of the campaign", async () => {
  const [usual, own] = [await reward(app, cash(20)), await reward(app, cash(35))];
  await company(app, "PUT /campaigns/1", { rewards_for_promoters: [{ reward_id: usual }] });
  const jane = await visitingPromoter(app, "jane@example.com");
  const kim = await visitingPromoter(app, "kim@example.com");
  await company(app, "PUT /promoter_campaigns/1", { rewards_for_promoters: [{ reward_id: own }] });
  await company(app, "PUT /promoters/1", { net_payout_days: 0 });
  const offers = async (browser: typeof jane) => {
    const { body: joined } = await browser.call("GET /promoter_campaigns");
    const { body: open } = await browser.call("GET /campaigns");
    return [joined, open].map((rows) => (rows as { offer: string[] }[])[0]?.offer.slice(0, 3));
  };
  const first = "of each sale, for as long as the customer buys.";
  const janes = [`You earn 35% ${first}`, APPROVED, "Commissions approved in a month are paid at its end."];
  expect(await offers(jane)).toEqual([janes, janes]);
  const kims = [`You earn 20% ${first}`, APPROVED, PAID];
  expect(await offers(kim)).toEqual([kims, kims]);
});

it("shows how far a promoter is from each target, and refunds take a step back", async () => {
  const rule = { type: "promoter_campaign_revenue", operator: ">=", value: 20_000 };
  const id = await reward(app, { ...cash(50, true, [rule]), promoter_reward_type: "target" });
  await company(app, "PUT /campaigns/1", { rewards_for_promoters: [{ reward_id: id }] });
  const jane = await visitingPromoter(app, "jane@example.com", { ref_id: "jane" });
  const goals = async () =>
    ((await jane.call("GET /promoter_campaigns")).body as { goals: unknown }[])[0]?.goals;
  const goal = { reward_id: id, gives: "$50.00", metric: "revenue", needed: 20_000 };
  const sell = (eventId: string) =>
    app.v1("/track/sale", { email: "sam@x.example", event_id: eventId, amount: "15000", ref_id: "jane" });
  await sell("s1");
  expect(await goals()).toEqual([{ ...goal, reached: 15_000, is_reached: false }]);
  await sell("s2");
  expect(await goals()).toEqual([{ ...goal, reached: 30_000, is_reached: true }]);
  await app.v1("/track/refund", {
    email: "sam@x.example",
    event_id: "r2",
    sale_event_id: "s2",
    amount: "15000",
  });
  expect(await goals()).toEqual([{ ...goal, reached: 15_000, is_reached: false }]);
});

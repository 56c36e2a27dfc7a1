import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newJobs } from "../../../server/process/jobs.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { connectStripe, tellStripe } from "../../support/billing.ts";
import { cashOf, makeReward, offer } from "../../support/money.ts";
import { dispute, SECONDS, stripeEvent } from "../../support/stripe-events.ts";

let app: TestApp;
let elapsed = 0;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await offer(app, await makeReward(app));
  await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const sell = (params: Record<string, string> = {}) =>
  app.v1("/track/sale", { email: "lead@example.com", event_id: "inv_1", amount: "10000", ...params });
const made = async () =>
  (await app.records.all("commission")).map(({ amount, created_at }) => [amount, created_at.slice(0, 10)]);
const waiting = () => app.records.count("instalment");

/** Lets the jobs run so many days after the sale. */
async function runAfter(days: number): Promise<void> {
  app.setNow(new Date(Date.parse(NOW) + days * 24 * 60 * 60 * 1000).toISOString());
  elapsed += 120_000;
  const jobs = newJobs(app.services, () => elapsed);
  await jobs.pass();
  await jobs.stop();
}

describe("later commissions of a sale", () => {
  it("come once, on the day that the sale names", async () => {
    expect(await sell({ start_recurring_reward_in: "30" })).toMatchObject({
      status: 200,
      body: { reward: null },
    });
    await runAfter(29.9);
    expect(await made()).toEqual([]);
    await runAfter(30);
    await runAfter(90);
    expect(await made()).toEqual([[1000, "2026-04-03"]]);
    expect([await waiting(), await cashOf(app, 1)]).toEqual([0, [1000, 1000, 0]]);
  });

  it("follow the first at the given interval, as often as requested, and late if no server ran", async () => {
    await sell({ recurring_reward_frequency: "30", max_recurring: "2" });
    await runAfter(65);
    await runAfter(365);
    expect(await made()).toEqual([
      [1000, "2026-03-04"],
      [1000, "2026-04-03"],
      [1000, "2026-05-03"],
    ]);
    expect(await waiting()).toBe(0);
  });

  it("are made once, however many processes run", async () => {
    await sell({ start_recurring_reward_in: "1", recurring_reward_frequency: "1", max_recurring: "4" });
    app.setNow("2026-04-01T00:00:00.000Z");
    const all = Array.from({ length: 4 }, () => newJobs(app.services, () => 0));
    await Promise.all(all.map((jobs) => jobs.pass()));
    expect(await made()).toHaveLength(5);
  });

  it("keep the terms of the sale, and shrink with its refunds", async () => {
    await sell({ recurring_reward_frequency: "30", max_recurring: "2" });
    await offer(app);
    const refund = (amount: string, event_id: string) =>
      app.v1("/track/refund", { email: "lead@example.com", event_id, amount });
    await refund("5000", "re_1");
    await runAfter(30);
    expect(await cashOf(app, 1)).toEqual([1000, 1000, 0]);
    await refund("5000", "re_2");
    await runAfter(60);
    expect([await cashOf(app, 1), await waiting()]).toEqual([[0, 0, 0], 0]);
  });

  it("grow again when a bank gives back the money of a dispute", async () => {
    await connectStripe(app);
    await sell({ event_id: "ch_1", recurring_reward_frequency: "30", max_recurring: "1" });
    await tellStripe(app, stripeEvent("charge.dispute.created", dispute({ amount: 4_000 })));
    await runAfter(30);
    expect(await cashOf(app, 1)).toEqual([1_200, 1_200, 0]);
    const won = dispute({ amount: 4_000, status: "won" });
    const later = SECONDS + 30 * 86_400;
    await tellStripe(app, stripeEvent("charge.dispute.funds_reinstated", won), later);
    expect(await cashOf(app, 1)).toEqual([2_000, 2_000, 0]);
    await app.v1("/track/refund", { email: "lead@example.com", event_id: "re_1", amount: "10000" });
    expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
  });

  it("end with a lead that is cancelled", async () => {
    await sell({ recurring_reward_frequency: "30" });
    await app.v1("/leads/update", { email: "lead@example.com", state: "cancelled" });
    await runAfter(100);
    expect([await made(), await waiting()]).toEqual([[[1000, "2026-03-04"]], 0]);
  });

  it("that were due before the customer left come late if no server ran", async () => {
    await sell({ recurring_reward_frequency: "30" });
    await app.v1("/track/cancellation", { email: "lead@example.com", created_at: "2026-04-10T00:00:00Z" });
    await runAfter(100);
    const dates = (await made()).map(([, date]) => date);
    expect([dates, await waiting()]).toEqual([["2026-03-04", "2026-04-03"], 0]);
  });

  it("leave out the days on which the lead was denied", async () => {
    await sell({ recurring_reward_frequency: "30" });
    await app.v2("POST", "/referrals/disable", { ids: [1] });
    await runAfter(30);
    await app.v2("POST", "/referrals/enable", { ids: [1] });
    await runAfter(60);
    const dates = (await made()).map(([, date]) => date);
    expect([dates, await waiting()]).toEqual([["2026-03-04", "2026-05-03"], 1]);
  });

  it("end after ten years of weeks, however long ago the sale was made", async () => {
    await sell({ created_at: "1990-01-01T00:00:00.000Z", recurring_reward_frequency: "1" });
    for (let pass = 0; pass < 6; pass++) await runAfter(0);
    expect([await app.records.count("commission"), await waiting()]).toEqual([521, 0]);
  });

  it("have parts that add up to the whole, even after a refund", async () => {
    for (const name of ["bob", "zoe"]) await app.v1("/promoters/create", { email: `${name}@example.com` });
    const split = (promoter_campaign_id: number) => ({ promoter_campaign_id, percentage: 33.3333 });
    await app.v2("PUT", "/referrals/1", { split_details: [split(2), split(3)] });
    await sell({ amount: "1000", start_recurring_reward_in: "30" });
    await app.v1("/track/refund", { email: "lead@example.com", event_id: "re_1", amount: "500" });
    await runAfter(30);
    expect((await made()).map(([amount]) => amount)).toEqual([17, 17, 16]);
  });

  it.each([
    ["blocked", []],
    ["rejected", []],
    ["pending", []],
    ["inactive", [1000, 500]],
  ])("give a promoter who is %s on their day, and the parent: %j", async (state, earned) => {
    await app.v1("/promoters/create", { email: "bob@example.com" });
    await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 2, ids: [1] });
    await offer(app, await makeReward(app), await tierReward());
    await sell({ start_recurring_reward_in: "30", recurring_reward_frequency: "30" });
    await app.v2("PUT", "/promoter_campaigns/1", { state });
    await runAfter(30);
    expect([await made(), await waiting()]).toEqual([earned.map((amount) => [amount, "2026-04-03"]), 1]);
    await app.v2("PUT", "/promoter_campaigns/1", { state: "accepted" });
    await runAfter(60);
    expect((await made()).slice(earned.length)).toEqual([
      [1000, "2026-05-03"],
      [500, "2026-05-03"],
    ]);
  });

  it("give nothing to a parent who is no longer accepted, and those parts of a split to the lead's promoter", async () => {
    for (const name of ["bob", "zoe"]) await app.v1("/promoters/create", { email: `${name}@example.com` });
    await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 2, ids: [1] });
    await offer(app, await makeReward(app), await tierReward());
    await app.v2("PUT", "/referrals/1", { split_details: [{ promoter_campaign_id: 3, percentage: 25 }] });
    await sell({ start_recurring_reward_in: "30" });
    for (const id of [2, 3]) await app.v2("PUT", `/promoter_campaigns/${id}`, { state: "inactive" });
    await runAfter(30);
    expect((await made()).map(([amount]) => amount)).toEqual([250, 750]);
    expect(await cashOf(app, 1)).toEqual([1000, 1000, 0]);
  });
});

/** Five percent of the sale for the parent. */
const tierReward = () =>
  makeReward(app, [{ amount: 5 }], {
    promoter_reward_type: "tier",
    tier_level: 2,
    tier_reward_mode: "tier_override_mode",
  });

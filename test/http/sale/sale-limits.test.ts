import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commissions } from "../../../server/domain/commission/commission.ts";
import { leads } from "../../../server/domain/lead/lead.ts";
import { storeRates } from "../../../server/domain/money/rate.ts";
import { sales } from "../../../server/domain/sale/sales.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { connectStripe, tellStripe } from "../../support/billing.ts";
import { cashOf, makeReward, offer, trackV2 } from "../../support/money.ts";
import { charge, refundedFrom, stripeEvent } from "../../support/stripe-events.ts";
import { invalid, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const track = (name: string, event_id: string, params: Record<string, string> = {}) =>
  app.v1(`/track/${name}`, { email: "lead@example.com", event_id, ...params });
const sell = (event_id: string, params: Record<string, string> = {}) =>
  track("sale", event_id, { amount: "10000", ...params });
const refund = (event_id: string, sale_event_id: string, amount: string, currency = "USD") =>
  track("refund", event_id, { sale_event_id, amount, currency });
const stateOfLead = async () => (await app.services.store.get(leads, app.accountId, 1))?.state;
const amounts = async () =>
  (await app.services.store.page(commissions, "id", app.accountId, [], { limit: 99 })).map(
    ({ amount }) => amount,
  );
const count = (of: typeof sales) => app.services.store.count(of, "id", app.accountId, []);
/** A thousand won are 70 cents. */
const exchangeWon = () =>
  storeRates(app.context, app.accountId, [{ day: "2026-03-04", base: "USD", rates: { KRW: "1428.57" } }]);

const target = (changes: Record<string, unknown> = {}) =>
  makeReward(
    app,
    [
      {
        amount: 50,
        flat_amount: true,
        rules: [{ type: "customer_sales_count", operator: ">=", value: 1 }],
      },
    ],
    { promoter_reward_type: "target", ...changes },
  );

describe("a sale in a currency of small units", () => {
  it("counts once as refunded, even if its last refund is worth less than a cent", async () => {
    await exchangeWon();
    await sell("inv_1", { amount: "1000", currency: "KRW" });
    await sell("inv_2");
    expect([
      (await refund("re_1", "inv_1", "999", "KRW")).status,
      (await refund("re_2", "inv_1", "1", "KRW")).status,
    ]).toEqual([200, 200]);
    expect(await stateOfLead()).toBe("active");
    await refund("re_3", "inv_2", "10000");
    expect(await stateOfLead()).toBe("refunded");
  });

  it("gives back what it earned, even if it is worth less than a cent itself", async () => {
    await offer(app, await makeReward(app, [{ amount: 5, flat_amount: true }]));
    await exchangeWon();
    await sell("inv_1", { amount: "4", currency: "KRW" });
    expect(await cashOf(app, 1)).toEqual([500, 500, 0]);
    await refund("re_1", "inv_1", "1", "KRW");
    await refund("re_2", "inv_1", "3", "KRW");
    expect([await amounts(), await stateOfLead()]).toEqual([[500, -125, -375], "refunded"]);
  });
});

describe("a target", () => {
  it("is paid once, even if several entries name its reward", async () => {
    const rewardId = await target();
    await offer(app, { reward_id: rewardId, apply_on: "monthly" }, { reward_id: rewardId, apply_on: "all" });
    await sell("inv_1");
    expect(await amounts()).toEqual([5000]);
  });

  it("is paid at once, even if the sale's own commission comes later", async () => {
    await offer(app, await target());
    await sell("inv_1", { start_recurring_reward_in: "30" });
    expect(await amounts()).toEqual([5000]);
  });
});

it("cancels a customer again whom the company has made active", async () => {
  await sell("inv_1");
  await track("cancellation", "sub_1");
  await app.v1("/leads/update", { email: "lead@example.com", state: "active" });
  expect(await stateOfLead()).toBe("active");
  const { status, body } = await track("cancellation", "sub_2");
  expect([status, body, await stateOfLead()]).toMatchObject([
    200,
    { lead: { state: "cancelled" } },
    "cancelled",
  ]);
});

it("refuses a sale whose commission would be too large to add up", async () => {
  await offer(app, await makeReward(app, [{ amount: 9_999_999_999, flat_amount: true }]));
  const sale = { email: "lead@example.com", event_id: "inv_1", amount: 100, quantity: 999_999 };
  expect(await trackV2(app, "sale", sale)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("too large") },
  });
  expect([await amounts(), await count(sales)]).toEqual([[], 0]);
});

it("refuses a sale that is too large to add up in the account's currency", async () => {
  await storeRates(app.context, app.accountId, [{ day: "2026-03-04", base: "EUR", rates: { USD: "1000" } }]);
  expect(await sell("inv_1", { amount: "999999999999", currency: "EUR" })).toMatchObject({
    status: 400,
    body: { message: "999999999999 EUR is too large" },
  });
  expect(await count(sales)).toBe(0);
});

it("refuses a rule whose values are no texts or numbers", async () => {
  const odd = { toString: 1, valueOf: 1 };
  const types =
    "customer_age_in_months, customer_sales_count, promoter_campaign_customers_count, promoter_campaign_revenue";
  const fault = `needs a type (${types}), an operator and a number as value`;
  for (const changes of [{ operator: odd }, { value: odd }]) {
    const rule = { type: "customer_sales_count", operator: "=", value: 1, ...changes };
    const schemas = [{ unit: "cash", amount: 1, flat_amount: true, rules: [rule] }];
    const body = { name: "odd", is_promoter_reward: true, promoter_reward_type: "sale", schemas };
    expect(await outcome(app.v2("POST", "/rewards", body))).toEqual(invalid({ "schemas[rules]": [fault] }));
  }
});

it("takes back a payment of a customer whom nothing but the visit names", async () => {
  await offer(app, await makeReward(app));
  await connectStripe(app);
  const tid = "7f1b2c3d-1111-4222-8333-444455556666";
  await app.browser("/t/click", { tid, ref_id: "jane", url: "https://www.acme.example/" });
  const nameless = { invoice: null, customer: null, billing_details: null, metadata: { svc_tid: tid } };
  await tellStripe(app, stripeEvent("charge.succeeded", charge(nameless)));
  await tellStripe(app, refundedFrom(0, 12_000, nameless));
  expect(await amounts()).toEqual([1200, -1200]);
});

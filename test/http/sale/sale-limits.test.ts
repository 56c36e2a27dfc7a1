import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { connectStripe, tellStripe } from "../../support/billing.ts";
import { makeReward, offer, trackV2, storeRates } from "../../support/money.ts";
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
const stateOfLead = async () => (await app.records.get("lead", 1))?.state;
const amounts = async () => (await app.records.all("commission")).map(({ amount }) => amount);
const saleCount = () => app.records.count("sale");
/** A thousand won are 70 cents. */
const exchangeWon = () => storeRates(app, { day: "2026-03-04", base: "USD", rates: { KRW: "1428.57" } });

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
  it("counts once as refunded, even if the rest of it is worth less than a cent", async () => {
    await exchangeWon();
    await sell("inv_1", { amount: "1000", currency: "KRW" });
    await sell("inv_2");
    expect((await refund("re_1", "inv_1", "999", "KRW")).status).toBe(200);
    expect(await outcome(refund("re_2", "inv_1", "1", "KRW"))).toEqual({
      status: 400,
      body: { message: "1 KRW are worth less than the smallest unit of USD" },
    });
    expect(await stateOfLead()).toBe("active");
    await refund("re_3", "inv_2", "10000");
    expect(await stateOfLead()).toBe("refunded");
  });

  it("adds up refunds that are rounded to a cent each", async () => {
    await offer(app, await makeReward(app, [{ amount: 5, flat_amount: true }]));
    await exchangeWon();
    await sell("inv_1", { amount: "30", currency: "KRW" });
    // Ten won are 0.7 cents each, and 30 are 2.1.
    for (const id of ["re_1", "re_2", "re_3"])
      expect((await refund(id, "inv_1", "10", "KRW")).status).toBe(200);
    expect([await amounts(), await stateOfLead()]).toEqual([[500, -250, -250], "refunded"]);
  });
});

describe("an event that is worth less than the smallest unit", () => {
  /** Won and yen have no decimals, dinars have three. */
  const RATES = { KRW: "1428.57", JPY: "250", KWD: "2.5" };
  beforeEach(() => storeRates(app, { day: "2026-03-04", base: "USD", rates: RATES }));
  const V2_SALE = { email: "lead@example.com", event_id: "inv_9" };

  it.each([
    ["KRW", "7", "8"],
    ["JPY", "1", "2"],
    ["KWD", "12", "13"],
  ])("is refused in %s, and never becomes the latest sale", async (currency, little, enough) => {
    await sell("inv_1", { amount: "5000" });
    const refused = {
      status: 400,
      body: { message: `${little} ${currency} are worth less than the smallest unit of USD` },
    };
    expect(await outcome(sell("inv_2", { amount: little, currency }))).toEqual(refused);
    expect(await outcome(trackV2(app, "sale", { ...V2_SALE, amount: little, currency }))).toEqual(refused);
    expect(await outcome(track("refund", "re_0", { amount: little, currency }))).toEqual(refused);
    const back = await track("refund", "re_1", { amount: "5000" });
    expect(back).toMatchObject({ status: 200, body: { amount_cents: -5000 } });
    expect((await sell("inv_2", { amount: enough, currency })).body).toMatchObject({ amount_cents: 1 });
  });

  it("makes no lead", async () => {
    const stranger = { email: "new@example.com", ref_id: "jane", amount: "1", currency: "KRW" };
    expect((await sell("inv_1", stranger)).status).toBe(400);
    expect(await app.records.count("lead")).toBe(1);
  });

  it("is ignored if a provider reports it, so that it is not sent again for days", async () => {
    await connectStripe(app);
    const won = { currency: "krw", invoice: null, billing_details: { email: "lead@example.com" } };
    const ignored = (amount: number) => ({
      status: 200,
      body: {
        outcome: "ignored",
        reason: `${amount} KRW are worth less than the smallest unit of USD`,
      },
    });
    const little = charge({ ...won, id: "ch_0", amount: 7, amount_captured: 7 });
    expect(await tellStripe(app, stripeEvent("charge.succeeded", little))).toEqual(ignored(7));
    const paid = { ...won, amount: 12_000, amount_captured: 12_000 };
    await tellStripe(app, stripeEvent("charge.succeeded", charge(paid)));
    expect(await tellStripe(app, refundedFrom(0, 7, paid))).toEqual(ignored(7));
    expect(await tellStripe(app, refundedFrom(0, 12_000, paid))).toMatchObject({
      body: { outcome: "refund" },
    });
    expect([await amounts(), await stateOfLead()]).toEqual([[], "refunded"]);
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
  expect([await amounts(), await saleCount()]).toEqual([[], 0]);
});

it("refuses a sale that is too large to add up in the account's currency", async () => {
  await storeRates(app, { day: "2026-03-04", base: "EUR", rates: { USD: "1000" } });
  expect(await sell("inv_1", { amount: "999999999999", currency: "EUR" })).toMatchObject({
    status: 400,
    body: { message: "999999999999 EUR is too large" },
  });
  expect(await saleCount()).toBe(0);
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

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, NOW_SECOND, answerOf, KEY, startApp, type TestApp } from "../../support/app.ts";
import { cashOf, makeReward, offer } from "../../support/money.ts";
import { changeAccount, runPayouts, month } from "../../support/payouts.ts";
import { statsOf } from "../../support/stats.ts";
import { V1_LEAD, V1_PROMOTER, V1_ZERO } from "../../support/v1-records.ts";
import { eraseLead, addAccount } from "../../support/operations.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const SALE = { email: "lead@example.com", event_id: "inv_1", amount: "10000" };
const CUSTOMER = { ...V1_LEAD, state: "active", customer_since: NOW };

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await app.v1("/promoters/create", { email: "bob@example.com", first_name: "Bob" });
  await offer(app, await makeReward(app));
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const signUp = () => app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
const sell = async (params: Record<string, string> = {}, name = "sale") => {
  const { status, body } = await app.v1(`/track/${name}`, { ...SALE, ...params });
  return { status, body };
};
const earnings = async () =>
  (await app.records.all("commission")).map(({ amount, status, promoter_id }) => [
    amount,
    status,
    promoter_id,
  ]);
const allLeads = () => app.records.all("lead");

describe("POST /api/v1/track/sale", () => {
  it("answers with the sale, what it earned, the lead and the promoter", async () => {
    await signUp();
    const promoter = {
      ...V1_PROMOTER,
      status: "active",
      earnings_balance: { ...V1_ZERO, cash: 1000 },
      current_balance: { ...V1_ZERO, cash: 1000 },
    };
    expect(await sell()).toEqual({
      status: 200,
      body: {
        id: expect.any(Number),
        type: "sale",
        amount_cents: 10_000,
        reward: {
          id: 1,
          status: "approved",
          amount: 1000,
          unit: "cash",
          created_at: NOW,
          lead: CUSTOMER,
          event_id: "inv_1",
          conversion_amount: 10_000,
          tier_level: 1,
          split_type: null,
        },
        lead: CUSTOMER,
        promoter,
      },
    });
    expect(await statsOf(app.services.store, app.account_id, 1)).toMatchObject({
      sales: 1,
      sales_cents: 10_000,
      customers: 1,
      active_customers: 1,
      commissions: 1,
      earnings_cents: 1000,
      non_link_customers: 0,
    });
  });

  it("refuses a repeated event id with 409 and changes nothing", async () => {
    await signUp();
    await sell();
    expect(await sell({ amount: "99" })).toEqual({
      status: 409,
      body: { message: "The 'sale' event with the id 'inv_1' already exists." },
    });
    expect(await earnings()).toEqual([[1000, "approved", 1]]);
  });

  it("records one of many that arrive at once", async () => {
    await signUp();
    const answers = await Promise.all(Array.from({ length: 8 }, () => sell()));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    expect(await earnings()).toEqual([[1000, "approved", 1]]);
  });

  it("knows event ids by their kind and account", async () => {
    await signUp();
    for (const name of ["sale", "refund", "cancellation"]) expect((await sell({}, name)).status).toBe(200);
    const key = "key-of-another-account";
    await addAccount(app, { name: "Other", landing_url: "https://other.example/", key });
    const other = (path: string, params: Record<string, string>) =>
      app.v1(path, params, { "x-api-key": key });
    await other("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    expect((await other("/track/sale", { ...SALE, ref_id: "jane" })).status).toBe(200);
  });

  it.each<[Record<string, string>, string]>([
    [{ email: "" }, "Error. Email and uid can not be blank!"],
    [{ email: "", amount: "" }, "Error. Email and uid can not be blank!"],
    [{ email: "stranger@example.com", amount: "" }, "Error. Amount blank or invalid."],
    [{ event_id: "" }, "Error. Event id can not be blank!"],
    ...["", "x", "1.5", "0", "-5", "1e3", "9999999999999"].map((amount): [Record<string, string>, string] => [
      { amount },
      "Error. Amount blank or invalid.",
    ]),
    [{ quantity: "0" }, "Validation failed: quantity is invalid"],
    [{ created_at: "2026-02-30" }, "Validation failed: created_at is invalid"],
  ])("answers 400 to %j", async (params, message) => {
    await signUp();
    expect(await sell(params)).toEqual({ status: 400, body: { message } });
    expect(await earnings()).toEqual([]);
  });

  it("answers 204 without a body for a person whom nobody referred", async () => {
    expect(await sell()).toEqual({ status: 204, body: "" });
    expect(await sell({ ref_id: "nobody", tid: TID, promo_code: "NONE" })).toEqual({ status: 204, body: "" });
    expect(await allLeads()).toEqual([]);
  });

  it("answers 204 for the lead of a blocked promoter", async () => {
    await signUp();
    await app.v2("PUT", "/promoter_campaigns/1", { state: "blocked" });
    expect(await sell()).toEqual({ status: 204, body: "" });
    expect(await app.records.all("sale")).toEqual([]);
  });

  it("finds the lead by uid before the e-mail address, and adds what is missing", async () => {
    await signUp();
    await app.v1("/track/signup", { uid: "cus_2", ref_id: "bob" });
    await sell({ uid: "cus_2" });
    expect(await earnings()).toEqual([[1000, "approved", 2]]);
    await sell({ uid: "cus_1", event_id: "inv_2" });
    expect((await allLeads()).map(({ email, uid }) => [email, uid])).toEqual([
      ["lead@example.com", "cus_1"],
      [null, "cus_2"],
    ]);
  });

  it.each([
    ["the visitor", { tid: TID, ref_id: "bob" }, "cookie", 1],
    ["the ref id", { ref_id: "bob", promo_code: "JANE10" }, "api", 2],
    ["the promo code", { promo_code: " jane10 " }, "coupon", 1],
  ])("makes a lead of %s", async (_, params, entrySource, promoterId) => {
    await app.browser("/t/click", { tid: TID, ref_id: "jane" });
    const reward_id = await makeReward(app);
    await app.v2("POST", "/promo_codes", { code: "JANE10", reward_id, promoter_campaign_id: 1 });
    expect((await sell(params)).status).toBe(200);
    expect(await allLeads()).toMatchObject([
      {
        entry_source: entrySource,
        promoter_id: promoterId,
        email: "lead@example.com",
        state: "active",
        signup_event_id: null,
      },
    ]);
    const { non_link_customers } = await statsOf(app.services.store, app.account_id, promoterId);
    expect(non_link_customers).toBe(entrySource === "coupon" ? 1 : 0);
  });

  it("gives sales without a name to the visitor's one lead, whatever arrives at once", async () => {
    await app.browser("/t/click", { tid: TID, ref_id: "jane" });
    const ids = ["a", "b", "c", "d"];
    await Promise.all(ids.map((event_id) => sell({ email: "", tid: TID, event_id })));
    expect(await allLeads()).toMatchObject([{ email: null, uid: null, tid: TID, sales_count: 4 }]);
    await app.v1("/track/signup", { email: "lead@example.com", tid: TID });
    await sell({ email: "", tid: TID, event_id: "e" });
    expect(await allLeads()).toMatchObject([{ sales_count: 5 }, { sales_count: 0 }]);
  });

  it("makes a cancelled or refunded lead active again, and leaves a denied one", async () => {
    await signUp();
    const state = async () => (await allLeads())[0]?.state;
    await sell();
    await app.v1("/track/cancellation", { email: "lead@example.com" });
    expect(await state()).toBe("cancelled");
    await sell({ event_id: "inv_2" });
    expect(await state()).toBe("active");
    await app.v1("/leads/update", { email: "lead@example.com", state: "denied" });
    expect(await sell({ event_id: "inv_3" })).toMatchObject({ status: 200, body: { reward: null } });
    expect(await state()).toBe("denied");
    expect(await earnings()).toHaveLength(2);
  });

  it("keeps plan, product, billing period and time, and multiplies flat rewards", async () => {
    await signUp();
    const flat = await makeReward(app, [{ amount: 5, flat_amount: true }]);
    const prices = [{ ext_id: "price_1" }];
    const { body } = await app.v2("POST", "/products", { name: "Pro", prices });
    const product = (body as { id: number }).id;
    await offer(app, 1, { reward_id: flat, apply_on: "specific", product_ids: [product] });
    const created_at = "2026-01-02T00:00:00.000Z";
    const params = { plan: "price_1", quantity: "3", billing_period: "monthly", created_at, mrr: "x" };
    expect(await sell(params)).toMatchObject({
      status: 200,
      body: {
        reward: { amount: 1500, created_at },
        lead: { customer_since: created_at, plan_name: "price_1" },
      },
    });
    const [sale] = await app.records.all("sale");
    expect(sale).toMatchObject({
      plan_id: "price_1",
      product_id: product,
      quantity: 3,
      billing_period: "monthly",
    });
  });

  it("pays the parents by their tiers, if need be in their default promoter campaign", async () => {
    await app.v1("/promoters/create", { email: "zoe@example.com", first_name: "Zoe" });
    await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 2, ids: [1] });
    await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 3, ids: [2] });
    const tier = (level: number) =>
      makeReward(app, [{ amount: 10 }], {
        promoter_reward_type: "tier",
        tier_level: level,
        tier_reward_mode: "tier_commission_mode",
      });
    await offer(app, 1, await tier(2), await tier(3));
    await signUp();
    await sell();
    expect(await earnings()).toEqual([
      [1000, "approved", 1],
      [100, "approved", 2],
      [10, "approved", 3],
    ]);
    expect([await cashOf(app, 1), await cashOf(app, 2), await cashOf(app, 3)]).toEqual([
      [1000, 1000, 0],
      [100, 100, 0],
      [10, 10, 0],
    ]);
  });
});

describe("POST /api/v1/track/refund", () => {
  const REFUND = { event_id: "re_1", amount: "2500" };
  const refund = (params: Record<string, string> = {}) => sell({ ...REFUND, ...params }, "refund");

  it("answers with negative amounts, and takes back its part of the commission", async () => {
    await signUp();
    await sell();
    expect(await refund()).toMatchObject({
      status: 200,
      body: {
        type: "refund",
        amount_cents: -2500,
        reward: { amount: -250, status: "approved", event_id: "re_1", conversion_amount: -2500 },
        lead: { state: "active" },
        promoter: { earnings_balance: { cash: 750 } },
      },
    });
    expect(await statsOf(app.services.store, app.account_id, 1)).toMatchObject({
      sales: 1,
      refunds: 1,
      refunds_cents: 2500,
      earnings_cents: 750,
    });
  });

  it("takes back exactly what the sale gave, in whatever steps", async () => {
    await offer(app, await makeReward(app, [{ amount: 33.3333 }]));
    await signUp();
    await sell({ amount: "1001" });
    for (const [index, amount] of ["1", "333", "333", "333", "1"].entries()) {
      expect((await refund({ amount, event_id: `re_${index}` })).status).toBe(200);
    }
    expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
    expect((await allLeads())[0]).toMatchObject({ state: "refunded", refunded_sales_count: 1 });
    const lead = await app.v1("/leads/show", { email: "lead@example.com" });
    expect(lead.body).toMatchObject({ state: "cancelled" });
  });

  it("refunds the named sale, otherwise the latest that is not refunded whole", async () => {
    await signUp();
    for (const event_id of ["inv_1", "inv_2", "inv_3"]) await sell({ event_id });
    await refund({ sale_event_id: "inv_2", amount: "10000", event_id: "re_1" });
    await refund({ amount: "10000", event_id: "re_2" });
    await refund({ amount: "1", event_id: "re_3" });
    const all = await app.records.all("sale");
    expect(all.map(({ refunded_cents }) => refunded_cents)).toEqual([1, 10_000, 10_000]);
  });

  describe("of a sale in another currency", () => {
    const LEFT = "Error. Amount blank or invalid: it is more than what is left of the sale.";
    beforeEach(async () => {
      const rates = { date: NOW.slice(0, 10), base: "EUR", rates: { USD: "1.1", GBP: "0.5" } };
      expect((await app.v2("POST", "/rates", rates)).status).toBe(200);
      await signUp();
      await sell({ currency: "EUR" });
    });

    it.each<[string, Record<string, string>, number]>([
      ["all of it, in its currency", { amount: "10000" }, -11_000],
      ["a part, in its currency", { amount: "5000" }, -5_500],
      ["the currency that it names itself", { amount: "5000", currency: "usd" }, -5_000],
      ["a third currency", { amount: "2500", currency: "GBP" }, -5_500],
    ])("that it names is %s", async (_, params, amount_cents) => {
      const answer = await refund({ sale_event_id: "inv_1", ...params });
      expect(answer).toMatchObject({
        status: 200,
        body: { amount_cents, reward: { amount: amount_cents / 10 } },
      });
    });

    it.each<[string, Record<string, string>]>([
      ["more than the sale", { sale_event_id: "inv_1", amount: "10001" }],
      ["what is more only in dollars", { sale_event_id: "inv_1", amount: "10001", currency: "EUR" }],
      ["more dollars than it was worth", { sale_event_id: "inv_1", amount: "11001", currency: "USD" }],
      ["more without the sale's name", { amount: "10001" }],
      ["more without the sale's name, in dollars", { amount: "11001", currency: "USD" }],
    ])("is refused if it is %s", async (_, params) => {
      expect(await refund(params)).toEqual({ status: 400, body: { message: LEFT } });
      expect(await cashOf(app, 1)).toEqual([1100, 1100, 0]);
    });

    it.each<[string, Record<string, string>, number]>([
      ["the currency of that sale", {}, -5_500],
      ["the currency that it names itself", { currency: "USD" }, -5_000],
    ])("that it does not name is in %s", async (_, params, amount_cents) => {
      expect(await refund({ amount: "5000", ...params })).toMatchObject({
        status: 200,
        body: { amount_cents },
      });
    });
  });

  it.each([
    [{ amount: "10001" }, "Error. Amount blank or invalid: it is more than what is left of the sale."],
    [{ amount: "0" }, "Error. Amount blank or invalid."],
    [{ sale_event_id: "inv_9" }, "Error. The 'sale' event with the id 'inv_9' was not found."],
    [{ event_id: "" }, "Error. Event id can not be blank!"],
    [{ email: "" }, "Error. Email and uid can not be blank!"],
  ])("answers 400 to %j and changes nothing", async (params, message) => {
    await signUp();
    await sell();
    expect(await refund(params)).toEqual({ status: 400, body: { message } });
    expect(await cashOf(app, 1)).toEqual([1000, 1000, 0]);
  });

  it("answers 400 for a customer without a sale, 204 for a stranger, 409 to a repetition", async () => {
    await signUp();
    expect(await refund()).toEqual({
      status: 400,
      body: { message: "Error. The customer has no sale that could be refunded." },
    });
    expect(await refund({ email: "stranger@example.com" })).toEqual({ status: 204, body: "" });
    await sell();
    await refund();
    expect(await refund()).toEqual({
      status: 409,
      body: { message: "The 'refund' event with the id 're_1' already exists." },
    });
  });

  it("never exceeds the sale, whatever arrives at once", async () => {
    await signUp();
    await sell();
    const ids = ["a", "b", "c", "d", "e", "f"];
    const answers = await Promise.all(ids.map((event_id) => refund({ event_id })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 400, 400]);
    expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
  });

  it("takes back from tiers and splits alike", async () => {
    await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 2, ids: [1] });
    const tier = await makeReward(app, [{ amount: 10 }], {
      promoter_reward_type: "tier",
      tier_level: 2,
      tier_reward_mode: "tier_override_mode",
    });
    await offer(app, 1, tier);
    await signUp();
    await app.v1("/promoters/create", { email: "zoe@example.com" });
    const split_details = [{ promoter_campaign_id: 3, percentage: 33.3333 }];
    await app.v2("PUT", "/referrals/1", { split_details });
    await sell({ amount: "999" });
    const all = async () => [await cashOf(app, 1), await cashOf(app, 2), await cashOf(app, 3)];
    expect(await all()).toEqual([
      [67, 67, 0],
      [100, 100, 0],
      [33, 33, 0],
    ]);
    await refund({ amount: "333", event_id: "re_2" });
    expect(await all()).toEqual([
      [45, 45, 0],
      [67, 67, 0],
      [22, 22, 0],
    ]);
    await refund({ amount: "666" });
    expect(await all()).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it("of a paid commission lowers what comes next, and the debt never becomes a payout", async () => {
    const account = await changeAccount(app.context, app.account_id, {});
    const period = month("2026-03");
    const context = { ...app.context, now: new Date("2026-04-01T00:00:00.000Z") };
    const paidBy = async () => {
      const byHand = await app.v1("/payouts/create", { promoter_id: "1" });
      await runPayouts(context, account, period);
      const { body } = await app.v2("GET", "/payouts");
      return [byHand.status, (body as { amount: number }[]).map(({ amount }) => amount)];
    };
    await signUp();
    await sell();
    await app.v1("/payouts/create", { promoter_id: "1", status: "completed" });
    await refund({ amount: "10000" });
    expect([await cashOf(app, 1), await paidBy()]).toEqual([
      [0, -1000, 1000],
      [422, [1000]],
    ]);
    await sell({ event_id: "inv_2", amount: "4000" });
    expect([await cashOf(app, 1), await paidBy()]).toEqual([
      [400, -600, 1000],
      [422, [1000]],
    ]);
    await sell({ event_id: "inv_3", amount: "7000" });
    expect([await cashOf(app, 1), await paidBy()]).toEqual([
      [1100, 100, 1000],
      [200, [1000, 100]],
    ]);
  });
});

describe("a refund finds what it takes back", () => {
  const refund = (params: Record<string, string> = {}) =>
    sell({ event_id: "re_1", amount: "10000", sale_event_id: "inv_1", ...params }, "refund");

  it("if the lead was erased, by the sale that it names", async () => {
    await signUp();
    await sell();
    await eraseLead(app, "lead@example.com");
    expect(await refund({ sale_event_id: "" })).toEqual({ status: 204, body: "" });
    expect(await refund()).toMatchObject({ status: 200, body: { amount_cents: -10_000 } });
    expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
  });

  it("not if it names another customer's sale", async () => {
    await signUp();
    await sell();
    expect(await refund({ email: "stranger@example.com" })).toEqual({ status: 204, body: "" });
    expect(await cashOf(app, 1)).toEqual([1000, 1000, 0]);
  });

  it("if the lead was moved, and its new promoter is gone", async () => {
    await signUp();
    await sell();
    await app.v1("/leads/update", { email: "lead@example.com", new_ref_id: "bob", soft_switch: "true" });
    const bob = await app.request("/api/v1/promoters/delete?id=2", {
      method: "DELETE",
      headers: { "x-api-key": KEY },
    });
    expect(bob.status).toBe(200);
    expect(await refund()).toMatchObject({ status: 200, body: { promoter: { id: 1 } } });
    expect(await cashOf(app, 1)).toEqual([0, 0, 0]);
  });
});

describe("POST /api/v1/track/cancellation", () => {
  it("cancels the lead once and answers the same again", async () => {
    await signUp();
    await sell();
    const first = await app.v1("/track/cancellation", { email: "lead@example.com" });
    expect(first).toMatchObject({
      status: 200,
      body: {
        id: expect.any(Number),
        type: "cancellation",
        amount_cents: null,
        reward: null,
        lead: { state: "cancelled", cancelled_at: NOW, customer_since: NOW },
        promoter: { id: 1, status: "active" },
      },
    });
    app.setNow("2026-04-01T00:00:00.000Z");
    const again = await app.v1("/track/cancellation", { email: "lead@example.com", event_id: "ev_1" });
    expect(again.body).toEqual(first.body);
    expect(await statsOf(app.services.store, app.account_id, 1)).toMatchObject({
      cancellations: 1,
      active_customers: 0,
      customers: 1,
    });
  });

  it.each([
    ["the sale", "the cancellation"],
    ["the cancellation", "the sale"],
  ])("leaves a lead active that bought again later, if %s is told before %s", async (first) => {
    await signUp();
    await sell({ created_at: "2026-01-01T00:00:00.000Z" });
    const again = () => sell({ event_id: "inv_2", created_at: "2026-02-02T00:00:00.000Z" });
    const cancel = () =>
      app.v1("/track/cancellation", { email: "lead@example.com", created_at: "2026-02-01T00:00:00.000Z" });
    if (first === "the sale") await again();
    expect((await cancel()).status).toBe(200);
    if (first === "the cancellation") await again();
    const { body } = await app.v1("/leads/show", { email: "lead@example.com" });
    expect(body).toMatchObject({ state: "active", cancelled_at: null });
  });

  it("leaves a lead cancelled if an older sale is told later", async () => {
    await signUp();
    await sell({ created_at: "2026-01-01T00:00:00.000Z" });
    await app.v1("/track/cancellation", {
      email: "lead@example.com",
      created_at: "2026-02-01T00:00:00.000Z",
    });
    await sell({ event_id: "inv_2", created_at: "2026-01-31T00:00:00.000Z" });
    const { body } = await app.v1("/leads/show", { email: "lead@example.com" });
    expect(body).toMatchObject({ state: "cancelled", cancelled_at: "2026-02-01T00:00:00.000Z" });
  });

  it("refuses the event id of another lead, a stranger and nobody", async () => {
    await signUp();
    await app.v1("/track/signup", { email: "other@example.com", ref_id: "jane" });
    const cancel = async (params: Record<string, string>) => {
      const { status, body } = await app.v1("/track/cancellation", params);
      return { status, body };
    };
    await cancel({ email: "lead@example.com", event_id: "ev_1" });
    expect(await cancel({ email: "other@example.com", event_id: "ev_1" })).toEqual({
      status: 409,
      body: { message: "The 'cancellation' event with the id 'ev_1' already exists." },
    });
    expect(await cancel({ email: "stranger@example.com" })).toEqual({ status: 204, body: "" });
    expect(await cancel({})).toEqual({
      status: 400,
      body: { message: "Error. Email and uid can not be blank!" },
    });
  });
});

describe("V2 tracking", () => {
  const track = async (name: string, body: object) => {
    const answer = await app.request(`/api/v2/track/${name}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${KEY}`,
        "account-id": "acme",
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    const { status, body: parsed } = await answerOf(answer);
    return { status, body: parsed };
  };

  it("answers a sale with its commissions", async () => {
    await signUp();
    const promoter_campaign = {
      id: 1,
      campaign_id: 1,
      promoter_id: 1,
      created_at: NOW_SECOND,
      promoter: { id: 1, email: "jane@example.com", name: "Jane" },
      campaign: { id: 1, name: "Default campaign", color: "#2563eb" },
    };
    const referral = { id: 1, email: "lead@example.com", uid: null };
    const money = { sale_amount: 10_000, original_sale_amount: 10_000, original_sale_currency: null };
    expect(await track("sale", { ...SALE, amount: 10_000, plan: "pro" })).toEqual({
      status: 200,
      body: {
        id: expect.any(Number),
        etype: "sale",
        ...money,
        event_id: "inv_1",
        plan_id: "pro",
        billing_period: null,
        quantity: 1,
        mrr: null,
        referral_reward: null,
        created_at: NOW,
        referral,
        commissions: [
          expect.objectContaining({
            id: 1,
            status: "approved",
            commission_type: "sale",
            ...money,
            event_id: "inv_1",
            plan_id: "pro",
            tier: 1,
            unit: "cash",
            amount: 1000,
            is_paid: false,
            is_split: false,
            is_self_referral: false,
            promoter_campaign,
            referral,
            reward: { id: 1, name: "ten percent" },
          }),
        ],
      },
    });
  });

  it("answers refusals as documented", async () => {
    expect(await track("sale", SALE)).toEqual({
      status: 404,
      body: {
        message: "Referral corresponding to email or uid parameter not found or promoter is banned.",
        code: "not_found",
      },
    });
    expect(await track("refund", SALE)).toEqual({ status: 204, body: "" });
    await signUp();
    await track("sale", SALE);
    expect(await track("sale", SALE)).toMatchObject({ status: 409 });
    expect(await track("sale", { ...SALE, amount: 1.5 })).toEqual({
      status: 400,
      body: { message: "Error. Amount blank or invalid." },
    });
  });

  it("answers refunds and cancellations in the form of V1", async () => {
    await signUp();
    await track("sale", SALE);
    expect(await track("refund", { ...SALE, amount: 10_000 })).toMatchObject({
      status: 200,
      body: {
        type: "refund",
        amount_cents: -10_000,
        reward: { amount: -1000 },
        lead: { state: "cancelled" },
      },
    });
    expect(await track("cancellation", { email: SALE.email })).toMatchObject({
      status: 200,
      body: { type: "cancellation", reward: null },
    });
  });
});

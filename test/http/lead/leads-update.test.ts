import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { METRICS, type Series, dailySums, statsOf } from "../../support/stats.ts";
import { updateLead } from "../../../server/v1/leads.ts";
import { KEY, NOW, STORAGES, answerOf, form, startApp, type TestApp } from "../../support/app.ts";
import { bodyOf, send } from "../../support/v1.ts";
import type { RecordOf } from "../../support/records.ts";
import { balancesOf } from "../../support/money.ts";
import { newCommission } from "../../support/commissions.ts";

const LATER = "2026-05-01T00:00:00.000Z";
const NO_STATE = "is not one of signup, active, subscribed, cancelled, denied";
const SINCE = "2026-01-02T03:04:05.000Z";

describe.each(STORAGES)("PUT /api/v1/leads/update on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    await app.v1("/promoters/create", { email: "bob@example.com", ref_id: "bob" });
    await app.v1("/track/signup", { email: "one@example.com", uid: "u1", ref_id: "jane" });
    await app.v1("/track/signup", { email: "two@example.com", uid: "u2", ref_id: "jane" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const update = async (params: Record<string, string>) => {
    const { status, body } = await send(app, "PUT /leads/update", params);
    return { status, body };
  };
  const updated = async (params: Record<string, string>) =>
    bodyOf(await send(app, "PUT /leads/update", params), updateLead) as Record<string, unknown>;
  const show = async (id: string) =>
    (await send(app, "GET /leads/show", { id })).body as Record<string, unknown>;
  const countedFor = async (id: number) => {
    const stats = await statsOf(app.services.store, app.account_id, id);
    return Object.fromEntries(METRICS.filter((metric) => stats[metric] !== 0).map((m) => [m, stats[m]]));
  };
  const daily = async (series: Series) => {
    const sums = await dailySums(app.services.store, app.account_id, series);
    return sums.map(({ day, id, metric, sum }) => `${day} ${id} ${metric} ${sum}`).toSorted();
  };

  it.each(["PUT", "DELETE"])(
    "%s refuses a malformed selector instead of trying the next one",
    async (method) => {
      const body = `{"id":12345678901234567890,"uid":"u1","email":"one@example.com","plan_name":"x"}`;
      const headers = { "x-api-key": KEY, "content-type": "application/json" };
      const path = `/api/v1/leads/${method === "PUT" ? "update" : "delete"}`;
      const answer = await answerOf(await app.request(path, { method, headers, body }));
      expect([answer.status, answer.body]).toEqual([422, { id: ["is invalid"] }]);
      expect(await show("1")).toMatchObject({ plan_name: null });
    },
  );

  it("changes what is given and keeps the rest", async () => {
    const before = await show("1");
    const after = await updated({
      email: "ONE@example.com",
      new_email: " new@example.com ",
      new_uid: "new",
      plan_name: "Gold",
    });
    expect(after).toEqual({ ...before, email: "new@example.com", uid: "new", plan_name: "Gold" });
    expect(await show("1")).toEqual(after);
    expect(await updated({ uid: "new", plan_name: "Silver" })).toEqual({ ...after, plan_name: "Silver" });
    expect(await updated({ id: "1" })).toEqual({ ...after, plan_name: "Silver" });
  });

  it("is reached by POST, with parameters in a form, in JSON, or in the query of an empty form", async () => {
    const viaForm = await app.v1("/leads/update", { id: "1", plan_name: "A" });
    expect(viaForm.body).toMatchObject({ plan_name: "A" });
    const request = async (path: string, init: RequestInit) =>
      (await answerOf(await app.request(path, init))).body;
    const json = {
      method: "PUT",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      body: JSON.stringify({ id: 1, plan_name: "B", soft_switch: true }),
    };
    expect(await request("/api/v1/leads/update", json)).toMatchObject({ plan_name: "B" });
    const empty = { ...form({}, { "x-api-key": KEY }), method: "PUT" };
    expect(await request("/api/v1/leads/update.json?id=1&plan_name=C", empty)).toMatchObject({
      plan_name: "C",
    });
  });

  it("clears blank fields if e-mail or uid remains", async () => {
    await updated({ id: "1", plan_name: "Gold" });
    expect(
      await updated({ id: "1", plan_name: "", new_email: " ", new_ref_id: "", state: "" }),
    ).toMatchObject({
      plan_name: null,
      email: null,
      uid: "u1",
      state: "signup",
    });
    expect(await update({ id: "1", new_uid: "" })).toEqual({
      status: 422,
      body: { email: ["can't be blank without a uid"] },
    });
  });

  it("frees the old e-mail and uid, and reserves the new ones", async () => {
    await updated({ id: "1", new_email: "new@example.com", new_uid: "new" });
    const taken = {
      status: 422,
      body: { email: ["has already been taken"], uid: ["has already been taken"] },
    };
    expect(await update({ id: "2", new_email: "NEW@example.com", new_uid: "new" })).toEqual(taken);
    expect(await show("2")).toMatchObject({ email: "two@example.com", uid: "u2" });
    expect(await update({ id: "2", new_email: "one@example.com", new_uid: "u1" })).toMatchObject({
      status: 200,
    });
  });

  it.each([
    [{}, 422, { error: "You need to find the lead/customer either by id, uid or email." }],
    [{ new_email: "a@b.example" }, 422, { error: expect.any(String) }],
    [{ id: "99" }, 404, { error: "Lead not found." }],
    [{ id: "1", new_ref_id: "nobody" }, 404, { error: "Promotion not found." }],
    [{ id: "1", new_email: "no" }, 422, { new_email: ["is invalid"] }],
    [
      { id: "1", state: "gone", customer_since: "2026-02-30", soft_switch: "maybe" },
      422,
      { state: [NO_STATE], customer_since: ["is invalid"], soft_switch: ["is invalid"] },
    ],
  ])("refuses %o with %i and changes nothing", async (params, status, body) => {
    const before = await show("1");
    expect(await update(params as Record<string, string>)).toEqual({ status, body });
    expect(await show("1")).toEqual(before);
  });

  describe("state", () => {
    const dates = async (params: Record<string, string>) => {
      const { state, customer_since, cancelled_at } = await updated({ id: "1", ...params });
      return { state, customer_since, cancelled_at };
    };

    it.each([
      [{ state: "active" }, { state: "active", customer_since: LATER, cancelled_at: null }],
      [{ state: "cancelled" }, { state: "cancelled", customer_since: null, cancelled_at: LATER }],
      [{ state: "subscribed" }, { state: "subscribed", customer_since: null, cancelled_at: null }],
      [{ state: "denied" }, { state: "denied", customer_since: null, cancelled_at: null }],
      [{ customer_since: SINCE }, { state: "active", customer_since: SINCE, cancelled_at: null }],
      [
        { state: "cancelled", customer_since: "2026-01-02 03:04:05" },
        { state: "cancelled", customer_since: SINCE, cancelled_at: LATER },
      ],
    ])("of a sign-up is shown with its dates after %o", async (params, expected) => {
      app.setNow(LATER);
      expect(await dates(params as Record<string, string>)).toEqual(expected);
    });

    it.each([
      [{ state: "active" }, { state: "active", customer_since: SINCE, cancelled_at: null }],
      [{ state: "cancelled" }, { state: "cancelled", customer_since: SINCE, cancelled_at: NOW }],
      [{ state: "denied" }, { state: "denied", customer_since: SINCE, cancelled_at: NOW }],
      [{ state: "signup" }, { state: "signup", customer_since: null, cancelled_at: null }],
      [{ customer_since: "" }, { state: "cancelled", customer_since: null, cancelled_at: NOW }],
    ])("of a cancelled customer is shown with its dates after %o", async (params, expected) => {
      await dates({ state: "cancelled", customer_since: SINCE });
      app.setNow(LATER);
      expect(await dates(params as Record<string, string>)).toEqual(expected);
    });

    it("makes a customer a sign-up again if the customer date is cleared", async () => {
      await dates({ state: "active" });
      expect(await dates({ customer_since: "" })).toEqual({
        state: "signup",
        customer_since: null,
        cancelled_at: null,
      });
    });

    it("keeps the counts, each fact on its own day", async () => {
      app.setNow(LATER);
      await updated({ id: "1", customer_since: SINCE });
      expect(await countedFor(1)).toEqual({ referrals: 2, customers: 1, active_customers: 1 });
      await updated({ id: "1", state: "cancelled" });
      expect(await countedFor(1)).toEqual({ referrals: 2, customers: 1, cancellations: 1 });
      for (const series of ["campaign", "promoter"] as const)
        expect(await daily(series)).toEqual([
          "2026-01-02 1 active_customers 1",
          "2026-01-02 1 customers 1",
          "2026-03-04 1 referrals 2",
          "2026-05-01 1 active_customers -1",
          "2026-05-01 1 cancellations 1",
        ]);
      await updated({ id: "1", state: "active" });
      await updated({ id: "1", state: "active" });
      expect(await countedFor(1)).toEqual({
        referrals: 2,
        customers: 1,
        active_customers: 1,
        cancellations: 1,
      });
      await updated({ id: "1", state: "denied" });
      expect(await countedFor(1)).toEqual({ referrals: 2, customers: 1, cancellations: 1 });
      await updated({ id: "1", state: "signup" });
      expect(await daily("campaign")).toEqual(["2026-03-04 1 referrals 2"]);
    });

    it("counts once if many requests say the same at once", async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => update({ id: "1", state: n % 2 ? "active" : "cancelled" })),
      );
      const { state } = await show("1");
      const { customers, active_customers = 0, cancellations = 0 } = await countedFor(1);
      expect(customers).toBe(1);
      // They say it at one instant, so these are one cancellation.
      expect(cancellations).toBeLessThanOrEqual(1);
      expect(active_customers).toBe(state === "active" ? 1 : 0);
    });
  });

  describe("new_ref_id", () => {
    const commission = (id: number, changes: Partial<RecordOf<"commission">> = {}) =>
      app.records.put(
        "commission",
        newCommission({
          account_id: app.account_id,
          id,
          promoter_campaign_id: 1,
          promoter_id: 1,
          campaign_id: 1,
          lead_id: 1,
          amount: 1000,
          event_id: `ev${id}`,
          sale_amount: 5000,
          created_at: NOW,
          ...changes,
        }),
      );
    const owners = async () => {
      const all = await app.records.all("commission");
      return all.map(({ promoter_campaign_id, promoter_id }) => [promoter_campaign_id, promoter_id]);
    };
    const cash = async (promoterId: number) => (await balancesOf(app, promoterId))["cash"]?.current ?? 0;

    it("moves the lead with its counts", async () => {
      await updated({ id: "1", state: "active" });
      expect(await updated({ id: "1", new_ref_id: "BOB" })).toMatchObject({
        promotion: { id: 2, ref_id: "bob", leads_count: 1, customers_count: 1, active_customers_count: 1 },
        promoter: { id: 2 },
      });
      expect(await countedFor(1)).toEqual({ referrals: 1 });
      expect(await countedFor(2)).toEqual({ referrals: 1, customers: 1, active_customers: 1 });
      expect(await daily("campaign")).toEqual([
        "2026-03-04 1 active_customers 1",
        "2026-03-04 1 customers 1",
        "2026-03-04 1 referrals 2",
      ]);
      const leads = (await send(app, "GET /leads/list", { ref_id: "bob" })).body;
      expect(leads).toMatchObject([{ id: 1 }]);
    });

    it("moves the commissions of the lead's promoter too, with the balances", async () => {
      await commission(1);
      await commission(2, { status: "pending", amount: 300 });
      await commission(3, { promoter_campaign_id: 7, promoter_id: 7, tier: 2, amount: 50 });
      await commission(4, { lead_id: 2, amount: 20 });
      await updated({ id: "1", new_ref_id: "bob", soft_switch: "false" });
      expect(await owners()).toEqual([
        [2, 2],
        [2, 2],
        [7, 7],
        [1, 1],
      ]);
      expect([await cash(1), await cash(2)]).toEqual([20, 1000]);
      const { headers } = await send(app, "GET /rewards/list", { ref_id: "bob" });
      expect(headers.get("total")).toBe("2");
    });

    it("leaves paid commissions behind, and moves the counts of the others", async () => {
      await commission(1);
      await commission(2, { is_paid_elsewhere: true, amount: 300, sale_amount: 0 });
      await updated({ id: "1", new_ref_id: "bob" });
      expect(await owners()).toEqual([
        [2, 2],
        [1, 1],
      ]);
      expect(await countedFor(1)).toEqual({
        referrals: 1,
        commissions: 1,
        earnings_cents: 300,
        paid_cents: 300,
      });
      const moved = { referrals: 1, sales: 1, sales_cents: 5000, commissions: 1, earnings_cents: 1000 };
      expect(await countedFor(2)).toEqual(moved);
    });

    it("leaves the commissions behind on a soft switch, and if the lead stays", async () => {
      await commission(1);
      await updated({ id: "1", new_ref_id: "jane" });
      await updated({ id: "1", new_ref_id: "bob", soft_switch: "YES" });
      expect(await owners()).toEqual([[1, 1]]);
      expect([await cash(1), await cash(2)]).toEqual([1000, 0]);
    });

    it("gives no lead to a promoter who may receive none", async () => {
      await app.records.change("promoterCampaign", 2, { state: "pending" });
      expect(await update({ id: "1", new_ref_id: "bob" })).toEqual({
        status: 404,
        body: { error: "Promotion not found." },
      });
    });
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { cashOf, makeReward, offer } from "../../support/money.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await join(app, "jane@example.com", { ref_id: "jane", first_name: "Jane", last_name: "Doe" });
  await offer(app, await makeReward(app));
  await app.v1("/track/signup", { email: "sam@example.net", uid: "u-1", ref_id: "jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const call = (request: string, body?: unknown) => outcome(company(app, request, body));
const SALE = { commission_type: "sale", referral_id: 1, sale_amount: 10_000, event_id: "order-1" };
const sell = (over = {}) => call("POST /commissions", { ...SALE, ...over });

describe("a sale by hand", () => {
  it("may be in another currency, and of several pieces", async () => {
    await call("POST /rates", { date: "2026-03-04", base: "EUR", rates: { USD: "2" } });
    expect(await sell({ currency: "eur", quantity: "3" })).toMatchObject({
      status: 200,
      body: [
        {
          amount: 2_000,
          sale_amount: 20_000,
          original_sale_amount: 10_000,
          original_sale_currency: "EUR",
        },
      ],
    });
    const { body } = await call("GET /referrals/1/timeline");
    expect(body).toContainEqual(expect.objectContaining({ kind: "sale", quantity: 3, event_id: "order-1" }));
  });

  it("is refused without an exchange rate, and leaves nothing", async () => {
    expect(await sell({ currency: "eur" })).toEqual({
      status: 400,
      body: { message: expect.stringContaining("EUR"), code: "invalid_record" },
    });
    expect((await call("GET /commissions")).body).toEqual([]);
    expect(await sell({ quantity: 0 })).toEqual(invalid({ quantity: ["is invalid"] }));
  });
});

describe("a refund by hand", () => {
  const refund = (body: unknown, id = 1) => call(`POST /referrals/${id}/refund`, body);

  it("takes back the same part of the sale's commissions", async () => {
    await sell();
    expect(await refund({ sale_event_id: "order-1", amount: 4_000, event_id: "refund-1" })).toMatchObject({
      status: 200,
      body: {
        id: expect.any(Number),
        event_id: "refund-1",
        amount: 4_000,
        created_at: NOW,
        commissions: [{ amount: -400, event_id: "refund-1" }],
      },
    });
    expect(await cashOf(app, 1)).toEqual([600, 600, 0]);
  });

  it("has an id of its own if none is given, so two refunds count twice", async () => {
    await sell();
    await refund({ amount: 1_000, event_date: "2026-03-05" });
    expect(await refund({ amount: 1_000 })).toMatchObject({
      status: 200,
      body: { event_id: expect.stringMatching(/^manual-/) },
    });
    expect(await cashOf(app, 1)).toEqual([800, 800, 0]);
  });

  it("is refused for more than is left, an unknown sale, a repeated id and another lead", async () => {
    await app.v1("/track/signup", { email: "eve@example.net", ref_id: "jane" });
    await sell();
    await refund({ amount: 1_000, event_id: "refund-1" });
    expect(await refund({ amount: 1_000, event_id: "refund-1" })).toMatchObject({ status: 422 });
    expect(await refund({ amount: 9_500 })).toMatchObject({ status: 422 });
    expect(await refund({ amount: 500, sale_event_id: "order-2" })).toMatchObject({ status: 422 });
    expect(await refund({ amount: 500, sale_event_id: "order-1" }, 2)).toMatchObject({ status: 422 });
    expect(await refund({ amount: 500, sale_event_id: "order-1" }, 9)).toEqual({
      status: 404,
      body: { message: "Lead not found.", code: "not_found" },
    });
    expect(await refund({})).toEqual(invalid({ amount: ["can't be blank"] }));
    expect(await cashOf(app, 1)).toEqual([900, 900, 0]);
  });
});

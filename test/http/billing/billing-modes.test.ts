import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, type TestApp } from "../../support/app.ts";
import {
  booksOf,
  connectStripe,
  outcomeOf,
  PADDLE_SECRET,
  STRIPE_SECRET,
  startWithSam,
  tellPaddle,
  tellStripe,
} from "../../support/billing.ts";
import { paddleEvent, transaction } from "../../support/paddle-events.ts";
import { startProviderApi } from "../../support/provider-api.ts";
import {
  charge,
  customer,
  dispute,
  invoice,
  refundedFrom,
  session,
  stripeEvent,
  subscription,
} from "../../support/stripe-events.ts";
import { company, invalid, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startWithSam();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const call = async (request: string, body?: unknown) => {
  await app.services.afterwards.settle();
  return outcome(company(app, request, body));
};
const connect = (over: object = {}) =>
  call("POST /billing", { provider: "stripe", secret: STRIPE_SECRET, ...over });
const modeAfter = async (over: object) => ((await connect(over)).body as { mode: string }).mode;

const OF_TEST = "It is of the test mode, and the connection is live";
const OF_LIVE = "It is live, and the connection is of the test mode";
const otherMode = (reason: string) => ({ status: 200, body: { outcome: "other_mode", reason } });
const TEST = { livemode: false };
const paid = (over: object = {}) => stripeEvent("invoice.paid", invoice(), { ...over });

describe("a connection", () => {
  it.each([
    ["stripe", "sk_live_1", "live"],
    ["stripe", "rk_live_1", "live"],
    ["stripe", "sk_test_1", "test"],
    ["stripe", "rk_test_1", "test"],
    ["paddle", "pdl_live_apikey_1", "live"],
    ["paddle", "pdl_sdbx_apikey_1", "test"],
    ["paddle", "0f3feb9f04367318e4d67315ab65a58a5247514e", "live"],
  ])("with %s by the key %s is %s", async (provider, api_key, mode) => {
    expect(await modeAfter({ provider, api_key })).toBe(mode);
    expect((await call("GET /billing")).body).toMatchObject([{ provider, mode }]);
  });

  it("without a key is live unless it is said, and stays what it is until something else is said", async () => {
    expect(await modeAfter({})).toBe("live");
    expect(await modeAfter({ mode: "test" })).toBe("test");
    expect(await modeAfter({ api_key: null })).toBe("test");
    expect(await modeAfter({ api_key: "rk_live_1" })).toBe("live");
    expect(await modeAfter({ secret: "whsec_other" })).toBe("live");
    expect(await modeAfter({ api_key: "rk_test_1" })).toBe("test");
  });

  it("can't be of another mode than its key, and stays as it was", async () => {
    await connect({ api_key: "rk_live_1" });
    const refusal = invalid({ mode: ["is not that of the API key, which is live"] });
    expect(await connect({ mode: "test" })).toEqual(refusal);
    expect(await connect({ mode: "test", api_key: "sk_live_2" })).toEqual(refusal);
    expect(await connect({ mode: "sandbox" })).toEqual(invalid({ mode: ["is not one of live, test"] }));
    expect(await modeAfter({ mode: "live" })).toBe("live");
    expect(await modeAfter({ mode: "test", api_key: null })).toBe("test");
  });
});

describe("an event of the other mode", () => {
  it("counts nothing, and is listed as such", async () => {
    await connect();
    const before = await booksOf(app);
    const events = [
      paid(TEST),
      stripeEvent("charge.succeeded", charge({ invoice: null }), TEST),
      stripeEvent("checkout.session.completed", session(), TEST),
      { ...refundedFrom(0, 12_000), ...TEST },
      stripeEvent("charge.dispute.created", dispute(), TEST),
      stripeEvent("customer.created", customer({ metadata: { svc_uid: "cus_1" } }), TEST),
      stripeEvent("customer.subscription.deleted", subscription(), TEST),
      stripeEvent("invoice.paid", { id: 5 }, { ...TEST, id: "evt_unreadable" }),
    ];
    for (const event of events) expect(await tellStripe(app, event)).toEqual(otherMode(OF_TEST));
    expect(await booksOf(app)).toEqual(before);
    expect((await call("GET /billing")).body).toMatchObject([{ refunds_waiting: 0 }]);
    const listed = (await call("GET /billing/events?filters[outcome]=other_mode")).body as object[];
    expect(listed).toHaveLength(events.length);
    expect(listed).toContainEqual({
      id: expect.any(Number),
      provider: "stripe",
      event_id: "evt_invoice.paid_in_1",
      type: "invoice.paid",
      outcome: "other_mode",
      reason: OF_TEST,
      is_test: false,
      arrivals: 1,
      amount: null,
      currency: null,
      referral: null,
      sale: null,
      happened_at: "2026-03-04T05:06:07.000Z",
      first_received_at: NOW,
      received_at: NOW,
    });
  });

  it("counts once the connection is of its mode, and is listed so", async () => {
    await connect({ mode: "test" });
    expect(await tellStripe(app, paid())).toEqual(otherMode(OF_LIVE));
    expect(await outcomeOf(tellStripe(app, paid({ ...TEST, id: "evt_tried" })))).toBe("sale");
    await connect({ mode: "live" });
    expect(await outcomeOf(tellStripe(app, paid()))).toBe("known");
    expect((await call("GET /billing/events")).body).toMatchObject([
      { event_id: "evt_invoice.paid_in_1", outcome: "known", arrivals: 2 },
      { event_id: "evt_tried", outcome: "sale" },
    ]);
  });

  it("is not looked up at the provider, and a sync says how many there were", async () => {
    const data = [paid(TEST), stripeEvent("invoice.paid", invoice({ id: "in_2" }))];
    const api = await startProviderApi({
      "/v1/events": () => ({ object: "list", data, has_more: false }),
      "/v1/invoice_payments": () => ({ object: "list", data: [], has_more: false }),
    });
    await connectStripe(app, { apiKey: "rk_live_1", api_url: api.url });
    expect(await tellStripe(app, paid(TEST))).toEqual(otherMode(OF_TEST));
    expect(api.asked).toEqual([]);
    expect((await call("POST /billing/sync", { provider: "stripe" })).body).toMatchObject({
      events: 2,
      outcomes: { sale: 1, other_mode: 1 },
      faults: [],
    });
    await api.close();
  });
});

it("counts an event that says no mode", async () => {
  await connect();
  const { livemode: _, ...silent } = paid();
  expect(await outcomeOf(tellStripe(app, silent))).toBe("sale");
});

it("counts the events of a sandbox of Paddle, which don't say their mode", async () => {
  await call("POST /billing", { provider: "paddle", secret: PADDLE_SECRET, mode: "test" });
  const event = paddleEvent("transaction.completed", transaction({ custom_data: { svc_uid: "cus_1" } }));
  expect(await outcomeOf(tellPaddle(app, event))).toBe("sale");
});

it.each(["live", "test"])("tries a connection of the mode %s", async (mode) => {
  await connect({ mode });
  expect((await call("POST /billing/test", { provider: "stripe" })).body).toMatchObject({
    outcome: "ignored",
    reason:
      "The signature is right, and the event reads as a payment. It was a test, so nothing was recorded",
  });
});

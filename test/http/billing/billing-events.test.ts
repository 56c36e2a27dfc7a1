import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, type TestApp } from "../../support/app.ts";
import {
  booksOf,
  connectPaddle,
  connectStripe,
  countNotes,
  outcomeOf,
  receivedIn,
  repeatReceived,
  startWithSam,
  sweepReceivedAt,
  tellPaddle,
  tellStripe,
} from "../../support/billing.ts";
import { paddleEvent, transaction } from "../../support/paddle-events.ts";
import { invoice, refundedFrom, stripeEvent, subscription } from "../../support/stripe-events.ts";
import { company, invalid, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startWithSam();
  await connectStripe(app);
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const call = async (request: string, body?: unknown) => {
  await app.services.afterwards.settle();
  return outcome(company(app, request, body));
};
const list = async (query = "") =>
  (await call(`GET /billing/events${query}`)).body as Record<string, unknown>[];

const SAM = { id: 1, email: "sam@example.net", uid: "cus_1" };
const SALE = { id: expect.any(Number), event_id: "in_1", sale_amount: 10_000 };
const PAID = {
  id: expect.any(Number),
  provider: "stripe",
  event_id: "evt_invoice.paid_in_1",
  type: "invoice.paid",
  outcome: "sale",
  reason: null,
  is_test: false,
  arrivals: 1,
  amount: 12_000,
  currency: "USD",
  referral: SAM,
  sale: SALE,
  happened_at: "2026-03-04T05:06:07.000Z",
  first_received_at: NOW,
  received_at: NOW,
};
const NOBODY = { referral: null, sale: null };
const paid = (over = {}) => stripeEvent("invoice.paid", invoice(over));

it("shows the sale that an event recorded, and counts repetitions", async () => {
  expect(await outcomeOf(tellStripe(app, paid()))).toBe("sale");
  expect(await list()).toEqual([PAID]);
  app.setNow("2026-03-04T05:08:00.000Z");
  expect(await outcomeOf(tellStripe(app, paid()))).toBe("known");
  expect(await list()).toEqual([{ ...PAID, arrivals: 2, received_at: "2026-03-04T05:08:00.000Z" }]);
});

it("notes a sale in the commit that records it", async () => {
  const counts = countNotes(app);
  await tellStripe(app, paid());
  expect([...counts]).toEqual(["0 sales, 0 noted", "1 sales, 1 noted"]);
});

describe("an event that records nothing", () => {
  it("says that nobody referred the customer, without keeping their names", async () => {
    await tellStripe(app, paid({ id: "in_2", customer: "cus_2", customer_email: "stranger@example.net" }));
    const reason = "This customer was not referred";
    expect(await list()).toEqual([
      { ...PAID, ...NOBODY, event_id: "evt_invoice.paid_in_2", outcome: "ignored", reason },
    ]);
    const kept = await receivedIn(app);
    expect(JSON.stringify(kept)).not.toMatch(/stranger|cus_2/);
  });

  it("says that its type does not count", async () => {
    await tellStripe(app, stripeEvent("plan.created", { id: "plan_1" }));
    expect(await list()).toEqual([
      {
        ...PAID,
        ...NOBODY,
        event_id: "evt_plan.created_plan_1",
        type: "plan.created",
        outcome: "ignored",
        reason: "Events of type plan.created do not count",
        amount: null,
        currency: null,
      },
    ]);
  });

  it("says why it was refused, until a repetition is recorded", async () => {
    const event = paid({ currency: "xxq" });
    const { status } = await tellStripe(app, event);
    expect(status).toBe(422);
    expect(await list()).toMatchObject([{ outcome: "refused", reason: expect.stringContaining("XXQ") }]);
    await tellStripe(app, paid());
    expect(await list()).toEqual([{ ...PAID, arrivals: 2 }]);
  });

  it("says that it can't be read", async () => {
    const broken = { id: "evt_9", object: "event", data: {} };
    expect((await tellStripe(app, broken)).status).toBe(400);
    expect(await list()).toMatchObject([
      { event_id: null, type: null, reason: "The event has no type, or no date in whole seconds" },
    ]);
  });
});

it("counts requests with a wrong signature, and keeps nothing of them", async () => {
  const init = { method: "POST", headers: { "stripe-signature": "t=1,v1=00" }, body: '{"id":"evt_evil"}' };
  for (let time = 0; time < 3; time++) {
    expect((await app.request("/hooks/stripe/acme", init)).status).toBe(400);
    await app.services.afterwards.settle();
  }
  expect(await list()).toEqual([
    {
      ...PAID,
      ...NOBODY,
      event_id: null,
      type: null,
      outcome: "refused",
      reason: "The signature is not Stripe's for this account, or it is too old",
      arrivals: 3,
      amount: null,
      currency: null,
      happened_at: null,
    },
  ]);
});

describe("an event that waits", () => {
  it("names the rate, and shows the sale once it is recorded", async () => {
    await tellStripe(app, paid({ currency: "eur" }));
    expect(await list()).toMatchObject([
      { outcome: "waiting", reason: expect.stringContaining("EUR"), referral: SAM, sale: null },
    ]);
    await call("POST /rates", { date: "2026-03-04", base: "EUR", rates: { USD: "2" } });
    expect(await list()).toMatchObject([{ outcome: "sale", reason: null, sale: { event_id: "in_1" } }]);
  });

  it("shows a refund that came before its payment, and the refund afterwards", async () => {
    await tellStripe(app, stripeEvent("customer.subscription.deleted", subscription({ customer: "cus_3" })));
    await tellStripe(app, refundedFrom(0, 6_000, { invoice: "in_1" }));
    expect(await list("?filters[outcome]=waiting")).toMatchObject([
      { type: expect.any(String), outcome: "waiting" },
      { type: expect.any(String), outcome: "waiting" },
    ]);
    await tellStripe(app, paid());
    const shown = (await list()).map(({ type, outcome: is }) => [type, is]);
    expect(shown.toSorted()).toEqual([
      ["charge.refunded", "refund"],
      ["customer.subscription.deleted", "cancellation"],
      ["invoice.paid", "sale"],
    ]);
  });
});

it("filters by provider, and refuses what is no filter", async () => {
  await connectPaddle(app);
  await tellStripe(app, paid());
  await tellPaddle(app, paddleEvent("transaction.completed", transaction()));
  expect(await list("?filters[provider]=paddle")).toMatchObject([
    { provider: "paddle", event_id: "evt_transaction.completed_txn_1", outcome: "ignored" },
  ]);
  expect(await call("GET /billing/events?filters[outcome]=lost")).toMatchObject({ status: 422 });
});

describe("a test event", () => {
  it.each([
    ["stripe", "invoice.paid"],
    ["paddle", "transaction.completed"],
  ])("of %s passes its signature check, and records nothing", async (provider, type) => {
    await connectPaddle(app);
    const before = await booksOf(app);
    const shown = await call("POST /billing/test", { provider });
    expect(shown).toEqual({
      status: 200,
      body: {
        ...PAID,
        ...NOBODY,
        provider,
        event_id: expect.stringMatching(/^evt_test_\d{12}$/),
        type,
        outcome: "ignored",
        reason:
          "The signature is right, and the event reads as a payment. It was a test, so nothing was recorded",
        is_test: true,
        amount: 4_900,
        happened_at: expect.stringContaining("2026-03-04T05:06:07"),
      },
    });
    expect(await list()).toEqual([shown.body]);
    expect(await booksOf(app)).toEqual(before);
    expect((await call("GET /billing")).body).toMatchObject([
      { last_event_at: null },
      { last_event_at: null },
    ]);
  });

  it("needs a connection", async () => {
    expect(await call("POST /billing/test", { provider: "paddle" })).toEqual({
      status: 404,
      body: { message: "The account is not connected with paddle", code: "not_found" },
    });
    expect(await call("POST /billing/test", {})).toEqual(invalid({ provider: ["can't be blank"] }));
  });
});

it("an erased lead is named no more", async () => {
  await tellStripe(app, paid());
  expect(await call("POST /referrals/1/erase")).toMatchObject({ status: 200 });
  const [shown] = await list();
  expect(shown).toMatchObject({ referral: { id: 1, uid: null } });
  expect(JSON.stringify(shown)).not.toMatch(/sam@|cus_1/);
});

it("keeps the last thousand events of thirty days", async () => {
  await tellStripe(app, paid());
  await app.services.afterwards.settle();
  // One a second, from now on.
  await repeatReceived(app, 1_003);
  await sweepReceivedAt(app, NOW);
  expect(await receivedIn(app)).toHaveLength(1_000);
  await sweepReceivedAt(app, new Date(Date.parse(NOW) + 30 * 86_400_000 + 1_000_000).toISOString());
  expect(await receivedIn(app)).toHaveLength(4);
});

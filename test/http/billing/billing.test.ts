import { afterEach, beforeEach, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { tellStripe } from "../../support/billing.ts";
import { refundedFrom } from "../../support/stripe-events.ts";
import { company, invalid, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const call = (request: string, body?: unknown) => outcome(company(app, request, body));
const SHOWN = {
  provider: "stripe",
  endpoint: "https://track.acme.example/hooks/stripe/acme",
  mode: "live",
  has_api_key: true,
  refunds_waiting: 0,
  last_event_at: null,
  created_at: NOW,
};
const GIVEN = { provider: "stripe", secret: "whsec_test_secret", api_key: "rk_live_1" };

it("connects with a provider, and never shows the secrets", async () => {
  expect(await call("POST /billing", GIVEN)).toEqual({ status: 200, body: SHOWN });
  expect(await call("GET /billing")).toEqual({ status: 200, body: [SHOWN] });
});

it("lists each provider with the address and the events to choose there", async () => {
  expect(await call("GET /billing/providers")).toEqual({
    status: 200,
    body: [
      {
        provider: "stripe",
        endpoint: "https://track.acme.example/hooks/stripe/acme",
        event_types: [
          "invoice.paid",
          "invoice.payment_succeeded",
          "charge.succeeded",
          "charge.captured",
          "checkout.session.completed",
          "checkout.session.async_payment_succeeded",
          "charge.refunded",
          "charge.dispute.created",
          "charge.dispute.funds_withdrawn",
          "charge.dispute.funds_reinstated",
          "customer.created",
          "customer.updated",
          "customer.subscription.deleted",
        ],
      },
      {
        provider: "paddle",
        endpoint: "https://track.acme.example/hooks/paddle/acme",
        event_types: [
          "transaction.completed",
          "adjustment.created",
          "adjustment.updated",
          "customer.created",
          "customer.updated",
          "subscription.canceled",
        ],
      },
    ],
  });
});

it("replaces the secret, and keeps the API key unless it is null", async () => {
  await call("POST /billing", GIVEN);
  const { api_key: _, ...other } = GIVEN;
  expect(await call("POST /billing", { ...other, secret: "whsec_other" })).toEqual({
    status: 200,
    body: SHOWN,
  });
  const none = { status: 200, body: { ...SHOWN, has_api_key: false } };
  expect(await call("POST /billing", { ...GIVEN, api_key: null })).toEqual(none);
});

it("counts refunds whose payment was not told of", async () => {
  await call("POST /billing", { ...GIVEN, api_key: null });
  expect(await tellStripe(app, refundedFrom(0, 500))).toEqual({
    status: 200,
    body: { outcome: "waiting", reason: "Its payment is not recorded, or not yet" },
  });
  const shown = { ...SHOWN, has_api_key: false, refunds_waiting: 1 };
  expect(await call("GET /billing")).toEqual({ status: 200, body: [shown] });
});

it("disconnects", async () => {
  await call("POST /billing", GIVEN);
  expect(await call("DELETE /billing?provider=stripe")).toEqual({ status: 200, body: SHOWN });
  expect(await call("GET /billing")).toEqual({ status: 200, body: [] });
  expect(await call("DELETE /billing?provider=stripe")).toEqual({
    status: 404,
    body: { message: "The account is not connected with stripe", code: "not_found" },
  });
});

it("names every fault", async () => {
  expect(await call("POST /billing", {})).toEqual(
    invalid({ provider: ["can't be blank"], secret: ["can't be blank"] }),
  );
  expect(await call("POST /billing", { provider: "cash", secret: "a b", api_key: "é" })).toEqual(
    invalid({
      provider: ["is not one of stripe, paddle"],
      secret: ["is invalid"],
      api_key: ["is invalid"],
    }),
  );
  expect(await call("DELETE /billing")).toEqual(invalid({ provider: ["can't be blank"] }));
});

import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { booksOf, connectPaddle, connectStripe, tellPaddle, tellStripe } from "../../support/billing.ts";
import { makeReward, offer } from "../../support/money.ts";
import { adjustment, canceledSubscription, paddleEvent, transaction } from "../../support/paddle-events.ts";
import { racesAtEachStep } from "../../support/race.ts";
import { startProviderApi, type ProviderApi } from "../../support/provider-api.ts";
import { rounds } from "../../support/rounds.ts";
import {
  charge,
  dispute,
  formerInvoice,
  invoice,
  refundedFrom,
  session,
  stripeEvent,
  subscription,
} from "../../support/stripe-events.ts";

/** All that Stripe tells of a subscription that ends after one payment, refunded in two steps. Some of it comes twice. */
const FORMER = [
  stripeEvent("invoice.paid", formerInvoice()),
  stripeEvent("invoice.payment_succeeded", formerInvoice()),
  stripeEvent("checkout.session.completed", session()),
  stripeEvent("charge.succeeded", charge({ invoice: "in_1" })),
  refundedFrom(0, 3_001, { invoice: "in_1" }),
  refundedFrom(3_001, 12_000, { invoice: "in_1" }),
  refundedFrom(3_001, 12_000, { invoice: "in_1" }),
  stripeEvent("customer.subscription.deleted", subscription()),
];

/** The same in the form since 2025, which leaves out what belongs together. */
const SINCE_2025 = [
  stripeEvent("invoice.paid", invoice()),
  stripeEvent("invoice.payment_succeeded", invoice()),
  stripeEvent("checkout.session.completed", session()),
  stripeEvent("charge.succeeded", charge()),
  refundedFrom(0, 3_001),
  refundedFrom(3_001, 12_000),
  refundedFrom(3_001, 12_000),
  stripeEvent("customer.subscription.deleted", subscription()),
];

const PAID = { custom_data: { svc_uid: "user-7" } };

/** All that Paddle tells of two payments, of which the first is refunded in two steps, and of the subscription's end. */
const PADDLE = [
  paddleEvent("transaction.completed", transaction(PAID)),
  paddleEvent("transaction.completed", transaction(PAID)),
  paddleEvent("transaction.completed", transaction({ ...PAID, id: "txn_2" })),
  paddleEvent("adjustment.created", adjustment({ status: "pending_approval" })),
  paddleEvent("adjustment.updated", adjustment()),
  paddleEvent("adjustment.updated", adjustment()),
  paddleEvent("adjustment.created", adjustment({ id: "adj_2", action: "chargeback" })),
  paddleEvent("subscription.canceled", canceledSubscription({ canceled_at: "2026-04-04T05:06:07Z" })),
];

let api: ProviderApi;
beforeEach(async () => {
  const payment = { type: "payment_intent", payment_intent: "pi_1" };
  api = await startProviderApi({
    "/v1/invoice_payments": () => ({ object: "list", data: [{ id: "inpay_1", invoice: "in_1", payment }] }),
    "/v1/invoices/in_1": () => invoice(),
  });
});
afterEach(() => api.close());

/** An account with one lead of Jane's. */
async function foundProgram(names: Record<string, string>): Promise<TestApp> {
  const app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await offer(app, await makeReward(app));
  await app.v1("/track/signup", { ref_id: "jane", ...names });
  return app;
}

it.each([
  ["up to 2024", FORMER, false],
  ["since 2025, with an API key", SINCE_2025, true],
])("leaves the same books in every order, alone and together: Stripe %s", async (_, events, hasKey) => {
  const order = fc.shuffledSubarray(events, { minLength: events.length });
  const together = fc.integer({ min: 1, max: 4 });
  await fc.assert(
    fc.asyncProperty(order, together, async (told, size) => {
      const app = await foundProgram({ email: "sam@example.net" });
      await connectStripe(app, hasKey ? { apiKey: "rk_live_1", api_url: api.url } : {});
      for (let at = 0; at < told.length; at += size) {
        const answers = await Promise.all(told.slice(at, at + size).map((event) => tellStripe(app, event)));
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      }
      const { refunds, ...books } = await booksOf(app);
      expect(books).toEqual({
        sales: [[expect.any(String), 10_000, 10_000]],
        earned: 0,
        leads: [["sam@example.net", "cus_1", "cancelled"]],
      });
      expect(refunds.toSorted()).toEqual([
        ["ch_1:12000", 7_499],
        ["ch_1:3001", 2_501],
      ]);
      expect(app.bugs).toEqual([]);
      await app.close();
    }),
    { numRuns: rounds(8, 20) },
  );
});

/** A payment whose events name it by different objects, and the event that tells that they are one. */
const PAID_ONCE = { invoice: null, subscription: null, payment_intent: "pi_1" };
const FORMS: [string, object[]][] = [
  [
    "a dispute, a checkout of an invoice, and the invoice of the charge",
    [
      stripeEvent("charge.dispute.created", dispute()),
      stripeEvent("checkout.session.completed", session()),
      stripeEvent("invoice.paid", formerInvoice()),
    ],
  ],
  [
    "a refund, an invoice, and a checkout that names both",
    [
      refundedFrom(0, 12_000),
      stripeEvent("invoice.paid", invoice()),
      stripeEvent("checkout.session.completed", session({ payment_intent: "pi_1" })),
    ],
  ],
  [
    "a single payment, partly refunded, then disputed",
    [
      refundedFrom(0, 3_001, { invoice: null }),
      stripeEvent("charge.dispute.created", dispute()),
      stripeEvent("checkout.session.completed", session(PAID_ONCE)),
    ],
  ],
];

it.each([
  ...FORMS.map(([name, events]) => ({ name, events, hasKey: false })),
  // The API here knows the payment of an invoice only.
  ...FORMS.slice(0, 2).map(([name, events]) => ({ name: `${name}, with a key`, events, hasKey: true })),
])("takes everything back in every order: $name", async ({ events, hasKey }) => {
  for (const told of permutations(events)) {
    const app = await foundProgram({ email: "sam@example.net" });
    await connectStripe(app, hasKey ? { apiKey: "rk_live_1", api_url: api.url } : {});
    for (const event of told) expect((await tellStripe(app, event)).status).toBe(200);
    const { sales, earned } = await booksOf(app);
    expect({ sales, earned }).toEqual({ sales: [[expect.any(String), 10_000, 10_000]], earned: 0 });
    expect(app.bugs).toEqual([]);
    await app.close();
  }
});

function permutations<T>(all: T[]): T[][] {
  if (all.length < 2) return [all];
  return all.flatMap((first, at) => permutations(all.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}

it.each([
  [
    "a refund",
    refundedFrom(0, 12_000, { invoice: null }),
    stripeEvent("checkout.session.completed", session(PAID_ONCE)),
  ],
  [
    "a dispute",
    stripeEvent("charge.dispute.created", dispute()),
    stripeEvent("invoice.paid", formerInvoice()),
  ],
])("takes everything back if %s and its payment come at once", async (_, refund, payment) => {
  const orders = [
    { first: refund, second: payment },
    { first: payment, second: refund },
  ];
  for (const { first, second } of orders) {
    const races = await racesAtEachStep(async (app) => {
      await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
      await offer(app, await makeReward(app));
      await app.v1("/track/signup", { ref_id: "jane", email: "sam@example.net" });
      await connectStripe(app);
      let isTold = false;
      return {
        call: () => tellStripe(app, first),
        meanwhile: async () => {
          isTold = true;
          return tellStripe(app, second);
        },
        look: async () => {
          const { earned } = await booksOf(app);
          const seen = isTold ? earned : "alone";
          isTold = false;
          return seen;
        },
      };
    });
    const together = races.filter(({ seen }) => seen !== "alone");
    expect(together.length).toBeGreaterThan(5);
    expect(together.map(({ seen }) => seen)).toEqual(together.map(() => 0));
  }
});

it("takes back what is left if a dispute comes during a refund", async () => {
  const races = await racesAtEachStep(async (app) => {
    await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
    await offer(app, await makeReward(app));
    await app.v1("/track/signup", { ref_id: "jane", email: "sam@example.net" });
    await connectStripe(app);
    await tellStripe(app, stripeEvent("checkout.session.completed", session(PAID_ONCE)));
    return {
      call: () => tellStripe(app, refundedFrom(0, 3_001, { invoice: null })),
      meanwhile: () => tellStripe(app, stripeEvent("charge.dispute.created", dispute())),
      look: async () => (await booksOf(app)).earned,
    };
  });
  expect(races.map(({ answer }) => answer.status)).toEqual(races.map(() => 200));
  expect(races.at(0)?.seen).toBe(0);
});

it("leaves the same books in every order, alone and together: Paddle", async () => {
  const order = fc.shuffledSubarray(PADDLE, { minLength: PADDLE.length });
  const together = fc.integer({ min: 1, max: 4 });
  await fc.assert(
    fc.asyncProperty(order, together, async (told, size) => {
      const app = await foundProgram({ uid: "user-7" });
      await connectPaddle(app);
      for (let at = 0; at < told.length; at += size) {
        const answers = await Promise.all(told.slice(at, at + size).map((event) => tellPaddle(app, event)));
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      }
      const { sales, refunds, ...books } = await booksOf(app);
      expect(books).toEqual({ earned: 1_200, leads: [[null, "user-7", "cancelled"]] });
      expect(sales.toSorted()).toEqual([
        ["txn_1", 10_000, 8_000],
        ["txn_2", 10_000, 0],
      ]);
      expect(refunds.toSorted()).toEqual([
        ["adj_1", 4_000],
        ["adj_2", 4_000],
      ]);
      expect(app.bugs).toEqual([]);
      await app.close();
    }),
    { numRuns: rounds(8, 20) },
  );
});

import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp } from "../../support/app.ts";
import { booksOf, connectStripe, tellStripe } from "../../support/billing.ts";
import { makeReward, offer } from "../../support/money.ts";
import { startProviderApi, type ProviderApi } from "../../support/provider-api.ts";
import {
  charge,
  formerInvoice,
  invoice,
  refundedFrom,
  session,
  stripeEvent,
} from "../../support/stripe-events.ts";

/** All that Stripe tells of one payment that is refunded in two steps, some of it twice. */
const FORMER = [
  stripeEvent("invoice.paid", formerInvoice()),
  stripeEvent("invoice.payment_succeeded", formerInvoice()),
  stripeEvent("checkout.session.completed", session()),
  stripeEvent("charge.succeeded", charge({ invoice: "in_1" })),
  refundedFrom(0, 3_001, { invoice: "in_1" }),
  refundedFrom(3_001, 12_000, { invoice: "in_1" }),
  refundedFrom(3_001, 12_000, { invoice: "in_1" }),
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

it.each([
  ["up to 2024", FORMER, false],
  ["since 2025, with an API key", SINCE_2025, true],
])("leaves the same books in every order, alone and together: events %s", async (_, events, hasKey) => {
  const order = fc.shuffledSubarray(events, { minLength: events.length });
  const together = fc.integer({ min: 1, max: 4 });
  await fc.assert(
    fc.asyncProperty(order, together, async (told, size) => {
      const app = await startApp();
      await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
      await offer(app, await makeReward(app));
      await connectStripe(app, hasKey ? { apiKey: "rk_test_1", apiUrl: api.url } : {});
      await app.v1("/track/signup", { ref_id: "jane", email: "sam@example.net" });
      for (let at = 0; at < told.length; at += size) {
        const answers = await Promise.all(told.slice(at, at + size).map((event) => tellStripe(app, event)));
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      }
      const { refunds, ...books } = await booksOf(app);
      expect(books).toEqual({
        sales: [[expect.any(String), 10_000, 10_000]],
        earned: 0,
        leads: [["sam@example.net", "cus_1", "refunded"]],
      });
      expect(refunds.toSorted()).toEqual([
        ["ch_1:12000", 7_499],
        ["ch_1:3001", 2_501],
      ]);
      expect(app.bugs).toEqual([]);
      await app.close();
    }),
    { numRuns: 20 },
  );
});

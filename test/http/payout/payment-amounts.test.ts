import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { addBatch, connectPaypal, connectTo, runPaymentJob, sendAll } from "../../support/payments.ts";
import { startPaypalApi } from "../../support/paypal-api.ts";
import { addPayout, addPromoter, changeAccount, movePayout, selectMethod } from "../../support/payouts.ts";
import { startStripeApi, type TransferApi } from "../../support/transfer-apis.ts";
import { company, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  await app.close();
  expect(app.bugs).toEqual([]);
});

/** A promoter for each amount, with its payout in batch 1. */
async function addAmounts(
  currency: string,
  amounts: number[],
  given: { method: "paypal" | "custom"; field: string; payee: (nth: number) => string },
): Promise<void> {
  const account = await changeAccount(app.context, app.account_id, { currency });
  for (const [nth, totalInclTax] of amounts.entries()) {
    const promoter = await addPromoter(app.context, account, { email: `p${nth}@example.com` });
    await selectMethod(app.context, promoter, {
      method: given.method,
      details: { [given.field]: given.payee(nth) },
    });
    await addPayout(app.context, promoter, {
      amount: totalInclTax,
      tax_rate_hundredths: 0,
      total_incl_tax: totalInclTax,
    });
  }
  await company(app, "POST /payouts/create_payments_batch", { method: given.method });
}
const leftOut = async () => {
  const { body } = await outcome(company(app, "GET /payments_batches/1/plan"));
  return (body as { left_out: { promoter_id: number; message: string }[] }).left_out.map(
    ({ promoter_id, message }) => [promoter_id, message],
  );
};
const payments = async () =>
  ((await app.v2("GET", "/payments")).body as { state: string; amount: number; needs_decision: unknown }[])
    .map(({ state, amount, needs_decision: why }) => [state, amount, why])
    .toReversed();

describe("Stripe", () => {
  let stripe: TransferApi;
  beforeEach(async () => {
    stripe = await startStripeApi(() => app.services.clock());
    await connectTo(app, "stripe", stripe.url);
  });
  afterEach(() => stripe.close());
  const custom = {
    method: "custom",
    field: "stripe_account",
    payee: (nth: number) => `acct_${nth}`,
  } as const;

  it.each([
    ["ISK", [1_234], ["123400"]],
    ["UGX", [98_000], ["9800000"]],
    ["JPY", [1_234], ["1234"]],
    ["HUF", [12_345], ["12345"]],
    ["MGA", [12_300], ["123"]],
    ["KWD", [12_340], ["12340"]],
  ])("gets %s in its own decimals, and its answer is understood", async (currency, amounts, sent) => {
    await addAmounts(currency, amounts, custom);
    await sendAll(app, "stripe");
    await runPaymentJob(app);
    expect([stripe.paid.map(({ amount }) => amount), await payments()]).toEqual([
      sent,
      amounts.map((amount) => ["confirmed", amount, null]),
    ]);
  });

  it("gets no dinars whose last decimal is not 0", async () => {
    await addAmounts("KWD", [12_345, 12_340], custom);
    expect(await leftOut()).toEqual([[1, "Stripe pays KWD in steps of 0.010, and this is 12.345"]]);
    await sendAll(app, "stripe");
    await runPaymentJob(app);
    expect(stripe.paid.map(({ amount }) => amount)).toEqual(["12340"]);
  });
});

describe("PayPal", () => {
  const wallet = {
    method: "paypal",
    field: "wallet_email",
    payee: (nth: number) => `p${nth}@wallet.example`,
  } as const;

  it.each(["HUF", "TWD"])("gets whole %s without decimals, and no parts of them", async (currency) => {
    const paypal = await startPaypalApi(() => app.services.clock());
    await connectPaypal(app, paypal);
    await addAmounts(currency, [12_000, 12_050], wallet);
    const reason = `PayPal pays ${currency} in steps of 1.00, and this is 120.50`;
    expect(await leftOut()).toEqual([[2, reason]]);
    await company(app, "POST /payments_batches/1/send", {});
    await runPaymentJob(app);
    paypal.settle(paypal.items()[0]!, "SUCCESS");
    app.setNow("2026-03-04T05:20:00.000Z");
    await runPaymentJob(app);
    expect([paypal.items().map(({ value }) => value), await payments()]).toEqual([
      ["120"],
      [["confirmed", 12_000, null]],
    ]);
    await paypal.close();
  });

  it("gets no file with parts of forints, and one without decimals", async () => {
    await addAmounts("HUF", [12_050], wallet);
    const refused = await app.v2("GET", "/payments_batches/1/file?format=paypal");
    expect(refused).toMatchObject({
      status: 422,
      body: {
        message:
          "Some amounts can't be paid: promoter 1: PayPal pays HUF in steps of 1.00, and this is 120.50",
      },
    });
    await app.records.change("payout", 1, { amount: 12_000, total_incl_tax: 12_000 });
    const file = await app.v2("GET", "/payments_batches/1/file?format=paypal");
    expect(file.body).toBe("p0@wallet.example,120,HUF,BATCH-1-1,Payout BATCH-1-1,PAYPAL\r\n");
  });
});

describe("a transfer that Stripe has reversed in part", () => {
  let stripe: TransferApi;
  beforeEach(async () => {
    stripe = await startStripeApi(() => app.services.clock());
    await connectTo(app, "stripe", stripe.url);
    await addBatch(app, "custom", [{ stripe_account: "acct_1" }]);
    await sendAll(app, "stripe");
    await runPaymentJob(app);
  });
  afterEach(() => stripe.close());

  const reverse = async (part: number) => {
    stripe.takeBack("tr_1", part);
    const { body, headers } = stripe.event(stripe.paid[0]!);
    await connectTo(app, "stripe", stripe.url, stripe.webhookKey);
    await app.request("/hooks/payments/stripe/acme", { method: "POST", body, headers });
  };
  const shown = async () => {
    const [payment] = (await app.v2("GET", "/payments")).body as Record<string, unknown>[];
    const [payout] = (await app.v2("GET", "/payouts")).body as Record<string, unknown>[];
    return [payment!["state"], payment!["error"], payout!["status"], payout!["error"]];
  };

  it("is shown with its payout, which stays paid and is paid by nothing else", async () => {
    await reverse(1_250);
    const words = "12.50 of 120.00 USD were reversed";
    expect(await shown()).toEqual(["partly_returned", words, "completed", words]);
    await sendAll(app, "stripe");
    await runPaymentJob(app);
    await expect(movePayout(app, { id: 1, to: "pending" })).rejects.toThrow(
      "Stripe has paid this payout, so its status follows payment 1",
    );
    expect([stripe.paid.length, await leftOut()]).toEqual([1, []]);
  });

  it("shows more that comes back, up to the whole", async () => {
    await reverse(1_250);
    await reverse(750);
    const words = "20.00 of 120.00 USD were reversed";
    expect(await shown()).toEqual(["partly_returned", words, "completed", words]);
    await reverse(10_000);
    const whole = "the transfer was reversed";
    expect(await shown()).toEqual(["returned", whole, "failed", whole]);
  });

  it("is noticed without an event", async () => {
    stripe.takeBack("tr_1", 1_250);
    app.setNow("2026-03-05T06:00:00.000Z");
    await runPaymentJob(app);
    expect((await shown())[0]).toBe("partly_returned");
    stripe.takeBack("tr_1", 10_750);
    app.setNow("2026-03-06T07:00:00.000Z");
    await runPaymentJob(app);
    expect((await shown())[0]).toBe("returned");
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COMMISSIONS } from "../../../server/transfer/csv/commissions.ts";
import { SALES } from "../../../server/transfer/csv/sales.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import {
  booksOf,
  connectPaddle,
  connectStripe,
  outcomeOf,
  tellPaddle,
  tellStripe,
} from "../../support/billing.ts";
import { findFaults } from "../../support/consistency.ts";
import { importLines } from "../../support/csv.ts";
import { adjustment, paddleEvent } from "../../support/paddle-events.ts";
import { startProviderApi, type ProviderApi } from "../../support/provider-api.ts";
import { charge, dispute, formerInvoice, refundedFrom, stripeEvent } from "../../support/stripe-events.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await app.v1("/track/signup", { ref_id: "jane", uid: "cus_1", email: "sam@example.net" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  expect(await findFaults(app.stored.engine)).toEqual([]);
  await app.close();
});

/** A sale of 100.00 of another program, by which 10.00 were earned there. */
async function importSale(eventId: string, currency = "USD"): Promise<void> {
  await importLines(app, SALES, [
    "event_id,uid,amount,currency,created_at",
    `${eventId},cus_1,100,${currency},2026-01-02`,
  ]);
  await importLines(app, COMMISSIONS, [
    "id,uid,event_id,sale_amount,amount,unit,status,created_at",
    `c1,cus_1,${eventId},100,10,cash,approved,2026-01-02`,
  ]);
}

const refund = (before: number, after: number, over: Record<string, unknown> = {}) =>
  outcomeOf(tellStripe(app, refundedFrom(before, after, { invoice: null, ...over })));
const tell = (type: string, object: Record<string, unknown>) =>
  outcomeOf(tellStripe(app, stripeEvent(type, object)));
const left = async () => {
  const { sales, earned } = await booksOf(app);
  return { sales, earned };
};

describe("an imported sale", () => {
  it("loses the part that was refunded of its charge, whatever tax the charge had", async () => {
    await connectStripe(app);
    await importSale("ch_1");
    expect(await refund(0, 6_000)).toBe("refund");
    expect(await left()).toEqual({ sales: [["ch_1", 10_000, 5_000]], earned: 500 });
  });

  it("loses each cent once if its charge is refunded in many parts", async () => {
    await connectStripe(app);
    await importSale("ch_1");
    for (const [before, after] of [
      [1_001, 4_004],
      [0, 1_001],
      [4_004, 4_005],
    ] as const)
      expect(await refund(before, after)).toBe("refund");
    expect(await left()).toEqual({ sales: [["ch_1", 10_000, 3_338]], earned: 666 });
    expect(await refund(4_005, 12_000)).toBe("refund");
    expect(await left()).toEqual({ sales: [["ch_1", 10_000, 10_000]], earned: 0 });
  });

  it("loses its part of what was captured", async () => {
    await connectStripe(app);
    await importSale("ch_1");
    expect(await refund(4_000, 8_000, { amount_captured: 8_000 })).toBe("refund");
    expect(await left()).toEqual({ sales: [["ch_1", 10_000, 5_000]], earned: 500 });
  });

  it("loses the same part if its charge was in another currency, for which there is no rate", async () => {
    await connectStripe(app);
    await importSale("ch_1");
    expect(await refund(0, 6_000, { currency: "chf" })).toBe("refund");
    expect(await tell("charge.succeeded", charge({ invoice: null, currency: "chf" }))).toBe("known");
    expect(await refund(6_000, 9_000, { currency: "chf" })).toBe("refund");
    expect(await left()).toEqual({ sales: [["ch_1", 10_000, 7_500]], earned: 250 });
  });

  it("loses the part of its invoice, of which the refunded charge is one of two", async () => {
    await connectStripe(app);
    await importSale("in_1");
    await tell("invoice.paid", formerInvoice());
    expect(await refund(0, 3_000, { amount: 6_000, amount_captured: 6_000, invoice: "in_1" })).toBe("refund");
    expect(await left()).toEqual({ sales: [["in_1", 10_000, 2_500]], earned: 750 });
  });

  it("gets back from a dispute what was not refunded before", async () => {
    await connectStripe(app);
    await importSale("ch_1");
    await refund(0, 6_000);
    await tell("charge.dispute.created", dispute({ amount: 3_000 }));
    expect(await left()).toEqual({ sales: [["ch_1", 10_000, 7_500]], earned: 250 });
    await tell("charge.dispute.funds_reinstated", dispute({ amount: 3_000 }));
    expect(await left()).toEqual({ sales: [["ch_1", 10_000, 5_000]], earned: 500 });
  });

  describe("with an API key of Stripe", () => {
    let api: ProviderApi;
    afterEach(() => api.close());

    it("loses the part of its charge that a bank took back", async () => {
      api = await startProviderApi({
        "/v1/charges/ch_1": () => charge(),
        "/v1/invoice_payments": () => ({ object: "list", data: [], has_more: false }),
      });
      await connectStripe(app, { apiKey: "rk_live_1", api_url: api.url });
      await importSale("ch_1");
      expect(await tell("charge.dispute.created", dispute({ amount: 6_000 }))).toBe("refund");
      expect(await left()).toEqual({ sales: [["ch_1", 10_000, 5_000]], earned: 500 });
    });
  });

  it("that was imported with tax is gone if Paddle refunds all of it", async () => {
    await connectPaddle(app);
    await importSale("txn_1");
    const whole = adjustment({ type: "full" }, { subtotal: "8403", tax: "1597", total: "10000" });
    expect(await outcomeOf(tellPaddle(app, paddleEvent("adjustment.created", whole)))).toBe("refund");
    expect(await left()).toEqual({ sales: [["txn_1", 10_000, 10_000]], earned: 0 });
  });
});

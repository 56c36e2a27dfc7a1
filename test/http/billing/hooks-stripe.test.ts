import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerOf, startApp, type TestApp } from "../../support/app.ts";
import { STRIPE_SECRET, booksOf, connectStripe, outcomeOf, tellStripe } from "../../support/billing.ts";
import { makeReward, offer } from "../../support/money.ts";
import {
  SECONDS,
  charge,
  dispute,
  formerInvoice,
  invoice,
  invoiceLine,
  refundedFrom,
  session,
  stripeEvent,
  subscription,
} from "../../support/stripe-events.ts";
import { eraseLead, storeServerRates } from "../../support/operations.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await offer(app, await makeReward(app));
  await connectStripe(app);
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const signUp = (params: Record<string, string>) => app.v1("/track/signup", { ref_id: "jane", ...params });
const tell = (type: string, object: Record<string, unknown>) =>
  outcomeOf(tellStripe(app, stripeEvent(type, object)));
const books = () => booksOf(app);
const click = () => app.browser("/t/click", { tid: TID, ref_id: "jane", url: "https://www.acme.example/" });

const NOTHING = { sales: [], refunds: [], earned: 0, leads: [] };
const IGNORED = { outcome: "ignored", reason: "This customer was not referred" };

describe("a paid invoice", () => {
  it("is a sale without tax, with plan, period and subscription, of the customer with its uid", async () => {
    await signUp({ uid: "cus_1" });
    expect(await tellStripe(app, stripeEvent("invoice.paid", invoice()))).toEqual({
      status: 200,
      body: { outcome: "sale", reason: null },
    });
    const [sale] = await app.records.all("sale");
    expect(sale).toMatchObject({
      event_id: "in_1",
      amount_cents: 10_000,
      original_amount: 10_000,
      original_currency: null,
      plan_id: "price_pro",
      billing_period: "monthly",
      quantity: 1,
      created_at: new Date(SECONDS * 1_000).toISOString(),
    });
    expect(await books()).toMatchObject({ earned: 1_000, leads: [["Sam@example.net", "cus_1", "active"]] });
  });

  it("counts once, however often and by whichever event it is told", async () => {
    await signUp({ email: "sam@example.net" });
    const told = [
      ["invoice.paid", formerInvoice()],
      ["invoice.payment_succeeded", formerInvoice()],
      ["checkout.session.completed", session()],
      ["charge.succeeded", charge({ invoice: "in_1" })],
      ["invoice.paid", formerInvoice()],
    ] as const;
    const outcomes = [];
    for (const [type, object] of told) outcomes.push(await tell(type, object));
    expect(outcomes).toEqual(["sale", "known", "known", "ignored", "known"]);
    expect(await books()).toEqual({
      sales: [["in_1", 10_000, 0]],
      refunds: [],
      earned: 1_000,
      leads: [["sam@example.net", "cus_1", "active"]],
    });
  });

  it("counts once if its events come at the same time", async () => {
    await signUp({ email: "sam@example.net" });
    const events = [
      tell(
        "checkout.session.completed",
        session({ invoice: null, payment_intent: "pi_1", subscription: null }),
      ),
      tell("charge.succeeded", charge({ invoice: null })),
      tell("invoice.paid", formerInvoice()),
    ];
    expect((await Promise.all(events)).toSorted()).toEqual(["known", "known", "sale"]);
    expect(await books()).toMatchObject({ sales: [[expect.any(String), 10_000, 0]], earned: 1_000 });
  });

  it.each<[string, Record<string, string>, Record<string, unknown>]>([
    ["svc_uid of the subscription", { uid: "user-7" }, withDetails({ svc_uid: "user-7" })],
    ["fp_uid of the invoice", { uid: "user-7" }, { metadata: { fp_uid: "user-7" }, customer_email: null }],
    ["the e-mail address", { email: "sam@example.net" }, {}],
    ["the customer's id", { uid: "cus_1" }, { customer_email: null }],
  ])("finds the lead by %s", async (_, signup, over) => {
    await signUp(signup);
    expect(await tell("invoice.paid", invoice(over))).toBe("sale");
    expect(await tell("invoice.paid", invoice({ id: "in_2", ...over }))).toBe("sale");
    expect((await books()).leads).toHaveLength(1);
  });

  it.each(["svc_tid", "fp_tid", "tid"])("makes the lead of a visit by %s in the metadata", async (name) => {
    await click();
    expect(await tell("invoice.paid", invoice({ metadata: { [name]: TID } }))).toBe("sale");
    expect((await books()).leads).toEqual([["Sam@example.net", "cus_1", "active"]]);
  });

  it("counts what was paid of it, without the tax's part", async () => {
    await signUp({ uid: "cus_1" });
    await tell("invoice.paid", invoice({ amount_paid: 6_000 }));
    expect((await books()).sales).toEqual([["in_1", 5_000, 0]]);
  });

  it("of nothing is a sign-up, as of a trial", async () => {
    await click();
    const trial = { amount_paid: 0, total: 0, total_excluding_tax: 0, metadata: { tid: TID } };
    expect(await tell("invoice.paid", invoice(trial))).toBe("signup");
    expect(await tell("invoice.paid", invoice(trial))).toBe("known");
    expect(await books()).toEqual({ ...NOTHING, leads: [["Sam@example.net", "cus_1", "signup"]] });
    expect(await tell("invoice.paid", invoice({ id: "in_2" }))).toBe("sale");
  });

  it("in another currency is converted by the rate of its day, and waits without one", async () => {
    await signUp({ uid: "cus_1" });
    const euros = stripeEvent("invoice.paid", invoice({ currency: "eur" }));
    expect(await tellStripe(app, euros)).toEqual({
      status: 200,
      body: { outcome: "waiting", reason: "There is no exchange rate from EUR to USD for 2026-03-04" },
    });
    expect(await books()).toMatchObject({ sales: [], earned: 0 });
    await app.v2("POST", "/rates", { date: "2026-03-04", base: "EUR", rates: { USD: "1.1" } });
    expect(await outcomeOf(tellStripe(app, euros))).toBe("known");
    expect((await books()).sales).toEqual([["in_1", 11_000, 0]]);
  });

  it("has the decimals of Stripe where they are not those of ISO 4217", async () => {
    await signUp({ uid: "cus_1" });
    const rates = { ISK: "100", JPY: "100" };
    await storeServerRates(app, { day: "2026-03-04", base: "USD", rates });
    // 10,000 crowns in hundredths of a crown, and 10,000 yen.
    await tell(
      "invoice.paid",
      invoice({ currency: "isk", amount_paid: 1_200_000, total: 1_200_000, total_excluding_tax: 1_000_000 }),
    );
    await tell("invoice.paid", invoice({ id: "in_2", currency: "jpy" }));
    expect((await books()).sales).toEqual([
      ["in_1", 10_000, 0],
      ["in_2", 10_000, 0],
    ]);
  });

  const ADD_ON = { pricing: { price_details: { price: "price_extra", product: "prod_2" } } };
  const LAST_MONTH = { start: SECONDS - 28 * 86_400, end: SECONDS };
  it.each([
    ["five seats", [invoiceLine({ quantity: 5 })], 5],
    [
      "two of a plan with add-ons",
      [invoiceLine({ amount: 2_000, quantity: 9, ...ADD_ON }), invoiceLine({ quantity: 2 })],
      2,
    ],
    [
      "a fifth seat, with credit for four",
      [invoiceLine({ amount: -8_000, quantity: 4 }), invoiceLine({ quantity: 5 })],
      5,
    ],
    ["3 one-time items", [invoiceLine({ quantity: 3, period: { start: SECONDS, end: SECONDS } })], 3],
    ["9,000 requests of last month", [invoiceLine({ quantity: 9_000, period: LAST_MONTH })], 1],
    ["a line without a quantity", [invoiceLine({ quantity: null })], 1],
    ["nothing that it names", [], 1],
  ])("gives a flat reward for each item that it sells: %s", async (_, data, quantity) => {
    await offer(app, await makeReward(app, [{ amount: 5, flat_amount: true }]));
    await signUp({ uid: "cus_1" });
    expect(await tell("invoice.paid", invoice({ lines: { object: "list", data } }))).toBe("sale");
    const [sale] = await app.records.all("sale");
    expect(sale).toMatchObject({ quantity, plan_id: data.length === 0 ? null : "price_pro" });
    expect((await books()).earned).toBe(500 * quantity);
  });

  it.each([
    ["included", 8_000, 2_000, 1_000],
    ["excluded", 2_000, 8_000, 0],
  ])("of two products earns by the larger one, which is %s", async (_, included, excluded, earned) => {
    const price = (ext_id: string) => ({ name: ext_id, prices: [{ ext_id, desc: null }] });
    await app.v2("POST", "/products", price("price_pro"));
    await app.v2("POST", "/products", price("price_extra"));
    const nothing = await makeReward(app, [{ amount: 0 }]);
    await offer(
      app,
      { reward_id: await makeReward(app), apply_on: "specific", product_ids: [1] },
      { reward_id: nothing, apply_on: "specific", product_ids: [2] },
    );
    await signUp({ uid: "cus_1" });
    const data = [invoiceLine({ amount: included }), invoiceLine({ amount: excluded, ...ADD_ON })];
    expect(await tell("invoice.paid", invoice({ lines: { object: "list", data } }))).toBe("sale");
    expect(await books()).toMatchObject({ sales: [["in_1", 10_000, 0]], earned });
  });

  it("of someone whom nobody referred leaves nothing", async () => {
    expect(await tellStripe(app, stripeEvent("invoice.paid", invoice()))).toEqual({
      status: 200,
      body: IGNORED,
    });
    expect(await books()).toEqual(NOTHING);
  });
});

describe("a checkout", () => {
  it("makes the lead by client_reference_id, even after its invoice, which named nobody", async () => {
    await click();
    expect(await tell("invoice.paid", invoice())).toBe("ignored");
    expect(await tell("checkout.session.completed", session({ client_reference_id: TID }))).toBe("sale");
    expect(await tell("invoice.paid", invoice())).toBe("known");
    expect(await books()).toEqual({
      sales: [["in_1", 10_000, 0]],
      refunds: [],
      earned: 1_000,
      leads: [["sam@example.net", "cus_1", "active"]],
    });
  });

  it("finds the lead whose uid is the client_reference_id", async () => {
    await signUp({ uid: "user-7" });
    expect(await tell("checkout.session.completed", session({ client_reference_id: "user-7" }))).toBe("sale");
    expect((await books()).leads).toEqual([["sam@example.net", "user-7", "active"]]);
    // The next invoice names only the customer and another address.
    const next = invoice({ id: "in_2", customer_email: "other@example.net" });
    expect(await tell("invoice.paid", next)).toBe("sale");
  });

  it("that is not paid yet is a sign-up, and a sale when it is", async () => {
    await click();
    const waiting = session({ client_reference_id: TID, payment_status: "unpaid", invoice: null });
    expect(await tell("checkout.session.completed", waiting)).toBe("signup");
    const paid = { ...waiting, payment_status: "paid", payment_intent: "pi_1" };
    expect(await tell("checkout.session.async_payment_succeeded", paid)).toBe("sale");
    expect((await books()).sales).toEqual([["pi_1", 10_000, 0]]);
  });
});

describe("a charge without an invoice", () => {
  it("is a sale", async () => {
    await signUp({ uid: "cus_1" });
    expect(await tell("charge.succeeded", charge({ invoice: null }))).toBe("sale");
    expect(await books()).toMatchObject({ sales: [["ch_1", 12_000, 0]], earned: 1_200 });
  });

  it.each([
    ["its lead was erased", () => eraseLead(app, "1")],
    ["its promoter was blocked", () => app.v2("PUT", "/promoter_campaigns/1", { state: "blocked" })],
  ])("is known again after %s, without a customer", async (_, happen) => {
    await signUp({ email: "sam@example.net" });
    const paid = charge({ invoice: null, customer: null });
    expect(await tell("charge.succeeded", paid)).toBe("sale");
    await happen();
    expect(await tell("charge.succeeded", paid)).toBe("known");
    expect((await books()).sales).toEqual([["ch_1", 12_000, 0]]);
  });

  it("counts when it is captured", async () => {
    await signUp({ uid: "cus_1" });
    const held = charge({ invoice: null, captured: false });
    expect(await tell("charge.succeeded", held)).toBe("ignored");
    expect(await tell("charge.captured", { ...held, captured: true, amount_captured: 5_000 })).toBe("sale");
    expect((await books()).sales).toEqual([["ch_1", 5_000, 0]]);
  });

  it("is left out where only the API can tell that it has no invoice, and no key was given", async () => {
    await signUp({ uid: "cus_1" });
    expect(await tellStripe(app, stripeEvent("charge.succeeded", charge()))).toEqual({
      status: 200,
      body: {
        outcome: "ignored",
        reason: "Only the API knows whether an invoice has this charge; connect with a key",
      },
    });
  });
});

describe("a refund", () => {
  const refund = (from: number, to: number) =>
    outcomeOf(tellStripe(app, refundedFrom(from, to, { invoice: "in_1" })));

  it("in parts takes back each part's own amount, without tax, to the whole", async () => {
    await signUp({ uid: "cus_1" });
    await tell("invoice.paid", formerInvoice());
    expect(await refund(0, 3_001)).toBe("refund");
    expect(await refund(3_001, 3_002)).toBe("refund");
    expect(await refund(0, 3_001)).toBe("known");
    expect(await refund(3_002, 12_000)).toBe("refund");
    expect(await books()).toEqual({
      sales: [["in_1", 10_000, 10_000]],
      refunds: [
        ["ch_1:3001", 2_501],
        ["ch_1:3002", 1],
        ["ch_1:12000", 7_498],
      ],
      earned: 0,
      leads: [["Sam@example.net", "cus_1", "refunded"]],
    });
  });

  it("that comes before its sale waits for it, also out of order", async () => {
    await signUp({ uid: "cus_1" });
    expect(await refund(6_000, 12_000)).toBe("waiting");
    expect(await refund(0, 6_000)).toBe("waiting");
    expect(await refund(0, 6_000)).toBe("waiting");
    expect(await tell("invoice.paid", formerInvoice())).toBe("sale");
    expect(await refund(0, 6_000)).toBe("known");
    expect(await books()).toMatchObject({
      sales: [["in_1", 10_000, 10_000]],
      refunds: [
        ["ch_1:6000", 5_000],
        ["ch_1:12000", 5_000],
      ],
      earned: 0,
    });
  });

  it("that still waits, because the process died after the sale, is applied when Stripe repeats the sale", async () => {
    await signUp({ uid: "cus_1" });
    expect(await refund(0, 12_000)).toBe("waiting");
    await app.v1("/track/sale", { uid: "cus_1", event_id: "in_1", amount: "10000" });
    expect(await books()).toMatchObject({ sales: [["in_1", 10_000, 0]], earned: 1_000 });
    expect(await tell("invoice.paid", formerInvoice())).toBe("known");
    expect(await books()).toMatchObject({
      sales: [["in_1", 10_000, 10_000]],
      refunds: [["ch_1:12000", 10_000]],
      earned: 0,
    });
  });

  it("finds the sale by any object of its payment", async () => {
    await signUp({ uid: "cus_1" });
    await tell(
      "checkout.session.completed",
      session({ invoice: null, subscription: null, payment_intent: "pi_1" }),
    );
    expect(await outcomeOf(tellStripe(app, refundedFrom(0, 12_000)))).toBe("refund");
    expect(await books()).toMatchObject({ sales: [["pi_1", 10_000, 10_000]], earned: 0 });
  });

  it("finds the sale that the account sent itself under the provider's id", async () => {
    await signUp({ uid: "cus_1" });
    await app.v1("/track/sale", { uid: "cus_1", event_id: "ch_1", amount: "12000" });
    expect(await tell("charge.succeeded", charge({ invoice: null }))).toBe("known");
    expect(await outcomeOf(tellStripe(app, refundedFrom(0, 2_000)))).toBe("refund");
    expect(await books()).toMatchObject({ sales: [["ch_1", 12_000, 2_000]], earned: 1_000 });
  });

  it("is none of what was authorised and never captured", async () => {
    await signUp({ uid: "cus_1" });
    const captured = { invoice: null, amount_captured: 7_000 };
    await tell("charge.captured", charge({ ...captured, amount_refunded: 5_000 }));
    expect(await outcomeOf(tellStripe(app, refundedFrom(0, 5_000, captured)))).toBe("ignored");
    expect(await books()).toMatchObject({ sales: [["ch_1", 7_000, 0]], refunds: [], earned: 700 });
    expect(await outcomeOf(tellStripe(app, refundedFrom(5_000, 7_000, captured)))).toBe("refund");
    expect(await outcomeOf(tellStripe(app, refundedFrom(7_000, 12_000, captured)))).toBe("refund");
    expect(await books()).toMatchObject({
      sales: [["ch_1", 7_000, 7_000]],
      refunds: [
        ["ch_1:7000", 2_000],
        ["ch_1:12000", 5_000],
      ],
      earned: 0,
    });
  });

  it("is no inquiry of a bank, until the bank takes the money", async () => {
    await signUp({ uid: "cus_1" });
    await tell("charge.succeeded", charge({ invoice: null }));
    const begun = { created: SECONDS - 14 * 86_400 };
    const inquiry = dispute({ status: "warning_needs_response", ...begun });
    const ignored = {
      status: 200,
      body: { outcome: "ignored", reason: "The bank only inquires about the payment and took no money" },
    };
    const asked = stripeEvent("charge.dispute.created", inquiry, begun);
    expect(await tellStripe(app, asked)).toEqual(ignored);
    expect(await books()).toMatchObject({ sales: [["ch_1", 12_000, 0]], refunds: [], earned: 1_200 });
    expect(await tell("charge.dispute.funds_withdrawn", dispute(begun))).toBe("refund");
    expect(await tellStripe(app, asked)).toEqual(ignored);
    expect(await books()).toMatchObject({
      sales: [["ch_1", 12_000, 12_000]],
      refunds: [["du_1", 12_000]],
      earned: 0,
    });
    const [refund] = await app.records.all("refund");
    expect(refund!.created_at).toBe(new Date(SECONDS * 1_000).toISOString());
  });

  it("is taken back once for a dispute that two events tell of", async () => {
    await signUp({ uid: "cus_1" });
    await tell("charge.succeeded", charge({ invoice: null }));
    expect(await tell("charge.dispute.created", dispute({ amount: 6_000 }))).toBe("refund");
    expect(await tell("charge.dispute.funds_withdrawn", dispute({ amount: 6_000 }))).toBe("known");
    expect(await books()).toMatchObject({ sales: [["ch_1", 12_000, 6_000]], refunds: [["du_1", 6_000]] });
  });

  const won = (over: Record<string, unknown> = {}) =>
    tell("charge.dispute.funds_reinstated", dispute({ status: "won", ...over }));

  it("of a dispute that is won is given back once, with the same terms, and the lead is a customer again", async () => {
    await signUp({ uid: "cus_1" });
    await tell("charge.succeeded", charge({ invoice: null }));
    await outcomeOf(tellStripe(app, refundedFrom(0, 3_000, { invoice: null })));
    await tell("charge.dispute.created", dispute());
    expect(await books()).toMatchObject({ earned: 0, leads: [["sam@example.net", "cus_1", "refunded"]] });
    await offer(app, await makeReward(app, [{ amount: 50 }]));
    expect([await won(), await won()]).toEqual(["refund", "known"]);
    expect(await books()).toEqual({
      sales: [["ch_1", 12_000, 3_000]],
      refunds: [
        ["ch_1:3000", 3_000],
        ["du_1", 9_000],
        ["du_1:reinstated", -9_000],
      ],
      earned: 900,
      leads: [["sam@example.net", "cus_1", "active"]],
    });
    expect(await tell("charge.dispute.funds_withdrawn", dispute())).toBe("known");
  });

  it("of a dispute takes nothing if the bank's giving back was told first", async () => {
    await signUp({ uid: "cus_1" });
    expect(await won()).toBe("waiting");
    await tell("charge.succeeded", charge({ invoice: null }));
    expect([await won(), await tell("charge.dispute.created", dispute())]).toEqual(["known", "known"]);
    expect(await books()).toMatchObject({ sales: [["ch_1", 12_000, 0]], refunds: [], earned: 1_200 });
  });

  it("of a dispute stays taken back as far as the bank keeps the money", async () => {
    await signUp({ uid: "cus_1" });
    await tell("charge.succeeded", charge({ invoice: null }));
    await tell("charge.dispute.created", dispute());
    // In the currency in which the bank pays.
    expect(await won({ balance_transactions: [{ amount: -11_000 }, { amount: 2_750 }] })).toBe("refund");
    expect(await books()).toMatchObject({ sales: [["ch_1", 12_000, 9_000]], earned: 300 });
  });

  it("and a dispute together never take back more than the sale gave", async () => {
    await signUp({ uid: "cus_1" });
    await tell("charge.succeeded", charge({ invoice: null }));
    expect(await outcomeOf(tellStripe(app, refundedFrom(0, 2_000)))).toBe("refund");
    expect(await tell("charge.dispute.created", dispute())).toBe("refund");
    expect(await tell("charge.dispute.created", dispute())).toBe("known");
    expect(await books()).toMatchObject({
      sales: [["ch_1", 12_000, 12_000]],
      refunds: [
        ["ch_1:2000", 2_000],
        ["du_1", 10_000],
      ],
      earned: 0,
    });
  });
});

it("takes nothing back for a voided invoice, or for a credit note whose money goes another way", async () => {
  await signUp({ uid: "cus_1" });
  expect(await tell("invoice.paid", invoice())).toBe("sale");
  const paid = await books();
  const open = { id: "in_2", amount_paid: 0, status: "void" };
  expect(await tell("invoice.voided", invoice(open))).toBe("ignored");
  const note = { object: "credit_note", customer: "cus_1", invoice: "in_1", currency: "usd", refunds: [] };
  const outside = { ...note, id: "cn_1", amount: 12_000, total: 12_000, out_of_band_amount: 12_000 };
  expect(await tell("credit_note.created", outside)).toBe("ignored");
  const balance = {
    ...note,
    id: "cn_2",
    amount: 5_000,
    total: 5_000,
    customer_balance_transaction: "cbtxn_1",
  };
  expect(await tell("credit_note.created", balance)).toBe("ignored");
  expect(await books()).toEqual(paid);
  const refund = { email: "sam@example.net", event_id: "outside", sale_event_id: "in_1", amount: "10000" };
  expect((await app.v1("/track/refund", { ...refund, uid: "cus_1" })).status).toBe(200);
  expect((await books()).earned).toBe(0);
});

it("gives an erased customer no name again, and takes refunds back", async () => {
  await signUp({ email: "sam@example.net", uid: "user-7" });
  await tell("checkout.session.completed", session({ invoice: null, payment_intent: "pi_1" }));
  await eraseLead(app, "sam@example.net");
  expect(await tell("invoice.paid", invoice({ id: "in_2" }))).toBe("sale");
  expect(await outcomeOf(tellStripe(app, refundedFrom(0, 12_000)))).toBe("refund");
  expect(await booksOf(app)).toEqual({
    sales: [
      ["pi_1", 10_000, 10_000],
      ["in_2", 10_000, 0],
    ],
    refunds: [["ch_1:12000", 10_000]],
    earned: 1_000,
    leads: [["erased-1@erased.invalid", null, "active"]],
  });
  const [lead] = await app.records.all("lead");
  expect(lead?.subscription_id).toBeNull();
});

describe("the end of a subscription", () => {
  it("cancels the lead once, found by what it paid", async () => {
    await signUp({ email: "sam@example.net", uid: "user-7" });
    await tell("invoice.paid", invoice());
    expect(await tell("customer.subscription.deleted", subscription())).toBe("cancellation");
    const { body } = await app.v1("/leads/show", { uid: "user-7" });
    expect(body).toMatchObject({ state: "cancelled", cancelled_at: new Date(SECONDS * 1_000).toISOString() });
    expect(await tell("customer.subscription.deleted", subscription())).toBe("cancellation");
    expect(await tell("invoice.paid", invoice({ id: "in_2" }))).toBe("sale");
    expect((await books()).leads).toEqual([["sam@example.net", "user-7", "active"]]);
  });

  const gone = () => tellStripe(app, stripeEvent("customer.subscription.deleted", subscription()));
  const WAITING = {
    status: 200,
    body: { outcome: "waiting", reason: "Its first payment is not recorded, or not yet" },
  };
  const ENDED = { status: 200, body: { outcome: "cancellation", reason: null } };

  it("waits for the first payment, if it is told before it", async () => {
    await signUp({ email: "sam@example.net" });
    expect(await gone()).toEqual(WAITING);
    expect(await gone()).toEqual(WAITING);
    expect(await tell("invoice.paid", invoice())).toBe("sale");
    const { body } = await app.v1("/leads/show", { email: "sam@example.net" });
    expect(body).toMatchObject({ state: "cancelled", cancelled_at: new Date(SECONDS * 1_000).toISOString() });
    expect(await tell("invoice.payment_succeeded", invoice())).toBe("known");
    expect(await gone()).toEqual(ENDED);
    expect(await tell("invoice.paid", invoice({ id: "in_2" }))).toBe("sale");
    expect((await books()).leads).toEqual([["sam@example.net", "cus_1", "active"]]);
  });

  it.each(["before", "after"])("ends a trial, told %s the checkout that makes the lead", async (when) => {
    await click();
    const trial = session({
      client_reference_id: TID,
      amount_total: 0,
      payment_status: "no_payment_required",
    });
    if (when === "before") expect(await gone()).toEqual(WAITING);
    expect(await tell("checkout.session.completed", trial)).toBe("signup");
    if (when === "after") expect(await gone()).toEqual(ENDED);
    expect((await books()).leads).toEqual([["sam@example.net", "cus_1", "cancelled"]]);
  });

  it("leaves a lead active that has since paid for another subscription", async () => {
    await signUp({ email: "sam@example.net" });
    expect(await gone()).toEqual(WAITING);
    const later = { status_transitions: { paid_at: SECONDS + 60 } };
    const renewed = { ...invoice({ id: "in_2", ...later }), ...withDetails({}, "sub_2") };
    expect(await tell("invoice.paid", renewed)).toBe("sale");
    expect(await tell("invoice.paid", invoice())).toBe("sale");
    expect((await books()).leads).toEqual([["sam@example.net", "cus_1", "active"]]);
  });
});

describe("POST /hooks/stripe/{account}", () => {
  const refused = (status: number, error: string) => ({ status, body: { error } });
  const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
    const answer = await answerOf(await app.request(path, { method: "POST", body, headers }));
    return { status: answer.status, body: answer.body };
  };
  const BAD = refused(400, "The signature is not Stripe's for this account, or it is too old");

  it("refuses events that Stripe did not sign, or did not sign now", async () => {
    await signUp({ uid: "cus_1" });
    const event = stripeEvent("invoice.paid", invoice());
    expect(await post("/hooks/stripe/acme", JSON.stringify(event))).toEqual(BAD);
    const forged = { "stripe-signature": `t=${SECONDS},v1=${"0".repeat(64)}` };
    expect(await post("/hooks/stripe/acme", JSON.stringify(event), forged)).toEqual(BAD);
    expect(await tellStripe(app, event, SECONDS - 301)).toEqual(BAD);
    expect(await tellStripe(app, event, SECONDS - 300)).toMatchObject({ status: 200 });
  });

  it("answers 404 to an account that is unknown or not connected", async () => {
    expect(await post("/hooks/stripe/nobody", "{}")).toEqual(
      refused(404, "The account is not connected with stripe"),
    );
    expect(await post("/hooks/paddle/acme", "{}")).toEqual(
      refused(404, "The account is not connected with paddle"),
    );
  });

  it("takes a megabyte, and no more", async () => {
    const large = { ...invoice(), description: "x".repeat(900_000) };
    expect(await tell("invoice.paid", large)).toBe("ignored");
    expect(await post("/hooks/stripe/acme", "x".repeat(1_048_577))).toEqual(
      refused(413, "The body is larger than 1 MiB"),
    );
  });

  it("answers 200 to other events, and 400 to one that it can't read", async () => {
    expect(await tellStripe(app, stripeEvent("customer.deleted", { id: "cus_1" }))).toEqual({
      status: 200,
      body: { outcome: "ignored", reason: "Events of type customer.deleted do not count" },
    });
    // Every object of JavaScript has such properties.
    expect(await tellStripe(app, stripeEvent("constructor", { id: "cus_1" }))).toEqual({
      status: 200,
      body: { outcome: "ignored", reason: "Events of type constructor do not count" },
    });
    expect(await tellStripe(app, stripeEvent("invoice.paid", { id: 5 }))).toEqual(
      refused(400, "The event can't be read: id Invalid input: expected string, received number"),
    );
  });

  const AHEAD = "The event has a date more than five minutes after its signature";
  const EARLY = "The event has a date before 2000";
  const BEFORE_2000 = Date.UTC(2000) / 1_000 - 1;
  const fraction = (path: string) =>
    `The event can't be read: ${path} Invalid input: expected int, received number`;

  it.each<[string, object, string]>([
    [
      "an invoice of a fraction",
      stripeEvent("invoice.paid", invoice({ amount_paid: 0.5 })),
      fraction("amount_paid"),
    ],
    ["half a cent of tax", stripeEvent("invoice.paid", invoice({ total: 12_000.5 })), fraction("total")],
    [
      "half a piece",
      stripeEvent("invoice.paid", invoice({ lines: { data: [invoiceLine({ quantity: 1.5 })] } })),
      fraction("lines.data.0.quantity"),
    ],
    ["half a second", stripeEvent("invoice.paid", invoice({ created: SECONDS + 0.5 })), fraction("created")],
    [
      "a charge of a fraction",
      stripeEvent("charge.succeeded", charge({ invoice: null, amount_captured: 0.1 })),
      fraction("amount_captured"),
    ],
    ["a refund of a fraction", refundedFrom(0, 10.5, { invoice: null }), fraction("amount_refunded")],
    [
      "a refund from a fraction",
      refundedFrom(0.5, 10, { invoice: null }),
      fraction("previous_attributes.amount_refunded"),
    ],
    [
      "a dispute of a fraction",
      stripeEvent("charge.dispute.created", dispute({ amount: 1.25 })),
      fraction("amount"),
    ],
    [
      "a checkout of a fraction",
      stripeEvent("checkout.session.completed", session({ amount_total: 1.5 })),
      fraction("amount_total"),
    ],
    [
      "tax of a fraction",
      stripeEvent("checkout.session.completed", session({ total_details: { amount_tax: 1.5 } })),
      fraction("total_details.amount_tax"),
    ],
    [
      "a date of its own with a fraction",
      stripeEvent("invoice.paid", invoice(), { created: SECONDS + 0.5 }),
      "The event has no type, or no date in whole seconds",
    ],
    [
      "no date",
      stripeEvent("invoice.paid", invoice(), { created: undefined }),
      "The event has no type, or no date in whole seconds",
    ],
    ["a date ahead", stripeEvent("invoice.paid", invoice(), { created: SECONDS + 301 }), AHEAD],
    [
      "a payment ahead",
      stripeEvent("charge.succeeded", charge({ invoice: null, created: SECONDS + 301 })),
      AHEAD,
    ],
    [
      "a date that does not exist",
      stripeEvent("charge.refunded", charge({ invoice: null }), { created: 9e15 }),
      "The event has a date that does not exist",
    ],
    [
      "an end that does not exist",
      stripeEvent("customer.subscription.deleted", subscription({ ended_at: 9e15 })),
      "The event has a date that does not exist",
    ],
    ["a date before 2000", stripeEvent("invoice.paid", invoice(), { created: BEFORE_2000 }), EARLY],
    [
      "a payment before 2000",
      stripeEvent("checkout.session.completed", session({ created: BEFORE_2000 })),
      EARLY,
    ],
    [
      "an end before 2000",
      stripeEvent("customer.subscription.deleted", subscription({ ended_at: 0 })),
      EARLY,
    ],
  ])("answers 400 with a sentence to %s, and records nothing", async (_, event, error) => {
    await signUp({ uid: "cus_1" });
    const before = await books();
    expect(await tellStripe(app, event)).toEqual(refused(400, error));
    expect(await books()).toEqual(before);
  });

  it("takes an event that is repeated days later, with a new signature", async () => {
    await signUp({ uid: "cus_1" });
    const days = { created: SECONDS - 3 * 86_400 };
    const paid = invoice({ ...days, status_transitions: { paid_at: days.created } });
    expect(await tellStripe(app, stripeEvent("invoice.paid", paid, days))).toMatchObject({
      status: 200,
      body: { outcome: "sale" },
    });
    const ahead = invoice({ id: "in_2", status_transitions: { paid_at: SECONDS + 300 } });
    expect(await tell("invoice.paid", ahead)).toBe("sale");
  });

  it("is limited for each address", async () => {
    const limited = await startApp("memory", { hooks: 1 });
    await limited.request("/hooks/stripe/acme", { method: "POST", body: "" });
    const answer = await answerOf(await limited.request("/hooks/stripe/acme", { method: "POST", body: "" }));
    expect([answer.status, answer.body, answer.headers.get("retry-after")]).toEqual([
      429,
      { error: "Too many events from this address" },
      "60",
    ]);
    await limited.close();
  });

  it("needs the secret of its own account", async () => {
    await connectStripe(app, { secret: `${STRIPE_SECRET}2` });
    expect(await tellStripe(app, stripeEvent("invoice.paid", invoice()))).toEqual(BAD);
  });
});

function withDetails(metadata: Record<string, string>, subscription = "sub_1") {
  return { parent: { type: "subscription_details", subscription_details: { subscription, metadata } } };
}

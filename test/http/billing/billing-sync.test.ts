import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importEvents, syncBilling } from "../../../server/billing/sync.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import {
  accountOf,
  booksOf,
  connectStripe,
  NO_OUTCOMES,
  outcomeOf,
  tellStripe,
} from "../../support/billing.ts";
import { makeReward, offer } from "../../support/money.ts";
import { startProviderApi, type ProviderApi } from "../../support/provider-api.ts";
import { company, invalid, outcome } from "../../support/v2.ts";
import {
  SECONDS,
  charge,
  invoice,
  refundedFrom,
  session,
  stripeEvent,
  subscription,
} from "../../support/stripe-events.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const SINCE = new Date((SECONDS - 3_600) * 1_000);
const list = (data: unknown[], has_more = false) => ({ object: "list", data, has_more, url: "/" });

/** Newest first, as Stripe lists them, with a gap in the middle of a page. */
const EVENTS = [
  stripeEvent("customer.subscription.deleted", subscription({ ended_at: SECONDS + 60 })),
  refundedFrom(0, 6_000),
  stripeEvent(
    "charge.succeeded",
    charge({ id: "ch_9", payment_intent: "pi_9", amount: 500, amount_captured: 500 }),
  ),
  stripeEvent("charge.succeeded", charge()),
  stripeEvent("invoice.paid", invoice()),
  stripeEvent(
    "checkout.session.completed",
    session({ client_reference_id: TID, discounts: [{ promotion_code: "promo_1" }] }),
  ),
];

/** A checkout of a single payment. */
const BOUGHT = {
  id: "cs_5",
  mode: "payment",
  invoice: null,
  subscription: null,
  payment_intent: "pi_5",
  client_reference_id: TID,
};

/** An invoice whose subscription was begun with a promotion code, with its discount expanded. */
const DISCOUNTED = {
  id: "in_3",
  discounts: [{ id: "di_1", object: "discount", promotion_code: { id: "promo_1", code: "JANE10" } }],
};
/** An invoice with a discount, as events tell it. */
const discounted = (id: string, subscription: string) =>
  invoice({
    id,
    discounts: ["di_1"],
    parent: { type: "subscription_details", subscription_details: { subscription, metadata: {} } },
  });

let app: TestApp;
let api: ProviderApi;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await offer(app, await makeReward(app));
  await app.browser("/t/click", { tid: TID, ref_id: "jane", url: "https://www.acme.example/" });
  api = await startProviderApi({
    "/v1/events": (query) => {
      const at = EVENTS.findIndex(({ id }) => id === query.get("starting_after")) + 1;
      return list(EVENTS.slice(at, at + 4), at + 4 < EVENTS.length);
    },
    "/v1/invoice_payments": (query) => {
      const isOurs =
        (query.get("invoice") ?? "in_1") === "in_1" &&
        (query.get("payment[payment_intent]") ?? "pi_1") === "pi_1";
      const payment = { type: "payment_intent", payment_intent: "pi_1" };
      return list(isOurs ? [{ id: "inpay_1", object: "invoice_payment", invoice: "in_1", payment }] : []);
    },
    "/v1/checkout/sessions": (query) => {
      if (query.get("subscription") === "sub_4") return list([session({ id: "cs_4", invoice: "in_4" })]);
      return list(query.get("payment_intent") === "pi_5" ? [session(BOUGHT)] : []);
    },
    "/v1/checkout/sessions/cs_5/line_items": () =>
      list([
        { id: "li_1", object: "item", amount_total: 900, price: { id: "price_extra" }, quantity: 9 },
        { id: "li_2", object: "item", amount_total: 11_100, price: { id: "price_5" }, quantity: 3 },
      ]),
    "/v1/invoices/in_1": () => invoice(),
    "/v1/invoices/in_3": (query) =>
      query.getAll("expand[0]").includes("discounts.promotion_code") ? invoice(DISCOUNTED) : invoice(),
    "/v1/promotion_codes/promo_0": () => ({ id: "promo_0", object: "promotion_code", code: "SUMMER" }),
    "/v1/promotion_codes/promo_1": () => ({ id: "promo_1", object: "promotion_code", code: "JANE10" }),
    "/v1/customers/cus_1": () => ({
      id: "cus_1",
      object: "customer",
      email: "sam@example.net",
      metadata: { fp_uid: "user-7" },
    }),
    "/v1/customers": () => list([{ id: "cus_1", object: "customer" }]),
    "/v1/invoices": () =>
      list([invoice({ id: "in_2", created: SECONDS + 60, status_transitions: {} }), invoice()]),
    "/v1/charges": () => list([charge({ amount_refunded: 6_000 })]),
    "/v1/refunds": () =>
      list([
        { id: "re_2", object: "refund", amount: 1_000, status: "succeeded", created: SECONDS + 20 },
        { id: "re_x", object: "refund", amount: 9_000, status: "failed", created: SECONDS + 15 },
        { id: "re_1", object: "refund", amount: 5_000, status: "succeeded", created: SECONDS + 10 },
      ]),
  });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await api.close();
  await app.close();
});

const connect = () => connectStripe(app, { apiKey: "rk_live_1", api_url: api.url });

describe("a sync with Stripe", () => {
  const since = SINCE.toISOString();
  const sync = (body: object) => outcome(company(app, "POST /billing/sync", body));

  it("is an operation, too, which needs a connection with an API key and a recent time", async () => {
    expect(await sync({ provider: "stripe", since })).toEqual({
      status: 404,
      body: { message: "The account is not connected with stripe", code: "not_found" },
    });
    await connect();
    expect(await sync({ provider: "stripe", since })).toEqual({
      status: 200,
      body: {
        events: 6,
        outcomes: { ...NO_OUTCOMES, sale: 2, refund: 1, cancellation: 1, known: 1, ignored: 1 },
        faults: [],
      },
    });
    expect(await sync({ provider: "stripe", since: "2020-01-01" })).toEqual(
      invalid({ since: ["is more than 30 days ago"] }),
    );
    await connectStripe(app, { apiKey: null });
    expect((await sync({ provider: "stripe", since })).status).toBe(422);
  });

  it("records what was missed, the oldest first, and says what it found", async () => {
    const connection = await connect();
    const account = await accountOf(app);
    expect(await syncBilling(app.context, account, { connection, since: SINCE })).toEqual({
      events: 6,
      outcomes: { ...NO_OUTCOMES, sale: 2, refund: 1, cancellation: 1, known: 1, ignored: 1 },
      faults: [],
    });
    const books = {
      sales: [
        ["in_1", 10_000, 5_000],
        ["ch_9", 500, 0],
      ],
      refunds: [["ch_1:6000", 5_000]],
      earned: 550,
      // The customer's own metadata gave the uid.
      leads: [["sam@example.net", "user-7", "cancelled"]],
    };
    expect(await booksOf(app)).toEqual(books);
    const first = api.asked.find((request) => request.includes("/v1/events")) ?? "";
    expect(new URL(first.slice(4), api.url).searchParams.get("created[gte]")).toBe(String(SECONDS - 3_600));
    expect(await syncBilling(app.context, account, { connection, since: SINCE })).toMatchObject({
      events: 6,
      outcomes: { ...NO_OUTCOMES, cancellation: 1, known: 4, ignored: 1 },
    });
    expect(await booksOf(app)).toEqual(books);
  });

  it("adds what it read to the list of events, once, with what became of each", async () => {
    const connection = await connect();
    const account = await accountOf(app);
    const listed = async () => {
      const { body } = await company(app, "GET /billing/events");
      return (body as { type: string; outcome: string; arrivals: number }[])
        .map(({ type, outcome: became, arrivals }) => [type, became, arrivals])
        .toSorted();
    };
    await syncBilling(app.context, account, { connection, since: SINCE });
    const lines = [
      ["charge.refunded", "refund", 1],
      ["charge.succeeded", "ignored", 1],
      ["charge.succeeded", "sale", 1],
      ["checkout.session.completed", "sale", 1],
      ["customer.subscription.deleted", "cancellation", 1],
      ["invoice.paid", "known", 1],
    ];
    expect(await listed()).toEqual(lines);
    await syncBilling(app.context, account, { connection, since: SINCE });
    expect(await listed()).toEqual(lines);
  });

  it("counts nothing again that the endpoint took", async () => {
    const connection = await connect();
    const taken = [];
    for (const event of EVENTS) taken.push(await outcomeOf(tellStripe(app, event)));
    expect(taken).toEqual(["waiting", "waiting", "ignored", "ignored", "ignored", "sale"]);
    expect((await booksOf(app)).refunds).toEqual([["ch_1:6000", 5_000]]);
    await syncBilling(app.context, await accountOf(app), { connection, since: SINCE });
    expect(await booksOf(app)).toMatchObject({
      sales: [
        ["in_1", 10_000, 5_000],
        ["ch_9", 500, 0],
      ],
      refunds: [["ch_1:6000", 5_000]],
      earned: 550,
      leads: [["sam@example.net", "user-7", "cancelled"]],
    });
  });

  it("names events that can't be recorded, and goes on", async () => {
    const connection = await connect();
    await app.v1("/track/signup", { uid: "cus_1", ref_id: "jane" });
    const strange = [
      stripeEvent("invoice.paid", invoice({ id: "in_3", currency: "eur" })),
      stripeEvent("invoice.paid", { id: 4 }),
    ];
    EVENTS.push(...strange);
    const synced = await syncBilling(app.context, await accountOf(app), { connection, since: SINCE });
    EVENTS.splice(-strange.length);
    expect(synced).toMatchObject({
      events: 8,
      outcomes: { waiting: 1 },
      faults: ["The event can't be read: id Invalid input: expected string, received number"],
    });
    expect((await booksOf(app)).sales).toHaveLength(2);
  });

  it("stops with Stripe's own reason", async () => {
    const connection = { ...(await connect()), api_url: `${api.url}` };
    await api.close();
    const other = await startProviderApi({});
    const refused = syncBilling(app.context, await accountOf(app), {
      connection: { ...connection, api_url: other.url },
      since: SINCE,
    });
    await expect(refused).rejects.toMatchObject({
      kind: "refused",
      message: "Stripe's API refused: No /v1/events",
    });
    await other.close();
    api = await startProviderApi({});
  });
});

describe("an event with an API key", () => {
  it.each([
    ["the charge first", ["charge", "checkout"]],
    ["the checkout first", ["checkout", "charge"]],
  ])("tells of a checkout's payment the same, %s", async (_, order) => {
    await connect();
    const events: Record<string, object> = {
      charge: stripeEvent("charge.succeeded", charge({ id: "ch_5", payment_intent: "pi_5" })),
      checkout: stripeEvent("checkout.session.completed", session(BOUGHT)),
    };
    const told = [];
    for (const name of order) told.push(await outcomeOf(tellStripe(app, events[name]!)));
    expect(told).toEqual(["sale", "known"]);
    expect((await booksOf(app)).sales).toEqual([["pi_5", 10_000, 0]]);
    const [sale] = await app.records.all("sale");
    expect(sale).toMatchObject({ plan_id: "price_5", quantity: 3, billing_period: "one_time" });
  });

  it("finds the lead by the customer's metadata", async () => {
    await connect();
    await app.v1("/track/signup", { uid: "user-7", ref_id: "jane" });
    const nameless = invoice({ customer_email: null });
    expect(await outcomeOf(tellStripe(app, stripeEvent("invoice.paid", nameless)))).toBe("sale");
    expect((await booksOf(app)).leads).toEqual([["sam@example.net", "user-7", "active"]]);
  });

  const makeCode = async () => {
    const code = { code: "JANE10", reward_id: 1, promoter_campaign_id: 1 };
    expect((await app.v2("POST", "/promo_codes", code)).status).toBe(200);
  };

  it("makes the lead by the promotion code of an invoice without a checkout", async () => {
    await connect();
    await makeCode();
    expect(await outcomeOf(tellStripe(app, stripeEvent("invoice.paid", discounted("in_3", "sub_3"))))).toBe(
      "sale",
    );
    expect(await booksOf(app)).toMatchObject({
      sales: [["in_3", 10_000, 0]],
      leads: [["Sam@example.net", "user-7", "active"]],
    });
  });

  it("leaves the promotion code to the checkout, which also knows the visit", async () => {
    await connect();
    await makeCode();
    expect(await tellStripe(app, stripeEvent("invoice.paid", discounted("in_4", "sub_4")))).toEqual({
      status: 200,
      body: { outcome: "ignored", reason: "This customer was not referred" },
    });
    expect((await booksOf(app)).sales).toEqual([]);
  });

  it.each([
    ["promotion code", ["promo_1"]],
    ["promotion code after another one, which is nobody's", ["promo_0", "promo_1"]],
  ])("makes the lead by a promoter's %s", async (_, codes) => {
    await connect();
    await makeCode();
    const discounts = codes.map((promotion_code) => ({ coupon: null, promotion_code }));
    const bought = session({ discounts });
    expect(await outcomeOf(tellStripe(app, stripeEvent("checkout.session.completed", bought)))).toBe("sale");
    expect(await booksOf(app)).toMatchObject({
      sales: [["in_1", 10_000, 0]],
      leads: [["sam@example.net", "user-7", "active"]],
    });
  });

  it("is sent again by Stripe if the API refuses", async () => {
    await connectStripe(app, { apiKey: "rk_live_1", api_url: `${api.url}` });
    const other = stripeEvent("checkout.session.completed", session({ invoice: "in_404" }));
    expect(await tellStripe(app, other)).toEqual({
      status: 422,
      body: { error: "Stripe's API refused: No /v1/invoices/in_404" },
    });
  });
});

describe("the import of a lead's events", () => {
  const importOf = async () => {
    const [lead] = await app.records.all("lead");
    return importEvents(app.context, await accountOf(app), lead!);
  };

  it.each([{ uid: "cus_1" }, { email: "sam@example.net" }])(
    "records its payments and refunds: %o",
    async (names) => {
      await connect();
      await app.v1("/track/signup", { ref_id: "jane", ...names });
      expect(await importOf()).toEqual({
        events: 4,
        outcomes: { ...NO_OUTCOMES, sale: 2, refund: 2 },
        faults: [],
      });
      const books = {
        sales: [
          ["in_1", 10_000, 5_000],
          ["in_2", 10_000, 0],
        ],
        refunds: [
          ["ch_1:5000", 4_167],
          ["ch_1:6000", 833],
        ],
        earned: 1_500,
      };
      expect(await booksOf(app)).toMatchObject(books);
      expect(await importOf()).toEqual({ events: 4, outcomes: { ...NO_OUTCOMES, known: 4 }, faults: [] });
      expect(await outcomeOf(tellStripe(app, refundedFrom(5_000, 6_000)))).toBe("known");
      expect(await booksOf(app)).toMatchObject(books);
    },
  );

  it("is a batch in V2", async () => {
    await connect();
    await app.v1("/track/signup", { ref_id: "jane", uid: "cus_1" });
    expect(await outcome(company(app, "POST /referrals/1/import_events"))).toEqual({
      status: 202,
      body: {
        id: 1,
        status: "completed",
        total: 4,
        selected_total: 4,
        processed_count: 4,
        failed_count: 0,
        action_label: "referral/import_events",
        created_at: NOW,
        updated_at: NOW,
        meta: {},
        progress: 100,
        processing_errors: [],
      },
    });
    expect((await booksOf(app)).sales).toHaveLength(2);
  });

  it("is refused without a connection, and without an API key", async () => {
    await app.v1("/track/signup", { ref_id: "jane", uid: "cus_1" });
    await expect(importOf()).rejects.toMatchObject({
      kind: "refused",
      message: "No billing provider is connected",
    });
    await connectStripe(app);
    await expect(importOf()).rejects.toMatchObject({
      kind: "refused",
      message: "The connection with Stripe has no API key; connect again with one",
    });
  });
});

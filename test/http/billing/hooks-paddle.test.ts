import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importEvents, syncBilling } from "../../../server/billing/sync.ts";
import { NOW, answerOf, startApp, type TestApp } from "../../support/app.ts";
import {
  accountOf,
  booksOf,
  connectPaddle,
  NO_OUTCOMES,
  outcomeOf,
  tellPaddle,
} from "../../support/billing.ts";
import { makeReward, offer } from "../../support/money.ts";
import { adjustment, canceledSubscription, paddleEvent, transaction } from "../../support/paddle-events.ts";
import { startProviderApi } from "../../support/provider-api.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  await offer(app, await makeReward(app));
  await connectPaddle(app);
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const signUp = (params: Record<string, string>) => app.v1("/track/signup", { ref_id: "jane", ...params });
const tell = (type: string, data: Record<string, unknown>) =>
  outcomeOf(tellPaddle(app, paddleEvent(type, data)));
const books = () => booksOf(app);

it("records a completed transaction once, without tax", async () => {
  await signUp({ uid: "ctm_1" });
  expect(await tell("transaction.completed", transaction())).toBe("sale");
  expect(await tell("transaction.completed", transaction())).toBe("known");
  const [sale] = await app.records.all("sale");
  expect(sale).toMatchObject({
    event_id: "txn_1",
    amount_cents: 10_000,
    plan_id: "pri_1",
    billing_period: "monthly",
    created_at: NOW,
  });
  expect(await books()).toMatchObject({ earned: 1_000, leads: [[null, "ctm_1", "active"]] });
});

it("gives a flat reward for each item of the price that costs most", async () => {
  await offer(app, await makeReward(app, [{ amount: 5, flat_amount: true }]));
  await signUp({ uid: "ctm_1" });
  const [pro] = transaction().items;
  const price = { ...pro!.price, id: "pri_extra", unit_price: { amount: "100", currency_code: "USD" } };
  const items = [
    { ...pro, price, quantity: 20 },
    { ...pro, quantity: 4 },
  ];
  expect(await tell("transaction.completed", transaction({ items }))).toBe("sale");
  const [sale] = await app.records.all("sale");
  expect(sale).toMatchObject({ plan_id: "pri_1", quantity: 4, billing_period: "monthly" });
  expect((await books()).earned).toBe(2_000);
});

it("finds the lead by custom data, and makes that of a visit", async () => {
  await signUp({ uid: "user-7" });
  await app.browser("/t/click", { tid: TID, ref_id: "jane", url: "https://www.acme.example/" });
  expect(await tell("transaction.completed", transaction({ custom_data: { svc_uid: "user-7" } }))).toBe(
    "sale",
  );
  const other = transaction({
    id: "txn_2",
    customer_id: "ctm_2",
    subscription_id: "sub_2",
    custom_data: { svc_tid: TID, seats: 3 },
  });
  expect(await tell("transaction.completed", other)).toBe("sale");
  expect((await books()).leads).toEqual([
    [null, "user-7", "active"],
    [null, "ctm_2", "active"],
  ]);
});

it("counts what was paid beside credit, and takes nothing for a sign-up", async () => {
  await app.browser("/t/click", { tid: TID, ref_id: "jane", url: "https://www.acme.example/" });
  const free = { subtotal: "0", tax: "0", total: "0", grand_total: "0", grand_total_tax: "0" };
  const trial = transaction({ custom_data: { tid: TID } }, free);
  expect(await tell("transaction.completed", trial)).toBe("signup");
  const partly = transaction(
    { id: "txn_2" },
    { credit: "5950", grand_total: "5950", grand_total_tax: "950" },
  );
  expect(await tell("transaction.completed", partly)).toBe("sale");
  expect(await books()).toMatchObject({ sales: [["txn_2", 5_000, 0]] });
});

it("counts what a discount left, and refunds a part of that", async () => {
  await signUp({ uid: "ctm_1" });
  const discounted = { discount: "2000", tax: "1520", total: "9520", grand_total: "9520" };
  expect(await tell("transaction.completed", transaction({ discount_id: "dsc_1" }, discounted))).toBe("sale");
  // The subtotal of half the sale, before its discount.
  const half = { subtotal: "5000", tax: "760", total: "4760" };
  expect(await tell("adjustment.updated", adjustment({}, half))).toBe("refund");
  expect(await books()).toMatchObject({ sales: [["txn_1", 8_000, 4_000]], earned: 400 });
});

it("records approved refunds and chargebacks once, also before their sale", async () => {
  await signUp({ uid: "ctm_1" });
  expect(await tell("adjustment.created", adjustment({ status: "pending_approval" }))).toBe("ignored");
  expect(await tell("adjustment.updated", adjustment())).toBe("waiting");
  expect(await tell("transaction.completed", transaction())).toBe("sale");
  expect(await tell("adjustment.updated", adjustment())).toBe("known");
  expect(await tell("adjustment.created", adjustment({ id: "adj_2", action: "credit" }))).toBe("ignored");
  expect(await tell("adjustment.updated", adjustment({ id: "adj_3", status: "rejected" }))).toBe("ignored");
  const chargeback = adjustment({ id: "adj_4", action: "chargeback" }, { subtotal: "10000", total: "11900" });
  expect(await tell("adjustment.created", chargeback)).toBe("refund");
  expect(await books()).toEqual({
    sales: [["txn_1", 10_000, 10_000]],
    refunds: [
      ["adj_1", 4_000],
      ["adj_4", 6_000],
    ],
    earned: 0,
    leads: [[null, "ctm_1", "refunded"]],
  });
});

it.each([
  ["chargeback", "chargeback_reverse"],
  ["chargeback_reverse", "chargeback"],
])("gives back once what a chargeback took, told in the order %s, %s", async (...actions) => {
  await signUp({ uid: "ctm_1" });
  await tell("transaction.completed", transaction());
  await tell("adjustment.updated", adjustment());
  const whole = { tax: "1900", total: "11900" };
  for (const action of [...actions, ...actions])
    await tell("adjustment.created", adjustment({ id: `adj_${action}`, action }, whole));
  const reversed = adjustment({ id: "adj_chargeback", action: "chargeback", status: "reversed" }, whole);
  expect(await tell("adjustment.updated", reversed)).toBe("known");
  expect(await books()).toMatchObject({
    sales: [["txn_1", 10_000, 4_000]],
    earned: 600,
    leads: [[null, "ctm_1", "active"]],
  });
});

it("ignores other events, also those named like a property of every object", async () => {
  for (const type of ["address.updated", "constructor", "toString"]) {
    expect(await tellPaddle(app, paddleEvent(type, transaction()))).toEqual({
      status: 200,
      body: { outcome: "ignored", reason: `Events of type ${type} do not count` },
    });
  }
});

it("cancels the lead of a cancelled subscription", async () => {
  await signUp({ uid: "user-7" });
  await tell("transaction.completed", transaction({ custom_data: { svc_uid: "user-7" } }));
  expect(await tell("subscription.canceled", canceledSubscription())).toBe("cancellation");
  expect((await books()).leads).toEqual([[null, "user-7", "cancelled"]]);
});

it.each(["before", "after"])(
  "cancels the lead of a subscription, told %s its first payment",
  async (when) => {
    await app.browser("/t/click", { tid: TID, ref_id: "jane", url: "https://www.acme.example/" });
    const paid = transaction({ custom_data: { svc_tid: TID } });
    if (when === "before")
      expect(await tell("subscription.canceled", canceledSubscription())).toBe("waiting");
    expect(await tell("transaction.completed", paid)).toBe("sale");
    if (when === "after")
      expect(await tell("subscription.canceled", canceledSubscription())).toBe("cancellation");
    expect((await books()).leads).toEqual([[null, "ctm_1", "cancelled"]]);
    expect(await tell("transaction.completed", paid)).toBe("known");
    expect((await books()).leads).toEqual([[null, "ctm_1", "cancelled"]]);
  },
);

it("refuses events that Paddle did not sign, or did not sign now", async () => {
  const event = paddleEvent("transaction.completed", transaction());
  const refused = {
    status: 400,
    body: { error: "The signature is not Paddle's for this account, or it is too old" },
  };
  const unsigned = await answerOf(await app.request("/hooks/paddle/acme", { method: "POST", body: "{}" }));
  expect({ status: unsigned.status, body: unsigned.body }).toEqual(refused);
  expect(await tellPaddle(app, event, 60)).toEqual(refused);
  await connectPaddle(app, { secret: "pdl_ntfset_other" });
  expect(await tellPaddle(app, event)).toEqual(refused);
});

const AMOUNT = "must be a whole number in the currency's minor unit";
const LATE = new Date(Date.now() + 600_000).toISOString();

it.each<[string, object, string]>([
  [
    "a total with a fraction",
    paddleEvent("transaction.completed", transaction({}, { grand_total: "119.5" })),
    `The event can't be read: details.totals.grandTotal ${AMOUNT}`,
  ],
  [
    "a total that is no number",
    paddleEvent("transaction.completed", transaction({}, { tax: "much" })),
    `The event can't be read: details.totals.tax ${AMOUNT}`,
  ],
  [
    "a refund with a fraction",
    paddleEvent("adjustment.updated", adjustment({}, { total: "47.6" })),
    `The event can't be read: totals.total ${AMOUNT}`,
  ],
  [
    "a date that is none",
    paddleEvent("transaction.completed", transaction({ billed_at: "soon" })),
    "The event can't be read: billedAt must be a date",
  ],
  [
    "a date ahead",
    paddleEvent("transaction.completed", transaction({ billed_at: LATE })),
    "The event has a date more than five minutes after its signature",
  ],
  [
    "a date before 2000",
    paddleEvent("transaction.completed", transaction({ billed_at: "1999-12-31T23:59:59Z" })),
    "The event has a date before 2000",
  ],
  [
    "a refund before 2000",
    { ...paddleEvent("adjustment.updated", adjustment()), occurred_at: "1999-12-31T23:59:59Z" },
    "The event has a date before 2000",
  ],
  [
    "an end that is no date",
    paddleEvent("subscription.canceled", canceledSubscription({ canceled_at: "soon" })),
    "The event can't be read: canceledAt must be a date",
  ],
  [
    "an event without its items",
    paddleEvent("transaction.completed", transaction({ items: null })),
    "The event can't be read: a field of its type is missing",
  ],
])("answers 400 with a sentence to %s, and records nothing", async (_, event, error) => {
  await signUp({ uid: "ctm_1" });
  const before = await books();
  expect(await tellPaddle(app, event)).toEqual({ status: 400, body: { error } });
  expect(await books()).toEqual(before);
});

describe("with an API key", () => {
  const customer = {
    id: "ctm_1",
    name: "Sam",
    email: "sam@example.net",
    custom_data: null,
    status: "active",
  };
  const page = (data: unknown[]) => ({
    data,
    meta: { pagination: { per_page: 200, has_more: false, next: "" } },
  });
  const events = [
    paddleEvent("adjustment.updated", adjustment()),
    paddleEvent("address.updated", { id: "add_1" }),
    paddleEvent("transaction.completed", transaction()),
    {
      ...paddleEvent("transaction.completed", transaction({ id: "txn_0" })),
      occurred_at: "2026-01-01T00:00:00Z",
    },
  ];

  it("makes the lead of a promoter's discount code", async () => {
    const discount = { id: "dsc_1", code: "JANE10", type: "percentage", amount: "10", status: "active" };
    const api = await startProviderApi({
      "/customers/ctm_1": () => ({ data: customer }),
      "/discounts/dsc_1": () => ({ data: discount }),
    });
    await connectPaddle(app, { apiKey: "pdl_sdbx_apikey_1", api_url: api.url });
    const bought = transaction({ discount_id: "dsc_1" });
    await app.v2("POST", "/promo_codes", { code: "JANE10", reward_id: 1, promoter_campaign_id: 1 });
    expect(await tell("transaction.completed", bought)).toBe("sale");
    expect(await books()).toMatchObject({ earned: 1_000, leads: [["sam@example.net", "ctm_1", "active"]] });
    await api.close();
  });

  it("finds leads by e-mail address, syncs, and imports a lead's events, each once", async () => {
    const api = await startProviderApi({
      "/customers/ctm_1": () => ({ data: customer }),
      "/customers": () => page([customer]),
      "/events": () => page(events),
      "/transactions": () => page([transaction({ id: "txn_0" }), transaction()]),
      "/adjustments": () => page([adjustment()]),
    });
    const connection = await connectPaddle(app, { apiKey: "pdl_sdbx_apikey_1", api_url: api.url });
    const account = await accountOf(app);
    await signUp({ email: "sam@example.net" });
    expect(await syncBilling(app.context, account, { connection, since: new Date("2026-03-01") })).toEqual({
      events: 3,
      outcomes: { ...NO_OUTCOMES, sale: 1, refund: 1, ignored: 1 },
      faults: [],
    });
    const [lead] = await app.records.all("lead");
    expect(await importEvents(app.context, account, lead!)).toEqual({
      events: 3,
      outcomes: { ...NO_OUTCOMES, sale: 1, known: 2 },
      faults: [],
    });
    expect(await books()).toEqual({
      sales: [
        ["txn_1", 10_000, 4_000],
        ["txn_0", 10_000, 0],
      ],
      refunds: [["adj_1", 4_000]],
      earned: 1_600,
      leads: [["sam@example.net", "ctm_1", "active"]],
    });
    await api.close();
  });
});

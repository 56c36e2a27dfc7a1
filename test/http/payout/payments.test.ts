import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { runPaymentJob, connectPaypal } from "../../support/payments.ts";
import { startPaypalApi, type PaypalApi } from "../../support/paypal-api.ts";
import { addPayout, addPromoter, changeAccount, movePayout, selectMethod } from "../../support/payouts.ts";
import { addUser, callAs } from "../../support/users.ts";
import { signedInBrowser } from "../../support/portal.ts";
import { company, outcome } from "../../support/v2.ts";

const UUID = expect.stringMatching(/^[\da-f-]{36}$/) as string;
const PLAN = {
  provider: "paypal",
  providers: ["paypal"],
  currency: "USD",
  total: 36_000,
  balance: null,
  fee_estimate: null,
  to_pay: [
    { promoter_id: 1, name: "Jane Doe", payee: "jane@wallet.example", amount: 24_000, payout_ids: [1, 2] },
    { promoter_id: 2, name: "joe@example.com", payee: "joe@wallet.example", amount: 12_000, payout_ids: [3] },
  ],
  left_out: [],
  approval: {
    is_required: false,
    made_by: null,
    made_at: NOW,
    approved_by: null,
    approved_at: null,
    not_approvable_because: "Only a user with a second factor can approve a payments batch",
    not_sendable_because: null,
  },
};
const PAYMENT = {
  id: 1,
  payer: "paypal",
  state: "asked",
  steps: [
    { state: "intent", at: NOW },
    { state: "asked", at: NOW },
  ],
  payments_batch_id: 1,
  promoter_id: 1,
  payout_ids: [1, 2],
  amount: 24_000,
  currency: "USD",
  fee: null,
  reference: UUID,
  ext_id: null,
  error: null,
  needs_decision: null,
  created_at: NOW,
};

let app: TestApp;
let paypal: PaypalApi;
beforeEach(async () => {
  app = await startApp();
  paypal = await startPaypalApi(() => app.services.clock());
  const account = await changeAccount(app.context, app.account_id, {});
  const jane = await addPromoter(app.context, account, {
    email: "jane@example.com",
    first_name: "Jane",
    last_name: "Doe",
  });
  const joe = await addPromoter(app.context, account, { email: "joe@example.com" });
  await selectMethod(app.context, jane, {
    method: "paypal",
    details: { wallet_email: "jane@wallet.example" },
  });
  await selectMethod(app.context, joe, { method: "paypal", details: { wallet_email: "joe@wallet.example" } });
  await addPayout(app.context, jane);
  await addPayout(app.context, jane);
  await addPayout(app.context, joe);
  await company(app, "POST /payouts/create_payments_batch", { method: "paypal" });
});
afterEach(async () => {
  await paypal.close();
  await app.close();
  expect(app.bugs).toEqual([]);
});

const booked = async () =>
  ((await company(app, "GET /books")).body as { meta: { total: object } }).meta.total;
const send = (body: object = {}) => outcome(company(app, "POST /payments_batches/1/send", body));
const list = async (query = "") =>
  (await app.v2("GET", `/payments?${query}`)).body as Record<string, unknown>[];
const shown = async () => (await list()).map(({ state, payout_ids: ids }) => [state, ids]);
const statuses = async () =>
  ((await app.v2("GET", "/payouts")).body as Record<string, unknown>[]).map(({ status }) => status);
const settle = async (nth: number, status: Parameters<PaypalApi["settle"]>[1]) => {
  const { body, headers } = paypal.settle(paypal.items()[nth]!, status);
  return app.request("/hooks/payments/paypal/acme", { method: "POST", body, headers });
};

describe("sending a payments batch", () => {
  beforeEach(() => connectPaypal(app, paypal));

  it("shows who would get what, and sends nothing", async () => {
    expect(await outcome(company(app, "GET /payments_batches/1/plan"))).toEqual({ status: 200, body: PLAN });
    expect([paypal.postings, await list(), await statuses()]).toEqual([
      0,
      [],
      ["pending", "pending", "pending"],
    ]);
  });

  it("writes the payments down, pays each promoter once, and follows PayPal", async () => {
    expect(await send()).toEqual({ status: 200, body: PLAN });
    expect(await shown()).toEqual([
      ["intent", [3]],
      ["intent", [1, 2]],
    ]);
    await runPaymentJob(app);
    expect((await list()).at(-1)).toEqual(PAYMENT);
    expect(paypal.items().map(({ receiver, value, currency }) => [receiver, value, currency])).toEqual([
      ["jane@wallet.example", "240.00", "USD"],
      ["joe@wallet.example", "120.00", "USD"],
    ]);
    expect(await statuses()).toEqual(["processing", "processing", "processing"]);
    const told = await settle(0, "SUCCESS");
    expect([told.status, await told.json()]).toEqual([200, { result: "asked" }]);
    await settle(1, "UNCLAIMED");
    expect(await statuses()).toEqual(["completed", "completed", "processing"]);
    expect((await list()).at(-1)).toEqual({
      ...PAYMENT,
      state: "confirmed",
      steps: [...PAYMENT.steps, { state: "confirmed", at: NOW }],
      fee: 25,
      ext_id: "B1-1",
    });
    expect(await booked()).toMatchObject({ paid: 20_000, returned: 0, tax: 4_000, fees: 50 });
    await settle(0, "REVERSED");
    await settle(1, "RETURNED");
    expect(await booked()).toMatchObject({ paid: 20_000, returned: 20_000, tax: 0, fees: 50, closing: 0 });
    expect(await shown()).toEqual([
      ["returned", [3]],
      ["returned", [1, 2]],
    ]);
    expect(await statuses()).toEqual(["failed", "failed", "failed"]);
    const [batch] = (await app.v2("GET", "/payments_batches")).body as Record<string, unknown>[];
    expect(batch).toMatchObject({ status: "failed", error: "3 of its payouts failed", is_retriable: true });
  });

  it("pays once, however often it is called", async () => {
    await Promise.all([send(), send(), send()]);
    await Promise.all([runPaymentJob(app), runPaymentJob(app)]);
    expect((await send()).body).toEqual({ ...PLAN, total: 0, to_pay: [] });
    await runPaymentJob(app);
    expect([paypal.postings, paypal.items().length]).toEqual([1, 2]);
  });

  it.each(["paid, then 500", "paid, answer lost", "paid, then a page", "503", "request lost"] as const)(
    "asks again after “%s”, and pays once",
    async (fault) => {
      paypal.fail(fault);
      await send();
      await runPaymentJob(app);
      expect(await statuses()).toEqual(["processing", "processing", "processing"]);
      app.setNow("2026-03-04T05:08:07.890Z");
      await runPaymentJob(app);
      for (const item of paypal.items()) paypal.settle(item, "SUCCESS");
      app.setNow("2026-03-04T05:20:00.000Z");
      await runPaymentJob(app);
      expect([paypal.items().length, await statuses()]).toEqual([2, ["completed", "completed", "completed"]]);
    },
  );

  it("gets another token after a passing 401, and pays once under the same id", async () => {
    await send();
    paypal.passing401s = 1;
    await runPaymentJob(app);
    expect([paypal.postings, await shown()]).toEqual([
      1,
      [
        ["asked", [3]],
        ["asked", [1, 2]],
      ],
    ]);
  });

  it("asks about a batch again after a passing 401", async () => {
    await send();
    await runPaymentJob(app);
    paypal.passing401s = 1;
    for (const item of paypal.items()) paypal.settle(item, "SUCCESS");
    app.setNow("2026-03-04T05:20:00.000Z");
    await runPaymentJob(app);
    expect(await statuses()).toEqual(["completed", "completed", "completed"]);
  });

  it("fails what PayPal refuses with a new token too", async () => {
    await send();
    paypal.passing401s = 2;
    await runPaymentJob(app);
    expect([paypal.postings, await statuses()]).toEqual([0, ["failed", "failed", "failed"]]);
  });

  it("counts no payment as missing while PayPal lists fewer than it says there are", async () => {
    await send();
    await runPaymentJob(app);
    paypal.unlisted = 1;
    for (const item of paypal.items()) paypal.settle(item, "SUCCESS");
    const jobAt = async (now: string) => {
      app.setNow(now);
      await runPaymentJob(app);
      return (await list()).map(({ state, needs_decision: why }) => [state, why]);
    };
    expect(await jobAt("2026-03-04T05:20:00.000Z")).toEqual([
      ["confirmed", null],
      ["asked", null],
    ]);
    const why =
      "PayPal has not said whether it has paid since 2026-03-04 05:20 UTC: it lists 1 of 2 payments";
    expect(await jobAt("2026-03-04T06:30:00.000Z")).toEqual([
      ["confirmed", null],
      ["asked", why],
    ]);
    paypal.unlisted = 0;
    expect(await jobAt("2026-03-04T08:00:00.000Z")).toEqual([
      ["confirmed", null],
      ["confirmed", null],
    ]);
  });

  it("asks about an order when a clock that was three weeks ahead is right again", async () => {
    app.setNow("2026-03-25T05:06:07.890Z");
    paypal.aheadMs = -21 * 24 * 60 * 60 * 1_000;
    await send();
    await runPaymentJob(app);
    // The server and PayPal would count the thirty days of an id from different days.
    expect(paypal.postings).toBe(0);
    app.setNow("2026-03-04T05:07:00.000Z");
    paypal.aheadMs = 0;
    paypal.fail("paid, answer lost");
    await runPaymentJob(app);
    expect([paypal.postings, await statuses()]).toEqual([1, ["processing", "processing", "processing"]]);
    for (const item of paypal.items()) paypal.settle(item, "SUCCESS");
    app.setNow("2026-03-04T05:20:00.000Z");
    await runPaymentJob(app);
    expect([paypal.items().length, await statuses()]).toEqual([2, ["completed", "completed", "completed"]]);
  });

  it("asks a person within an hour of finding that its clock was ahead", async () => {
    paypal.isAway = true;
    app.setNow("2026-03-25T05:06:07.890Z");
    await send();
    await runPaymentJob(app);
    for (const now of ["2026-03-04T05:07:00.000Z", "2026-03-04T06:07:00.000Z"]) {
      app.setNow(now);
      await runPaymentJob(app);
    }
    const why = "PayPal has not said whether it has paid since 2026-03-04 05:07 UTC: other side closed";
    expect((await list()).map(({ needs_decision: each }) => each)).toEqual([why, why]);
    app.setNow("2026-03-04T06:10:00.000Z");
    const { body } = await outcome(company(app, "POST /payments/1/decide", { was_paid: false }));
    expect(body).toMatchObject({ state: "failed" });
  });

  it("asks PayPal for nothing while its own clock differs", async () => {
    paypal.aheadMs = 25 * 60 * 60 * 1_000;
    await send();
    await runPaymentJob(app);
    app.setNow("2026-03-04T06:00:00.000Z");
    await runPaymentJob(app);
    const why =
      "PayPal has not said whether it has paid since 2026-03-04 05:06 UTC: the server's clock says 2026-03-04 06:00 UTC, and PayPal's 2026-03-05 07:00 UTC";
    expect([paypal.postings, (await list()).map(({ needs_decision: each }) => each)]).toEqual([
      0,
      [why, why],
    ]);
  });

  it("never sends again by another account what the first one may have paid", async () => {
    paypal.fail("paid, answer lost");
    await send();
    await runPaymentJob(app);
    await company(app, "DELETE /payment_connections?provider=paypal");
    const other = await startPaypalApi(() => app.services.clock());
    await connectPaypal(app, other);
    for (const now of ["2026-03-04T05:08:07.890Z", "2026-03-04T06:00:00.000Z", "2026-03-04T08:00:00.000Z"]) {
      app.setNow(now);
      await runPaymentJob(app);
    }
    await other.close();
    const reason =
      "PayPal has not said whether it has paid since 2026-03-04 05:06 UTC: it was asked with other credentials";
    expect([other.postings, (await list()).map(({ needs_decision: why }) => why)]).toEqual([
      0,
      [reason, reason],
    ]);
    await connectPaypal(app, paypal);
    app.setNow("2026-03-04T10:00:00.000Z");
    await runPaymentJob(app);
    expect([paypal.items().length, await list("filters[needs_decision]=true")]).toEqual([2, []]);
  });

  it("gives a payment that nobody can tell about to a person, who decides it once", async () => {
    await send();
    paypal.isAway = true;
    await runPaymentJob(app);
    app.setNow("2026-03-04T06:00:00.000Z");
    await runPaymentJob(app);
    const reason = "PayPal has not said whether it has paid since 2026-03-04 05:06 UTC: other side closed";
    const open = await list("filters[needs_decision]=true");
    expect(open.map(({ needs_decision: why }) => why)).toEqual([reason, reason]);
    const decide = (id: number, was_paid: boolean) =>
      outcome(company(app, `POST /payments/${id}/decide`, { was_paid }));
    // The slowest request begins after 15 seconds. It and its token are repeated, and each takes 30 seconds.
    for (const now of ["2026-03-04T06:00:00.000Z", "2026-03-04T06:02:15.000Z"]) {
      app.setNow(now);
      expect((await decide(1, true)).body).toMatchObject({
        message: "PayPal is being asked about this payment. Try again in a few minutes",
      });
    }
    app.setNow("2026-03-04T06:03:00.000Z");
    expect((await decide(1, true)).body).toMatchObject({ state: "confirmed", needs_decision: null });
    expect((await decide(2, false)).body).toMatchObject({ state: "failed", needs_decision: null });
    expect(await decide(2, true)).toEqual({
      status: 422,
      body: {
        code: "operation_failed",
        message: "This payment is failed, so no decision is needed",
      },
    });
    expect(await statuses()).toEqual(["completed", "completed", "failed"]);
    paypal.isAway = false;
    app.setNow("2026-03-05T06:00:00.000Z");
    await runPaymentJob(app);
    // A person has decided, so the order is never sent again.
    expect(paypal.items()).toEqual([]);
  });

  describe("after a decision", () => {
    const decide = async (id: number, was_paid: boolean) =>
      (await outcome(company(app, `POST /payments/${id}/decide`, { was_paid }))).body;
    beforeEach(async () => {
      await send();
      await runPaymentJob(app);
      app.setNow("2026-03-04T05:16:00.000Z");
    });

    it("takes the provider's word that was overruled as old, and any other as news", async () => {
      await settle(0, "SUCCESS");
      await settle(0, "FAILED");
      const why = "PayPal says that it is failed, and it was confirmed before";
      expect((await list()).at(-1)).toMatchObject({ state: "confirmed", needs_decision: why });
      const decided = { state: "confirmed", needs_decision: null };
      expect(await decide(1, true)).toMatchObject(decided);
      await settle(0, "FAILED");
      expect((await list()).at(-1)).toMatchObject(decided);
      await settle(0, "RETURNED");
      expect((await list()).at(-1)).toMatchObject({ state: "returned", needs_decision: null });
    });

    it("asks about another amount once", async () => {
      paypal.items()[0]!.value = "239.00";
      await settle(0, "SUCCESS");
      const why = "PayPal says that it is confirmed, with 23900 USD instead of 24000 USD, in minor units";
      expect((await list()).at(-1)).toMatchObject({ state: "asked", needs_decision: why });
      const decided = { state: "confirmed", needs_decision: null };
      expect(await decide(1, true)).toMatchObject(decided);
      await settle(0, "SUCCESS");
      expect((await list()).at(-1)).toMatchObject(decided);
      await settle(0, "REVERSED");
      expect((await list()).at(-1)).toMatchObject({
        state: "confirmed",
        needs_decision: expect.stringContaining("returned, with 23900"),
      });
    });

    it("asks once more if the payouts have changed meanwhile", async () => {
      for (const nth of [0, 1]) await settle(nth, "FAILED");
      await movePayout(app, { id: 1, to: "pending" });
      await app.records.change("payout", 1, { total_incl_tax: 6_000 });
      await movePayout(app, { id: 3, to: "cancelled" });
      for (const nth of [0, 1]) await settle(nth, "SUCCESS");
      const lowered = "It is confirmed with 24000, but its payouts are 18000 now, in minor units";
      const stray = "It is confirmed, but payout 3 was settled in another way";
      expect(await decide(1, true)).toMatchObject({ state: "confirmed", needs_decision: lowered });
      expect(await decide(2, true)).toMatchObject({ state: "confirmed", needs_decision: stray });
      for (const id of [1, 2])
        expect(await decide(id, true)).toMatchObject({ state: "confirmed", needs_decision: null });
      for (const nth of [0, 1]) await settle(nth, "SUCCESS");
      expect(await list("filters[needs_decision]=true")).toEqual([]);
    });

    it("keeps the payout method that the money went to", async () => {
      await settle(1, "FAILED");
      await company(app, "PUT /payout_methods/2", { details: { wallet_email: "joe@new.example" } });
      await settle(1, "SUCCESS");
      await decide(2, true);
      expect(await app.records.get("payout", 3)).toMatchObject({ status: "completed", payout_method_id: 2 });
    });
  });

  it("gives what is on its way to a person if the connection is gone, until it is back", async () => {
    await send();
    await runPaymentJob(app);
    await settle(1, "UNCLAIMED");
    await company(app, "DELETE /payment_connections?provider=paypal");
    const jobAt = async (now: string) => {
      app.setNow(now);
      await runPaymentJob(app);
      return (await list()).map(({ state, needs_decision: why }) => [state, why]);
    };
    await jobAt("2026-03-04T05:20:00.000Z");
    const why =
      "PayPal has not said whether it has paid since 2026-03-04 05:20 UTC: The account is not connected with PayPal";
    expect(await jobAt("2026-03-04T06:30:00.000Z")).toEqual([
      ["unclaimed", why],
      ["asked", why],
    ]);
    await connectPaypal(app, paypal);
    expect(await jobAt("2026-03-04T08:00:00.000Z")).toEqual([
      ["unclaimed", null],
      ["asked", null],
    ]);
  });

  it("pays the others if a receiver is refused, and waits for another method of that one", async () => {
    paypal.refused.add("joe@wallet.example");
    await send();
    await runPaymentJob(app);
    await runPaymentJob(app);
    expect(paypal.items().map(({ receiver }) => receiver)).toEqual(["jane@wallet.example"]);
    expect(await shown()).toEqual([
      ["failed", [3]],
      ["asked", [1, 2]],
    ]);
    const reason = "PayPal refused the receiver. The promoter must change the payout method";
    expect((await send()).body).toEqual({
      ...PLAN,
      total: 0,
      to_pay: [],
      left_out: [{ payout_id: 3, promoter_id: 2, message: reason }],
    });
  });

  it("refuses what would pay in another way as well", async () => {
    await send();
    const paying = (word: string, id: number) =>
      `PayPal ${word} this payout, so its status follows payment ${id}`;
    await expect(movePayout(app, { id: 1, to: "completed" })).rejects.toThrow(paying("is paying", 1));
    await expect(movePayout(app, { id: 3, to: "failed" })).rejects.toThrow(paying("is paying", 2));
    const file = await outcome(company(app, "GET /payments_batches/1/file?format=paypal"));
    const words = "PayPal is paying payout 1, so no file may pay it as well";
    expect(file).toEqual({ status: 422, body: { code: "operation_failed", message: words } });
    await runPaymentJob(app);
    await settle(0, "SUCCESS");
    await expect(movePayout(app, { id: 1, to: "pending" })).rejects.toThrow(paying("has paid", 1));
  });

  it("leaves out what a downloaded file may have paid, until someone decides", async () => {
    await app.v2("GET", "/payments_batches/1/file?format=paypal");
    await app.v2("GET", "/payments_batches/1/file?format=paypal");
    const message = "A file that pays it was downloaded on 2026-03-04. Decide first whether it was used";
    expect((await send()).body).toMatchObject({
      to_pay: [],
      left_out: [{ message }, { message }, { message }],
    });
    expect(await shown()).toEqual([
      ["asked", [3]],
      ["asked", [1, 2]],
    ]);
    await company(app, "POST /payments/1/decide", { was_paid: false });
    await company(app, "POST /payments/2/decide", { was_paid: true });
    expect(await statuses()).toEqual(["pending", "pending", "completed"]);
    expect((await send()).body).toEqual({ ...PLAN, total: 24_000, to_pay: [PLAN.to_pay[0]] });
  });

  it("refuses more than the balance, unless told to ignore it", async () => {
    paypal.balance = "359.99";
    const message = "The balance is 35999, and the payments are 36000, in minor units";
    expect(await send()).toEqual({ status: 422, body: { code: "operation_failed", message } });
    expect(await list()).toEqual([]);
    expect((await send({ ignore_balance: true })).body).toEqual({ ...PLAN, balance: 35_999 });
  });

  it("estimates the fees by the company's rule, and looks whether the balance suffices for them", async () => {
    const fees = (fee_rule: object | null) =>
      outcome(company(app, "PUT /payment_connections", { provider: "paypal", fee_rule }));
    const plan = async () => (await company(app, "GET /payments_batches/1/plan")).body;
    const rule = { percent: 2, fixed: 5, max: 300 };
    expect(await fees(rule)).toMatchObject({ status: 200, body: { provider: "paypal", fee_rule: rule } });
    // 2 % of 24000 is more than the most; 2 % of 12000 and 5 is less.
    const priced = { ...PLAN, fee_estimate: { amount: 300 + 245, by: "rule" } };
    expect(await plan()).toEqual(priced);
    paypal.balance = "365.44";
    const message =
      "The balance is 36544, and the payments are 36000, with fees of about 545, in minor units";
    expect(await send()).toEqual({ status: 422, body: { code: "operation_failed", message } });
    await connectPaypal(app, paypal);
    paypal.balance = "365.45";
    expect((await send()).body).toEqual({ ...priced, balance: 36_545 });
    expect((await fees(null)).body).toMatchObject({ fee_rule: null });
    const unlimited = { percent: 0.25, fixed: 25, max: null };
    expect((await fees(unlimited)).body).toMatchObject({ fee_rule: unlimited });
    expect((await fees({ percent: 101, fixed: 0, max: null })).status).toBe(422);
  });

  it.each([
    [{ max_run_cents: 35_999 }, "The payments are 36000, and the limit of a run is 35999, in minor units"],
    [
      { max_day_cents: 35_999 },
      "The payments of 24 hours would be 36000, and their limit is 35999, in minor units",
    ],
  ])("refuses more than the limits %j", async (limits, message) => {
    await changeAccount(app.context, app.account_id, limits);
    expect(await send()).toEqual({ status: 422, body: { code: "operation_failed", message } });
    expect([await list(), await statuses()]).toEqual([[], ["pending", "pending", "pending"]]);
  });

  it("counts what was sent in 24 hours", async () => {
    await changeAccount(app.context, app.account_id, { max_day_cents: 47_999 });
    await send();
    const account = await changeAccount(app.context, app.account_id, {});
    const jim = await addPromoter(app.context, account, { email: "jim@example.com" });
    await selectMethod(app.context, jim, {
      method: "paypal",
      details: { wallet_email: "jim@wallet.example" },
    });
    await addPayout(app.context, jim);
    await company(app, "POST /payouts/create_payments_batch", { method: "paypal" });
    const sendNext = () => outcome(company(app, "POST /payments_batches/2/send", {}));
    const message = "The payments of 24 hours would be 48000, and their limit is 47999, in minor units";
    expect((await sendNext()).body).toEqual({ code: "operation_failed", message });
    app.setNow("2026-03-05T05:06:07.890Z");
    expect((await sendNext()).status).toBe(200);
  });

  it.each([
    [{ max_run_cents: 35_999 }, "The payments are 36000, and the limit of a run is 35999, in minor units"],
    [{ requires_second_person: true }, "A second person must approve BATCH-1 before it is sent"],
  ])("keeps to %j, if that is set while PayPal is asked", async (limit, message) => {
    let transactions = 0;
    app.stored.edge.begin = async () => {
      if (++transactions === 1) await changeAccount(app.context, app.account_id, limit);
    };
    expect(await send()).toEqual({ status: 422, body: { code: "operation_failed", message } });
    expect([await list(), transactions > 2]).toEqual([[], true]);
  });

  it("waits for some days after a promoter has changed the payout method", async () => {
    await changeAccount(app.context, app.account_id, { method_rest_days: 7 });
    await company(app, "DELETE /payments_batches/1");
    await company(app, "PUT /payout_methods/1", { details: { wallet_email: "eve@wallet.example" } });
    await company(app, "POST /payouts/create_payments_batch", { method: "paypal" });
    const message = "The payout method was changed on 2026-03-04, less than 7 days ago";
    const plan = async () => (await outcome(company(app, "GET /payments_batches/2/plan"))).body;
    expect(await plan()).toMatchObject({ total: 12_000, left_out: [{ message }, { message }] });
    app.setNow("2026-03-11T05:06:07.890Z");
    expect(await plan()).toMatchObject({ total: 36_000, left_out: [] });
  });

  it("is done by two people, if the account asks for that", async () => {
    await changeAccount(app.context, app.account_id, { requires_second_person: true });
    const secondFactor = { secret: "JBSWY3DPEHPK3PXP", last_step: 0, recovery_hashes: [] };
    const made = await addUser(app, "owner", { email: "ada@acme.example" });
    await app.records.put("user", { ...made, second_factor: secondFactor });
    const ada = await callAs(app, made);
    const bob = await callAs(app, await addUser(app, "owner", { email: "bob@acme.example" }));
    const refusal = (message: string) => ({ status: 422, body: { code: "operation_failed", message } });
    const approve = (by: typeof ada) => outcome(by("POST /payments_batches/1/approve", {}));
    const sendAs = (by: typeof ada) => outcome(by("POST /payments_batches/1/send", {}));
    expect(await sendAs(bob)).toEqual(refusal("A second person must approve BATCH-1 before it is sent"));
    expect(await approve(bob)).toEqual(
      refusal("Only a user with a second factor can approve a payments batch"),
    );
    expect((await approve(ada)).status).toBe(200);
    expect(await sendAs(ada)).toEqual(refusal("You have approved BATCH-1, so another user must send it"));
    expect(await send()).toEqual(refusal("A user must send BATCH-1, not a key"));
    expect(await list()).toEqual([]);
    expect((await sendAs(bob)).status).toBe(200);
    await runPaymentJob(app);
    await settle(0, "FAILED");
    // The next time the money would go to another receiver, and the batch is still processing.
    await company(app, "PUT /payout_methods/1", { details: { wallet_email: "jane@new.example" } });
    expect(await sendAs(bob)).toEqual(refusal("A second person must approve BATCH-1 before it is sent"));
    await settle(1, "FAILED");
    expect(await sendAs(bob)).toEqual(refusal("A second person must approve BATCH-1 before it is sent"));
    app.setNow("2026-03-04T05:07:00.000Z");
    await approve(ada);
    app.setNow("2026-03-04T05:08:00.000Z");
    await company(app, "PUT /payout_methods/1", { details: { wallet_email: "eve@new.example" } });
    const message = "The payout method was changed after the batch was approved. Approve it again";
    expect((await sendAs(bob)).body).toMatchObject({
      to_pay: [],
      left_out: [{ message }, { message }, { payout_id: 3 }],
    });
  });

  it("is approved by someone else than the one who has made the batch, and the plan says who did what", async () => {
    await changeAccount(app.context, app.account_id, { requires_second_person: true });
    const secondFactor = { secret: "JBSWY3DPEHPK3PXP", last_step: 0, recovery_hashes: [] };
    const withFactor = async (email: string) => {
      const made = await addUser(app, "owner", { email });
      await app.records.put("user", { ...made, second_factor: secondFactor });
      return callAs(app, made);
    };
    const ada = await withFactor("ada@acme.example");
    const bob = await withFactor("bob@acme.example");
    await company(app, "DELETE /payments_batches/1");
    await ada("POST /payouts/create_payments_batch", { method: "paypal" });
    const planned = async (by: typeof ada) => {
      const { body } = await by("GET /payments_batches/2/plan");
      return (body as typeof PLAN).approval;
    };
    const approval = { ...PLAN.approval, is_required: true, made_by: "ada@acme.example" };
    const lacking = "A second person must approve BATCH-2 before it is sent";
    const ownMade = "You have made BATCH-2, so another user must approve it";
    expect([await planned(ada), await planned(bob)]).toEqual([
      { ...approval, not_approvable_because: ownMade, not_sendable_because: lacking },
      { ...approval, not_approvable_because: null, not_sendable_because: lacking },
    ]);
    expect(await outcome(ada("POST /payments_batches/2/approve", {}))).toEqual({
      status: 422,
      body: { code: "operation_failed", message: ownMade },
    });
    expect((await outcome(bob("POST /payments_batches/2/approve", {}))).status).toBe(200);
    const approved = { ...approval, approved_by: "bob@acme.example", approved_at: NOW };
    const ownApproved = "You have approved BATCH-2, so another user must send it";
    expect([await planned(ada), await planned(bob)]).toEqual([
      { ...approved, not_approvable_because: ownMade },
      { ...approved, not_approvable_because: null, not_sendable_because: ownApproved },
    ]);
    expect((await outcome(ada("POST /payments_batches/2/send", {}))).status).toBe(200);
  });

  it("shows promoters each step of their own, and what to do", async () => {
    await send();
    await runPaymentJob(app);
    await settle(1, "UNCLAIMED");
    const { auth_token } = (await app.records.get("promoter", 2))!;
    const joe = await signedInBrowser(app, auth_token);
    expect((await joe.call("GET /payments")).body).toEqual([
      {
        id: 2,
        payout_ids: [3],
        amount: 12_000,
        currency: "USD",
        state: "unclaimed",
        steps: [...PAYMENT.steps, { state: "unclaimed", at: NOW }],
        what_to_do:
          "The money waits for you. Sign in at the provider with the address of your payout method, and accept it.",
      },
    ]);
  });

  it("shows promoters no payments by a file, which may not have been used", async () => {
    const { status } = await app.v2("GET", "/payments_batches/1/file?format=paypal");
    expect([status, await shown()]).toEqual([
      200,
      [
        ["asked", [3]],
        ["asked", [1, 2]],
      ],
    ]);
    const { auth_token } = (await app.records.get("promoter", 2))!;
    const joe = await signedInBrowser(app, auth_token);
    expect((await joe.call("GET /payments")).body).toEqual([]);
  });

  it.each([
    [
      "unsigned",
      JSON.stringify({ resource: { sender_batch_id: "x" } }),
      400,
      { error: "PayPal did not sign this event" },
    ],
    ["no JSON", "{", 400, { error: "The event is not JSON" }],
    [
      "deep",
      "[".repeat(5_000) + "]".repeat(5_000),
      400,
      { error: "The event is not an object, or is too large" },
    ],
    ["a word", '"x"', 400, { error: "The event is not an object, or is too large" }],
  ])("refuses an event that is %s", async (_, body, status, answer) => {
    const told = await app.request("/hooks/payments/paypal/acme", { method: "POST", body });
    expect([told.status, await told.json()]).toEqual([status, answer]);
  });
});

describe("connecting PayPal", () => {
  it("keeps the secret encrypted, never shows it, and forgets it", async () => {
    const given = { provider: "paypal", client_id: "client-1", secret: "secret-1", webhook_id: "hook-1" };
    const connection = {
      provider: "paypal",
      client_id: "client-1",
      campaign_id: null,
      profile_id: null,
      webhook_id: "hook-1",
      fee_rule: null,
      has_webhook_key: false,
      endpoint: "https://track.acme.example/hooks/payments/paypal/acme",
      created_at: NOW,
    };
    const path = "/payment_connections";
    expect(await outcome(company(app, `POST ${path}`, given))).toEqual({ status: 200, body: connection });
    expect((await app.v2("GET", path)).body).toEqual([connection]);
    expect(await app.stored.placesOf("secret-1")).toEqual([]);
    expect(await outcome(company(app, `DELETE ${path}?provider=paypal`))).toEqual({
      status: 200,
      body: connection,
    });
    expect((await app.v2("GET", path)).body).toEqual([]);
    const message = "The account is not connected with PayPal";
    expect(await send()).toMatchObject({ status: 404, body: { message } });
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { addBatch, connectTo, runPaymentJob, sendAll } from "../../support/payments.ts";
import { rounds } from "../../support/rounds.ts";
import { company, outcome } from "../../support/v2.ts";
import {
  startBoth,
  startStripeApi,
  startTremendousApi,
  startWiseApi,
  type TransferApi,
} from "../../support/transfer-apis.ts";

const DAY_LATER = "2026-03-05T06:00:00.000Z";
const MONTH_LATER = "2026-04-05T06:00:00.000Z";
/** When a payment that may have failed is asked for again. The short run has the last, after which no provider remembers. */
const RETRIED_AT = ["2026-03-04T05:08:07.890Z", DAY_LATER, MONTH_LATER].slice(-rounds(1, 3));

describe.each([
  ["wise", "wise_email", ["a@b.example", "c@d.example"], ["120", "120"], "funds refunded"],
  ["stripe", "stripe_account", ["acct_1", "acct_2"], ["12000", "12000"], "the transfer was reversed"],
  ["tremendous", "gift_card_email", ["a@b.example", "c@d.example"], ["120", "120"], "canceled"],
] as const)("%s", (provider, field, payees, amounts, takenBack) => {
  let app: TestApp;
  let api: TransferApi;
  const start = () =>
    ({
      stripe: () => startStripeApi(() => app.services.clock()),
      wise: startWiseApi,
      tremendous: startTremendousApi,
    })[provider]();
  beforeEach(async () => {
    app = await startApp();
    api = await start();
    await connectTo(app, provider, api.url);
    await addBatch(
      app,
      provider === "wise" ? "wise" : "custom",
      payees.map((payee) => ({ [field]: payee })),
    );
  });
  afterEach(async () => {
    await api.close();
    await app.close();
    expect(app.bugs).toEqual([]);
  });

  const states = async () =>
    ((await app.v2("GET", "/payments")).body as { state: string; error: string | null }[]).map(
      ({ state, error }) => [state, error],
    );
  const later = async (now: string) => {
    app.setNow(now);
    await runPaymentJob(app);
  };

  it("shows the balance and the fees before anything is sent", async () => {
    const { body } = await company(app, "GET /payments_batches/1/plan");
    expect(body).toMatchObject({
      total: 24_000,
      balance: { wise: 10_050, stripe: 1_000_000, tremendous: 1_000_000 }[provider],
      fee_estimate: provider === "wise" ? { amount: 136, by: "quote" } : null,
    });
    // Drafts need no balance.
    await sendAll(app, provider);
    expect((await states()).map(([state]) => state)).toEqual(["intent", "intent"]);
  });

  it("pays each promoter once, and notices what is taken back", async () => {
    await sendAll(app, provider);
    await runPaymentJob(app);
    await sendAll(app, provider);
    expect(api.paid.map(({ payee }) => payee)).toEqual(payees);
    expect(api.paid.map(({ amount }) => amount)).toEqual(amounts);
    expect([api.postings, await states()]).toEqual([
      2,
      [
        ["confirmed", null],
        ["confirmed", null],
      ],
    ]);
    api.takeBack(api.paid[0]!.id);
    await later(DAY_LATER);
    await later("2026-03-06T07:00:00.000Z");
    expect(await states()).toEqual([
      ["confirmed", null],
      ["returned", takenBack],
    ]);
  });

  // Stripe has forgotten the idempotency key after a day, and would pay again.
  it.each(
    (["paid, then 500", "paid, answer lost", "503", "request lost"] as const).flatMap((fault) =>
      RETRIED_AT.map((now) => [fault, now] as const),
    ),
  )("asks again after “%s” at %s, and pays once", async (fault, now) => {
    api.fail(fault, fault);
    await sendAll(app, provider);
    await runPaymentJob(app);
    await later(now);
    expect(api.paid.map(({ payee }) => payee).toSorted()).toEqual(payees);
    expect(await states()).toEqual([
      ["confirmed", null],
      ["confirmed", null],
    ]);
  });

  it("never sends again with other credentials what it may have paid, however long it waits", async () => {
    const other = await start();
    const both = await startBoth(api, other);
    await connectTo(app, provider, both.url);
    const replace = async (number: number) => {
      const given = {
        secret: `secret-${number}`,
        campaign_id: `campaign-${number}`,
        profile_id: `${number + 6}`,
      };
      const { status } = await company(app, "POST /payment_connections", { provider, ...given });
      expect(status).toBe(200);
    };
    const reasons = async () =>
      ((await app.v2("GET", "/payments")).body as { needs_decision: string | null }[]).map(
        ({ needs_decision: why }) => why,
      );
    api.fail("paid, answer lost", "paid, answer lost");
    await sendAll(app, provider);
    await runPaymentJob(app);
    await replace(2);
    for (const now of ["2026-03-04T05:08:07.890Z", "2026-03-04T06:00:00.000Z", DAY_LATER, MONTH_LATER])
      await later(now);
    const why = expect.stringContaining("it was asked with other credentials");
    expect([other.postings, api.paid.length, await reasons()]).toEqual([0, 2, [why, why]]);
    await replace(1);
    await later("2026-04-05T08:00:00.000Z");
    expect([api.paid.length, await reasons(), (await states()).map(([state]) => state)]).toEqual([
      2,
      [null, null],
      ["confirmed", "confirmed"],
    ]);
    await both.close();
    await other.close();
  });

  it("waits for another method if the receiver is refused", async () => {
    api.refused.add(payees[1]);
    await sendAll(app, provider);
    await runPaymentJob(app);
    expect((await states()).map(([state]) => state)).toEqual(["failed", "confirmed"]);
    const postings = api.postings;
    await sendAll(app, provider);
    await runPaymentJob(app);
    expect(api.postings).toBe(postings);
  });
});

describe("a batch that two providers could pay", () => {
  let app: TestApp;
  let stripe: TransferApi;
  let tremendous: TransferApi;
  beforeEach(async () => {
    app = await startApp();
    stripe = await startStripeApi(() => app.services.clock());
    tremendous = await startTremendousApi();
    await connectTo(app, "stripe", stripe.url);
    await connectTo(app, "tremendous", tremendous.url);
    const cards = ["a@b.example", "c@d.example"].map((payee) => ({ gift_card_email: payee }));
    await addBatch(app, "custom", [{ stripe_account: "acct_1" }, ...cards]);
  });
  afterEach(async () => {
    await stripe.close();
    await tremendous.close();
    await app.close();
    expect(app.bugs).toEqual([]);
  });

  const plan = async (query = "") => {
    const { status, body } = await company(app, `GET /payments_batches/1/plan${query}`);
    const {
      provider,
      providers,
      to_pay: all,
    } = body as {
      provider: string;
      providers: string[];
      to_pay: { payee: string }[];
    };
    return { status, provider, providers, payees: all.map(({ payee }) => payee) };
  };
  const send = (body: object) => outcome(company(app, "POST /payments_batches/1/send", body));

  it("plans by the one that can pay the most promoters, or by the one that is named", async () => {
    const providers = ["stripe", "tremendous"];
    expect(await plan()).toEqual({
      status: 200,
      provider: "tremendous",
      providers,
      payees: ["a@b.example", "c@d.example"],
    });
    expect(await plan("?provider=stripe")).toEqual({
      status: 200,
      provider: "stripe",
      providers,
      payees: ["acct_1"],
    });
  });

  it("is sent by the named provider, and refused without a name", async () => {
    expect(await send({})).toEqual({
      status: 422,
      body: { code: "operation_failed", message: "Several providers pay by another way: name one" },
    });
    await send({ provider: "stripe" });
    await send({ provider: "tremendous" });
    await runPaymentJob(app);
    expect([stripe.paid, tremendous.paid].map((paid) => paid.map(({ payee }) => payee))).toEqual([
      ["acct_1"],
      ["a@b.example", "c@d.example"],
    ]);
  });

  it("is not sent by a provider of another method, or without a connection", async () => {
    const wise = await startWiseApi();
    expect((await send({ provider: "wise" })).status).toBe(404);
    await connectTo(app, "wise", wise.url);
    expect((await send({ provider: "wise" })).status).toBe(422);
    expect((await send({ provider: "bank" })).status).toBe(422);
    await wise.close();
    expect([stripe.postings, tremendous.postings]).toEqual([0, 0]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { connectTo, runPaymentJob, startStripeKilled, storedStripeAccounts } from "../../support/payments.ts";
import { addPayout, selectMethod } from "../../support/payouts.ts";
import { visitingPromoter } from "../../support/portal.ts";
import { startStripeConnectApi, type StripeConnectApi } from "../../support/stripe-connect-api.ts";
import { erasePromoter } from "../../support/operations.ts";
import { company } from "../../support/v2.ts";

const NONE = {
  is_available: true,
  state: "none",
  country: null,
  missing: [],
  payouts_enabled: false,
  payout_method_id: null,
  checked_at: null,
};
const STARTED = {
  ...NONE,
  state: "incomplete",
  country: "US",
  missing: ["external_account", "individual.verification.document"],
  checked_at: NOW,
};
const ENABLED = {
  ...STARTED,
  state: "enabled",
  missing: [],
  payouts_enabled: true,
  payout_method_id: 1,
};

let app: TestApp;
let stripe: StripeConnectApi;
let jane: Awaited<ReturnType<typeof visitingPromoter>>;
beforeEach(async () => {
  app = await startApp();
  stripe = await startStripeConnectApi(() => app.services.clock());
  jane = await visitingPromoter(app, "jane@example.com");
});
afterEach(async () => {
  await stripe.close();
  await app.close();
  expect(app.bugs).toEqual([]);
});

const connect = () => connectTo(app, "stripe", stripe.url, "whsec_1");
const start = (country = "US") => jane.outcome("POST /stripe_account", { country });
const check = () => jane.outcome("POST /stripe_account/check");
const show = async () => (await jane.call("GET /stripe_account")).body;
const methods = async () =>
  ((await jane.call("GET /payout_methods")).body as { data: Record<string, unknown>[] }).data.map(
    ({ method, is_selected, details }) => [
      method,
      is_selected,
      (details as { stripe_account?: string }).stripe_account,
    ],
  );
const enable = () => Object.assign(stripe.accounts[0]!, { transfers: "active", missing: [] });
const refusal = (message: string) => ({ status: 422, body: { code: "operation_failed", message } });

it("is not offered unless the company pays by Stripe", async () => {
  expect(await show()).toEqual({ ...NONE, is_available: false });
  expect(await start()).toEqual(refusal("The company does not pay by Stripe"));
  expect(await check()).toEqual({ status: 200, body: { ...NONE, is_available: false } });
});

describe("with Stripe connected", () => {
  beforeEach(connect);

  it("leads to Stripe's form, shows what is missing, and pays by Stripe once it may", async () => {
    expect(await show()).toEqual(NONE);
    expect(await start()).toEqual({
      status: 200,
      body: { ...STARTED, link: "https://connect.stripe.com/1" },
    });
    const page = "https://track.acme.example/portal/stripe";
    expect(stripe.links).toEqual([
      { account: "acct_1", type: "account_onboarding", return_url: page, refresh_url: `${page}?link=used` },
    ]);
    expect([await show(), await methods()]).toEqual([STARTED, []]);
    Object.assign(stripe.accounts[0]!, { transfers: "pending", missing: [] });
    expect((await check()).body).toEqual({ ...STARTED, state: "pending", missing: [] });
    enable();
    expect((await check()).body).toEqual(ENABLED);
    expect(await methods()).toEqual([["custom", true, "acct_1"]]);
    expect(await start()).toEqual({ status: 200, body: { ...ENABLED, link: null } });
    expect([stripe.accounts.length, stripe.links.length, (await methods()).length]).toEqual([1, 1, 1]);
  });

  it("opens one account, however often the page is reloaded", async () => {
    await Promise.all([start(), start(), start()]);
    await start("DE");
    enable();
    await Promise.all([check(), check(), start(), check()]);
    expect(stripe.accounts.map(({ country, agreement }) => [country, agreement])).toEqual([["US", null]]);
    expect(await methods()).toEqual([["custom", true, "acct_1"]]);
  });

  // Stripe has forgotten the idempotency key after a day, and would open another account.
  it.each(
    (["opened, then 500", "opened, answer lost", "503", "request lost"] as const).flatMap((fault) =>
      ["2026-03-04T05:06:08.000Z", "2026-03-05T06:00:00.000Z", "2026-03-07T06:00:00.000Z"].map(
        (now) => [fault, now] as const,
      ),
    ),
  )("opens one account after “%s”, if it is tried again at %s", async (fault, now) => {
    stripe.fail(fault);
    expect((await start()).status).toBe(422);
    expect(await show()).toMatchObject({ state: "opening" });
    app.setNow(now);
    expect((await start()).body).toMatchObject({ state: "incomplete" });
    expect(stripe.accounts.length).toBe(1);
  });

  it.each(Array.from({ length: 5 }, (_, afterCommits) => afterCommits))(
    "opens one account if the process is killed after %i commits",
    async (afterCommits) => {
      for (const isWritten of [false, true]) {
        const given = { promoter_id: jane.id, email: "jane@example.com", country: "US" };
        await startStripeKilled(app, given, { afterCommits, isWritten });
        if (stripe.accounts.length > 0) enable();
      }
      await start();
      enable();
      await check();
      expect([stripe.accounts.length, await methods()]).toEqual([1, [["custom", true, "acct_1"]]]);
    },
  );

  it("lets the promoter try another country if Stripe refuses one, and agrees on payments abroad", async () => {
    stripe.refused.add("XX");
    expect(await start("xx")).toEqual(refusal("Stripe: XX is not supported"));
    expect(await show()).toEqual(NONE);
    expect((await start("de")).body).toMatchObject({ country: "DE", state: "incomplete" });
    expect(stripe.accounts.map(({ agreement }) => agreement)).toEqual(["recipient"]);
    expect(await start("D1")).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("country must be the two letters of a country") },
    });
  });

  it("takes the events of the account, and none that is forged", async () => {
    await start();
    enable();
    const post = async (event: { body: string; headers: Record<string, string> }) => {
      const path = "/hooks/payments/stripe/acme";
      const response = await app.request(path, { method: "POST", ...event });
      return [response.status, await response.json()];
    };
    const event = stripe.event("acct_1");
    const words = "The signature is not Stripe's for this account, or it is too old";
    expect(await post({ ...event, body: `${event.body} ` })).toEqual([400, { error: words }]);
    expect(await show()).toEqual(STARTED);
    expect(await post(stripe.event("acct_9"))).toEqual([200, { result: "unknown" }]);
    for (const type of ["payout.failed", "account.updated", "capability.updated"]) {
      expect(await post(stripe.event("acct_1", type))).toEqual([200, { result: "asked" }]);
      expect(await show()).toEqual(ENABLED);
    }
    expect((await methods()).length).toBe(1);
  });

  it("notices by itself what no event has told", async () => {
    await start();
    enable();
    await runPaymentJob(app);
    expect(await show()).toEqual(STARTED);
    const later = "2026-03-04T06:30:00.000Z";
    app.setNow(later);
    stripe.isAway = true;
    await runPaymentJob(app);
    stripe.isAway = false;
    expect(await show()).toEqual(STARTED);
    app.setNow("2026-03-04T07:40:00.000Z");
    await runPaymentJob(app);
    expect(await show()).toEqual({ ...ENABLED, checked_at: "2026-03-04T07:40:00.000Z" });
  });

  it("leaves out the payouts of an account that takes no transfers any more", async () => {
    await start();
    enable();
    await check();
    await addPayout(app.context, (await app.records.get("promoter", jane.id))!);
    expect(
      (await company(app, "POST /payouts/create_payments_batch", { method: "custom" })).body,
    ).toMatchObject({ data: { id: 1 } });
    const plan = async () => (await company(app, "GET /payments_batches/1/plan")).body;
    expect(await plan()).toMatchObject({ to_pay: [{ payee: "acct_1" }], left_out: [] });
    Object.assign(stripe.accounts[0]!, { transfers: "inactive", missing: ["external_account"] });
    await check();
    const message = "Stripe has not enabled transfers to the promoter's account: external_account missing";
    expect(await plan()).toMatchObject({ to_pay: [], left_out: [{ message }] });
    stripe.isOther = true;
    expect((await check()).body).toMatchObject({ state: "lost" });
    const lost = "Your key for Stripe can't see the promoter's account";
    expect(await plan()).toMatchObject({ to_pay: [], left_out: [{ message: lost }] });
    stripe.isOther = false;
    expect((await start()).body).toMatchObject({ state: "incomplete", link: "https://connect.stripe.com/2" });
    expect(stripe.accounts.length).toBe(2);
  });

  it("pays by Stripe again if the promoter had chosen another method, unless the company has disabled it", async () => {
    await start();
    enable();
    await check();
    const promoter = (await app.records.get("promoter", jane.id))!;
    await selectMethod(app.context, promoter, { method: "paypal", details: { wallet_email: "j@b.example" } });
    expect(await methods()).toEqual([
      ["custom", false, "acct_1"],
      ["paypal", true, undefined],
    ]);
    await start();
    expect((await methods()).map(([method, isSelected]) => [method, isSelected])).toEqual([
      ["custom", true],
      ["paypal", false],
    ]);
    await company(app, "PUT /payout_methods/1", { is_disabled: true, is_selected: false });
    expect(await start()).toEqual(refusal("The company has disabled this payout method."));
  });

  const erase = () => erasePromoter(app, "jane@example.com");
  const runAt = async (now: string) => {
    app.setNow(now);
    await runPaymentJob(app);
  };
  const stored = () => storedStripeAccounts(app);
  const records = async () => (await stored()).length;

  it("is closed and forgotten with the promoter", async () => {
    await start();
    enable();
    await check();
    await erase();
    expect(await stored()).toMatchObject([
      { state: "closing", country: "", missing: [], payout_method_id: null, stripe_id: "acct_1" },
    ]);
    // An event that arrives meanwhile changes nothing.
    await app.request("/hooks/payments/stripe/acme", { method: "POST", ...stripe.event("acct_1") });
    await runPaymentJob(app);
    expect([stripe.closed, await app.stored.placesOf("acct_1"), await records()]).toEqual([
      ["acct_1"],
      [],
      0,
    ]);
  });

  it.each(["opened, then 500", "opened, answer lost", "503", "request lost"] as const)(
    "is asked to close again after “%s”",
    async (fault) => {
      await start();
      await erase();
      stripe.fail(fault);
      await runPaymentJob(app);
      expect(await records()).toBe(1);
      await runAt("2026-03-04T06:30:00.000Z");
      expect([stripe.closed, await records()]).toEqual([["acct_1"], 0]);
    },
  );

  it("waits until Stripe lets an account with a balance be closed", async () => {
    await start();
    await erase();
    stripe.accounts[0]!.balance = 100;
    await runPaymentJob(app);
    await runAt("2026-03-04T06:30:00.000Z");
    expect(await stored()).toMatchObject([{ closing_refusal: "It has a balance" }]);
    stripe.accounts[0]!.balance = 0;
    await runAt("2026-03-05T06:00:00.000Z");
    expect([stripe.closed, await app.stored.placesOf("acct_1")]).toEqual([["acct_1"], []]);
  });

  it("is closed also if its id was not known before the erasure", async () => {
    stripe.fail("opened, answer lost");
    await start();
    await erase();
    await runPaymentJob(app);
    expect([stripe.closed, await records()]).toEqual([["acct_1"], 0]);
    // Another one was never opened, which is certain after a day.
    jane = await visitingPromoter(app, "joan@example.com");
    stripe.fail("request lost");
    await start();
    await erasePromoter(app, "joan@example.com");
    await runPaymentJob(app);
    expect(await records()).toBe(1);
    await runAt("2026-03-05T06:00:00.000Z");
    expect([stripe.closed, await records()]).toEqual([["acct_1"], 0]);
  });
});

import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { addBatch, connectTo, runPaymentJob, sendAll } from "../../support/payments.ts";
import {
  startStripeApi,
  startTremendousApi,
  startWiseApi,
  type SignedEvent,
  type TransferApi,
} from "../../support/transfer-apis.ts";
import { company, outcome } from "../../support/v2.ts";

let app: TestApp;
let api: TransferApi;
afterEach(async () => {
  await api.close();
  await app.close();
  expect(app.bugs).toEqual([]);
});

const STARTS = {
  stripe: () => startStripeApi(() => app.services.clock()),
  wise: startWiseApi,
  tremendous: startTremendousApi,
};
const states = async () =>
  ((await app.v2("GET", "/payments")).body as { state: string }[]).map(({ state }) => state);

describe.each([
  ["wise", "Wise did not sign this event", "x-signature-sha256"],
  ["stripe", "The signature is not Stripe's for this account, or it is too old", "stripe-signature"],
  ["tremendous", "Tremendous did not sign this event", "tremendous-webhook-signature"],
] as const)("events of %s", (provider, refusal, header) => {
  const post = async ({ body, headers }: SignedEvent) => {
    const path = `/hooks/payments/${provider}/acme`;
    const response = await app.request(path, { method: "POST", body, headers });
    return [response.status, await response.json()];
  };
  beforeEach(async () => {
    app = await startApp();
    api = await STARTS[provider]();
    await connectTo(app, provider, api.url, api.webhookKey);
    const field = { wise: "wise_email", stripe: "stripe_account", tremendous: "gift_card_email" }[provider];
    const payee = provider === "stripe" ? "acct_1" : "jane@wallet.example";
    await addBatch(app, provider === "wise" ? "wise" : "custom", [{ [field]: payee }]);
    await sendAll(app, provider);
  });

  it("tell at once what the provider's lost answer would have told", async () => {
    api.fail("paid, answer lost");
    await runPaymentJob(app);
    expect(await states()).toEqual(["asked"]);
    expect(await post(api.event(api.paid[0]!))).toEqual([200, { result: "asked" }]);
    expect([await states(), api.paid.length, api.postings]).toEqual([["confirmed"], 1, 1]);
  });

  it("may be late, repeated and in another order", async () => {
    await runPaymentJob(app);
    const former = api.event(api.paid[0]!);
    api.takeBack(api.paid[0]!.id);
    const latter = api.event(api.paid[0]!);
    // The event is only a reason to ask, so the former one tells what is true now.
    for (const event of [former, latter, former]) {
      expect(await post(event)).toEqual([200, { result: "asked" }]);
      expect(await states()).toEqual(["returned"]);
    }
    await Promise.all([post(latter), post(former), post(latter)]);
    expect([await states(), api.postings]).toEqual([["returned"], 1]);
  });

  it("are refused if they are forged", async () => {
    await runPaymentJob(app);
    api.takeBack(api.paid[0]!.id);
    const { body, headers } = api.event(api.paid[0]!);
    const other = api.event({ ...api.paid[0]!, id: "2" });
    const forged: SignedEvent[] = [
      { body, headers: {} },
      { body, headers: { [header]: "" } },
      { body, headers: { [header]: headers[header]!.slice(0, -4) } },
      { body, headers: other.headers },
      { body: body.replace("{", "{ "), headers },
      { body: "", headers },
    ];
    for (const event of forged) expect(await post(event)).toEqual([400, { error: refusal }]);
    expect(await states()).toEqual(["confirmed"]);
  });

  it("about something else change nothing", async () => {
    const stranger = { ...api.paid[0]!, id: "9", reference: "stranger", payee: "x", amount: "1" };
    expect(await post(api.event(stranger))).toEqual([200, { result: "unknown" }]);
    expect(await states()).toEqual(["intent"]);
  });

  it("are taken later if the provider does not answer now", async () => {
    await runPaymentJob(app);
    const event = api.event(api.paid[0]!);
    api.takeBack(api.paid[0]!.id);
    api.isAway = true;
    // Stripe's event names our order, which is asked about again soon. The others are sent again by the provider.
    expect((await post(event))[0]).toBe(provider === "stripe" ? 200 : 503);
    expect(app.bugs.splice(0).length).toBe(provider === "stripe" ? 0 : 1);
    api.isAway = false;
    expect(await post(event)).toEqual([200, { result: "asked" }]);
    expect(await states()).toEqual(["returned"]);
  });
});

describe("the key of events", () => {
  const connect = (body: object) =>
    outcome(company(app, "POST /payment_connections", { secret: "secret-1", ...body }));
  beforeEach(async () => {
    app = await startApp();
    api = await startStripeApi(() => app.services.clock());
  });

  it("is kept encrypted, until it is replaced or taken away", async () => {
    const made = await connect({ provider: "stripe", webhook_key: "whsec_1\nwhsec_2" });
    expect(made).toMatchObject({ status: 200, body: { has_webhook_key: true, webhook_id: null } });
    expect(await app.stored.placesOf("whsec_")).toEqual([]);
    expect((await connect({ provider: "stripe" })).body).toMatchObject({ has_webhook_key: true });
    const without = await connect({ provider: "stripe", webhook_key: null });
    expect(without.body).toMatchObject({ has_webhook_key: false });
    const path = "/hooks/payments/stripe/acme";
    const told = await app.request(path, { method: "POST", body: "{}" });
    expect([told.status, await told.json()]).toEqual([400, { error: "No webhook key is set for Stripe" }]);
  });

  it("reads an event once, however many signatures it names", async () => {
    await connectTo(app, "stripe", api.url, "whsec_new");
    const payload = JSON.stringify({ type: "other", padding: "x".repeat(200_000) });
    const timestamp = Math.floor(app.services.clock().getTime() / 1_000);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: "whsec_new", timestamp });
    const headers = { "stripe-signature": signature.replace(",", `,${"v1=0,".repeat(300_000)}`) };
    const path = "/hooks/payments/stripe/acme";
    const answer = await app.request(path, { method: "POST", body: payload, headers });
    expect([answer.status, await answer.json()]).toEqual([200, { result: "unknown" }]);
  }, 15_000);

  it("may be one of several, and Stripe's package signs alike", async () => {
    await connectTo(app, "stripe", api.url, "whsec_old whsec_new");
    const payload = JSON.stringify({ type: "transfer.created", data: { object: {} } });
    const seconds = Math.floor(app.services.clock().getTime() / 1_000);
    const post = async (secret: string, timestamp: number) => {
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
      const headers = { "stripe-signature": signature };
      return (await app.request("/hooks/payments/stripe/acme", { method: "POST", body: payload, headers }))
        .status;
    };
    expect([
      await post("whsec_old", seconds),
      await post("whsec_new", seconds - 300),
      await post("whsec_new", seconds - 301),
      await post("whsec_new", seconds + 301),
      await post("whsec_other", seconds),
    ]).toEqual([200, 200, 400, 400, 400]);
  });

  it.each([
    [{ provider: "stripe", webhook_key: "secret" }],
    [{ provider: "paypal", client_id: "client-1", webhook_key: "key" }],
    [{ provider: "wise", profile_id: "7", webhook_key: "key" }],
    [{ provider: "tremendous", campaign_id: "campaign-1", webhook_key: "two words" }],
  ])("is refused in %j", async (body) => {
    expect(await connect(body)).toMatchObject({
      status: 422,
      body: { message: "Validation failed: webhook_key is invalid" },
    });
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Dispatcher } from "../../../server/outbox/dispatcher.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, join, outcome } from "../../support/v2.ts";
import { countDeliveries, retryFailed } from "../../support/operations.ts";

/** About 2, 4, 8, 16 and 32 minutes, then 1, 2, 4 and 8.5 hours. */
const DELAYS_MINUTES = [2, 4, 8, 16, 32, 64, 128, 256, 512];
const RETRY = "POST /webhooks/1/webhook_deliveries/1/retry_delivery";
const USED_UP = {
  status: 422,
  body: {
    message: "The delivery has used up its retries; allow the webhook more of them",
    code: "operation_failed",
  },
};

describe.each(STORAGES)("attempts of the outbox on %s", (storage) => {
  let app: TestApp;
  let receiver: Receiver;
  let outbox: Dispatcher;
  beforeEach(async () => {
    app = await startApp(storage, { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    receiver.answer((response) => response.writeHead(500).end("x".repeat(2_000)));
    outbox = appOutbox(app);
    await join(app, "jane@example.com", { ref_id: "jane", cust_id: "c-1" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await receiver.close();
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const subscribe = (over: Record<string, unknown> = {}) =>
    call("POST /webhooks", { url: receiver.url, event_types: ["referral.created"], ...over });
  const signUp = async (email = "lead@example.com") => {
    await app.v1("/track/signup", { email, ref_id: "jane" });
    await workOff(outbox);
  };
  const deliveries = async (id = 1) => (await call(`GET /webhooks/${id}/webhook_deliveries`)).body;
  const goTo = async (ms: number) => {
    app.setNow(new Date(ms).toISOString());
    await workOff(outbox);
  };

  it("come after exactly the promised delays, ten in all, under one id, and then stop", async () => {
    await subscribe();
    await signUp();
    let at = Date.parse(NOW);
    for (const [index, minutes] of DELAYS_MINUTES.entries()) {
      expect(receiver.received).toHaveLength(index + 1);
      expect(await deliveries()).toMatchObject([
        {
          status: "retrying",
          attempts: index + 1,
          response_code: 500,
          response_body: "x".repeat(1_000),
          last_error: "Answered 500",
          delivered_at: null,
        },
      ]);
      at += minutes * 60_000;
      await goTo(at - 1);
      expect(receiver.received).toHaveLength(index + 1);
      await goTo(at);
    }
    expect(receiver.received).toHaveLength(10);
    expect(await deliveries()).toMatchObject([{ status: "failed", attempts: 10 }]);
    await goTo(at + 10_000 * 60_000);
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    expect(await call(RETRY)).toEqual(USED_UP);
  });

  it.each([
    [0, 1],
    [1, 1],
    [3, 3],
    [10, 10],
  ])("with max_retries %d are %d", async (maxRetries, tries) => {
    await subscribe({ max_retries: maxRetries });
    await signUp();
    let at = Date.parse(NOW);
    for (const minutes of DELAYS_MINUTES) await goTo((at += minutes * 60_000));
    expect(receiver.received).toHaveLength(tries);
    expect(await deliveries()).toMatchObject([{ status: "failed", attempts: tries }]);
  });

  it("may be repeated by hand, at once, while some are left, whatever the last result", async () => {
    await subscribe();
    await signUp();
    receiver.answer((response) => response.end());
    expect(await call(RETRY)).toMatchObject({
      status: 200,
      body: { status: "pending", attempts: 0, delivered_at: null },
    });
    await workOff(outbox);
    expect(await deliveries()).toMatchObject([{ status: "delivered", attempts: 1, last_error: null }]);
    expect(await call(RETRY)).toMatchObject({ status: 200, body: { status: "pending", attempts: 0 } });
    await workOff(outbox);
    expect(receiver.received).toHaveLength(3);
    expect(await deliveries()).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  it("may be repeated once the webhook is allowed more of them", async () => {
    await subscribe({ max_retries: 0 });
    await signUp();
    expect(await call(RETRY)).toEqual(USED_UP);
    await call("PUT /webhooks/1", { max_retries: 3 });
    expect(await call(RETRY)).toMatchObject({ status: 200, body: { status: "pending", attempts: 0 } });
    await workOff(outbox);
    expect(await deliveries()).toMatchObject([{ status: "retrying", attempts: 1 }]);
  });

  it("are refused for a webhook that is off, and not found for a deleted one", async () => {
    await subscribe();
    await signUp();
    await call("PUT /webhooks/1", { active: false });
    expect(await call(RETRY)).toEqual({
      status: 422,
      body: { message: "The webhook is switched off; make it active first", code: "operation_failed" },
    });
    await call("DELETE /webhooks/1");
    const body = { message: "Webhook not found.", code: "not_found" };
    expect(await call(RETRY)).toEqual({ status: 404, body });
  });

  it("may be repeated by the operator for all failed deliveries, in their order", async () => {
    await subscribe({ max_retries: 0, event_types: ["referral.created", "referral.updated"] });
    await signUp();
    const key = { "x-api-key": "key-of-acme" };
    await app.request("/api/v1/leads/update?id=1&new_uid=u-1", { method: "PUT", headers: key });
    await signUp("other@example.com");
    const none = { pending: 0, retrying: 0, held: 0, delivered: 0, failed: 0 };
    expect(await countDeliveries(app, 1)).toEqual({ ...none, failed: 3 });
    receiver.received.length = 0;
    receiver.answer((response) => response.end());
    expect(await retryFailed(app, 1)).toBe(3);
    expect(await retryFailed(app, 1)).toBe(0);
    expect(await countDeliveries(app, 1)).toEqual({ ...none, pending: 3 });
    await workOff(outbox);
    const ofFirst = receiver.received.filter(({ body }) => body["entity_id"] === 1);
    expect(ofFirst.map(({ body }) => body["action"])).toEqual(["created", "updated"]);
    expect(await countDeliveries(app, 1)).toEqual({ ...none, delivered: 3 });
    await expect(retryFailed(app, 9)).rejects.toMatchObject({
      kind: "not_found",
    });
  });

  it("wait without any work for a webhook that is switched off, and end with it", async () => {
    await subscribe();
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    await call("PUT /webhooks/1", { active: false });
    expect(await outbox.pass()).toBeGreaterThan(0); // fans the fact out, without a receiver
    await call("PUT /webhooks/1", { active: true });
    await app.v1("/track/signup", { email: "other@example.com", ref_id: "jane" });
    receiver.answer((response) => response.writeHead(500).end());
    await workOff(outbox);
    await call("PUT /webhooks/1", { active: false });
    app.setNow("2026-03-05T00:00:00.000Z");
    expect(await outbox.pass()).toBe(0);
    expect(receiver.received).toHaveLength(1);
    await call("PUT /webhooks/1", { active: true });
    await workOff(outbox);
    expect(receiver.received).toHaveLength(2);
    await call("DELETE /webhooks/1");
    app.setNow("2026-03-06T00:00:00.000Z");
    await workOff(outbox);
    expect(receiver.received).toHaveLength(2);
    expect(await call("GET /webhooks/1/webhook_deliveries")).toMatchObject({ status: 404 });
  });
});

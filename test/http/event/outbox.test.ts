import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Dispatcher } from "../../../server/outbox/dispatcher.ts";
import { NOW, NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { appOutbox, expectAsDescribed, workOff } from "../../support/outbox.ts";
import { startReceiver, type Receiver } from "../../support/receiver.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";

describe.each(STORAGES)("the outbox on %s", (storage) => {
  let app: TestApp;
  let receiver: Receiver;
  let outbox: Dispatcher;
  beforeEach(async () => {
    app = await startApp(storage, { allowsPrivateWebhooks: true });
    receiver = await startReceiver();
    outbox = appOutbox(app);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    for (const { body } of receiver.received) expectAsDescribed(body);
    await receiver.close();
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const subscribe = async (over: Record<string, unknown> = {}) => {
    const { body } = await call("POST /webhooks", {
      url: receiver.url,
      event_types: ["referral.created"],
      ...over,
    });
    return body as { id: number; secret_key: string };
  };
  const signUp = (email: string) => app.v1("/track/signup", { email, ref_id: "jane" });
  const types = () => receiver.received.map(({ headers }) => headers["x-event-type"]);
  const deliveries = async (id = 1) =>
    (await call(`GET /webhooks/${id}/webhook_deliveries`)).body as Record<string, unknown>[];
  const later = (minutes: number, from = NOW) => {
    const at = new Date(Date.parse(from) + minutes * 60_000).toISOString();
    app.setNow(at);
    return at;
  };

  const JANE = { id: 1, email: "jane@example.com", name: "jane@example.com", cust_id: "c-1" };
  const lead = (over: Record<string, unknown> = {}) => ({
    id: 1,
    email: "lead@example.com",
    uid: null,
    state: "signup",
    metadata: {},
    entry_source: "api",
    created_at: NOW_SECOND,
    customer_since: null,
    promoter_campaign: {
      id: 1,
      campaign_id: 1,
      promoter_id: 1,
      created_at: NOW_SECOND,
      promoter: JANE,
      campaign: { id: 1, name: "Default campaign", color: "#2563eb" },
    },
    fraud_check: "no_suspicion",
    created_by_user_email: null,
    username: null,
    split_details: null,
    first_name: null,
    last_name: null,
    website: null,
    comment: null,
    is_expired: false,
    custom_status: null,
    ...over,
  });
  const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/) as string;
  const jane = () => join(app, "jane@example.com", { ref_id: "jane", cust_id: "c-1" });

  describe("POST /webhooks/{id}/test", () => {
    it("sends a signed event that says it is a test, like any other", async () => {
      const { id, secret_key: secret } = await subscribe();
      const { status, body } = await call(`POST /webhooks/${id}/test`);
      const posted = {
        event_id: UUID,
        event_type: "referral.created",
        action: "created",
        entity_type: "referral",
        entity_id: 0,
        changes: {},
        data: { test: true },
        timestamp: NOW,
      };
      const waiting = {
        id: 1,
        event_id: UUID,
        event_type: "referral.created",
        action: "created",
        entity_type: "referral",
        entity_id: 0,
        status: "pending",
        attempts: 0,
        last_error: null,
        response_code: null,
        response_body: null,
        object_changes: {},
        payload: posted,
        created_at: NOW,
        delivered_at: null,
      };
      expect([status, body]).toEqual([201, waiting]);
      await workOff(outbox);
      const [posting] = receiver.received;
      expect(posting!.body).toEqual(posted);
      const { "webhook-id": eventId, "webhook-signature": signature } = posting!.headers;
      expect(new Webhook(secret).sign(String(eventId), new Date(NOW), posting!.text)).toBe(signature);
      const answered = { status: "delivered", attempts: 1, response_code: 200, response_body: "thanks" };
      expect(await deliveries(id)).toEqual([{ ...(body as object), ...answered, delivered_at: NOW }]);
    });

    it("is retried, and holds up no other event", async () => {
      await jane();
      const { id } = await subscribe({ event_types: ["referral.created", "promoter.updated"] });
      receiver.answer((response) => response.writeHead(500).end());
      await call(`POST /webhooks/${id}/test`, { event_type: "promoter.updated" });
      await workOff(outbox);
      receiver.answer((response) => response.end());
      await signUp("lead@example.com");
      await workOff(outbox);
      expect(types()).toEqual(["promoter.updated", "referral.created"]);
      later(2.5);
      await workOff(outbox);
      expect(types()).toEqual(["promoter.updated", "referral.created", "promoter.updated"]);
    });

    it("is refused for a webhook that is off, of another account, or of the other format", async () => {
      const { id } = await subscribe();
      expect(await call(`POST /webhooks/${id}/test`, { event_type: "lead_signup" })).toEqual(
        invalid({ event_type: ["must be an event type of the format v2"] }),
      );
      await call(`PUT /webhooks/${id}`, { active: false });
      expect(await call(`POST /webhooks/${id}/test`)).toEqual({
        status: 422,
        body: {
          message: "The webhook is switched off; make it active first",
          code: "operation_failed",
        },
      });
      expect(await call("POST /webhooks/9/test")).toEqual({
        status: 404,
        body: { message: "Webhook not found.", code: "not_found" },
      });
      expect(await workOff(outbox)).toBe(0);
    });
  });

  it("posts a complete event with its headers, and records the delivery", async () => {
    await jane();
    const { secret_key: secret } = await subscribe({
      headers: { "X-Team": "blue" },
      basic_auth_user: "acme",
      basic_auth_password: "p:w",
    });
    await signUp("lead@example.com");
    await workOff(outbox);
    expect(receiver.received).toHaveLength(1);
    const [posting] = receiver.received;
    const body = {
      event_id: UUID,
      event_type: "referral.created",
      action: "created",
      entity_type: "referral",
      entity_id: 1,
      changes: {},
      data: lead(),
      timestamp: NOW,
    };
    expect(posting!.body).toEqual(body);
    expect(posting!.headers).toMatchObject({
      "content-type": "application/json",
      "x-event-id": posting!.body["event_id"],
      "x-event-type": "referral.created",
      "x-team": "blue",
      authorization: `Basic ${Buffer.from("acme:p:w").toString("base64")}`,
      "webhook-id": posting!.body["event_id"],
      "webhook-timestamp": String(Math.floor(Date.parse(NOW) / 1_000)),
    });
    expect(secret).toMatch(/^whsec_/);
    const delivery = {
      id: 1,
      event_id: posting!.body["event_id"],
      event_type: "referral.created",
      action: "created",
      entity_type: "referral",
      entity_id: 1,
      status: "delivered",
      attempts: 1,
      last_error: null,
      response_code: 200,
      response_body: "thanks",
      object_changes: {},
      payload: posting!.body,
      created_at: NOW,
      delivered_at: NOW,
    };
    expect(await deliveries()).toEqual([delivery]);
    expect(await call("GET /webhooks/1/webhook_deliveries/1")).toEqual({ status: 200, body: delivery });
    expect(await workOff(outbox)).toBe(0);
  });

  it("signs so that the independent package verifies it, with both secrets for a day after a rotation", async () => {
    app.setNow(new Date().toISOString()); // the package compares with the real time
    await jane();
    const { secret_key: first } = await subscribe();
    const verify = (secret: string) => {
      const { text, headers } = receiver.received.at(-1)!;
      return new Webhook(secret).verify(text, headers as Record<string, string>);
    };
    await signUp("one@example.com");
    await workOff(outbox);
    expect(verify(first)).toEqual(receiver.received.at(-1)!.body);
    const { body } = await call("POST /webhooks/1/rotate_secret");
    const { secret_key: second } = body as { secret_key: string };
    expect(second).not.toBe(first);
    await signUp("two@example.com");
    await workOff(outbox);
    verify(first);
    verify(second);
    app.setNow(new Date(Date.now() + 24 * 3_600_000 + 60_000).toISOString());
    await signUp("three@example.com");
    await workOff(outbox);
    const { headers, text } = receiver.received.at(-1)!;
    const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1_000);
    expect(headers["webhook-signature"]).toBe(
      new Webhook(second).sign(String(headers["webhook-id"]), sentAt, text),
    );
  });

  it("sends each webhook its own types of events, under one event id", async () => {
    await jane();
    await subscribe();
    await subscribe({ campaign_ids: [1] });
    await subscribe({ campaign_ids: [2] });
    await subscribe({ event_types: ["referral.deleted"] });
    await subscribe({ active: false });
    await signUp("lead@example.com");
    await workOff(outbox);
    expect(receiver.received).toHaveLength(2);
    const [first, second] = receiver.received;
    expect(first!.body).toEqual(second!.body);
  });

  it("holds later events of a record back behind a failed one, and sends those of other records", async () => {
    await jane();
    await subscribe({ event_types: ["referral.created", "referral.updated"] });
    let isDown = true;
    receiver.answer((response, { body }) => {
      const isLead = body["entity_id"] === 1;
      response.writeHead(isDown && isLead ? 503 : 200).end();
    });
    await signUp("lead@example.com");
    await app.request("/api/v1/leads/update?id=1&new_uid=u-1", {
      method: "PUT",
      headers: { "x-api-key": "key-of-acme" },
    });
    await signUp("other@example.com");
    await workOff(outbox);
    expect(types()).toEqual(["referral.created", "referral.created"]);
    isDown = false;
    later(2);
    await workOff(outbox);
    expect(types().slice(2)).toEqual(["referral.created", "referral.updated"]);
    expect(receiver.received.at(-1)!.body).toMatchObject({ changes: { uid: [null, "u-1"] } });
  });

  it("answers 404 to deliveries of another webhook", async () => {
    await subscribe();
    const body = { message: "Delivery not found.", code: "not_found" };
    expect(await call("GET /webhooks/1/webhook_deliveries/9")).toEqual({ status: 404, body });
    expect(await call("POST /webhooks/1/webhook_deliveries/9/retry_delivery")).toEqual({ status: 404, body });
    expect(await call("GET /webhooks/9/webhook_deliveries")).toMatchObject({ status: 404 });
    expect(await call("GET /webhooks/x/webhook_deliveries")).toMatchObject({ status: 404 });
  });

  it("posts a test, and answers with the endpoint's answer", async () => {
    receiver.answer((response) => response.writeHead(418).end("teapot"));
    const answer = await call("POST /webhooks/test", { url: receiver.url, event_type: "referral.created" });
    expect(answer).toEqual({
      status: 200,
      body: {
        delivered: false,
        response_code: 418,
        response_body: "teapot",
        error: "Answered 418",
        secret_key: expect.stringMatching(/^whsec_/) as string,
      },
    });
    expect(receiver.received[0]!.body).toMatchObject({
      event_type: "referral.created",
      data: { test: true },
    });
  });

  it("posts a test to a webhook with its stored settings, signed with its secrets", async () => {
    app.setNow(new Date().toISOString()); // the package compares with the real time
    const { id, secret_key } = await subscribe({
      headers: { "X-Team": "blue" },
      basic_auth_user: "acme",
      basic_auth_password: "p",
    });
    const post = async (over: object) => {
      const answer = await call("POST /webhooks/test", {
        webhook_id: id,
        event_type: "referral.created",
        ...over,
      });
      expect(answer).toMatchObject({ status: 200, body: { delivered: true, secret_key: null } });
      const { text, headers } = receiver.received.at(-1)!;
      expect(() => new Webhook(secret_key).verify(text, headers as Record<string, string>)).not.toThrow();
      return headers;
    };
    const authorization = `Basic ${Buffer.from("acme:p").toString("base64")}`;
    expect(await post({})).toMatchObject({ "x-team": "blue", authorization });
    // An answer from elsewhere must not reveal what was stored.
    const elsewhere = await post({ url: receiver.url });
    expect([elsewhere["x-team"], elsewhere["authorization"]]).toEqual([undefined, undefined]);
    expect(await call("POST /webhooks/test", { webhook_id: 99, event_type: "referral.created" })).toEqual({
      status: 404,
      body: { message: "Webhook not found.", code: "not_found" },
    });
  });

  it("sends nothing twice if it arrives while the outbox looks for due deliveries", async () => {
    await jane();
    await subscribe();
    let answerLater = () => {};
    receiver.answer((response) => void (answerLater = () => response.end()));
    let whenListed = async () => {};
    app.stored.edge.read = async (from, read) => {
      const found = await read();
      if (/ from deliveries .*order by "due_at"/.test(from)) await whenListed();
      return found;
    };
    await signUp("lead@example.com");
    await outbox.pass();
    await receiver.has(1);
    whenListed = async () => {
      answerLater();
      await outbox.settle();
    };
    expect(await outbox.pass()).toBe(0);
    await outbox.settle();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ status: "delivered", attempts: 1 }]);
  });

  it("lets one process work at a time, and the next one if the first has died", async () => {
    await jane();
    await subscribe();
    const second = appOutbox(app, { holder: "second" });
    await signUp("lead@example.com");
    expect(await outbox.pass()).toBeGreaterThan(0);
    await outbox.settle();
    await signUp("other@example.com");
    expect(await second.pass()).toBe(0);
    app.setNow("2026-03-04T05:06:18.000Z");
    expect(await second.pass()).toBeGreaterThan(0);
    await second.settle();
    expect(await outbox.pass()).toBe(0);
    await second.stop(0);
    expect(receiver.received).toHaveLength(2);
  });
});

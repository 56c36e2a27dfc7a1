import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";

const URL = "https://hooks.example.com/tidemark";
type Refusal = [field: string, value: unknown, message: string];
/** Every spelling of an address that leads to this machine or network. */
const PRIVATE_URLS = [
  "http://127.0.0.1:1/",
  "http://localhost:1/",
  "http://hooks.localhost/",
  "http://0x7f.1/",
  "http://2130706433/",
  "http://0177.0.0.1/",
  "http://[::1]/",
  "http://[::ffff:10.0.0.1]/",
  "http://[::7f00:1]/",
  "http://169.254.169.254/latest/meta-data/",
  "http://10.1.2.3/",
  "http://[fe80::1]/",
  "http://0.0.0.0/",
];

describe.each(STORAGES)("webhooks on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const given = (over: Record<string, unknown> = {}) => ({
    url: URL,
    event_types: ["referral.created"],
    ...over,
  });
  const create = (over: Record<string, unknown> = {}) => call("POST /webhooks", given(over));
  const shown = (over: Record<string, unknown> = {}) => ({
    id: 1,
    url: URL,
    description: null,
    format: "v2",
    event_types: ["referral.created"],
    campaign_ids: [],
    active: true,
    timeout: 30,
    max_retries: 10,
    headers: {},
    basic_auth_user: null,
    basic_auth_enabled: false,
    created_at: NOW,
    updated_at: NOW,
    ...over,
  });
  const NO_WEBHOOK = { status: 404, body: { message: "Webhook not found.", code: "not_found" } };

  describe("POST /webhooks", () => {
    it("creates a webhook from the required fields, and shows its secret once", async () => {
      const { status, body } = await create();
      const { secret_key: secret, ...rest } = body as { secret_key: string };
      expect({ status, rest }).toEqual({ status: 201, rest: shown() });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
      expect(await call("GET /webhooks/1")).toEqual({ status: 200, body: shown() });
      expect(await call("GET /webhooks")).toEqual({ status: 200, body: [shown()] });
    });

    it("creates a webhook from all fields, with numbers and booleans as text too", async () => {
      const all = {
        description: "Sales",
        event_types: ["referral.created", "payout.completed", "referral.created"],
        campaign_ids: ["1"],
        active: "false",
        timeout: "120",
        max_retries: "0",
        headers: { "X-Team": "blue", authorization: "Token x" },
        basic_auth_user: "acme",
        basic_auth_password: "secret",
        wid: "ignored",
      };
      expect((await create(all)).body).toMatchObject({ id: 1 });
      expect((await call("GET /webhooks/1")).body).toEqual(
        shown({
          description: "Sales",
          event_types: ["referral.created", "payout.completed"],
          campaign_ids: [1],
          active: false,
          timeout: 120,
          max_retries: 0,
          headers: { "X-Team": "blue", authorization: "Token x" },
          basic_auth_user: "acme",
          basic_auth_enabled: true,
        }),
      );
    });

    it("names every missing field", async () => {
      const blank = ["can't be blank"];
      expect(await call("POST /webhooks", { url: " " })).toEqual(invalid({ url: blank, event_types: blank }));
    });

    it.each<Refusal>([
      ["url", "ftp://example.com", "is invalid"],
      ["url", "javascript:alert(1)", "is invalid"],
      [
        "url",
        "https://user:secret@hooks.example.com/",
        "must not name a user; use basic_auth_user and basic_auth_password",
      ],
      [
        "url",
        "https://user@hooks.example.com/",
        "must not name a user; use basic_auth_user and basic_auth_password",
      ],
      ...PRIVATE_URLS.map(
        (url) => ["url", url, "must not lead to a private or internal address"] satisfies Refusal,
      ),
      ["event_types", ["referral.exploded"], "is not an event type"],
      ["event_types", [], "can't be blank"],
      ["event_types", "referral.created,x", "is not an event type"],
      ["timeout", 0, "must be from 1 to 120"],
      ["timeout", 121, "must be from 1 to 120"],
      ["max_retries", 11, "must be from 0 to 10"],
      ["max_retries", -1, "must be from 0 to 10"],
      ["active", "perhaps", "is invalid"],
      ["campaign_ids", ["x"], "is invalid"],
      ["headers", { "X-Bad": "a\r\nSet-Cookie: b" }, "is invalid"],
      ["headers", { "bad name": "x" }, "is invalid"],
      ["headers", { Host: "evil" }, "must not set Host"],
      ["headers", { "X-Bad": "a\nb" }, "is invalid"],
      ["headers", { "X-Bad": "\u0000" }, "is invalid"],
      ["headers", { "X-Bad\r\nX-Evil": "a" }, "is invalid"],
      ["headers", { "": "a" }, "is invalid"],
      ...[
        "Content-Length",
        "content-type",
        "Connection",
        "Transfer-Encoding",
        "TE",
        "Trailer",
        "Upgrade",
        "Keep-Alive",
        "Proxy-Authorization",
        "Expect",
      ].map((name) => ["headers", { [name]: "1" }, `must not set ${name}`] satisfies Refusal),
      ["headers", { "Webhook-Signature": "v1,x" }, "must not set Webhook-Signature"],
      ["headers", { "X-Event-Id": "x" }, "must not set X-Event-Id"],
      ["basic_auth_user", "a:b", "must not contain a colon"],
    ])("answers 422 to %s %j", async (field, value, message) => {
      expect(await create({ [field]: value })).toEqual(invalid({ [field]: [message] }));
      expect((await call("GET /webhooks")).body).toEqual([]);
    });

    it("accepts a user only with a password", async () => {
      const errors = { basic_auth_password: ["can't be blank with a basic_auth_user"] };
      expect(await create({ basic_auth_user: "acme" })).toEqual(invalid(errors));
    });

    it("allows at most a hundred", async () => {
      await Promise.all(Array.from({ length: 100 }, () => create()));
      expect(await create()).toEqual({
        status: 422,
        body: { message: "An account has at most 100 webhooks", code: "operation_failed" },
      });
    });
  });

  describe.each(["PUT", "PATCH"])("%s /webhooks/{id}", (method) => {
    beforeEach(async () => {
      await create({ basic_auth_user: "acme", basic_auth_password: "secret", description: "Sales" });
      app.setNow("2026-03-05T00:00:00.000Z");
    });
    const usual = (over: Record<string, unknown> = {}) =>
      shown({
        description: "Sales",
        basic_auth_user: "acme",
        basic_auth_enabled: true,
        updated_at: "2026-03-05T00:00:00.000Z",
        ...over,
      });

    it.each([
      [{}, {}],
      [{ active: false }, { active: false }],
      [{ event_types: ["promoter.created"] }, { event_types: ["promoter.created"] }],
      [{ description: "", campaign_ids: [] }, { description: null }],
      [{ basic_auth_user: null }, { basic_auth_user: null, basic_auth_enabled: false }],
      [
        { timeout: 5, max_retries: 3, url: "http://a.example/" },
        { timeout: 5, max_retries: 3, url: "http://a.example/" },
      ],
    ])("accepts %j", async (body, changes) => {
      expect(await call(`${method} /webhooks/1`, body)).toEqual({ status: 200, body: usual(changes) });
      expect(await call("GET /webhooks/1")).toEqual({ status: 200, body: usual(changes) });
    });

    it("refuses what a creation refuses, and unknown webhooks", async () => {
      expect(await call(`${method} /webhooks/1`, { url: "" })).toEqual(invalid({ url: ["can't be blank"] }));
      expect(await call(`${method} /webhooks/1`, { timeout: 0 })).toEqual(
        invalid({ timeout: ["must be from 1 to 120"] }),
      );
      expect(await call(`${method} /webhooks/1`, { url: "http://10.0.0.1/" })).toEqual(
        invalid({ url: ["must not lead to a private or internal address"] }),
      );
      expect(await call(`${method} /webhooks/9`, {})).toEqual(NO_WEBHOOK);
      expect(await call(`${method} /webhooks/x`, {})).toMatchObject({ status: 404 });
    });
  });

  it("never shows a secret again, nor a password", async () => {
    const { body } = await create({ basic_auth_user: "acme", basic_auth_password: "pass-word" });
    const { secret_key: secret } = body as { secret_key: string };
    const { body: rotated } = await call("POST /webhooks/1/rotate_secret");
    const { secret_key: second } = rotated as { secret_key: string };
    for (const request of ["GET /webhooks/1", "GET /webhooks", "PUT /webhooks/1", "DELETE /webhooks/1"]) {
      const shown = JSON.stringify(await call(request, request.startsWith("PUT") ? {} : undefined));
      expect(shown).toContain(URL);
      for (const hidden of [secret, second, "pass-word"]) expect(shown).not.toContain(hidden);
    }
  });

  it("deletes a webhook, and answers with it as it was", async () => {
    await create();
    expect(await call("DELETE /webhooks/1")).toEqual({ status: 200, body: shown() });
    expect(await call("GET /webhooks/1")).toEqual(NO_WEBHOOK);
    expect(await call("DELETE /webhooks/1")).toEqual(NO_WEBHOOK);
    expect(await call("POST /webhooks/1/rotate_secret")).toEqual(NO_WEBHOOK);
  });

  it("lists the newest first, 25 to a page", async () => {
    for (let day = 1; day <= 27; day++) {
      app.setNow(`2026-04-${String(day).padStart(2, "0")}T00:00:00.000Z`);
      await create();
    }
    const first = await company(app, "GET /webhooks");
    expect((first.body as { id: number }[]).map(({ id }) => id)).toEqual(
      Array.from({ length: 25 }, (_, index) => 27 - index),
    );
    expect(first.headers.get("total")).toBe("27");
    expect(first.headers.get("per-page")).toBe("25");
    const second = await company(app, "GET /webhooks?page=2");
    expect((second.body as { id: number }[]).map(({ id }) => id)).toEqual([2, 1]);
    expect((await call("GET /webhooks?page=9")).body).toEqual([]);
  });

  it("lists all types of events, sorted", async () => {
    const { body } = await call("GET /webhooks/event_types");
    const { data } = body as { data: string[] };
    expect(data).toEqual(data.toSorted());
    expect(data).toHaveLength(48);
    expect(data).toContain("promoter.balance.updated");
  });

  it("writes no facts while nobody subscribes to them", async () => {
    const waiting = () => app.records.count("fact");
    await join(app, "jane@example.com", { ref_id: "jane" });
    expect(await waiting()).toBe(0);
    await create();
    await join(app, "joe@example.com");
    expect(await waiting()).toBe(0);
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    expect(await waiting()).toBe(1);
    await call("PUT /webhooks/1", { active: false });
    await app.v1("/track/signup", { email: "other@example.com", ref_id: "jane" });
    expect(await waiting()).toBe(1);
    await call("PUT /webhooks/1", { active: true });
    await call("DELETE /webhooks/1");
    await app.v1("/track/signup", { email: "third@example.com", ref_id: "jane" });
    expect(await waiting()).toBe(1);
  });

  describe("POST /webhooks/test", () => {
    it.each(PRIVATE_URLS)("answers 400 to the private address %s", async (url) => {
      expect(await call("POST /webhooks/test", { url, event_type: "referral.created" })).toEqual(
        invalid({ url: [`${new globalThis.URL(url).hostname} is a private or internal address`] }, 400),
      );
    });

    it("answers 422 to missing and unknown values", async () => {
      expect(await call("POST /webhooks/test", { event_type: "x" })).toEqual(
        invalid({ event_type: ["is not an event type"], url: ["can't be blank"] }),
      );
    });
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { addUser, callAs, callWith, cookieOf, PASSWORD, type SessionCall } from "../../support/users.ts";
import { invalid, join, outcome } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

let app: TestApp;
let owner: RecordOf<"user">;
let call: SessionCall;
beforeEach(async () => {
  app = await startApp("memory", { has_mail: false });
  owner = await addUser(app, "owner");
  call = await callAs(app, owner);
});
afterEach(() => app.close());

const post = (path: string, body: unknown) => callWith(app, null)(`POST ${path}`, body);
const LAST_OWNER = {
  status: 422,
  body: {
    message: "The account needs an owner: make another user an owner first",
    code: "operation_failed",
  },
};
const ENDED = {
  status: 401,
  body: { message: "The session has ended. Sign in again.", code: "unauthorized" },
};
const NOT_FOUND = { status: 404, body: { message: "User not found.", code: "not_found" } };
const userOf = (over: Record<string, unknown>) => ({
  id: expect.any(Number),
  has_password: true,
  has_second_factor: false,
  created_at: NOW,
  last_sign_in_at: null,
  ...over,
});
const idOf = ({ body }: { body: unknown }) => (body as { id: number }).id;

describe("users", () => {
  it("are invited with a link, set a password by it, and are listed", async () => {
    const invited = await call("POST /users", { email: "new@acme.example", role: "viewer" });
    const { link } = invited.body as { link: string };
    const shown = userOf({
      email: "new@acme.example",
      name: "new@acme.example",
      role: "viewer",
      has_password: false,
    });
    expect(await outcome(Promise.resolve(invited))).toEqual({
      status: 201,
      body: {
        ...shown,
        link: expect.stringMatching(/^https:\/\/track\.acme\.example\/admin\/welcome#[\w-]{43}$/),
        is_mailed: false,
      },
    });
    expect(await outcome(call("GET /users"))).toEqual({
      status: 200,
      body: [
        userOf({
          id: owner.id,
          email: "owner@acme.example",
          name: "owner@acme.example",
          role: "owner",
          last_sign_in_at: NOW,
        }),
        shown,
      ],
    });
    const token = link.replace(/.*#/, "");
    expect((await post("/session/link", { token, password: PASSWORD, name: "Nia" })).status).toBe(201);
    expect((await call("GET /users")).body).toMatchObject([
      {},
      { name: "Nia", has_password: true, last_sign_in_at: NOW },
    ]);
  });

  it("have an e-mail address that nobody else on the server has", async () => {
    await addUser(app, "owner", { owner_id: 999, email: "taken@other.example" });
    for (const email of ["OWNER@acme.example", "taken@other.example"]) {
      expect(await outcome(call("POST /users", { email, role: "viewer" }))).toEqual({
        status: 400,
        body: {
          message: "email has already been taken",
          code: "invalid_record",
          errors: { email: ["has already been taken"] },
        },
      });
    }
    expect(await outcome(call("POST /users", { email: "x", role: "admin" }))).toEqual(
      invalid({ email: ["is invalid"], role: ["is not one of viewer, manager, owner"] }),
    );
  });

  it("get another role, which counts from their next request", async () => {
    const manager = await addUser(app, "manager");
    const theirs = await callAs(app, manager);
    expect((await theirs("POST /campaigns", {})).status).toBe(422);
    expect(await outcome(call(`PUT /users/${manager.id}`, { role: "viewer", name: "Max" }))).toEqual({
      status: 200,
      body: userOf({ email: "manager@acme.example", name: "Max", role: "viewer", last_sign_in_at: NOW }),
    });
    expect((await theirs("POST /campaigns", {})).status).toBe(403);
    expect((await theirs(`PUT /users/${manager.id}`, { role: "owner" })).status).toBe(403);
  });

  it("are signed out when they are removed, and their links end", async () => {
    const manager = await addUser(app, "manager");
    const theirs = await callAs(app, manager);
    const reset = await call(`POST /users/${manager.id}/reset`);
    const token = (reset.body as { link: string }).link.replace(/.*#/, "");
    expect(await outcome(call(`DELETE /users/${manager.id}`))).toMatchObject({
      status: 200,
      body: { id: manager.id, email: "manager@acme.example" },
    });
    expect(await outcome(theirs("GET /session"))).toEqual(ENDED);
    expect((await post("/session/link", { token, password: PASSWORD })).status).toBe(404);
    expect((await post("/session", { email: manager.email, password: PASSWORD })).status).toBe(401);
    expect(await outcome(call(`DELETE /users/${manager.id}`))).toEqual(NOT_FOUND);
    expect((await call("POST /users", { email: manager.email, role: "viewer" })).status).toBe(201);
  });

  it("keep one owner who can sign in", async () => {
    await call("POST /users", { email: "invited@acme.example", role: "owner" });
    expect(await outcome(call(`DELETE /users/${owner.id}`))).toEqual(LAST_OWNER);
    expect(await outcome(call(`PUT /users/${owner.id}`, { role: "manager" }))).toEqual(LAST_OWNER);
    const second = await addUser(app, "owner", { email: "second@acme.example" });
    expect((await call(`PUT /users/${owner.id}`, { role: "manager" })).status).toBe(200);
    expect((await (await callAs(app, second))(`DELETE /users/${second.id}`)).status).toBe(422);
  });

  it("keep one owner when two owners remove each other at once", async () => {
    const second = await addUser(app, "owner", { email: "second@acme.example" });
    const theirs = await callAs(app, second);
    const answers = await Promise.all([
      call(`DELETE /users/${second.id}`),
      theirs(`DELETE /users/${owner.id}`),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it("of another account don't exist", async () => {
    const foreign = await addUser(app, "viewer", { owner_id: 999, email: "viewer@other.example" });
    expect(await outcome(call(`PUT /users/${foreign.id}`, { role: "owner" }))).toEqual(NOT_FOUND);
    expect(await outcome(call(`DELETE /users/${foreign.id}`))).toEqual(NOT_FOUND);
    expect(await outcome(call(`POST /users/${foreign.id}/reset`))).toEqual(NOT_FOUND);
    expect((await call("GET /users")).body).toHaveLength(1);
  });
});

describe("someone who is signed in", () => {
  it("changes their name", async () => {
    expect((await call("PUT /session", { name: "Alex Kim" })).body).toMatchObject({
      user: { name: "Alex Kim" },
    });
    expect((await call("PUT /session", { name: null })).body).toMatchObject({
      user: { name: "owner@acme.example" },
    });
  });

  it("changes their password, which ends all other sessions and gives this one a new token", async () => {
    const other = await callAs(app, owner);
    const body = { current_password: PASSWORD, password: "another password" };
    const answer = await call("PUT /session/password", body);
    expect(answer.status).toBe(200);
    expect(await outcome(other("GET /session"))).toEqual(ENDED);
    expect(await outcome(call("GET /session"))).toEqual(ENDED);
    expect((await callWith(app, cookieOf(answer))("GET /session")).status).toBe(200);
    expect((await post("/session", { email: owner.email, password: PASSWORD })).status).toBe(401);
    expect((await post("/session", { email: owner.email, password: "another password" })).status).toBe(201);
  });

  it("can't change the password without knowing it, nor to a short one", async () => {
    const wrong = { current_password: "wrong password", password: "another password" };
    expect(await outcome(call("PUT /session/password", wrong))).toEqual(
      invalid({ current_password: ["is wrong"] }),
    );
    expect(
      await outcome(call("PUT /session/password", { current_password: PASSWORD, password: "short" })),
    ).toEqual(invalid({ password: ["is too short (minimum is 8 characters)"] }));
    expect((await call("GET /session")).status).toBe(200);
  });

  it("sees their sessions and ends one, and nobody else's", async () => {
    const other = await callAs(app, owner);
    const manager = await addUser(app, "manager");
    const theirs = await callAs(app, manager);
    const list = (await call("GET /session/sessions")).body as { id: number; is_current: boolean }[];
    expect(list).toEqual(
      expect.arrayContaining([
        { id: expect.any(Number), device: null, created_at: NOW, seen_at: NOW, is_current: true },
        { id: expect.any(Number), device: null, created_at: NOW, seen_at: NOW, is_current: false },
      ]),
    );
    expect(list).toHaveLength(2);
    const [foreign] = (await theirs("GET /session/sessions")).body as { id: number }[];
    expect((await call(`DELETE /session/sessions/${foreign!.id}`)).status).toBe(404);
    expect((await theirs("GET /session")).status).toBe(200);
    const { id } = list.find(({ is_current }) => !is_current)!;
    expect((await call(`DELETE /session/sessions/${id}`)).status).toBe(204);
    expect(await outcome(other("GET /session"))).toEqual(ENDED);
    expect((await call("GET /session")).status).toBe(200);
  });
});

describe("API keys", () => {
  it("are made, shown once, listed and revoked", async () => {
    const made = await call("POST /api_keys", { name: "Shop" });
    const { key, ...shown } = made.body as { key: string };
    expect(made.status).toBe(201);
    expect(shown).toEqual({ id: expect.any(Number), name: "Shop", created_at: NOW, revoked_at: null });
    const headers = { authorization: `Bearer ${key}`, "account-id": "acme" };
    const asKey = () => callWith(app, null)("GET /campaigns", undefined, headers);
    expect((await asKey()).status).toBe(200);
    const listed = await call("GET /api_keys");
    expect(listed.body).toEqual(expect.arrayContaining([shown, expect.objectContaining({ name: "first" })]));
    expect(JSON.stringify(listed.body)).not.toContain(key);
    const revoked = { ...shown, revoked_at: NOW };
    expect(await outcome(call(`DELETE /api_keys/${idOf(made)}`))).toEqual({ status: 200, body: revoked });
    expect((await asKey()).status).toBe(401);
    expect(await outcome(call(`DELETE /api_keys/${idOf(made)}`))).toEqual({
      status: 422,
      body: { message: `The key was already revoked, at ${NOW}`, code: "operation_failed" },
    });
    expect((await call("DELETE /api_keys/1")).status).toBe(404);
  });
});

describe("the account", () => {
  const SETTINGS = {
    id: "acme",
    name: "Acme",
    default_campaign_id: 1,
    currency: "USD",
    time_zone: "UTC",
    honours_privacy_control: false,
    signup_source: "both",
    counts_social_clicks_as_ads: false,
    requires_second_factor: false,
    portal_origins: [],
    mail_sender: null,
    promoter_language: "en",
    max_auto_approve: null,
    commission_base: { less_tax: true, less_shipping: false, fee_percentage: 0 },
    payout_cycle: "monthly",
    net_payout_days: 30,
    min_payment: 0,
    min_paying_customers: 0,
    requires_payout_method: false,
    requires_invoice_details: false,
    tracker: { global: "svc", data_global: null, cookie: "_svc", script: null, reads_fragment: false },
    created_at: NOW,
  };

  it("shows its settings, and changes them", async () => {
    expect(await outcome(call("GET /account"))).toEqual({ status: 200, body: SETTINGS });
    const changes = {
      name: "Acme Inc.",
      currency: "eur",
      time_zone: "Europe/Berlin",
      honours_privacy_control: true,
      signup_source: "server",
      counts_social_clicks_as_ads: true,
      mail_sender: "Acme <partners@acme.example>",
      promoter_language: "de",
      max_auto_approve: 50_000,
      payout_cycle: "weekly",
      net_payout_days: 14,
      min_payment: 5_000,
      requires_payout_method: true,
    };
    const tracker = { global: "fpr", script: "fpr.js", data_global: "FPROM" };
    const after = {
      ...SETTINGS,
      ...changes,
      currency: "EUR",
      tracker: { ...SETTINGS.tracker, ...tracker },
    };
    expect(await outcome(call("PUT /account", { ...changes, tracker }))).toEqual({
      status: 200,
      body: after,
    });
    expect(await outcome(call("GET /account"))).toEqual({ status: 200, body: after });
    const cleared = {
      mail_sender: null,
      max_auto_approve: null,
      tracker: { script: null, data_global: null },
    };
    expect((await call("PATCH /account", cleared)).body).toEqual({
      ...after,
      mail_sender: null,
      max_auto_approve: null,
      tracker: { ...SETTINGS.tracker, global: "fpr" },
    });
    expect((await call("GET /session")).body).toMatchObject({
      account: { name: "Acme Inc.", currency: "EUR", time_zone: "Europe/Berlin" },
    });
  });

  it("refuses what it can't have, and changes nothing then", async () => {
    expect(
      await outcome(
        call("PUT /account", {
          name: "",
          time_zone: "Mars/Olympus",
          mail_sender: "nobody",
          promoter_language: "xx",
          payout_cycle: "daily",
          net_payout_days: 400,
          min_payment: -1,
        }),
      ),
    ).toEqual(
      invalid({
        name: ["can't be blank"],
        time_zone: ["is not a time zone, such as Europe/Berlin"],
        mail_sender: ["is not an e-mail address"],
        promoter_language: ["is not one of en, de, fr, es, pt, ja, he"],
        payout_cycle: ["is not one of monthly, biweekly, weekly"],
        net_payout_days: ["must be from 0 to 365"],
        min_payment: ["must not be negative"],
      }),
    );
    const wrong = { name: "Other", tracker: { global: "1x" } };
    expect(await outcome(call("PUT /account", wrong))).toEqual(
      invalid({ global: ["is not a valid variable name"] }),
    );
    expect(await outcome(call("PUT /account", { name: "Other", currency: "XXZ" }))).toEqual({
      status: 422,
      body: { message: "XXZ is not an ISO 4217 currency", code: "invalid_params" },
    });
    expect((await call("GET /account")).body).toEqual(SETTINGS);
  });

  it("says what sales count of a payment, and changes each part alone", async () => {
    const base = async (changes: object) => {
      const { status, body } = await call("PUT /account", { commission_base: changes });
      return status === 200 ? (body as { commission_base: object }).commission_base : { status, body };
    };
    expect(await base({ fee_percentage: "2.9" })).toEqual({
      less_tax: true,
      less_shipping: false,
      fee_percentage: 2.9,
    });
    expect(await base({ less_tax: false, less_shipping: true })).toEqual({
      less_tax: false,
      less_shipping: true,
      fee_percentage: 2.9,
    });
    for (const fee of [100, -1, 2.00001, "much"]) {
      expect(await base({ fee_percentage: fee })).toMatchObject({
        status: 422,
        body: { code: "invalid_params" },
      });
    }
    expect((await call("GET /account")).body).toMatchObject({ commission_base: { fee_percentage: 2.9 } });
  });

  it("keeps its currency once there are amounts", async () => {
    await join(app, "jane@example.com", { ref_id: "jane" });
    await app.v1("/track/sale", { email: "a@example.com", event_id: "s1", amount: "1000", ref_id: "jane" });
    const fault = "stays USD, because there are amounts in it already";
    expect(await outcome(call("PUT /account", { currency: "EUR" }))).toMatchObject({
      status: 422,
      body: { message: `Validation failed: currency ${fault}`, errors: { currency: [fault] } },
    });
  });
});

import { Secret, TOTP } from "otpauth";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import {
  addUser,
  callAs,
  callWith,
  cookieOf,
  PASSWORD,
  type SessionCall,
  addUserLink,
} from "../../support/users.ts";
import { invalid, outcome } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

const PERIOD_MS = 30_000;
const WANTED = {
  status: 401,
  body: { message: "Enter a code of your second factor", code: "second_factor_required" },
};
const WRONG_CODE = { status: 401, body: { message: "The code is wrong", code: "second_factor_required" } };

let app: TestApp;
let user: RecordOf<"user">;
let call: SessionCall;
beforeEach(async () => {
  app = await startApp();
  user = await addUser(app, "owner");
  call = await callAs(app, user);
});
afterEach(() => app.close());

const post = (path: string, body: unknown) => callWith(app, null)(`POST ${path}`, body);
const signIn = (code?: string) => post("/session", { email: user.email, password: PASSWORD, code });
const later = (ms: number) => app.setNow(new Date(Date.parse(NOW) + ms).toISOString());
const codeAt = (secret: string, ms: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.parse(NOW) + ms });

/** Sets a second factor up and moves the clock to a period whose code was not used. */
async function setUp(as = call): Promise<{ secret: string; recovery: string[] }> {
  const begun = await as("POST /session/second_factor", { current_password: PASSWORD });
  const { secret } = begun.body as { secret: string };
  const confirmed = await as("POST /session/second_factor/confirm", { code: codeAt(secret, 0) });
  expect(confirmed.status).toBe(201);
  const { recovery_codes: recovery } = confirmed.body as { recovery_codes: string[] };
  later(2 * PERIOD_MS);
  return { secret, recovery };
}

describe("a second factor", () => {
  it("ends the user's other sessions once it is confirmed, because they were opened without it", async () => {
    const other = await callAs(app, user);
    expect((await other("GET /session")).status).toBe(200);
    await setUp();
    expect((await other("GET /session")).status).toBe(401);
    expect((await call("GET /session")).status).toBe(200);
  });

  it("is begun with the password, and counts once a code has confirmed it", async () => {
    const wrong = call("POST /session/second_factor", { current_password: "wrong password" });
    expect(await outcome(wrong)).toEqual(invalid({ current_password: ["is wrong"] }));
    const begun = await call("POST /session/second_factor", { current_password: PASSWORD });
    const { secret, address } = begun.body as { secret: string; address: string };
    expect(begun.status).toBe(201);
    expect(secret).toMatch(/^[A-Z2-7]{32,}$/);
    expect(address).toContain(`otpauth://totp/Acme:owner%40acme.example?issuer=Acme&secret=${secret}`);
    expect((await signIn()).status).toBe(201);
    expect((await call("POST /session/second_factor/confirm", { code: "000000" })).status).toBe(422);
    const confirmed = await call("POST /session/second_factor/confirm", { code: codeAt(secret, 0) });
    expect(confirmed.body).toEqual({
      recovery_codes: Array.from({ length: 10 }, () => expect.stringMatching(/^\d{12}$/)),
    });
    expect((await call("GET /session")).body).toMatchObject({ user: { has_second_factor: true } });
    expect(await outcome(signIn())).toEqual(WANTED);
    expect((await call("POST /session/second_factor", { current_password: PASSWORD })).status).toBe(422);
  });

  it("is asked for only after the right password", async () => {
    await setUp();
    const wrong = { email: user.email, password: "wrong password", code: "000000" };
    expect(await outcome(post("/session", wrong))).toEqual({
      status: 401,
      body: { message: "The e-mail address or the password is wrong", code: "unauthorized" },
    });
  });

  it("lets each code in once, and clocks be half a minute off", async () => {
    const { secret } = await setUp();
    const code = codeAt(secret, 2 * PERIOD_MS);
    const answers = await Promise.all([signIn(code), signIn(code)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 401]);
    expect(await outcome(signIn(code))).toEqual(WRONG_CODE);
    expect(await outcome(signIn(codeAt(secret, PERIOD_MS)))).toEqual(WRONG_CODE);
    const early = codeAt(secret, 3 * PERIOD_MS);
    expect((await signIn(`${early.slice(0, 3)} ${early.slice(3)}`)).status).toBe(201);
    expect(await outcome(signIn(codeAt(secret, 5 * PERIOD_MS)))).toEqual(WRONG_CODE);
  });

  it("has recovery codes that work once each", async () => {
    const { recovery } = await setUp();
    const [first = "", second = ""] = recovery;
    expect((await signIn(first)).status).toBe(201);
    expect(await outcome(signIn(first))).toEqual(WRONG_CODE);
    expect((await signIn(`${second.slice(0, 4)}-${second.slice(4)}`)).status).toBe(201);
  });

  it("is asked for by a link that resets the password, too, and the link stays good until then", async () => {
    const { secret } = await setUp();
    const token = await addUserLink(app, "reset", user.id);
    const body = { token, password: "another password" };
    expect(await outcome(post("/session/link", body))).toEqual(WANTED);
    expect(await outcome(post("/session/link", { ...body, code: "000000" }))).toEqual(WRONG_CODE);
    expect((await post("/session/link", { ...body, code: codeAt(secret, 2 * PERIOD_MS) })).status).toBe(201);
  });

  it("is removed by its user with the password, or by an owner if it was lost", async () => {
    await setUp();
    const removed = await call("DELETE /session/second_factor", { current_password: PASSWORD });
    expect(removed.body).toMatchObject({ user: { has_second_factor: false } });
    expect((await signIn()).status).toBe(201);
    const manager = await addUser(app, "manager");
    later(0);
    await setUp(await callAs(app, manager));
    expect((await call(`POST /users/${manager.id}/reset`, {})).body).toMatchObject({
      has_second_factor: true,
    });
    const reset = await call(`POST /users/${manager.id}/reset`, { remove_second_factor: true });
    expect(reset.body).toMatchObject({ has_second_factor: false });
    expect((await post("/session", { email: manager.email, password: PASSWORD })).status).toBe(201);
  });

  it("is never shown, not even in the audit log", async () => {
    const { secret, recovery } = await setUp();
    const shown = JSON.stringify([
      (await call("GET /audit_log")).body,
      (await call("GET /users")).body,
      (await call("GET /session")).body,
    ]);
    expect([secret, ...recovery].filter((each) => shown.includes(each))).toEqual([]);
  });
});

describe("an account that demands a second factor", () => {
  it("lets its users do nothing else before they have one", async () => {
    expect((await call("PUT /account", { requires_second_factor: true })).status).toBe(200);
    expect(await outcome(call("GET /campaigns"))).toEqual({
      status: 403,
      body: {
        message: "The account demands a second factor: set one up first",
        code: "second_factor_setup_required",
      },
    });
    expect((await call("GET /session")).status).toBe(200);
    const { secret } = await setUp();
    expect((await call("GET /campaigns")).status).toBe(200);
    expect((await call("DELETE /session/second_factor", { current_password: PASSWORD })).status).toBe(422);
    expect((await app.v2("GET", "/campaigns")).status).toBe(200);
    const answer = await signIn(codeAt(secret, 2 * PERIOD_MS));
    expect((await callWith(app, cookieOf(answer))("GET /campaigns")).status).toBe(200);
  });
});

describe("wrong codes", () => {
  const tooMany = (message: string) => ({ status: 429, body: { message, code: "rate_limited" } });
  const BY_PASSWORD = tooMany(
    "Too many wrong codes: ask for a link by e-mail, or sign in where you have signed in before",
  );
  const BY_LINK = tooMany(
    "Too many wrong codes: try again tomorrow, or ask an owner to remove your second factor",
  );
  const linkToken = () => addUserLink(app, "reset", user.id);

  it("end the attempt by password after six in a day, also for the right code", async () => {
    const { secret } = await setUp();
    const right = () => codeAt(secret, 2 * PERIOD_MS);
    for (let guess = 0; guess < 6; guess++) expect(await outcome(signIn("000000"))).toEqual(WRONG_CODE);
    expect(await outcome(signIn(right()))).toEqual(BY_PASSWORD);
    const refused = await signIn(right());
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(23 * 60 * 60);
    // The owner of the mailbox still gets in.
    const followed = await post("/session/link", {
      token: await linkToken(),
      password: PASSWORD,
      code: right(),
    });
    expect(followed.status).toBe(201);
  });

  it("cost a browser in which the user has signed in nothing if a stranger enters them", async () => {
    const { secret } = await setUp();
    const known = await signIn(codeAt(secret, 2 * PERIOD_MS));
    const cookie = known.headers.getSetCookie()[1]!.replace(/;.*/, "");
    for (let guess = 0; guess < 6; guess++) await signIn("000000");
    expect(await outcome(signIn("000000"))).toEqual(BY_PASSWORD);
    later(4 * PERIOD_MS);
    const input = { email: user.email, password: PASSWORD, code: codeAt(secret, 4 * PERIOD_MS) };
    expect((await callWith(app, cookie)("POST /session", input)).status).toBe(201);
  });

  it("are counted with a wrong password as little as right ones are", async () => {
    const { secret } = await setUp();
    for (let guess = 0; guess < 7; guess++) {
      const wrong = { email: user.email, password: "wrong password", code: "000000" };
      expect((await post("/session", wrong)).status).toBe(401);
    }
    expect((await signIn(codeAt(secret, 2 * PERIOD_MS))).status).toBe(201);
  });

  it("end the attempt after six in a day in all known browsers together", async () => {
    const newBrowser = async () => {
      const { headers } = await signIn();
      return headers.getSetCookie()[1]!.replace(/;.*/, "");
    };
    // Someone who found the password out before there was a second factor has many of them.
    const browsers = [await newBrowser(), await newBrowser(), await newBrowser()];
    await setUp();
    const guess = (cookie: string) =>
      callWith(app, cookie)("POST /session", { email: user.email, password: PASSWORD, code: "000000" });
    for (const cookie of [...browsers, ...browsers]) expect((await guess(cookie)).status).toBe(401);
    for (const cookie of browsers) expect((await guess(cookie)).status).toBe(429);
  });

  it("are not counted for someone without the password, however many come at the same time", async () => {
    const { secret } = await setUp();
    const guess = () => post("/session", { email: user.email, password: "wrong password", code: "000000" });
    for (let burst = 0; burst < 2; burst++) {
      const answers = await Promise.all(Array.from({ length: 10 }, guess));
      // At most six are tried at the same time. The others are refused, and must not count either.
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(6);
    }
    expect((await signIn(codeAt(secret, 2 * PERIOD_MS))).status).toBe(201);
  });

  it("end the attempt by link after six in a day, for all links together", async () => {
    const { secret } = await setUp();
    const follow = async (code: string) =>
      outcome(post("/session/link", { token: await linkToken(), password: PASSWORD, code }));
    for (let guess = 0; guess < 6; guess++) expect(await follow("000000")).toEqual(WRONG_CODE);
    expect(await follow(codeAt(secret, 2 * PERIOD_MS))).toEqual(BY_LINK);
  });

  it("are not tried more often if they come at the same time", async () => {
    await setUp();
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn("000000")));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(6);
  });
});

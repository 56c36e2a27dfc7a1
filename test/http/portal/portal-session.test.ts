import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { hashCount } from "../../support/hashes.ts";
import { useMail } from "../../support/mail.ts";
import { PASSWORD, portalBrowser, signedInPromoter, type PortalBrowser } from "../../support/portal.ts";
import { send } from "../../support/v1.ts";

const EMAIL = "jane@example.com";

let app: TestApp;
let browser: PortalBrowser;
beforeEach(async () => {
  app = await startApp();
  browser = portalBrowser(app);
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const JANE = {
  promoter: { id: 1, email: EMAIL, name: EMAIL, language: null },
  account: { id: "acme", name: "Acme", currency: "USD", time_zone: "UTC" },
  brand: { name: "Acme", logo_url: null, favicon_url: null, colors: null },
  must_set_password: false,
  has_password: true,
  is_read_only: false,
  agreements: "none",
};
const refused = (status: number, message: string, code: string) => ({ status, body: { message, code } });
const NOBODY = refused(401, "No promoter is signed in", "unauthorized");
const WRONG = refused(401, "The e-mail address or the password is wrong", "unauthorized");

describe("a temporary password", () => {
  beforeEach(() => app.v1("/promoters/create", { email: EMAIL, temp_password: "first secret" }));

  it("signs in until another one is chosen, which must happen before anything else", async () => {
    const session = { ...JANE, must_set_password: true, has_password: false };
    const given = { email: " JANE@example.com", password: "first secret" };
    expect(await browser.outcome("POST /session", given)).toEqual({ status: 201, body: session });
    expect(await browser.outcome("GET /session")).toEqual({ status: 200, body: session });
    expect(await browser.outcome("GET /promoters/current")).toEqual(
      refused(403, "Choose a password first", "forbidden"),
    );
    const other = portalBrowser(app);
    expect(await other.outcome("POST /session", given)).toEqual({ status: 201, body: session });
    expect(await browser.outcome("POST /promoters/set_password", { password: PASSWORD })).toEqual({
      status: 200,
      body: JANE,
    });
    expect((await browser.call("GET /promoters/current")).status).toBe(200);
    const again = { email: EMAIL, password: PASSWORD };
    expect(await portalBrowser(app).outcome("POST /session", again)).toEqual({ status: 201, body: JANE });
    expect(await portalBrowser(app).outcome("POST /session", given)).toEqual(WRONG);
    expect(await other.outcome("POST /promoters/set_password", { password: "another secret" })).toEqual(
      NOBODY,
    );
  });

  it("of an update signs in beside the promoter's own, until they have chosen another", async () => {
    await browser.call("POST /session", { email: EMAIL, password: "first secret" });
    await browser.call("POST /promoters/set_password", { password: PASSWORD });
    await send(app, "PUT /promoters/update", { email: EMAIL, temp_password: "second secret" });
    const given = { email: EMAIL, password: "second secret" };
    for (const each of [browser, portalBrowser(app), portalBrowser(app)]) {
      expect((await each.outcome("POST /session", given)).body).toMatchObject({ must_set_password: true });
    }
    const own = { email: EMAIL, password: PASSWORD };
    expect((await browser.outcome("POST /session", own)).body).toMatchObject({ must_set_password: false });
    await browser.call("POST /session", given);
    await browser.call("POST /promoters/set_password", { password: "a third secret" });
    expect(await portalBrowser(app).outcome("POST /session", given)).toEqual(WRONG);
  });

  it("is not replaced by one that is too short", async () => {
    await browser.call("POST /session", { email: EMAIL, password: "first secret" });
    expect((await browser.outcome("POST /promoters/set_password", { password: "short" })).body).toEqual({
      message: "Validation failed: password is too short (minimum is 8 characters)",
      code: "invalid_params",
      errors: { password: ["is too short (minimum is 8 characters)"] },
    });
  });
});

describe("signing in", () => {
  it("is noted, and gives a cookie that scripts can't read and other paths don't get", async () => {
    await signedInPromoter(app, EMAIL);
    const { headers } = await browser.call("POST /session", { email: EMAIL, password: PASSWORD });
    const attributes = (path: string) => `Max-Age=34560000; Path=${path}; HttpOnly; Secure; SameSite=Lax`;
    const [api, page] = headers.getSetCookie();
    const [, token = ""] = /^tidemark_portal=([\w-]+);/.exec(api ?? "") ?? [];
    expect(api).toBe(`tidemark_portal=${token}; ${attributes("/api/v2/affiliate")}`);
    expect(page).toBe(`tidemark_portal=${token}; ${attributes("/portal")}`);
    const { body } = await app.v2("GET", "/promoters/1");
    expect(body).toMatchObject({ last_login_at: "2026-03-04T05:06:07Z" });
  });

  it("answers a wrong password and an unknown address alike", async () => {
    await signedInPromoter(app, EMAIL);
    expect(await browser.outcome("POST /session", { email: EMAIL, password: "wrong" })).toEqual(WRONG);
    expect(await browser.outcome("POST /session", { email: "x@example.com", password: "wrong" })).toEqual(
      WRONG,
    );
  });

  it("computes one hash, whoever exists", async () => {
    await signedInPromoter(app, EMAIL);
    await app.v1("/promoters/create", { email: "first@example.com", temp_password: "first secret" });
    await app.v1("/promoters/create", { email: "none@example.com" });
    for (const email of [EMAIL, "first@example.com", "none@example.com", "nobody@example.com"]) {
      const given = { email, password: "wrong" };
      expect([email, await hashCount(() => portalBrowser(app).call("POST /session", given))]).toEqual([
        email,
        1,
      ]);
    }
  });

  it("is refused to archived promoters, whose sessions end", async () => {
    const jane = await signedInPromoter(app, EMAIL);
    await app.v2("POST", "/promoters/archive", { ids: [1] });
    expect(await jane.outcome("GET /session")).toEqual(NOBODY);
    expect(await browser.outcome("POST /session", { email: EMAIL, password: PASSWORD })).toEqual(WRONG);
  });

  it("is refused to pages of other sites, and so are changes", async () => {
    const jane = await signedInPromoter(app, EMAIL);
    const foreign = portalBrowser(app, { origin: "https://evil.example" });
    const answer = refused(403, "The request does not come from a page of this server", "forbidden");
    expect(await foreign.outcome("POST /session", { email: EMAIL, password: PASSWORD })).toEqual(answer);
    expect((await jane.call("GET /session")).status).toBe(200);
  });

  it("ends with the session, with a new password, and after two weeks without use", async () => {
    const jane = await signedInPromoter(app, EMAIL);
    const other = portalBrowser(app);
    await other.call("POST /session", { email: EMAIL, password: PASSWORD });
    const change = { password: "another good one", current_password: PASSWORD };
    expect((await jane.call("POST /promoters/set_password", change)).status).toBe(200);
    expect(await other.outcome("GET /session")).toEqual(NOBODY);
    expect((await jane.call("GET /session")).status).toBe(200);
    app.setNow("2026-03-19T05:06:07.890Z");
    expect(await jane.outcome("GET /session")).toEqual(NOBODY);
    await jane.call("POST /session", { email: EMAIL, password: "another good one" });
    expect(await jane.outcome("DELETE /session")).toEqual({ status: 204, body: "" });
    expect(await jane.outcome("GET /session")).toEqual(NOBODY);
  });

  it("needs the current password for a new one", async () => {
    const jane = await signedInPromoter(app, EMAIL);
    expect(await jane.outcome("POST /promoters/set_password", { password: "another good one" })).toEqual({
      status: 422,
      body: {
        message: "Validation failed: current_password is wrong",
        code: "invalid_params",
        errors: { current_password: ["is wrong"] },
      },
    });
  });
});

describe("guesses", () => {
  const TOO_MANY = refused(429, "Too many attempts to sign in", "rate_limited");
  const from = (network: string) => portalBrowser(app, { "x-forwarded-for": network });

  it("don't keep the promoter out, who signs in from elsewhere", async () => {
    await app.close();
    app = await startApp("memory", { signInsByPair: 1 });
    await app.v1("/promoters/create", { email: EMAIL, temp_password: PASSWORD });
    const guess = { email: EMAIL, password: "wrong" };
    expect(await from("10.0.0.1").outcome("POST /session", guess)).toEqual(WRONG);
    expect(await from("10.0.0.1").outcome("POST /session", guess)).toEqual(TOO_MANY);
    const right = { email: EMAIL, password: PASSWORD };
    expect((await from("10.0.0.2").call("POST /session", right)).status).toBe(201);
  });

  it("don't keep a browser out in which the promoter has signed in", async () => {
    await app.close();
    app = await startApp("memory", { signInsByEmail: 3 });
    await signedInPromoter(app, EMAIL);
    const right = { email: EMAIL, password: PASSWORD };
    const { headers } = await from("10.0.0.1").call("POST /session", right);
    const known = headers.getSetCookie().at(-1)!.replace(/;.*/, "");
    expect(known).toMatch(/^tidemark_portal_known=[\w-]{43}$/);
    expect(await from("10.0.0.2").outcome("POST /session", right)).toEqual(TOO_MANY);
    const there = portalBrowser(app, { "x-forwarded-for": "10.0.0.2" }, known);
    expect((await there.call("POST /session", right)).status).toBe(201);
  });

  it("of the current password are limited by someone who has the session, too", async () => {
    await app.close();
    app = await startApp("memory", { signInsByPair: 4 });
    const jane = await signedInPromoter(app, EMAIL);
    const guess = () =>
      jane.call("POST /promoters/set_password", {
        password: "another good one",
        current_password: "wrong",
      });
    expect([(await guess()).status, (await guess()).status]).toEqual([422, 422]);
    const { status, body, headers } = await guess();
    expect({ status, body }).toEqual(TOO_MANY);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("a link by e-mail", () => {
  const SENT = {
    message:
      "If a promoter has this address, an e-mail with a link is on its way. It works once, for 15 minutes.",
  };
  const mail = useMail(() => app);
  const { send } = mail;
  const token = () => /\/portal\/welcome#(\S+)/.exec(mail.emails.at(-1)?.text ?? "")?.[1] ?? "";
  const ask = async (email = EMAIL) => {
    const answer = await browser.outcome("POST /session/link/send", { email });
    await send();
    return answer;
  };
  const EXPIRED = refused(404, "This link was used or is too old. Ask for a new one.", "not_found");

  it("signs in once, within 15 minutes", async () => {
    await app.v1("/promoters/create", { email: EMAIL });
    expect(await ask()).toEqual({ status: 202, body: SENT });
    expect(mail.emails.map(({ to, headers }) => [to, headers["subject"]])).toEqual([
      [[EMAIL], "Your link to Acme"],
    ]);
    const first = { token: token() };
    expect(await browser.outcome("POST /session/link/check", first)).toEqual({
      status: 200,
      body: { kind: "sign_in", email: EMAIL },
    });
    expect(await browser.outcome("POST /session/link", first)).toEqual({
      status: 201,
      body: { ...JANE, has_password: false },
    });
    expect(await browser.outcome("POST /session/link", first)).toEqual(EXPIRED);
    await ask();
    app.setNow("2026-03-04T05:21:07.890Z");
    expect(await browser.outcome("POST /session/link", { token: token() })).toEqual(EXPIRED);
  });

  it("can bring a new password", async () => {
    await signedInPromoter(app, EMAIL);
    await ask();
    const given = { token: token(), password: "another good one" };
    expect(await browser.outcome("POST /session/link", given)).toEqual({ status: 201, body: JANE });
    const again = { email: EMAIL, password: "another good one" };
    expect((await portalBrowser(app).call("POST /session", again)).status).toBe(201);
  });

  it("is not sent to strangers, who get the same answer", async () => {
    expect(await ask("stranger@example.com")).toEqual({ status: 202, body: SENT });
    expect(mail.emails).toEqual([]);
  });

  it("is written after the answer, so that its time tells nothing", async () => {
    await app.v1("/promoters/create", { email: EMAIL });
    const waiting = () => app.records.all("delivery");
    let before: number | null = null;
    const { run } = app.services.afterwards;
    app.services.afterwards.run = (work) =>
      run(async () => {
        before = (await waiting()).length;
        await work();
      });
    expect(await browser.outcome("POST /session/link/send", { email: EMAIL })).toEqual({
      status: 202,
      body: SENT,
    });
    await app.services.afterwards.settle();
    expect([before, (await waiting()).length]).toEqual([0, 1]);
  });

  it("promises nothing if the server sends no e-mails", async () => {
    await app.close();
    app = await startApp("memory", { has_mail: false });
    browser = portalBrowser(app);
    await app.v1("/promoters/create", { email: EMAIL });
    const told = { message: "This program sends no e-mails. Ask the company to let you in." };
    expect(await ask()).toEqual({ status: 202, body: told });
    expect(await ask("stranger@example.com")).toEqual({ status: 202, body: told });
    expect(mail.emails).toEqual([]);
  });

  it.each(["", "0.1.1.zzzzzzzz.x", `0.1.1.zzzzzzzz.${"A".repeat(43)}`, "9.9.9.9"])(
    "%j opens nothing",
    async (made) => {
      await app.v1("/promoters/create", { email: EMAIL });
      const { status } = await browser.call("POST /session/link", { token: made });
      expect(status).toBe(made === "" ? 422 : 404);
    },
  );
});

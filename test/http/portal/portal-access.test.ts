import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, NOW, answerOf, startApp, type TestApp } from "../../support/app.ts";
import { portalBrowser } from "../../support/portal.ts";
import { company } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", {
    email: "jane@example.com",
    cust_id: "c-1",
    auth_token: "secret-of-jane",
  });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const bearer = (token: string) => portalBrowser(app, { authorization: `Bearer ${token}`, origin: "null" });

describe("GET /portal?auth_token=", () => {
  const open = (token: string) => app.request(`/portal?auth_token=${token}`);

  it("signs in and takes the token out of the address", async () => {
    const { body } = await app.v1("/promoters/show", { id: "1" });
    const answer = await open((body as { auth_token: string }).auth_token);
    expect([answer.status, answer.headers.get("location"), answer.headers.get("referrer-policy")]).toEqual([
      303,
      "/portal",
      "no-referrer",
    ]);
    const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await portalBrowser(app, {}, cookie).call("GET /session")).status).toBe(200);
  });

  it("leads to the sign-in form with a token that nobody has", async () => {
    const answer = await open("guess");
    expect([answer.status, answer.headers.get("location"), answer.headers.get("set-cookie")]).toEqual([
      303,
      "/portal",
      null,
    ]);
  });
});

describe("GET /portal?auth_token= in a browser in which someone is signed in", () => {
  let tokens = { jane: "", kim: "" };
  const tokenOf = async (id: string) =>
    ((await app.v1("/promoters/show", { id })).body as { auth_token: string }).auth_token;
  beforeEach(async () => {
    await app.v1("/promoters/create", { email: "kim@example.com" });
    tokens = { jane: await tokenOf("1"), kim: await tokenOf("2") };
    await app.v2("PUT", "/promoters/1", { profile: { first_name: "Jane <b>", last_name: "Doe" } });
  });
  const open = async (who: keyof typeof tokens, cookie = "", init: RequestInit = {}) => {
    const headers = { cookie, ...init.headers };
    const answer = await app.request(`/portal?auth_token=${tokens[who]}`, { ...init, headers });
    const set = answer.headers.getSetCookie();
    return { answer, set, cookie: set[0]?.split(";")[0] ?? "" };
  };
  const own = { method: "POST", headers: { origin: "https://track.acme.example" } };

  it("asks before it changes who is signed in", async () => {
    const kim = await open("kim");
    const { answer, set } = await open("jane", kim.cookie);
    expect([answer.status, set]).toEqual([200, []]);
    const main = /<main>.*<\/main>/.exec(await answer.text())?.[0];
    expect(main).toBe(
      '<main><h1>Promoter portal</h1><form method="post"><p>You are signed in as kim@example.com.</p>' +
        "<p>Sign in as Jane &lt;b&gt; Doe?</p><button>Sign in as Jane &lt;b&gt; Doe</button></form>" +
        '<p><a href="?">Stay signed in as kim@example.com</a></p></main>',
    );
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const confirmed = await open("jane", kim.cookie, own);
    expect([confirmed.answer.status, confirmed.answer.headers.get("location")]).toEqual([303, "/portal"]);
    const { body } = await portalBrowser(app, {}, confirmed.cookie).call("GET /session");
    expect(body).toMatchObject({ promoter: { id: 1 } });
  });

  it("takes no answer from a page of another site", async () => {
    for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }, {}]) {
      const { answer, set } = await open("jane", "", { method: "POST", headers });
      expect([answer.status, set]).toEqual([403, []]);
    }
  });

  it("leaves the session of the same promoter as it is", async () => {
    const first = await open("kim");
    const { answer, set } = await open("kim", first.cookie);
    expect([answer.status, answer.headers.get("location"), set]).toEqual([303, "/portal", []]);
  });

  it("signs in if the session has ended", async () => {
    const kim = await open("kim");
    await app.v2("POST", "/promoters/archive", { ids: [2] });
    expect((await open("jane", kim.cookie)).answer.status).toBe(303);
  });

  it("is not used up by a program that only looks at the link", async () => {
    await app.close();
    app = await startApp("memory", { authTokens: 1 });
    await app.v1("/promoters/create", { email: "jane@example.com" });
    tokens = { ...tokens, jane: await tokenOf("1") };
    const { answer, set } = await open("jane", "", { method: "HEAD" });
    expect([answer.status, set]).toEqual([200, []]);
    expect((await open("jane")).set).toHaveLength(3);
  });

  it("works once a minute for each token", async () => {
    await app.close();
    app = await startApp("memory", { authTokens: 1 });
    for (const email of ["jane@example.com", "kim@example.com"]) await app.v1("/promoters/create", { email });
    tokens = { jane: await tokenOf("1"), kim: await tokenOf("2") };
    const first = await open("jane");
    expect(first.set).toHaveLength(3);
    const again = await open("jane");
    expect([again.answer.status, again.set]).toEqual([429, []]);
    expect(Number(again.answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await again.answer.text()).toContain(
      "This link was used a moment ago. It works again in a minute.",
    );
    expect((await open("jane", "", own)).answer.status).toBe(429);
    expect((await open("jane", first.cookie)).answer.status).toBe(303);
    expect((await open("kim")).set).toHaveLength(3);
  });
});

describe("iframe_login", () => {
  const call = async (path: string, headers: Record<string, string> = {}) => {
    const keys = { authorization: `Bearer ${KEY}`, "account-id": "acme", ...headers };
    const answer = await answerOf(
      await app.request(`/api/v2/promoters/${path}`, { method: "POST", headers: keys }),
    );
    return { status: answer.status, body: answer.body };
  };

  it.each(["promoter_id=1", "cust_id=c-1"])("opens the portal of %s for 24 hours", async (query) => {
    const { status, body } = await call(`iframe_login?${query}`);
    expect([status, body]).toEqual([200, { access_token: expect.any(String) as string, expires_in: 86_400 }]);
    const frame = bearer((body as { access_token: string }).access_token);
    expect(await frame.outcome("GET /session")).toMatchObject({ body: { promoter: { id: 1 } } });
    expect((await frame.call("PUT /email_settings/1", { emails_opt_payout: false })).status).toBe(200);
    app.setNow("2026-03-05T05:06:07.890Z");
    expect((await frame.call("GET /session")).status).toBe(401);
  });

  it("ends by iframe_logout", async () => {
    const { body } = await call("iframe_login?promoter_id=1");
    expect(await call("iframe_logout?promoter_id=1")).toEqual({
      status: 200,
      body: { message: "The promoter is signed out" },
    });
    const { access_token: token } = body as { access_token: string };
    expect((await bearer(token).call("GET /session")).status).toBe(401);
  });

  it("refuses what it can't find, and callers without a key", async () => {
    expect(await call("iframe_login?promoter_id=9")).toEqual({
      status: 404,
      body: { message: "Promoter not found.", code: "not_found" },
    });
    expect(await call("iframe_login")).toEqual({
      status: 422,
      body: { message: "Name the promoter by promoter_id or cust_id", code: "invalid_params" },
    });
    expect((await call("iframe_login?promoter_id=1", { authorization: "Bearer x" })).status).toBe(401);
  });
});

it("shows the portal in frames of the account's own sites alone", async () => {
  const policy = async () => (await app.request("/iframe?tk=x")).headers.get("content-security-policy") ?? "";
  expect(await policy()).toMatch(/frame-ancestors 'self'$/);
  const origins = ["https://App.acme.example/some/page", "http://localhost:8080"];
  const { body } = await company(app, "PUT /account", { portal_origins: origins });
  expect(body).toMatchObject({ portal_origins: ["https://app.acme.example", "http://localhost:8080"] });
  expect(await policy()).toMatch(
    /frame-ancestors 'self' https:\/\/app\.acme\.example http:\/\/localhost:8080$/,
  );
  const wrong = await company(app, "PUT /account", { portal_origins: ["*; script-src *"] });
  expect(wrong).toMatchObject({
    status: 422,
    body: { errors: { portal_origins: ["is not the address of a site"] } },
  });
});

it("shows the company a promoter's portal, which it can't change, and logs it", async () => {
  const { status, body } = await company(app, "POST /promoters/1/portal_view");
  const { access_token: token, url, expires_in: seconds } = body as Record<string, string>;
  expect([status, seconds, url]).toEqual([201, 900, `https://track.acme.example/portal#view=${token}`]);
  const view = bearer(token ?? "");
  expect(await view.outcome("GET /session")).toMatchObject({ status: 200, body: { is_read_only: true } });
  expect(await view.outcome("PUT /email_settings/1", { emails_opt_payout: false })).toEqual({
    status: 403,
    body: {
      message: "You are looking at a promoter's portal, and can't change anything in it",
      code: "forbidden",
    },
  });
  const { body: log } = await company(app, "GET /audit_log?filters[action]=viewed");
  expect(log).toMatchObject([
    { action: "viewed", actor: { kind: "key" }, entity: "promoter", entity_id: "1" },
  ]);
  const { body: promoter } = await company(app, "GET /promoters/1");
  expect(promoter).toMatchObject({ last_login_at: null });
});

it("shows the company only the last characters of a promoter's account in their portal", async () => {
  const details = { bank_country: "DE", account_holder_name: "Jane", iban: "DE02120300000000202051" };
  await company(app, "POST /payout_methods", { promoter_id: 1, method: "bank", is_selected: true, details });
  const { body } = await company(app, "POST /promoters/1/portal_view");
  const view = bearer((body as { access_token: string }).access_token);
  const shown = (await view.outcome("GET /payout_methods")).body;
  expect(shown).toMatchObject({
    data: [{ details: { bank_country: "DE", account_holder_name: "…", iban: "…2051" } }],
  });
  expect(JSON.stringify(shown)).not.toContain("DE0212");
});

it("shows where a promoter sets a first password, until they have one", async () => {
  const read = async () =>
    (await company(app, "GET /promoters/1")).body as { password_setup_url: string | null };
  const url = (await read()).password_setup_url ?? "";
  const [page, token] = url.split("#");
  expect(page).toBe("https://track.acme.example/portal/welcome");
  const browser = portalBrowser(app);
  expect(await browser.outcome("POST /session/link", { token })).toMatchObject({
    status: 422,
    body: { errors: { password: ["can't be blank"] } },
  });
  const chosen = { token, password: "correct horse battery" };
  expect((await browser.call("POST /session/link", chosen)).status).toBe(201);
  expect(await browser.outcome("POST /session/link", chosen)).toMatchObject({ status: 404 });
  expect((await read()).password_setup_url).toBeNull();
});

describe("what the company gives to a promoter", () => {
  const make = () => company(app, "POST /promoters/1/sign_in_link");

  it("is a link that signs in once, within 24 hours, and is logged", async () => {
    const { status, body } = await make();
    const { url, ends_at } = body as Record<string, string>;
    expect([status, Date.parse(ends_at ?? "") - Date.parse(NOW)]).toEqual([201, 24 * 60 * 60 * 1_000]);
    const token = url?.split("#")[1];
    const browser = portalBrowser(app);
    const check = () => browser.outcome("POST /session/link/check", { token });
    expect(await check()).toEqual({ status: 200, body: { kind: "entry", email: "jane@example.com" } });
    expect((await browser.outcome("POST /session/link", { token })).status).toBe(201);
    expect((await browser.outcome("GET /promoters/current")).status).toBe(200);
    expect((await check()).status).toBe(404);
    const late = ((await make()).body as { url: string }).url.split("#")[1];
    app.setNow(ends_at ?? "");
    expect((await browser.outcome("POST /session/link/check", { token: late })).status).toBe(404);
    expect(await company(app, "GET /audit_log?filters[action]=let_in")).toMatchObject({
      body: [
        { entity: "promoter", entity_id: "1" },
        { entity: "promoter", entity_id: "1" },
      ],
    });
  });

  it("is a first password, which works until the promoter has chosen another", async () => {
    const set = (password: string) => company(app, "POST /promoters/1/first_password", { password });
    expect(await set("short")).toMatchObject({ status: 422 });
    expect((await set("first secret")).status).toBe(200);
    const signIn = async (password: string) => {
      const browser = portalBrowser(app);
      const { status } = await browser.outcome("POST /session", { email: "jane@example.com", password });
      return { browser, status };
    };
    expect((await signIn("first secret")).status).toBe(201);
    const { browser, status } = await signIn("first secret");
    expect([status, (await browser.outcome("GET /promoters/current")).status]).toEqual([201, 403]);
    expect(
      (await browser.outcome("POST /promoters/set_password", { password: "my own secret" })).status,
    ).toBe(200);
    expect((await signIn("first secret")).status).toBe(401);
    expect(await set("another secret")).toMatchObject({
      status: 422,
      body: { message: "The promoter has chosen a password of their own", code: "operation_failed" },
    });
  });

  it("is nothing for archived promoters", async () => {
    await company(app, "POST /promoters/archive", { ids: [1] });
    expect((await make()).status).toBe(422);
    expect(
      (await company(app, "POST /promoters/1/first_password", { password: "first secret" })).status,
    ).toBe(422);
  });
});

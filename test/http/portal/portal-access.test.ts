import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, answerOf, startApp, type TestApp } from "../../support/app.ts";
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

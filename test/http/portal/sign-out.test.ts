import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { portalBrowser, signedInBrowser, type PortalBrowser } from "../../support/portal.ts";
import { addCampaign, company, outcome } from "../../support/v2.ts";

let app: TestApp;
let jane: PortalBrowser;
let link: string;
beforeEach(async () => {
  app = await startApp();
  await app.v2("POST", "/promoters", { email: "jane@example.com" });
  jane = await signedInBrowser(app, await tokenOf());
  const { body } = await company(app, "POST /promoters/1/sign_in_link");
  link = (body as { url: string }).url.split("#")[1]!;
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

/** Whether the session and the link still open the portal. */
async function waysIn() {
  const session = (await jane.call("GET /session")).status;
  const checked = await portalBrowser(app).call("POST /session/link/check", { token: link });
  return { session, link: checked.status };
}
const OPEN = { session: 200, link: 200 };
const SHUT = { session: 401, link: 404 };
const tokenOf = async () =>
  ((await app.v1("/promoters/show", { id: "1" })).body as { auth_token: string }).auth_token;

describe("a promoter's sessions and links", () => {
  it("stay when the company changes something else", async () => {
    await app.v1("/promoters/update", { id: "1", first_name: "Jane" });
    expect(await waysIn()).toEqual(OPEN);
  });

  it.each([
    ["a renewed auth token", () => app.v1("/promoters/refresh_token", { id: "1" })],
    ["another e-mail address", () => app.v1("/promoters/update", { id: "1", email: "other@example.com" })],
    ["another address by V2", () => app.v2("PUT", "/promoters/1", { email: "other@example.com" })],
    ["a temporary password", () => app.v1("/promoters/update", { id: "1", temp_password: "start-12345" })],
    ["a first password", () => company(app, "POST /promoters/1/first_password", { password: "start-12345" })],
    ["a block in every campaign", () => app.v2("PUT", "/promoter_campaigns/1", { state: "blocked" })],
    ["a block of all", () => app.v2("POST", "/promoters/block", { ids: [1], campaign_id: 1 })],
    ["the company's button", () => company(app, "POST /promoters/1/sign_out")],
    ["the promoter's button", () => jane.call("DELETE /sessions")],
  ])("end with %s", async (_, change: () => Promise<{ status: number }>) => {
    expect(await waysIn()).toEqual(OPEN);
    expect((await change()).status).toBeLessThan(300);
    expect(await waysIn()).toEqual(SHUT);
  });

  it("stay while one campaign has not blocked the promoter", async () => {
    await addCampaign(app, { name: "Second" });
    await app.v1("/promoters/add_to_campaign", { id: "1", campaign_id: "2" });
    await app.v2("PUT", "/promoter_campaigns/1", { state: "blocked" });
    expect(await waysIn()).toEqual(OPEN);
    await app.v2("PUT", "/promoter_campaigns/2", { state: "blocked" });
    expect(await waysIn()).toEqual(SHUT);
  });

  it("do not come back when an archived promoter is restored", async () => {
    await app.v2("POST", "/promoters/archive", { ids: [1] });
    await app.v2("POST", "/promoters/restore", { ids: [1] });
    expect(await waysIn()).toEqual(SHUT);
  });

  it("end with a new auth token by the buttons, so that a leaked one opens nothing", async () => {
    const before = await tokenOf();
    expect(await outcome(company(app, "POST /promoters/1/sign_out"))).toEqual({
      status: 200,
      body: { message: "The promoter is signed out everywhere" },
    });
    expect(await tokenOf()).not.toBe(before);
    expect(await outcome(company(app, "POST /promoters/9/sign_out"))).toMatchObject({ status: 404 });
    const answer = await app.request(`/portal?auth_token=${before}`);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe("a promoter's password", () => {
  const set = (browser: PortalBrowser, given: object) =>
    browser.outcome("POST /promoters/set_password", { password: "correct horse battery", ...given });

  it("is not set by an auth token alone", async () => {
    expect(await set(jane, {})).toEqual({
      status: 422,
      body: {
        message: "Ask for a sign-in link: it lets you choose a password",
        code: "operation_failed",
      },
    });
    expect((await jane.call("GET /session")).body).toMatchObject({ has_password: false });
  });

  it("is set by a link, and from then on only by the password itself", async () => {
    const other = portalBrowser(app);
    const first = { token: link, password: "my first password" };
    expect((await other.call("POST /session/link", first)).status).toBeLessThan(300);
    expect((await jane.call("GET /session")).status).toBe(401);
    expect(await set(other, {})).toMatchObject({ status: 422 });
    expect(await set(other, { current_password: "my first password" })).toMatchObject({ status: 200 });
  });

  it("is set with the temporary one", async () => {
    await company(app, "POST /promoters/1/first_password", { password: "start-12345" });
    const other = await signedInBrowser(app, await tokenOf());
    expect(await set(other, { current_password: "wrong" })).toMatchObject({ status: 422 });
    expect(await set(other, { current_password: "start-12345" })).toMatchObject({ status: 200 });
  });
});

describe("a link with an auth token", () => {
  const open = async (headers: Record<string, string>) =>
    app.request(`/portal?auth_token=${await tokenOf()}`, { headers });

  it.each([[{ "sec-fetch-site": "cross-site" }], [{ referer: "https://evil.example/page" }]])(
    "asks before it signs in a browser that another site sent (%o)",
    async (headers) => {
      const answer = await open(headers as Record<string, string>);
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null]);
      expect(/<main>.*<\/main>/.exec(await answer.text())?.[0]).toBe(
        '<main><h1>Promoter portal</h1><form method="post"><p>Sign in as jane@example.com?</p>' +
          '<button>Sign in as jane@example.com</button></form><p><a href="?">Promoter portal</a></p></main>',
      );
    },
  );

  it.each([[{ "sec-fetch-site": "none" }], [{ "sec-fetch-site": "same-site" }], [{}]])(
    "signs in a browser that comes from elsewhere (%o)",
    async (headers) => {
      const answer = await open(headers as Record<string, string>);
      expect(answer.status).toBe(303);
      expect(answer.headers.get("set-cookie")).not.toBeNull();
    },
  );
});

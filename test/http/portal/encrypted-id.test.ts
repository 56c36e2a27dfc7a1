import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { PASSWORD, portalBrowser, visitingPromoter } from "../../support/portal.ts";
import { company, invalid } from "../../support/v2.ts";

const EMAIL = "jane@example.com";
const EXPIRED = {
  status: 422,
  body: { message: "This link was used or is too old. Ask for a new one.", code: "operation_failed" },
};

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

describe("a link's token", () => {
  let token: string;
  beforeEach(async () => {
    await app.v1("/promoters/create", { email: EMAIL });
    const { body } = await company(app, "POST /promoters/1/sign_in_link");
    token = new URL((body as { url: string }).url).hash.slice(1);
  });
  const user = (password: string, confirmation = password) => ({
    new_password: password,
    new_password_confirmation: confirmation,
  });

  it("tells whose it is, and can still be used", async () => {
    const browser = portalBrowser(app);
    const ask = (id: string) =>
      browser.outcome(`GET /promoters/email_from_encrypted_id?id=${encodeURIComponent(id)}`);
    expect(await ask(token)).toEqual({ status: 200, body: { email: EMAIL } });
    expect(await ask(token)).toEqual({ status: 200, body: { email: EMAIL } });
    expect(await ask(`${token}x`)).toEqual(EXPIRED);
    expect(await ask("")).toEqual(invalid({ id: ["can't be blank"] }));
  });

  it("sets a password once, and signs in", async () => {
    const browser = portalBrowser(app);
    const set = (id: string, given: object) =>
      browser.outcome("PUT /promoters/set_password", { id, user: given });
    expect(await set(token, user("short"))).toEqual(
      invalid({ "user[new_password]": ["is too short (minimum is 8 characters)"] }),
    );
    expect(await set(token, user(PASSWORD, "another one"))).toEqual(
      invalid({ new_password_confirmation: ["is not the same"] }),
    );
    expect(await set(token, user(PASSWORD))).toMatchObject({ status: 200, body: { id: 1, email: EMAIL } });
    expect(await browser.outcome("GET /promoters/current")).toMatchObject({ body: { email: EMAIL } });
    expect(await set(token, user(PASSWORD))).toEqual(EXPIRED);
    const other = portalBrowser(app);
    expect((await other.call("POST /session", { email: EMAIL, password: PASSWORD })).status).toBe(201);
  });
});

it("a promoter leaves the program, and the company can take them back", async () => {
  const jane = await visitingPromoter(app, EMAIL);
  expect(await jane.outcome("POST /promoters/archive")).toEqual({
    status: 200,
    body: { message: "You have left the program" },
  });
  expect((await jane.call("GET /session")).status).toBe(401);
  const shown = async () =>
    ((await company(app, "GET /promoters/1")).body as { promoter_campaigns: { state: string }[] })
      .promoter_campaigns[0]!.state;
  expect(await shown()).toBe("blocked");
  expect((await company(app, "GET /audit_log?filters[entity]=promoter")).body).toMatchObject([
    { action: "updated", actor: { kind: "promoter", id: 1 } },
    { action: "created" },
  ]);
  await company(app, "POST /promoters/restore", { ids: [1] });
  expect(await shown()).toBe("accepted");
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, answerOf, startApp, type TestApp } from "../../support/app.ts";
import { invalid, reward } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
});
afterEach(() => app.close());

describe("X-Ignored-Fields", () => {
  it.each<[request: string, body: object, ignored: string | null]>([
    ["PUT /promoters/1", { cust_id: "c-1" }, null],
    ["PUT /promoters/1", {}, null],
    ["PUT /promoters/1", { custid: "c-1", is_admin: true }, "custid, is_admin"],
    ["PUT /promoters/1", { profile: { first_name: "Jane", firstname: "J" } }, "profile[firstname]"],
    ["PUT /promoters/1", { custom_fields: { anything: 1 } }, null],
    ["POST /promoters/archive", { ids: [1], wid: 7 }, "wid"],
    ["PATCH /promoter_campaigns/1", { refs: null }, "refs"],
    ["PUT /campaigns/1", { "näme\r\n, x\ud800": 1 }, "n%C3%A4me%0D%0A%2C%20x%EF%BF%BD"],
    ["PUT /campaigns/1", JSON.parse('{"__proto__": 1}') as object, "__proto__"],
  ])("of %s with %j is %s", async (request, body, ignored) => {
    const [method = "", path = ""] = request.split(" ");
    const { status, headers } = await app.v2(method, path, body);
    expect([status, headers.get("x-ignored-fields")]).toEqual([200, ignored]);
  });

  it("names the unknown fields of a refused record", async () => {
    const { status, body, headers } = await app.v2("POST", "/campaigns", { nane: "A", landing_url: "x" });
    expect([status, headers.get("x-ignored-fields")]).toEqual([422, "nane"]);
    expect(body).toEqual(invalid({ name: ["can't be blank"], landing_url: ["is invalid"] }).body);
  });

  it("stays short, however much is ignored", async () => {
    const body = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`field_${at}`, at]));
    const { headers } = await app.v2("PUT", "/campaigns/1", body);
    const names = headers.get("x-ignored-fields")!;
    expect(names.length).toBeLessThanOrEqual(1_000);
    expect(names).toMatch(/^field_0, field_1, .*, field_\d+, \.\.\.$/);
  });

  it("comes with sign-ups too", async () => {
    const { status, headers } = await answerOf(
      await app.request("/api/v2/track/signup", {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}`, "account-id": "acme" },
        body: JSON.stringify({ email: "lead@example.com", ref_id: "jane", referal: "jane" }),
      }),
    );
    expect([status, headers.get("x-ignored-fields")]).toEqual([200, "referal"]);
  });

  it("names no field that the server itself showed to the client", async () => {
    await reward(app);
    const entry = { apply_on: "all", product_ids: [], reward_id: 1 };
    const { body } = await app.v2("PUT", "/campaigns/1", { rewards_for_promoters: [entry] });
    const { emails, name, rewards_for_promoters } = body as Record<string, unknown>;
    const { status, headers } = await app.v2("PUT", "/campaigns/1", { emails, name, rewards_for_promoters });
    expect([status, headers.get("x-ignored-fields")]).toEqual([200, null]);
  });
});

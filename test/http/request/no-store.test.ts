import { afterEach, beforeEach, expect, it } from "vitest";
import { CHROME, KEY, startApp, type TestApp } from "../../support/app.ts";
import { failCommits } from "../../support/edge.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp("memory");
});
afterEach(() => app.close());

const v1 = { "x-api-key": KEY };
const v2 = { authorization: `Bearer ${KEY}`, "account-id": "acme" };
const page = { origin: "https://www.acme.example", "user-agent": CHROME };
const DETAILS = "/t/details?cid=acme&tid=7f1b2c3d-1111-4222-8333-444455556666";

it.each<[status: number, method: string, path: string, headers: Record<string, string>]>([
  [200, "GET", "/api/v1/leads/list", v1],
  [200, "HEAD", "/api/v1/leads/list", v1],
  [401, "GET", "/api/v1/leads/list", {}],
  [404, "GET", "/api/v1/leads/show?id=1", v1],
  [404, "GET", "/api/v1/nothing", v1],
  [405, "DELETE", "/api/v1/leads/list", v1],
  [422, "POST", "/api/v1/promoters/create", v1],
  [200, "GET", "/api/v2/company/promoters", v2],
  [401, "GET", "/api/v2/company/promoters", {}],
  [404, "GET", "/api/v2/company/promoters/1", v2],
  [404, "GET", "/api/v2/nothing", v2],
  [405, "DELETE", "/api/v2/company/promoters", v2],
  [200, "GET", DETAILS, page],
  [404, "GET", "/t/details", page],
  [404, "GET", "/t/nothing", page],
  [405, "DELETE", "/t/details", page],
  [204, "OPTIONS", "/t/click", page],
])("keeps the answer %i to %s %s out of caches", async (status, method, path, headers) => {
  const answer = await app.request(path, { method, headers });
  expect(answer.status).toBe(status);
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

it("keeps answers to browser requests, and bugs, out of caches", async () => {
  const click = await app.browser("/t/click", { tid: "7f1b2c3d-1111-4222-8333-444455556666" });
  expect([click.status, click.headers.get("cache-control")]).toEqual([200, "no-store"]);
  const signup = await app.browser("/t/signup", { email: "a@b.example" });
  expect([signup.status, signup.headers.get("cache-control")]).toEqual([404, "no-store"]);
  failCommits(app, new Error("bug"));
  const bug = await app.v1("/promoters/create", { email: "a@b.example" });
  expect([bug.status, bug.headers.get("cache-control")]).toEqual([500, "no-store"]);
});

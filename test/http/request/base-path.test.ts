import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { addUser, PASSWORD } from "../../support/users.ts";
import { company } from "../../support/v2.ts";

const MORE = `/svc-more.${createHash("sha256").update("/* more */").digest("hex").slice(0, 12)}.js`;
const PUBLIC_URL = "https://acme.example/partners";

let app: TestApp;
beforeAll(async () => {
  app = await startApp("memory", { public_url: PUBLIC_URL });
  for (const email of ["jane@example.com", "bob@example.com"]) await app.v1("/promoters/create", { email });
  await addUser(app, "owner");
});
afterAll(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

const text = async (path: string) => (await app.request(path)).text();

describe("a server below a path of its host", () => {
  it.each([
    "/healthz",
    "/svc.js",
    MORE,
    "/openapi.json",
    "/admin",
    "/join/1",
    "/docs",
    "/demo",
    "/api/v1/nothing",
  ])("answers %s with and without the path", async (path) => {
    const direct = await app.request(path);
    const below = await app.request(`/partners${path}`);
    expect([below.status, await below.text()]).toEqual([direct.status, await direct.text()]);
  });

  it("does not take another path for its own", async () => {
    expect((await app.request("/partnershealthz")).status).toBe(404);
    expect((await app.request("/partners/partners/healthz")).status).toBe(404);
  });

  it.each([
    ["/admin", /(?:href|src)="(?!data:|https:)([^"]+)"/g],
    ["/docs", /(?:src|spec-url)="([^"]+)"/g],
    ["/demo", /src="([^"]+)"/g],
  ])("names the files of %s with the path", async (page, pattern) => {
    const named = [...(await text(page)).matchAll(pattern)].map(([, address]) => address);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((address) => !address?.startsWith("/partners/"))).toEqual([]);
  });

  it.each(["/", "/partners", "/partners/"])("leads from %s to a page below the path", async (path) => {
    const { status, headers } = await app.request(path);
    expect([status, headers.get("location")]).toEqual([302, "/partners/demo"]);
  });

  it("links the pages of a list with the path", async () => {
    const { headers } = await company(app, "GET /promoters?per_page=1");
    expect(headers.get("link")).toContain(
      `<${PUBLIC_URL}/api/v2/company/promoters?per_page=1&page=2>; rel="next"`,
    );
  });

  it("keeps its sessions to the path", async () => {
    const signedIn = await app.request("/partners/api/v2/company/session", {
      method: "POST",
      headers: { "content-type": "application/json", origin: "https://acme.example" },
      body: JSON.stringify({ email: "owner@acme.example", password: PASSWORD }),
    });
    expect(signedIn.status).toBe(201);
    expect(signedIn.headers.get("set-cookie")).toContain("; Path=/partners/api/v2/company; HttpOnly; Secure");
  });
});

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describedRoutes } from "../../../server/app.ts";
import { KEY, answerOf, startApp, type TestApp } from "../../support/app.ts";
import { sendRaw } from "../../support/raw-request.ts";

const KEYS = { "x-api-key": KEY, authorization: `Bearer ${KEY}`, "account-id": "acme" };

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com" });
});
afterAll(() => app.close());

const answer = async (path: string, method = "GET", headers: Record<string, string> = KEYS) => {
  const { status, body } = await answerOf(await app.request(path, { method, headers }));
  return { status, body };
};

describe("a path in the forms that clients write", () => {
  it.each([
    ["/api/v1/promoters/list", "/api/v1//promoters/list"],
    ["/api/v1/promoters/show?id=1", "/api/v1/promoters//show.json?id=1"],
    ["/api/v2/company/promoters/1", "/api/v2/company/promoters/1.json"],
    ["/api/v2/company/promoters", "/api//v2///company/promoters.json?page=1"],
    [
      "/api/v2/company/promoters/jane?find_by=ref_token",
      "/api/v2/company//promoters/jane.json?find_by=ref_token",
    ],
    ["/api/v2/company/nothing", "/api/v2/company//nothing.json"],
    ["/api/v2/company/promoters?page=1", "/API/V2/Company/Promoters?page=1"],
    ["/api/v2/company/payouts/due_stats", "/api/v2/company/payouts/Due_Stats.JSON"],
    ["/api/v1/promoters/show?id=1", "/API/v1/Promoters/SHOW?id=1"],
    ["/api/v1/leads/show?id=1", "/api/v1/lead/show?id=1"],
    ["/api/v1/leads/show?id=1", "/api/V1/Lead/Show.json?id=1"],
    ["/healthz", "//healthz"],
  ])("%s may be written %s", async (path, written) => {
    const { status, body } = await sendRaw(app, { path, headers: KEYS });
    expect(await sendRaw(app, { path: written, headers: KEYS })).toEqual({ status, body });
  });

  it("keeps the case of an id, also beside words in capitals", async () => {
    await app.v1("/promoters/create", { email: "ann@example.com", cust_id: "Search" });
    for (const path of [
      "/api/v2/company/promoters",
      "/Api/V2/COMPANY/promoters",
      "/api/v2/company/Promoters",
    ]) {
      expect(await answer(`${path}/Search?find_by=cust_id`)).toMatchObject({
        status: 200,
        body: { cust_id: "Search" },
      });
      expect(await answer(`${path}/search?find_by=cust_id`)).toMatchObject({ status: 404 });
    }
  });

  it("deletes a lead by the older name of the operation", async () => {
    await app.v1("/track/signup", { email: "old@example.com", ref_id: "jane" });
    expect(await answer("/api/v1/lead/delete?email=old@example.com", "DELETE")).toEqual({
      status: 200,
      body: { message: "Lead removed." },
    });
    expect(await answer("/api/v1/lead/show?email=old@example.com")).toMatchObject({ status: 404 });
  });

  it("keeps a suffix whose dot is escaped", async () => {
    await app.v1("/promoters/create", { email: "bob@example.com", cust_id: "bob.json" });
    expect(await answer("/api/v2/company/promoters/bob%2Ejson?find_by=cust_id")).toMatchObject({
      status: 200,
      body: { cust_id: "bob.json" },
    });
  });
});

it("every operation of the interface has a route", () => {
  const documented = readFileSync("test/fixtures/operations.txt", "utf8").trimEnd().split("\n");
  expect(documented).toHaveLength(120);
  const nameless = (path: string) => path.replaceAll(/:\w+|\{\w+\}/g, "?");
  const served = new Set(describedRoutes().map(({ method, path }) => `${method} ${nameless(path)}`));
  expect(documented.filter((operation) => !served.has(nameless(operation)))).toEqual([]);
});

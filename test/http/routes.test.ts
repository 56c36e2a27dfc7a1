import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describedRoutes } from "../../server/app.ts";
import { UNBUILT } from "../../server/request/unbuilt.ts";
import { KEY, answerOf, startApp, type TestApp } from "../support/app.ts";
import { sendRaw } from "../support/raw-request.ts";

const KEYS = { "x-api-key": KEY, authorization: `Bearer ${KEY}`, "account-id": "acme" };

let app: TestApp;
let strangers = 0;
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
    ["/healthz", "//healthz"],
  ])("%s may be written %s", async (path, written) => {
    const { status, body } = await sendRaw(app, { path, headers: KEYS });
    expect(await sendRaw(app, { path: written, headers: KEYS })).toEqual({ status, body });
  });

  it("keeps a suffix whose dot is escaped", async () => {
    await app.v1("/promoters/create", { email: "bob@example.com", cust_id: "bob.json" });
    expect(await answer("/api/v2/company/promoters/bob%2Ejson?find_by=cust_id")).toMatchObject({
      status: 200,
      body: { cust_id: "bob.json" },
    });
  });
});

describe("an operation that is documented and not built", () => {
  const MESSAGE = "This operation is not built yet";

  it.each(UNBUILT)("%s %s answers 501 to a caller with a key", async (method, path) => {
    const target = path.replaceAll(/:\w+/g, "1");
    const isV1 = path.startsWith("/api/v1/");
    expect(await answer(target, method)).toEqual({
      status: 501,
      body: isV1 ? { error: MESSAGE } : { message: MESSAGE, code: "not_implemented" },
    });
    // One address with too many failures would be limited.
    const stranger = { "x-forwarded-for": `10.0.0.${++strangers}` };
    expect(await answer(target, method, stranger)).toEqual({
      status: 401,
      body: isV1 ? "Bad credentials" : { message: "Bad credentials", code: "unauthorized" },
    });
  });

  it("has no route that is built", () => {
    const built = new Set(describedRoutes().map(({ method, path }) => `${method} ${path}`));
    expect(UNBUILT.filter(([method, path]) => built.has(`${method} ${path}`))).toEqual([]);
  });
});

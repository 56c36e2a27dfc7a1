import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApiKey, listApiKeys, revokeApiKey } from "../../../server/domain/program/account/api-key.ts";
import { newContext } from "../../../server/request/services.ts";
import { KEY, NOW, answerOf, form, startApp, type Answer, type TestApp } from "../../support/app.ts";
import { countReads, failCommits, failReads } from "../../support/edge.ts";

const V1_PATHS = ["/api/v1/promoters/create", "/api/v1/track/signup"];

let app: TestApp;
beforeEach(async () => {
  app = await startApp("memory", { v1: 100, v2: 3 });
});
afterEach(async () => {
  await app.close();
});

const post = async (path: string, init: RequestInit): Promise<Answer> =>
  answerOf(await app.request(path, { method: "POST", ...init }));

describe.each(V1_PATHS)("POST %s", (path) => {
  it.each([[{}], [{ "x-api-key": "" }], [{ "x-api-key": "wrong" }]])(
    "answers 401 and plain text to the headers %o",
    async (headers) => {
      const answer = await post(path, form({}, headers as Record<string, string>));
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 401, body: "Bad credentials" });
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    },
  );

  it.each([
    ["form that is no UTF-8", "application/x-www-form-urlencoded", "email=%ff", 400],
    ["form with a broken escape", "application/x-www-form-urlencoded", "email=%zz", 400],
    ["JSON that is cut off", "application/json", '{"email":', 400],
    ["JSON that is no object", "application/json", '"email"', 400],
    ["type that is not understood", "application/xml", "<email/>", 400],
    ["multipart form that is cut off", "multipart/form-data; boundary=x", "--x", 400],
    ["body that is too large", "application/x-www-form-urlencoded", `email=${"x".repeat(70_000)}`, 413],
    [
      "form of too many keys",
      "application/x-www-form-urlencoded",
      Array.from({ length: 501 }, (_, at) => `k${at}=1`).join("&"),
      413,
    ],
    ["JSON that is too deep", "application/json", '{"a":'.repeat(20) + "1" + "}".repeat(20), 413],
    [
      "JSON of too many keys",
      "application/json",
      JSON.stringify(Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`k${at}`, 1]))),
      413,
    ],
  ])("refuses a %s and leaves nothing behind", async (_, type, body, status) => {
    const answer = await post(path, { headers: { "x-api-key": KEY, "content-type": type }, body });
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.any(String) });
    expect(app.bugs).toEqual([]);
    for (const noun of ["lead", "promoter"] as const) expect(await app.records.count(noun)).toBe(0);
  });

  it("does not repeat a content type that it does not support", async () => {
    const answer = await post(path, { headers: { "x-api-key": KEY, "content-type": "text/<b>" }, body: "x" });
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: { error: "The content type is not understood; send a form or JSON" },
    });
  });

  it("answers 405 to another method, with the allowed ones", async () => {
    const answer = await answerOf(await app.request(path, { method: "PUT" }));
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 405,
      body: { error: "Method not allowed" },
    });
    expect(answer.headers.get("allow")).toBe("POST");
  });
});

describe("limits", () => {
  it("counts V1 requests by key and refuses those above the limit", async () => {
    const { key: other } = await createApiKey(app.context, app.account_id, "other");
    const first = await post(V1_PATHS[1]!, form({}, { "x-api-key": KEY }));
    expect(first.headers.get("ratelimit-limit")).toBe("100");
    expect(first.headers.get("ratelimit-remaining")).toBe("99");
    expect(Number(first.headers.get("ratelimit-reset"))).toBeGreaterThan(0);
    for (let count = 1; count < 100; count++) await post(V1_PATHS[1]!, form({}, { "x-api-key": KEY }));
    const last = await post(V1_PATHS[0]!, form({ email: "a@b.example" }, { "x-api-key": KEY }));
    expect({ status: last.status, body: last.body }).toEqual({
      status: 429,
      body: { error: "Rate limit exceeded" },
    });
    expect(last.headers.get("retry-after")).toBe(last.headers.get("ratelimit-reset"));
    expect((await post(V1_PATHS[1]!, form({}, { "x-api-key": other }))).status).toBe(400);
  });

  it.each([
    [400, "POST", "/api/v1/track/signup", ""],
    [400, "POST", "/api/v1/track/signup", "email=%ff"],
    [404, "POST", "/api/v1/track/signup", "email=a@b.example"],
    [422, "POST", "/api/v1/promoters/create", ""],
    [404, "POST", "/api/v1/nothing", ""],
    [405, "PUT", "/api/v1/promoters/create", ""],
    [500, "POST", "/api/v1/promoters/create", "email=a@b.example"],
  ])("shows a valid key its limit with a %i to %s %s %s", async (status, method, path, body) => {
    if (status === 500) failCommits(app, new Error("bug"));
    const answer = await post(path, { ...form({}, { "x-api-key": KEY }), method, body });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("ratelimit-limit")).toBe("100");
    expect(answer.headers.get("ratelimit-remaining")).toBe("99");
  });

  it("answers 404 to an unknown path with any key, and counts only requests with a valid one", async () => {
    for (const key of ["", "wrong"]) {
      const answer = await post("/api/v1/nothing", form({}, { "x-api-key": key }));
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 404,
        body: { error: "Not found" },
      });
      expect(answer.headers.get("ratelimit-limit")).toBeNull();
    }
  });

  it("counts V2 requests by account when the operator sets a limit", async () => {
    const headers = { authorization: `Bearer ${KEY}`, "account-id": "acme" };
    const answers = [];
    for (let count = 0; count < 4; count++) answers.push(await post("/api/v2/track/signup", { headers }));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 429]);
    expect(answers[3]!.body).toEqual({ message: "Rate limit exceeded", code: "rate_limited" });
  });

  it("refuses an address that guessed too many keys, except for the keys that were valid there", async () => {
    const from = (key: string, address: string) =>
      post(V1_PATHS[1]!, form({}, { "x-api-key": key, "x-forwarded-for": address }));
    const { key: other } = await createApiKey(app.context, app.account_id, "other");
    expect((await from(KEY, "203.0.113.1")).status).toBe(400);
    for (let count = 0; count < 5; count++)
      expect((await from(`guess ${count}`, "203.0.113.1")).status).toBe(401);
    const refused = await from("guess 6", "203.0.113.1");
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 429,
      body: { error: "Too many failed authentication attempts" },
    });
    expect(refused.headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect((await from(other, "203.0.113.1")).status).toBe(429);
    expect((await from(KEY, "203.0.113.1")).status).toBe(400);
    expect((await from(other, "203.0.113.2")).status).toBe(400);
  });

  it("takes no request without a key for a guess", async () => {
    const without = () => post(V1_PATHS[1]!, form({}, { "x-forwarded-for": "203.0.113.1" }));
    for (let count = 0; count < 6; count++) expect((await without()).status).toBe(401);
    const guess = form({}, { "x-api-key": "guess", "x-forwarded-for": "203.0.113.1" });
    expect((await post(V1_PATHS[1]!, guess)).status).toBe(401);
  });

  it("looks up no more guesses than that, even if they come at once from many addresses of one /64", async () => {
    const looks = countReads(app, { name: "api-key" });
    const guess = (at: number, network = "2001:db8:1:2") =>
      post(V1_PATHS[1]!, form({}, { "x-api-key": `guess ${at}`, "x-forwarded-for": `${network}:${at}::1` }));
    const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => guess(at)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(195);
    expect(looks()).toBe(5);
    expect((await guess(1, "2001:db8:1:3")).status).toBe(401);
  });

  it("refuses a key as soon as it is revoked", async () => {
    const { key } = await createApiKey(app.context, app.account_id, "short");
    expect((await post(V1_PATHS[1]!, form({}, { "x-api-key": key }))).status).toBe(400);
    const { hash } = (await listApiKeys(app.services.store, app.account_id)).find(
      ({ name }) => name === "short",
    )!;
    await revokeApiKey(app.context, app.account_id, hash.slice(0, 12));
    expect((await post(V1_PATHS[1]!, form({}, { "x-api-key": key }))).status).toBe(401);
    await expect(revokeApiKey(newContext(app.services), app.account_id, hash)).rejects.toThrow(
      `The key ${hash} was already revoked, at ${NOW}`,
    );
  });
});

describe("unknown paths", () => {
  it.each([
    ["/api/v1/nothing", { error: "Not found" }],
    ["/api/v2/company/nothing", { message: "Not found", code: "not_found" }],
    ["/<script>", { error: "Not found" }],
  ])("answers 404 to %s in the shape of its generation", async (path, body) => {
    const answer = await answerOf(await app.request(path));
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body });
  });

  it("answers 400 to a path that can't be decoded", async () => {
    const answer = await answerOf(await app.request("/api/v1/%ff"));
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: { error: "Bad request" },
    });
  });
});

describe("a bug", () => {
  it("answers 500 with the id under which it was logged, and no details", async () => {
    failReads(app, new Error("secret detail"));
    const answer = await post(V1_PATHS[1]!, form({}, { "x-api-key": KEY }));
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 500,
      body: { error: "Internal server error" },
    });
    const id = answer.headers.get("x-request-id")!;
    expect(app.bugs.join()).toContain(id);
    expect(app.bugs.join()).toContain("secret detail");
  });
});

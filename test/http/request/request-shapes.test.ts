import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, answerOf, startApp, type TestApp } from "../../support/app.ts";
import { sendRaw } from "../../support/raw-request.ts";
import { send } from "../../support/v1.ts";

const FORM = "application/x-www-form-urlencoded";
const LEAD = "lead@example.com";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
  await app.v1("/promoters/create", { email: "jane@example.com", cust_id: "c-1" });
  await app.v1("/promoters/create", { email: "bob@example.com" });
  await app.v1("/track/signup", { email: "first@example.com", ref_id: "jane" });
  await app.v1("/track/signup", { email: LEAD, ref_id: "bob" });
});
afterEach(() => app.close());

const getWithBody = (path: string, type: string, body: string) =>
  sendRaw(app, { path: `/api/v1${path}`, headers: { "content-type": type }, body });

describe("a GET of V1 with a body", () => {
  it.each([
    ["/promoters/show", { promoter_email: "bob@example.com" }],
    ["/promoters/list", { per_page: "1", page: "2" }],
    ["/leads/show", { email: LEAD }],
    ["/leads/list", { ref_id: "bob" }],
    ["/rewards/list", { ref_id: "nobody" }],
    ["/payouts/list", { status: "unknown" }],
    ["/reports/overview", { group_by: "year", selected_fields: "referrals_count" }],
    ["/reports/campaigns", { group_by: "year" }],
    ["/reports/promoters", { promoter_ids: "2", per_page: "1" }],
  ])("is answered with %s like a query with %o", async (path, params: Record<string, string>) => {
    const { status, body } = await send(app, `GET ${path}`, params);
    const form = new URLSearchParams(params).toString();
    expect(await getWithBody(path, FORM, form)).toEqual({ status, body });
    expect(await getWithBody(path, "application/json", JSON.stringify(params))).toEqual({ status, body });
  });

  it("reads lists of a report from a form and from JSON", async () => {
    const fields = ["clicks_count", "referrals_count"];
    const query = { group_by: "year", selected_fields: fields.join(",") };
    const { status, body } = await send(app, "GET /reports/overview", query);
    const form = fields.map((field) => `selected_fields[]=${field}`).join("&");
    expect(await getWithBody("/reports/overview?group_by=year", FORM, form)).toEqual({ status, body });
    const json = JSON.stringify({ group_by: "year", selected_fields: fields });
    expect(await getWithBody("/reports/overview", "application/json", json)).toEqual({ status, body });
  });

  it("lets the body win over the query", async () => {
    expect(await getWithBody("/promoters/show?id=1", FORM, "id=2")).toMatchObject({
      status: 200,
      body: { id: 2, email: "bob@example.com" },
    });
  });
});

describe("POST on an operation that shows a record", () => {
  it.each([
    ["/promoters/show", { cust_id: "c-1" }],
    ["/promoters/show", { cust_id: "nobody" }],
    ["/promoters/show", {}],
    ["/leads/show", { email: LEAD }],
    ["/leads/show", { email: "nobody@example.com" }],
    ["/leads/show", {}],
  ])("answers %s with %o as GET does", async (path, params: Record<string, string>) => {
    const { status, body } = await send(app, `GET ${path}`, params);
    const posted = await app.v1(path, params);
    expect({ status: posted.status, body: posted.body }).toEqual({ status, body });
  });
});

/** Posts a sign-up of `new@example.com` with any kind of body. */
async function signUp(body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) {
  const init = { method: "POST", headers: { "x-api-key": KEY, ...headers }, body };
  return answerOf(await app.request("/api/v1/track/signup", init));
}

describe("a sign-up's custom fields", () => {
  const CUSTOM_FIELDS = { plan: "gold & more", team: { size: "5" }, tags: ["a", "b"], blank: "" };
  const FIELDS: [string, string][] = [
    ["email", "new@example.com"],
    ["ref_id", "jane"],
    ["custom_fields[plan]", "gold & more"],
    ["custom_fields[team][size]", "5"],
    ["custom_fields[tags][]", "a"],
    ["custom_fields[tags][]", "b"],
    ["custom_fields[blank]", ""],
  ];

  it("may come in brackets in a form", async () => {
    const { status, body } = await signUp(new URLSearchParams(FIELDS));
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ lead: expect.objectContaining({ custom_fields: CUSTOM_FIELDS }) }),
    ]);
  });

  it("may come in brackets in a multipart form, whose files are ignored", async () => {
    const form = new FormData();
    for (const [name, value] of FIELDS) form.append(name, value);
    form.append("uid", new Blob(["c-9"]), "uid.txt");
    const { status, body } = await signUp(form);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        lead: expect.objectContaining({ email: "new@example.com", uid: null, custom_fields: CUSTOM_FIELDS }),
      }),
    ]);
  });

  it("are refused if they are not an object", async () => {
    expect(
      await signUp("email=new@example.com&ref_id=jane&custom_fields[]=a", { "content-type": FORM }),
    ).toMatchObject({ status: 422, body: { custom_fields: ["is not a JSON object"] } });
  });
});

describe("a multipart form", () => {
  const type = (boundary: string) => ({ "content-type": `multipart/form-data; boundary=${boundary}` });

  it.each([
    ["is cut off", "--x\r\nContent-Disposition: form-data; name=email\r\n\r\nnew@exam", type("x")],
    [
      "has another boundary",
      '--y\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--y--\r\n',
      type("x"),
    ],
    ["names no boundary", "--x--\r\n", { "content-type": "multipart/form-data" }],
  ])("that %s is refused", async (_, body, headers) => {
    const { status, body: answer } = await signUp(body, headers);
    expect([status, answer]).toEqual([400, { error: "The body is not valid multipart/form-data" }]);
  });

  it("with too many fields is refused", async () => {
    const form = new FormData();
    for (let field = 0; field <= 500; field++) form.append(`f${field}`, "");
    const { status, body } = await signUp(form);
    expect([status, body]).toEqual([413, { error: "More than 500 parameters" }]);
  });
});

describe("a compressed body", () => {
  const MESSAGE = "The body is compressed; send it uncompressed";
  const compressed = () => new Uint8Array(gzipSync("email=new@example.com&ref_id=jane"));

  it("is refused by V1", async () => {
    const { status, body } = await signUp(compressed(), { "content-type": FORM, "content-encoding": "gzip" });
    expect([status, body]).toEqual([415, { error: MESSAGE }]);
  });

  it("is refused by V2", async () => {
    const { status, body } = await app.v2("POST", "/campaigns", "{}", { "content-encoding": "GZIP" });
    expect([status, body]).toEqual([415, { message: MESSAGE, code: "unsupported_media_type" }]);
  });

  it("is accepted if its encoding is `identity`", async () => {
    const plain = "email=new@example.com&ref_id=jane";
    const { status } = await signUp(plain, { "content-type": FORM, "content-encoding": "identity" });
    expect(status).toBe(200);
  });
});

import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, NOW, answerOf, startApp, type TestApp } from "../../support/app.ts";
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

describe("a body of V2", () => {
  const call = async (method: string, path: string, type: string, body: string) => {
    const headers = { authorization: `Bearer ${KEY}`, "account-id": "acme", "content-type": type };
    return answerOf(await app.request(`/api/v2${path}`, { method, headers, body }));
  };
  const multipart = (fields: [string, string][]) => {
    const parts = fields.map(
      ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    return ["multipart/form-data; boundary=x", `${parts.join("")}--x--\r\n`] as const;
  };
  const product = {
    name: "Pro",
    ext_id: "pro",
    prices: [{ ext_id: "p_1", desc: "Monthly" }, { ext_id: "p_2" }],
  };
  const pairs: [string, string][] = [
    ["name", "Pro"],
    ["ext_id", "pro"],
    ["prices[][ext_id]", "p_1"],
    ["prices[][desc]", "Monthly"],
    ["prices[][ext_id]", "p_2"],
  ];

  it.each([
    ["JSON", "application/json", JSON.stringify(product)],
    ["JSON that claims to be a form", FORM, JSON.stringify(product)],
    ["a form", `${FORM}; charset=utf-8`, new URLSearchParams(pairs).toString()],
    ["a form of several parts", ...multipart(pairs)],
  ])("may be %s", async (_, type, body) => {
    const made = await call("POST", "/company/products", type, body);
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: 1,
        name: "Pro",
        ext_id: "pro",
        prices: [
          { ext_id: "p_1", desc: "Monthly" },
          { ext_id: "p_2", desc: null },
        ],
        created_at: NOW,
      },
    ]);
  });

  it.each([
    ["promoters/1", "profile[first_name]=Jane&profile[country]=NL&note=a+b", { note: "a b" }],
    ["referrals/1", "split_details[0][promoter_campaign_id]=2&split_details[0][percentage]=25", {}],
    ["promoter_campaigns/1", "coupon=JANE10&state=inactive", { coupon: "JANE10", state: "inactive" }],
  ])("of PUT /%s may be the form %s", async (path, form, changed) => {
    const { status, body } = await call("PUT", `/company/${path}`, FORM, form);
    expect([status, body]).toMatchObject([200, changed]);
  });

  it("of the tracking may be a form, whose unknown fields are named", async () => {
    const answer = await call("POST", "/track/signup", FORM, "email=new@example.com&ref_id=jane&emial=x");
    expect([answer.status, answer.headers.get("x-ignored-fields")]).toEqual([200, "emial"]);
    expect(answer.body).toMatchObject({ etype: "signup", referral: { email: "new@example.com" } });
  });

  it.each(["ids=1,2", "ids[]=1&ids[]=2", "ids[]=1,2", "ids=1&ids=2", "ids[0]=1&ids[1]=2"])(
    "names the records of a batch as %s",
    async (form) => {
      const { status, body } = await call("POST", "/company/promoters/archive", FORM, form);
      expect([status, body]).toMatchObject([200, { total: 2, processed_count: 2 }]);
    },
  );

  it("names the records of a batch in one text of JSON", async () => {
    const { body } = await call("DELETE", "/company/referrals", "application/json", '{"ids":"1, 2"}');
    expect(body).toMatchObject({ total: 2, processed_count: 2, processing_errors: [] });
  });

  it("is refused if a form is broken", async () => {
    expect(await call("POST", "/company/products", FORM, "name=%zz")).toMatchObject({
      status: 422,
      body: { code: "invalid_params", message: "A parameter is not valid percent-encoded UTF-8" },
    });
  });
});

describe("a query of V2", () => {
  const ids = async (query: string) => {
    const { status, body } = await app.v2("GET", query);
    const rows = Array.isArray(body) ? body : (body as { data: { id: number }[] }).data;
    return [status, rows.map(({ id }: { id: number }) => id)];
  };

  it.each(["ids=1,2", "ids[]=1,2", "ids=%201%2C2%20", "ids[]=1&ids[]=2"])("takes %s", async (query) => {
    expect(await ids(`/promoters?${query}`)).toEqual([200, [1, 2]]);
    expect(await ids(`/referrals?${query}&filters[entry_source]=api,coupon`)).toEqual([200, [1, 2]]);
  });

  it.each(["DESC", "Desc", "desc"])("sorts by %s", async (order) => {
    expect(await ids(`/referrals?sorting[created_at]=${order}`)).toEqual([200, [2, 1]]);
    expect(await ids(`/promoters?sorting[joined_at]=${order}`)).toEqual([200, [2, 1]]);
  });

  it("keeps a comma in an id of the company's own", async () => {
    await app.v1("/track/sale", { email: LEAD, event_id: "e1", amount: "100", plan: "a,b" });
    expect(await ids("/referrals?filters[plan_id]=a,b")).toEqual([200, [2]]);
    expect(await ids("/referrals?filters[plan_id]=a")).toEqual([200, []]);
  });
});

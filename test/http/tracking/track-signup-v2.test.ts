import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, NOW, STORAGES, answerOf, startApp, type TestApp } from "../../support/app.ts";

const DUPLICATE = { transaction_id: "there is already a signup event registered on this lead" };
const NOBODY = { message: "Visitor invalid or not found." };

describe.each(STORAGES)("POST /api/v2/track/signup on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const v2 = async (body: unknown, headers: Record<string, string> = {}) => {
    const answer = await answerOf(
      await app.request("/api/v2/track/signup", {
        method: "POST",
        headers: {
          authorization: `Bearer ${KEY}`,
          "ACCOUNT-ID": "acme",
          "content-type": "application/json",
          ...headers,
        },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
    return { status: answer.status, body: answer.body };
  };

  it("answers 200 with the event", async () => {
    const person = { email: "lead@example.com", ref_id: "jane", custom_fields: { a: [1] } };
    expect(await v2(person)).toEqual({
      status: 200,
      body: {
        id: expect.any(Number),
        etype: "signup",
        sale_amount: null,
        original_sale_amount: null,
        original_sale_currency: null,
        event_id: null,
        plan_id: null,
        billing_period: null,
        created_at: NOW,
        referral: { id: 1, email: "lead@example.com", uid: null },
        commissions: [],
      },
    });
    expect(await v2(person)).toEqual({ status: 422, body: DUPLICATE });
  });

  it("accepts a number as uid, and keeps custom fields with any name", async () => {
    const body = '{"uid":42,"ref_id":"jane","custom_fields":{"__proto__":{"a":1},"constructor":2}}';
    expect(await v2(body)).toMatchObject({ status: 200, body: { referral: { uid: "42" } } });
    expect(JSON.stringify((await app.records.all("lead"))[0]!.custom_fields)).toBe(
      '{"__proto__":{"a":1},"constructor":2}',
    );
  });

  it("ignores fields of __proto__", async () => {
    const answer = await v2(
      '{"__proto__":{"uid":"1","ref_id":"jane"},"constructor":{"prototype":{"uid":"1"}}}',
    );
    expect(answer).toEqual({ status: 400, body: { message: "Error. Email and uid can not be blank!" } });
  });

  it.each([
    ["", 400, { message: "Error. Email and uid can not be blank!" }],
    [{ uid: "1" }, 404, NOBODY],
    ["{", 422, { message: "The body is not valid JSON", code: "invalid_params" }],
    ["[]", 422, { message: "The body is not a JSON object", code: "invalid_params" }],
    [
      '{"uid":12345678901234567890,"username":1e999,"ref_id":"jane"}',
      422,
      {
        message: "Validation failed: uid is invalid, username is invalid",
        code: "invalid_params",
        errors: { uid: ["is invalid"], username: ["is invalid"] },
      },
    ],
    [
      { email: 7, ref_id: "jane" },
      422,
      {
        message: "Validation failed: email is invalid",
        code: "invalid_params",
        errors: { email: ["is invalid"] },
      },
    ],
  ])("refuses %j with %i", async (input, status, body) => {
    expect(await v2(input)).toEqual({ status, body });
  });

  it.each([
    [{ authorization: "" }, 401, "Bad credentials", "unauthorized"],
    [{ authorization: "Bearer wrong" }, 401, "Bad credentials", "unauthorized"],
    [{ authorization: `Basic ${KEY}` }, 401, "Bad credentials", "unauthorized"],
    [{ "ACCOUNT-ID": "" }, 401, "The Account-ID header is missing", "unauthorized"],
    [{ "ACCOUNT-ID": "other" }, 403, "The access token does not belong to this account", "forbidden"],
  ])("refuses the headers %o with %i", async (headers, status, message, code) => {
    const answer = await v2({ uid: "1", ref_id: "jane" }, headers as unknown as Record<string, string>);
    expect(answer).toEqual({ status, body: { message, code } });
  });
});

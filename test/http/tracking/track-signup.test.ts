import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, STORAGES, answerOf, startApp, type TestApp } from "../../support/app.ts";
import { V1_LEAD, V1_PROMOTER } from "../../support/v1-records.ts";
import { statsOf } from "../../support/stats.ts";
import type { RecordOf } from "../../support/records.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const DUPLICATE = { transaction_id: "there is already a signup event registered on this lead" };
const NOBODY = { message: "Visitor invalid or not found." };

describe.each(STORAGES)("sign-up tracking on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
    await app.v1("/promoters/create", { email: "bob@example.com", first_name: "Bob" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const signup = async (params: Record<string, string>) => {
    const { status, body } = await app.v1("/track/signup", params);
    return { status, body };
  };
  const lead = async (params: Record<string, string>) =>
    ((await signup(params)).body as { lead: Record<string, unknown> }).lead;
  const click = (params: Record<string, string>) => app.browser("/t/click", { tid: TID, ...params });
  const stored = () => app.records.all("lead");
  const setPromotion = (id: number, changes: Partial<RecordOf<"promoterCampaign">>) =>
    app.records.change("promoterCampaign", id, changes);

  it("answers 200 with the complete tracking result", async () => {
    expect(await signup({ email: "lead@example.com", ref_id: "jane" })).toEqual({
      status: 200,
      body: {
        id: expect.any(Number),
        type: "signup",
        amount_cents: 0,
        reward: null,
        lead: V1_LEAD,
        promoter: { ...V1_PROMOTER, status: "active" },
      },
    });
    expect(await statsOf(app.services.store, app.account_id, 1)).toMatchObject({ clicks: 0, referrals: 1 });
  });

  it("keeps every parameter", async () => {
    expect(
      await lead({
        email: "Lead@Example.com",
        uid: "cus_9",
        ref_id: "JANE",
        ip: "203.0.113.9",
        created_at: "2025-06-07T08:09:10+02:00",
        skip_email_notification: "true",
        username: "leo",
        first_name: "Leo",
        last_name: "Lead",
        website: "https://lead.example",
        custom_fields: '{"plan":"pro","seats":3}',
        sub_id: "newsletter",
      }),
    ).toEqual({
      ...V1_LEAD,
      email: "Lead@Example.com",
      uid: "cus_9",
      created_at: "2025-06-07T06:09:10.000Z",
      username: "leo",
      website: "https://lead.example",
      custom_fields: { plan: "pro", seats: 3 },
      visitor_sub_id: "newsletter",
    });
    expect(await stored()).toMatchObject([
      { first_name: "Leo", last_name: "Lead", skip_email_notification: true, promoter_id: 1 },
    ]);
  });

  it.each([
    ["1970-01-01T05:00:00+05:00", "1970-01-01T00:00:00.000Z"],
    ["9999-12-31", "9999-12-31T00:00:00.000Z"],
  ])("keeps the date %s as %s", async (given, kept) => {
    expect(await lead({ uid: "1", ref_id: "jane", created_at: given })).toMatchObject({ created_at: kept });
  });

  it("takes the sub id and the address of the visit from the tid", async () => {
    await click({ ref_id: "jane", url: "https://www.acme.example/?via=jane&sub_id=tweet" });
    expect(await lead({ uid: "u1", tid: TID.toUpperCase() })).toMatchObject({
      uid: "u1",
      visitor_sub_id: "tweet",
    });
    expect(await stored()).toMatchObject([{ tid: TID, promoter_id: 1 }]);
  });

  it("finds the promoter by ref id first, then by promoter_id, then by promoter_email, then by tid", async () => {
    await click({ ref_id: "jane" });
    await signup({ uid: "1", tid: TID, ref_id: "bob" });
    await signup({ uid: "2", tid: TID, promoter_email: "BOB@example.com" });
    await signup({ uid: "3", tid: TID });
    await signup({ uid: "4", tid: TID, promoter_id: "2", promoter_email: "jane@example.com" });
    await signup({ uid: "5", promoter_id: "1", ref_id: "bob" });
    expect((await stored()).map(({ promoter_id }) => promoter_id)).toEqual([2, 2, 1, 2, 2]);
  });

  it.each([
    [{}, 400, { message: "Error. Email and uid can not be blank!" }],
    [{ email: " ", uid: "", ref_id: "jane" }, 400, { message: "Error. Email and uid can not be blank!" }],
    [{ email: "a@b.example" }, 404, NOBODY],
    [{ email: "a@b.example", tid: "" }, 404, NOBODY],
    [{ email: "a@b.example", tid: "00000000-0000-4000-8000-000000000000" }, 404, NOBODY],
    [{ email: "a@b.example", tid: "x".repeat(1000) }, 404, NOBODY],
    [{ email: "a@b.example", ref_id: "nobody" }, 404, NOBODY],
    [{ email: "a@b.example", ref_id: "../:?$" }, 404, NOBODY],
    [{ email: "a@b.example", promoter_email: "no@example.com" }, 404, NOBODY],
    [{ email: "a@b.example", promoter_id: "99" }, 404, NOBODY],
    [{ email: "a@b.example", promoter_id: "x" }, 422, { promoter_id: ["is invalid"] }],
    [{ email: "a b", ref_id: "jane" }, 422, { email: ["is invalid"] }],
    [{ uid: "1", ref_id: "jane", created_at: "2025-13-01" }, 422, { created_at: ["is invalid"] }],
    [{ uid: "1", ref_id: "jane", created_at: "soon" }, 422, { created_at: ["is invalid"] }],
    [{ uid: "1", ref_id: "jane", created_at: "1969-12-31T23:59:59Z" }, 422, { created_at: ["is invalid"] }],
    [
      { uid: "1", ref_id: "jane", created_at: "1970-01-01T00:00:00+05:00" },
      422,
      { created_at: ["is invalid"] },
    ],
    [
      { uid: "1", ref_id: "jane", created_at: "9999-12-31T23:59:59-05:00" },
      422,
      { created_at: ["is invalid"] },
    ],
    [{ uid: "1", ref_id: "jane", custom_fields: "[1]" }, 422, { custom_fields: ["is not a JSON object"] }],
    [{ uid: "1", ref_id: "jane", custom_fields: "{" }, 422, { custom_fields: ["is not a JSON object"] }],
    [
      { uid: "x".repeat(1001), ref_id: "jane", skip_email_notification: "perhaps" },
      422,
      { uid: ["is too long (maximum is 1000 characters)"], skip_email_notification: ["is invalid"] },
    ],
  ])("refuses %o with %i and leaves nothing behind", async (params, status, body) => {
    expect(await signup(params as Record<string, string>)).toEqual({ status, body });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ["nested too deeply", `{"a":${"[".repeat(7000)}${"]".repeat(7000)}}`, "maximum is 16 levels"],
    [
      "of too many keys",
      JSON.stringify(Object.fromEntries(Array.from({ length: 501 }, (_, at) => [at, 1]))),
      "maximum is 500",
    ],
    ["of too many bytes", JSON.stringify({ a: "\u20ac".repeat(5500) }), "maximum is 16 KiB"],
  ])("refuses custom fields %s, given as text", async (_, custom_fields, limit) => {
    expect(await signup({ uid: "1", ref_id: "jane", custom_fields })).toEqual({
      status: 422,
      body: { custom_fields: [expect.stringContaining(limit)] },
    });
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['{"uid":42}', 200, { lead: { uid: "42" } }],
    ['{"uid":4.5}', 200, { lead: { uid: "4.5" } }],
    ['{"uid":12345678901234567890}', 422, { uid: ["is invalid"] }],
    ['{"uid":"1","username":-1e999,"unlisted":1e999}', 422, { username: ["is invalid"] }],
    ['{"__proto__":{"uid":"1"}}', 400, { message: "Error. Email and uid can not be blank!" }],
  ])("answers the JSON body %s with %i", async (body, status, expected) => {
    const answer = await answerOf(
      await app.request("/api/v1/track/signup?ref_id=jane", {
        method: "POST",
        headers: { "x-api-key": KEY, "content-type": "application/json" },
        body,
      }),
    );
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: expected });
  });

  it.each(["pending", "rejected", "blocked", "inactive"] as const)(
    "finds nobody behind a promoter campaign that is %s",
    async (state) => {
      await click({ ref_id: "jane" });
      await setPromotion(1, { state });
      expect(await signup({ uid: "1", ref_id: "jane" })).toEqual({ status: 404, body: NOBODY });
      expect(await signup({ uid: "1", tid: TID })).toEqual({ status: 404, body: NOBODY });
      expect((await click({ ref_id: "jane" })).body).toMatchObject({ tid: null });
    },
  );

  it.each([
    [{ email: "LEAD@example.com ", ref_id: "bob" }],
    [{ uid: "u1", ref_id: "bob" }],
    [{ email: "lead@example.com", uid: "other", ref_id: "bob" }],
    [{ email: "other@example.com", uid: "u1", ref_id: "bob" }],
    [{ email: "second@example.com", uid: "u1", ref_id: "bob", override_existing_lead: "true" }],
  ])("answers 422 to %o, because the lead is known", async (params) => {
    await signup({ email: "lead@example.com", uid: "u1", ref_id: "jane" });
    await signup({ email: "second@example.com", ref_id: "jane" });
    const before = await stored();
    expect(await signup(params as Record<string, string>)).toEqual({ status: 422, body: DUPLICATE });
    expect(await stored()).toEqual(before);
  });

  it("overwrites a known lead when told to, with the first sign-up's id and promoter", async () => {
    const first = (await signup({ email: "lead@example.com", ref_id: "jane", username: "old" })).body;
    const second = await signup({
      email: "lead@example.com",
      uid: "u1",
      ref_id: "bob",
      username: "new",
      override_existing_lead: "true",
    });
    expect(second.status).toBe(200);
    expect(second.body).toEqual({
      ...(first as object),
      lead: { ...V1_LEAD, uid: "u1", username: "new" },
    });
    expect(await signup({ uid: "u1", ref_id: "jane" })).toEqual({ status: 422, body: DUPLICATE });
    expect(await statsOf(app.services.store, app.account_id, 1)).toMatchObject({ referrals: 1 });
  });

  it("gives a lead without a sign-up event its first one", async () => {
    await signup({ email: "lead@example.com", ref_id: "jane" });
    await app.records.change("lead", 1, { signup_event_id: null, username: "imported" });
    expect(await signup({ email: "lead@example.com", ref_id: "bob", username: "x" })).toMatchObject({
      status: 200,
      body: { lead: { id: 1, username: "imported" }, promoter: { id: 1 } },
    });
    expect(await signup({ email: "lead@example.com", ref_id: "bob" })).toMatchObject({ status: 422 });
  });

  it("records one of many simultaneous sign-ups of one person, and counts one", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        signup(
          index % 2 ? { email: "a@b.example", ref_id: "jane" } : { email: "A@b.example", ref_id: "bob" },
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(39).fill(422)]);
    expect(await stored()).toHaveLength(1);
    const [first, second] = await Promise.all(
      [1, 2].map((id) => statsOf(app.services.store, app.account_id, id)),
    );
    expect(first!.referrals + second!.referrals).toBe(1);
  });
});

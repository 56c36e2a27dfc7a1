import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { V1_LEAD, V1_PROMOTER } from "../../support/v1-records.ts";
import type { RecordOf } from "../../support/records.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";
const RESULT = {
  id: expect.any(Number),
  type: "subscriber",
  lead: { ...V1_LEAD, state: "subscribed" },
  promoter: { ...V1_PROMOTER, status: "active" },
};
const NOBODY = { message: "Visitor invalid or not found." };

describe.each(STORAGES)("subscriber tracking on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await app.v1("/promoters/create", { email: "jane@example.com" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const subscribe = async (params: Record<string, string>) => {
    const { status, body } = await app.v1("/track/subscriber", { email: "lead@example.com", ...params });
    return { status, body };
  };
  const stored = () => app.records.all("lead");

  it("makes a lead of a subscriber that a promoter sent", async () => {
    expect(await subscribe({ ref_id: "jane" })).toEqual({ status: 200, body: RESULT });
    expect(await stored()).toMatchObject([
      { state: "subscribed", signup_event_id: null, entry_source: "api" },
    ]);
  });

  it("finds the promoter by the visit", async () => {
    await app.browser("/t/click", { tid: TID, ref_id: "jane", url: "https://www.acme.example/?sub_id=news" });
    expect(await subscribe({ tid: TID, username: "lea" })).toEqual({
      status: 200,
      body: { ...RESULT, lead: { ...RESULT.lead, username: "lea", visitor_sub_id: "news" } },
    });
  });

  it.each<[Record<string, string>, number, unknown]>([
    [{ ref_id: "nobody" }, 404, NOBODY],
    [{ tid: TID }, 404, NOBODY],
    [{}, 204, ""],
    [{ email: "", ref_id: "jane" }, 400, { message: "Error. Email and uid can not be blank!" }],
    [{ email: "x", ref_id: "jane" }, 422, { email: ["is invalid"] }],
  ])("answers %j with %i", async (params, status, body) => {
    expect(await subscribe(params)).toEqual({ status, body });
    expect(await stored()).toEqual([]);
  });

  it("answers 409 to one who has subscribed already", async () => {
    await subscribe({ ref_id: "jane" });
    const body = { message: "there is already a subscriber event registered on this lead" };
    expect(await subscribe({ ref_id: "jane" })).toEqual({ status: 409, body });
    expect(await subscribe({})).toEqual({ status: 409, body });
    expect(await stored()).toHaveLength(1);
  });

  it("answers 409 to one of two subscriptions at once", async () => {
    const answers = await Promise.all([subscribe({ ref_id: "jane" }), subscribe({ ref_id: "jane" })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await stored()).toHaveLength(1);
  });

  it("lets the sign-up follow", async () => {
    await subscribe({ ref_id: "jane" });
    const signup = () => app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane", uid: "cus_1" });
    expect(await signup()).toMatchObject({ status: 200, body: { lead: { id: 1, state: "signup" } } });
    expect((await signup()).status).toBe(422);
  });

  it.each<RecordOf<"lead">["state"]>(["signup", "active", "cancelled", "denied"])(
    "leaves a lead that is %s",
    async (state) => {
      await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
      const [lead] = await stored();
      await app.records.put("lead", { ...lead!, state });
      expect(await subscribe({})).toMatchObject({ status: 200, body: { lead: { state } } });
      expect(await stored()).toEqual([{ ...lead, state }]);
    },
  );

  it("subscribes a lead that was made without a sign-up", async () => {
    await app.v1("/leads/create", { email: "lead@example.com", ref_id: "jane" });
    expect(await subscribe({})).toEqual({ status: 200, body: RESULT });
    expect((await subscribe({})).status).toBe(409);
  });
});

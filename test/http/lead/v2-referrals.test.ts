import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

const SAM = {
  id: 1,
  email: "sam@example.com",
  uid: "cus_1",
  state: "signup",
  metadata: {},
  entry_source: "api",
  created_at: NOW_SECOND,
  customer_since: null,
  promoter_campaign: {
    id: 1,
    campaign_id: 1,
    promoter_id: 1,
    created_at: NOW_SECOND,
    promoter: { id: 1, email: "jane@example.com", name: "jane@example.com" },
    campaign: { id: 1, name: "Default campaign", color: "#2563eb" },
  },
  fraud_check: "no_suspicion",
  created_by_user_email: null,
  username: "sam",
  split_details: null,
  first_name: "Sam",
  last_name: "Smith",
  website: "https://sam.example",
  comment: null,
  is_expired: false,
  custom_status: null,
};
const UNKNOWN = { status: 404, body: { message: "Lead not found.", code: "not_found" } };
const BOBS = {
  ...SAM.promoter_campaign,
  id: 2,
  promoter_id: 2,
  promoter: { id: 2, email: "bob@example.com", name: "bob@example.com" },
};

/** Jane, Bob and Eve, and Sam, a lead of Jane's. */
async function appWithSam(storage: (typeof STORAGES)[number]): Promise<TestApp> {
  const app = await startApp(storage);
  await join(app, "jane@example.com", { ref_id: "jane" });
  await join(app, "bob@example.com", { ref_id: "bob" });
  await join(app, "eve@example.com", { ref_id: "eve" });
  await app.v1("/track/signup", {
    email: "sam@example.com",
    uid: "cus_1",
    username: "sam",
    first_name: "Sam",
    last_name: "Smith",
    website: "https://sam.example",
    ref_id: "jane",
  });
  return app;
}

async function closed(app: TestApp): Promise<void> {
  expect(app.bugs).toEqual([]);
  await app.close();
}

describe.each(STORAGES)("GET /referrals on %s", (storage) => {
  let app: TestApp;
  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const change = (over: Partial<RecordOf<"lead">>, id: number) => app.records.change("lead", id, over);

  // No test writes.
  beforeAll(async () => {
    app = await appWithSam(storage);
    await call("POST /campaigns", { name: "Second", landing_url: "https://2.example/" });
    await join(app, "zoe@example.com", { ref_id: "zoe", campaign_id: "2" });
    await app.v1("/track/signup", { email: "two@example.com", ref_id: "bob" });
    await app.v1("/track/signup", { uid: "cus_3", ref_id: "zoe" });
    await app.v1("/track/signup", { email: "jane+1@example.com", ref_id: "jane" });
    const bought = { customer_since: "2026-03-01T10:00:00.000Z", plan_id: "pro" };
    await change({ ...bought, state: "active", entry_source: "coupon" }, 2);
    await change(
      {
        state: "cancelled",
        customer_since: "2026-01-01T00:00:00.000Z",
        cancelled_at: "2026-02-28T23:59:59.999Z",
        created_at: "2026-01-01T00:00:00.000Z",
      },
      3,
    );
  });
  afterAll(() => closed(app));

  it.each([
    ["", [1, 2, 3, 4], 4],
    ["?page=2&per_page=3", [4], 4],
    ["?q=SAM@", [1], 1],
    ["?q=cus_", [1, 3], 2],
    ["?q=m+Smi", [1], 1],
    ["?q=sam.example", [1], 1],
    ["?sorting[created_at]=asc&per_page=1", [1], 4],
    ["?sorting[created_at]=desc&per_page=3", [4, 3, 2], 4],
    ["?sorting[created_at]=desc&per_page=3&page=2", [1], 4],
    ["?sorting[created_at]=desc&filters[fraud_check]=no_suspicion&per_page=2", [3, 2], 3],
    ["?sorting[created_at]=desc&filters[fraud_check]=no_suspicion&per_page=2&page=2", [1], 3],
    ["?sorting[created_at]=desc&filters[fraud_check]=no_suspicion&per_page=2&page=3", [], 3],
    ["?sorting[created_at]=desc&filters[promoter_id]=1", [4, 1], 2],
    ["?sorting[created_at]=desc&ids[]=1&ids[]=3", [3, 1], 2],
    ["?ids[]=3&ids[]=1&ids[]=99", [1, 3], 2],
    ["?ids=3", [3], 1],
    ["?ids=3&q=two", [], 0],
    ["?filters[type]=lead", [1, 4], 2],
    ["?filters[type]=customer", [2, 3], 2],
    ["?filters[promoter_id]=1", [1, 4], 2],
    ["?filters[promoter_id]=1&per_page=1&page=2", [4], 2],
    ["?filters[promoter_id]=99", [], 0],
    ["?filters[campaign_id]=2", [3], 1],
    ["?filters[campaign_id][]=1&filters[campaign_id][]=2", [1, 2, 3, 4], 4],
    ["?filters[promoter_id]=1&filters[campaign_id]=2", [], 0],
    ["?filters[promoter_id]=1&filters[fraud_check]=same_promoter_email", [4], 1],
    ["?filters[state]=signup", [1, 4], 2],
    ["?filters[state]=cancelled", [3], 1],
    ["?filters[state]=moved", [], 0],
    ["?filters[entry_source]=coupon", [2], 1],
    ["?filters[plan_id]=pro", [2], 1],
    ["?filters[plan_id][]=basic&filters[plan_id][]=pro&filters[promoter_id]=1", [], 0],
    ["?filters[fraud_check][]=no_suspicion", [1, 2, 3], 3],
    ["?filters[customer_since][from]=2026-03-01", [2], 1],
    ["?filters[customer_since][to]=2026-03-01", [2, 3], 2],
    ["?filters[created_at][to]=2026-01-01", [3], 1],
    ["?filters[created_at][from]=2026-03-04&filters[created_at][to]=2026-03-04", [1, 2, 4], 3],
    ["?filters[cancelled_at][to]=2026-02-28", [3], 1],
    ["?filters[cancelled_at][to]=2026-02-27", [], 0],
  ])("answers %j with %j", async (query, ids, total) => {
    const { body, headers } = await company(app, `GET /referrals${query}`);
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids);
    expect(headers.get("total")).toBe(String(total));
  });

  it.each([
    ["?filters[state]=x", "filters[state]"],
    ["?filters[type]=x", "filters[type]"],
    ["?sorting[created_at]=down", "sorting[created_at]"],
    ["?filters[promoter_id]=x", "filters[promoter_id]"],
    ["?filters[created_at][from]=2026-02-30", "filters[created_at][from]"],
    ["?filters[created_at][frm]=2026-02-01", "filters[created_at][frm]"],
    ["?filters[plan]=x", "filters[plan]"],
  ])("answers 422 to %j", async (query, name) => {
    const { status, body } = await call(`GET /referrals${query}`);
    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([422, [name]]);
  });
});

describe.each(STORAGES)("V2 referrals on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => void (app = await appWithSam(storage)));
  afterEach(() => closed(app));

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));

  describe("GET /referrals/{id}", () => {
    it.each([
      ["1"],
      ["1?find_by=id"],
      ["SAM@example.com?find_by=email"],
      ["sam%40example.com?find_by=email"],
      ["cus_1?find_by=uid"],
      ["sam?find_by=username"],
    ])("finds %s", async (path) => {
      expect(await call(`GET /referrals/${path}`)).toEqual({ status: 200, body: SAM });
    });

    it.each([["2"], ["x"], ["sam"], ["bob?find_by=username"], ["cus_2?find_by=uid"], ["x?find_by=email"]])(
      "answers 404 to %s",
      async (path) => {
        expect(await call(`GET /referrals/${path}`)).toEqual(UNKNOWN);
      },
    );

    it("answers 422 to an unknown attribute", async () => {
      expect(await call("GET /referrals/1?find_by=tid")).toEqual(
        invalid({ find_by: ["is not one of id, email, uid, username, source_id"] }),
      );
    });

    it("finds the first of two leads with one username", async () => {
      await app.v1("/track/signup", { email: "other@example.com", username: "sam", ref_id: "bob" });
      expect((await call("GET /referrals/sam?find_by=username")).body).toMatchObject({ id: 1 });
    });
  });

  describe("POST /referrals", () => {
    const NEW = {
      ...SAM,
      id: 2,
      email: null,
      uid: null,
      entry_source: "manual_admin",
      username: null,
      first_name: null,
      last_name: null,
      website: null,
    };
    const create = (over: object = {}) => call("POST /referrals", { promoter_campaign_id: 1, ...over });

    it.each([
      [{ email: "lea@example.com" }, { email: "lea@example.com" }],
      [
        { uid: "cus_2", username: " lea ", email: "" },
        { uid: "cus_2", username: "lea" },
      ],
      [
        { uid: "cus_2", promoter_campaign_id: "2" },
        { uid: "cus_2", promoter_campaign: BOBS },
      ],
      [{ email: "jane+2@example.com" }, { email: "jane+2@example.com", fraud_check: "same_promoter_email" }],
      [
        { uid: "cus_2", split_details: [{ promoter_campaign_id: 2, percentage: 50 }] },
        { uid: "cus_2", split_details: [{ promoter_campaign_id: 2, promoter_id: 2, percentage: 50 }] },
      ],
      [{ uid: "cus_2", split_details: [] }, { uid: "cus_2" }],
    ])("accepts %j", async (body, shown) => {
      expect(await create(body)).toEqual({ status: 200, body: { ...NEW, ...shown } });
      expect(await call("GET /referrals/2")).toEqual({ status: 200, body: { ...NEW, ...shown } });
    });

    it("lets a sign-up follow", async () => {
      await create({ email: "lea@example.com" });
      expect(
        await app.v1("/track/signup", { email: "lea@example.com", ref_id: "bob", uid: "cus_2" }),
      ).toMatchObject({ status: 200, body: { lead: { id: 2, uid: "cus_2" }, promoter: { id: 1 } } });
    });

    it.each([
      [{}, invalid({ email: ["can't be blank without a uid"] })],
      [{ email: "x" }, invalid({ email: ["is invalid"] })],
      [{ uid: "cus_2", promoter_campaign_id: "" }, invalid({ promoter_campaign_id: ["can't be blank"] })],
      [{ email: "SAM@example.com" }, invalid({ email: ["has already been taken"] }, 400)],
      [
        { email: "sam@example.com", uid: "cus_1" },
        invalid({ email: ["has already been taken"], uid: ["has already been taken"] }, 400),
      ],
      [
        { uid: "cus_2", split_details: [{ promoter_campaign_id: 1, percentage: 50 }] },
        invalid({ split_details: ["must not name the referral's own promoter campaign"] }),
      ],
      [
        { uid: "cus_2", promoter_campaign_id: 99 },
        { status: 404, body: { message: "Promotion not found.", code: "not_found" } },
      ],
      [
        { uid: "cus_2", promoter_campaign_id: 3 },
        {
          status: 422,
          body: {
            message: "The promoter campaign is pending and can't get leads",
            code: "operation_failed",
            errors: {},
          },
        },
      ],
    ])("answers %j with %j", async (body, answer) => {
      await call("PUT /promoter_campaigns/3", { state: "pending" });
      expect(await create(body)).toEqual(answer);
      expect((await call("GET /referrals")).body).toEqual([SAM]);
    });
  });

  describe.each(["PUT", "PATCH"])("%s /referrals/{id}", (method) => {
    const update = (body?: unknown, id: number | string = 1) => call(`${method} /referrals/${id}`, body);

    it.each([
      [undefined, {}],
      [{ email: "new@example.com" }, { email: "new@example.com" }],
      [{ email: "" }, { email: null }],
      [
        { uid: 42, username: null },
        { uid: "42", username: null },
      ],
      [{ fraud_check: "ad_source" }, { fraud_check: "ad_source" }],
      [{ promoter_campaign_id: "2" }, { promoter_campaign: BOBS }],
      [{ promoter_campaign_id: 1 }, {}],
      [{ state: "active" }, {}],
    ])("accepts %j", async (body, changes) => {
      const answer = { status: 200, body: { ...SAM, ...changes } };
      expect(await update(body)).toEqual(answer);
      expect(await call("GET /referrals/1")).toEqual(answer);
    });

    it("finds the referral by another attribute", async () => {
      expect((await update({ find_by: "email", uid: "a" }, "sam@example.com")).body).toMatchObject({
        uid: "a",
      });
      expect((await update({ find_by: "username", uid: "b" }, "sam")).body).toMatchObject({ uid: "b" });
      expect((await update({ find_by: "uid", username: "" }, "b")).body).toMatchObject({ username: null });
      expect((await update({ username: "c" }, "b?find_by=uid")).body).toMatchObject({ username: "c" });
      expect(await update({ find_by: "username" }, "sam")).toEqual(UNKNOWN);
    });

    it.each([
      [{ email: "x" }, invalid({ email: ["is invalid"] })],
      [{ uid: null, email: null }, invalid({ email: ["can't be blank without a uid"] })],
      [{ email: "two@example.com" }, invalid({ email: ["has already been taken"] }, 400)],
      [{ uid: "cus_2" }, invalid({ uid: ["has already been taken"] }, 400)],
      [{ promoter_campaign_id: null }, invalid({ promoter_campaign_id: ["can't be blank"] })],
      [
        { promoter_campaign_id: 99 },
        { status: 404, body: { message: "Promotion not found.", code: "not_found" } },
      ],
      [
        { promoter_campaign_id: 3 },
        {
          status: 422,
          body: {
            message: "The promoter campaign is blocked and can't get leads",
            code: "operation_failed",
            errors: {},
          },
        },
      ],
    ])("answers %j with %j", async (body, answer) => {
      await app.v1("/track/signup", { email: "two@example.com", uid: "cus_2", ref_id: "bob" });
      await call("PUT /promoter_campaigns/3", { state: "blocked" });
      expect(await update(body)).toEqual(answer);
      expect((await call("GET /referrals/1")).body).toEqual(SAM);
    });

    describe("with splits", () => {
      const split = (id: unknown, percentage: unknown) => ({ promoter_campaign_id: id, percentage });
      const shown = (id: number, percentage: number) => ({ ...split(id, percentage), promoter_id: id });

      it.each([
        [[split(2, 25)], [shown(2, 25)]],
        [
          [split("2", "33.3333"), split(3, 66.6667)],
          [shown(2, 33.3333), shown(3, 66.6667)],
        ],
        [
          [split(2, 100), split(3, 0)],
          [shown(2, 100), shown(3, 0)],
        ],
        [split(2, 25), [shown(2, 25)]],
        [[], null],
        [null, null],
      ])("accepts %j", async (split_details, splits) => {
        await update({ split_details: [split(3, 1)] });
        const answer = { status: 200, body: { ...SAM, split_details: splits } };
        expect(await update({ split_details })).toEqual(answer);
        expect(await update({})).toEqual(answer);
      });

      it("accepts the keys of one split in the form that automation tools write", async () => {
        const answer = await company(app, `${method} /referrals/1`, {
          "split_details[promoter_campaign_id]": 2,
          "split_details[percentage]": 20,
        });
        expect(answer.body).toEqual({ ...SAM, split_details: [shown(2, 20)] });
        expect(answer.headers.get("x-ignored-fields")).toBeNull();
      });

      const [own, twice, tooMuch] = [
        "must not name the referral's own promoter campaign",
        "must not name a promoter campaign twice",
        "must not be more than 100 percent together",
      ];
      it.each([
        ["x", invalid({ split_details: ["is invalid"] })],
        [[split(2, "")], invalid({ "split_details[percentage]": ["can't be blank"] })],
        [
          [split(2, -1)],
          invalid({ "split_details[percentage]": ["must be a number of at most four decimals"] }),
        ],
        [[split(2, 100.0001)], invalid({ split_details: [tooMuch] })],
        [[split(2, 60), split(3, 41)], invalid({ split_details: [tooMuch] })],
        [[split(2, 60), split(2, 30)], invalid({ split_details: [twice] })],
        [[split(1, 10)], invalid({ split_details: [own] })],
        [[split(1, 60), split(1, 60)], invalid({ split_details: [twice, own, tooMuch] })],
        [[split(99, 10)], { status: 404, body: { message: "Promotion not found.", code: "not_found" } }],
      ])("answers %j with %j", async (split_details, answer) => {
        expect(await update({ split_details })).toEqual(answer);
        expect((await call("GET /referrals/1")).body).toEqual(SAM);
      });

      it("drops the part of the promoter who gets the whole referral", async () => {
        await update({ split_details: [split(2, 25), split(3, 10)] });
        const moved = { ...SAM, promoter_campaign: BOBS, split_details: [shown(3, 10)] };
        expect((await update({ promoter_campaign_id: 2 })).body).toEqual(moved);
        expect((await update({ promoter_campaign_id: 3 })).body).toMatchObject({ split_details: null });
      });

      it("shows the first one in V1", async () => {
        await update({ split_details: [split(2, 12.5), split(3, 10)] });
        const { body } = await app.v1("/leads/show", { id: "1" });
        expect(body).toMatchObject({ split_promotion_id: 2, split_percentage_value: 12.5 });
      });
    });
  });

  describe("POST /referrals/{id}/import_events", () => {
    it("is refused without a billing provider", async () => {
      const body = { message: "No billing provider is connected", code: "operation_failed", errors: {} };
      expect(await call("POST /referrals/1/import_events")).toEqual({ status: 422, body });
      expect(await call("POST /referrals/sam/import_events?find_by=username")).toEqual({ status: 422, body });
      expect(await call("POST /referrals/9/import_events")).toEqual(UNKNOWN);
    });
  });
});

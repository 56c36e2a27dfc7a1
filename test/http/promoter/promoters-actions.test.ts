import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { v1, v2, type Params } from "../../support/calls.ts";
import { createV1Promoter, type V1Promoter } from "../../support/v1-promoter.ts";
import type { RecordOf } from "../../support/records.ts";
import { addCampaign } from "../../support/v2.ts";
import { newCommission } from "../../support/commissions.ts";

describe.each(STORAGES)("V1 actions on a promoter on %s", (storage) => {
  let app: TestApp;
  let jane: V1Promoter;
  let second: string;
  const show = (params: Params) => v1(app, "GET", "/promoters/show", params);
  const remove = (params: Params) => v1(app, "DELETE", "/promoters/delete", params);

  beforeEach(async () => {
    app = await startApp(storage);
    const params = { email: "jane@example.com", cust_id: "c1", ref_id: "jane" };
    jane = await createV1Promoter(app, params);
    const landingUrl = "https://second.example/";
    second = String((await addCampaign(app, { name: "Second", landing_url: landingUrl })).id);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  it.each([
    ["POST", "/promoters/add_to_campaign", { campaign_id: "2" }],
    ["POST", "/promoters/move_to_campaign", { destination_campaign_id: "2" }],
    ["PUT", "/promoters/refresh_token", {}],
    ["POST", "/promoters/refresh_token", {}],
    ["DELETE", "/promoters/delete", {}],
  ] as ["POST" | "PUT" | "DELETE", string, Params][])(
    "%s %s finds by every selector",
    async (method, path, params) => {
      const selectors: Params[] = [
        { id: "1" },
        { cust_id: "c1" },
        { auth_token: jane.auth_token },
        { promoter_email: "jane@example.com" },
        { ref_id: "jane" },
      ];
      for (const selector of selectors) {
        const found = await v1(app, method, path, {
          ...selector,
          ...params,
          campaign_id: "99",
          destination_campaign_id: "99",
        });
        expect(found.status, JSON.stringify(selector)).toBe(path.endsWith("campaign") ? 404 : 200);
        if (path.endsWith("campaign")) expect(found.body).toEqual({ error: "Campaign not found." });
        await app.close();
        app = await startApp(storage);
        const again = { email: "jane@example.com", cust_id: "c1", ref_id: "jane" };
        jane = (await v1(app, "POST", "/promoters/create", again)).body as V1Promoter;
        selectors[2] = { auth_token: jane.auth_token };
      }
      expect(await v1(app, method, path, { ...params, id: "99" })).toMatchObject({
        status: 404,
        body: { error: "Promoter not found." },
      });
      expect(await v1(app, method, path, params)).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining("You need to find the promoter") },
      });
    },
  );

  describe("refresh_token", () => {
    it("answers the new token, and the old one finds nobody", async () => {
      const { body } = await v1(app, "PUT", "/promoters/refresh_token", { id: "1" });
      const { auth_token } = body as { auth_token: string };
      expect(body).toEqual({ auth_token: expect.stringMatching(/^.{32}$/) });
      expect(auth_token).not.toBe(jane.auth_token);
      expect(await show({ auth_token })).toMatchObject({ status: 200 });
      expect(await show({ auth_token: jane.auth_token })).toMatchObject({ status: 404 });
    });
  });

  describe("add_to_campaign", () => {
    const add = (params: Params) => v1(app, "POST", "/promoters/add_to_campaign", params);

    it("adds a second promoter campaign with its own ref id", async () => {
      const { body } = await add({ id: "1", campaign_id: second });
      expect(body).toEqual({
        ...jane,
        promotions: [
          jane.promotions[0],
          {
            ...jane.promotions[0],
            id: 2,
            ref_id: expect.stringMatching(/^jane\d\d$/),
            campaign_id: Number(second),
            campaign_name: "Second",
            referral_link: expect.stringMatching(/^https:\/\/second\.example\/\?via=jane\d\d$/),
          },
        ],
      });
    });

    it("refuses a promoter who is already in it, one of two calls at once, and a call without a campaign", async () => {
      const isMember = { status: 422, body: { error: "Promoter is already in this campaign." } };
      expect(await add({ id: "1", campaign_id: "1" })).toMatchObject(isMember);
      const both = await Promise.all([1, 2].map(() => add({ id: "1", campaign_id: second })));
      expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
      expect(await add({ id: "1" })).toMatchObject({
        status: 422,
        body: { error: "campaign_id can't be blank" },
      });
      expect(await add({ id: "1", campaign_id: "x" })).toMatchObject({
        status: 422,
        body: { campaign_id: ["is invalid"] },
      });
    });
  });

  describe("move_to_campaign", () => {
    const move = (params: Params) => v1(app, "POST", "/promoters/move_to_campaign", params);

    it("moves the promoter campaign with its ref id, and leaves its leads in their campaign", async () => {
      await v1(app, "POST", "/track/signup", { email: "lead@example.com", ref_id: "jane" });
      const { body } = await move({ id: "1", destination_campaign_id: second });
      expect(body).toEqual({
        ...jane,
        promotions: [
          {
            ...jane.promotions[0],
            campaign_id: Number(second),
            campaign_name: "Second",
            referral_link: "https://second.example/?via=jane",
            leads_count: 1,
          },
        ],
      });
      expect(await app.records.get("lead", 1)).toMatchObject({ campaign_id: 1 });
      expect(
        await v1(app, "POST", "/track/signup", { email: "b@example.com", ref_id: "jane" }),
      ).toMatchObject({ status: 200 });
    });

    it("moves from the named campaign", async () => {
      await v1(app, "POST", "/promoters/add_to_campaign", { id: "1", campaign_id: second });
      const landingUrl = "https://third.example/";
      const third = await addCampaign(app, { name: "Third", landing_url: landingUrl });
      const { body } = await move({
        id: "1",
        source_campaign_id: second,
        destination_campaign_id: String(third.id),
      });
      expect(body).toMatchObject({ promotions: [{ campaign_id: 1 }, { campaign_id: third.id }] });
    });

    it.each([
      [{ destination_campaign_id: "" }, 422, { error: "destination_campaign_id can't be blank" }],
      [{ destination_campaign_id: "1" }, 422, { error: "Promoter is already in this campaign." }],
      [{ destination_campaign_id: "99" }, 404, { error: "Campaign not found." }],
      [
        { destination_campaign_id: "1", source_campaign_id: "2" },
        404,
        { error: "Promoter is not in this campaign." },
      ],
      [
        { destination_campaign_id: "2", source_campaign_id: "x" },
        422,
        { source_campaign_id: ["is invalid"] },
      ],
    ] as [Params, number, object][])("refuses %o with %i", async (params, status, body) => {
      expect(await move({ id: "1", ...params })).toMatchObject({ status, body });
    });
  });

  describe("delete", () => {
    it("removes the promoter and their records, retires their ref id and keeps their leads", async () => {
      const { account_id } = app;
      await v1(app, "POST", "/promoters/create", { email: "kid@example.com", parent_promoter_id: "1" });
      await v1(app, "POST", "/promoters/add_to_campaign", { id: "1", campaign_id: second });
      await v1(app, "POST", "/track/signup", { email: "lead@example.com", ref_id: "jane", ip: "192.0.2.1" });
      await app.records.put("promoCode", {
        account_id,
        id: 1,
        code: "C",
        reward_id: 1,
        promoter_campaign_id: 1,
        ext_id: null,
        description: null,
        metadata: null,
        details: null,
        created_at: NOW,
        archived_at: null,
      });
      await app.records.put("payoutMethod", {
        account_id,
        id: 1,
        promoter_id: 1,
        method: "bank",
        details: {},
        meta: {},
        is_selected: true,
        is_disabled: false,
        is_managed: false,
        created_at: NOW,
      });
      const { status, body } = await remove({ id: "1" });
      expect({ status, body }).toEqual({ status: 200, body: { message: "Promoter removed." } });
      expect(await show({ id: "1" })).toMatchObject({ status: 404 });
      expect(await app.records.count("promoter")).toBe(1);
      const [joined, addresses] = [
        await app.records.all("promoterCampaign"),
        await app.records.all("promoterAddress"),
      ];
      expect([...joined, ...addresses].filter(({ promoter_id }) => promoter_id === 1)).toEqual([]);
      expect(await app.records.count("payoutMethod")).toBe(0);
      expect(await app.records.get("promoCode", 1)).toMatchObject({ archived_at: NOW });
      expect(await app.records.get("lead", 1)).toMatchObject({ email: "lead@example.com" });
      expect((await show({ promoter_email: "kid@example.com" })).body).toMatchObject({
        pref: null,
        parent_promoter_id: null,
      });
      expect(
        await v1(app, "POST", "/track/signup", { email: "b@example.com", ref_id: "jane" }),
      ).toMatchObject({ status: 404 });
      const taken = await v1(app, "POST", "/promoters/create", { email: "jane@example.com", ref_id: "jane" });
      expect(taken).toMatchObject({ status: 422, body: { ref_id: ["has already been taken"] } });
      expect(
        await v1(app, "POST", "/promoters/create", { email: "jane@example.com", cust_id: "c1" }),
      ).toMatchObject({ status: 200 });
    });

    it("refuses a promoter who has earned or will be paid, and changes nothing", async () => {
      const { account_id } = app;
      const refused = { status: 422, body: { error: expect.stringContaining("can't be removed") } };
      await app.records.put("payout", newPayout(account_id));
      expect(await remove({ id: "1" })).toMatchObject(refused);
      await app.records.remove("payout", 1);
      await app.records.put("commission", deniedCommission(account_id));
      expect(await remove({ id: "1" })).toMatchObject(refused);
      expect((await show({ id: "1" })).body).toEqual(jane);
    });

    it("leaves no promoter campaign that is added at the same moment", async () => {
      const [removed, added] = await Promise.all([
        remove({ id: "1" }),
        v1(app, "POST", "/promoters/add_to_campaign", { id: "1", campaign_id: second }),
      ]);
      expect(removed.status).toBe(200);
      expect([200, 404]).toContain(added.status);
      expect(await app.records.count("promoterCampaign")).toBe(0);
    });
  });

  it("neither adds nor moves an archived promoter", async () => {
    await v2(app, "POST", "/promoters/archive", { ids: [1] });
    const archived = { status: 422, body: { error: "Promoter is archived." } };
    expect(
      await v1(app, "POST", "/promoters/add_to_campaign", { id: "1", campaign_id: second }),
    ).toMatchObject(archived);
    expect(
      await v1(app, "POST", "/promoters/move_to_campaign", { id: "1", destination_campaign_id: second }),
    ).toMatchObject(archived);
  });
});

function deniedCommission(accountId: number): RecordOf<"commission"> {
  return newCommission({
    account_id: accountId,
    id: 1,
    promoter_campaign_id: 1,
    promoter_id: 1,
    campaign_id: 1,
    status: "denied",
    amount: 100,
    created_at: NOW,
  });
}

function newPayout(accountId: number): RecordOf<"payout"> {
  return {
    account_id: accountId,
    id: 1,
    promoter_campaign_id: 1,
    promoter_id: 1,
    campaign_id: 1,
    status: "pending",
    unit: "cash",
    amount: 100,
    tax_rate_hundredths: 0,
    total_incl_tax: 100,
    period_start: NOW,
    period_end: NOW,
    period_end_date: NOW.slice(0, 10),
    due_date: "2026-04-01",
    has_own_terms: false,
    run_id: null,
    group_ref: null,
    payments_batch_id: null,
    payout_method_id: null,
    error: null,
    paid_at: null,
    processing_started_at: null,
    failed_at: null,
    created_at: NOW,
  };
}

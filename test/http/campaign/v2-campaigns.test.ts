import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFullCampaign, updateCampaign } from "../../../server/domain/program/campaign/changes.ts";
import { createCampaign, loadCampaign } from "../../../server/domain/program/campaign/campaign.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { beforeCommit, countCommits } from "../../support/edge.ts";
import { putFact } from "../../support/facts.ts";
import { DEFAULT_CAMPAIGN, JANE, company, invalid, join, outcome, reward } from "../../support/v2.ts";

const GIVEN = { name: "Summer", landing_url: "https://acme.example/summer" };
const SUMMER = { ...DEFAULT_CAMPAIGN, ...GIVEN, id: 2, is_default: false };
const SETTINGS = {
  color: "red",
  visitor_cookie_life: 30,
  ref_token_param: "?ref",
  attribution: "first",
  allowed_origins: ["https://shop.example", "*.acme.example"],
  track_ad_traffic: "block",
  auto_approve_promoters: false,
  auto_approve_commissions: false,
  commission_hold_days: 14,
  is_private: true,
  upgrade_details: {
    campaign_id: 1,
    amount: 10,
    metric: "customers",
    move_referrals_on_level_change: true,
  },
};
const NOT_FOUND = { status: 404, body: { message: "Campaign not found.", code: "not_found" } };

describe.each(STORAGES)("campaigns on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const create = (over: Record<string, unknown> = {}) => call("POST /campaigns", { ...GIVEN, ...over });

  describe("POST /campaigns", () => {
    it("creates a campaign from the required fields", async () => {
      expect(await create()).toEqual({ status: 201, body: SUMMER });
      expect(await call("GET /campaigns/2")).toEqual({ status: 200, body: SUMMER });
    });

    it("creates a campaign from all fields", async () => {
      await reward(app);
      const links = [{ name: "Blog", url: "https://acme.example/blog" }];
      const answer = await create({
        ...SETTINGS,
        links,
        rewards_for_promoters: [{ apply_on: "yearly", product_ids: [], reward_id: 1 }],
      });
      const shownReward = {
        name: "20 percent",
        promoter_reward_type: "sale",
        coupon: "",
        hide_reward: false,
        tier_level: 1,
      };
      const entry = { apply_on: "yearly", product_ids: [], reward_id: 1, reward: shownReward, products: [] };
      const shown = {
        ...SUMMER,
        ...SETTINGS,
        rewards_for_promoters: [entry],
        links: [{ id: 1, ...links[0] }],
      };
      expect(answer).toEqual({ status: 201, body: shown });
    });

    it("makes it the default campaign, with its e-mails, in one commit", async () => {
      const commits = countCommits(app);
      const input = {
        name: "Summer",
        landing_url: GIVEN.landing_url,
        ref_params: ["via", "from"],
        emails: ["accepted" as const],
        is_default: true,
      };
      const made = await app.context.store.transact((tx) =>
        createFullCampaign(tx, app.context, app.account_id, input),
      );
      expect(commits()).toBe(1);
      expect(made).toMatchObject({ id: 2, ref_params: ["via", "from"], emails: ["accepted"] });
      expect(await app.records.get("account", app.account_id)).toMatchObject({
        default_campaign_id: 2,
      });
    });

    it("accepts text for numbers and switches, a parameter without its mark, and blank text as none", async () => {
      const texts = { visitor_cookie_life: "30", is_private: "1", ref_token_param: "_by", color: "" };
      const shown = { ...SUMMER, visitor_cookie_life: 30, is_private: true, ref_token_param: "?_by" };
      expect(await create({ ...texts, upgrade_details: null })).toEqual({ status: 201, body: shown });
    });

    it("names every missing field", async () => {
      const blank = ["can't be blank"];
      expect(await call("POST /campaigns", {})).toEqual(invalid({ name: blank, landing_url: blank }));
      const inner = {
        "links[url]": ["is invalid"],
        "upgrade_details[campaign_id]": blank,
        "upgrade_details[amount]": blank,
        "upgrade_details[metric]": ["is not one of customers, revenue, active_customers"],
      };
      expect(
        await create({ links: [{ name: "x", url: "x" }], upgrade_details: { metric: "clicks" } }),
      ).toEqual(invalid(inner));
    });

    it.each([
      ["landing_url", "acme.example", "is invalid"],
      ["ref_token_param", "?who", "is invalid"],
      ["visitor_cookie_life", 0, "is invalid"],
      ["visitor_cookie_life", 3_651, "must be less than or equal to 3650"],
      ["auto_approve_commissions", "maybe", "is invalid"],
      ["commission_hold_days", -1, "must be from 0 to 365"],
      ["commission_hold_days", 1.5, "must be from 0 to 365"],
      ["track_ad_traffic", "maybe", "is not one of pending, allow, block"],
      ["is_private", "maybe", "is invalid"],
      ["attribution", "both", "is not one of last, first"],
      ["allowed_origins", "shop.example", "is invalid"],
      ["allowed_origins", ["a b"], "is invalid"],
      ["allowed_origins", [""], "can't be blank"],
      ["allowed_origins", Array.from({ length: 101 }, () => "*"), "is too long (maximum is 100 entries)"],
      ["links", "x", "is invalid"],
      ["links", ["x"], "is invalid"],
      ["upgrade_details", "x", "is invalid"],
      ["rewards_for_referrals", [7], "is invalid"],
    ])("answers 422 to %s %j", async (field, value, message) => {
      expect(await create({ [field]: value })).toEqual(invalid({ [field]: [message] }));
      expect((await call("GET /campaigns")).body).toEqual([DEFAULT_CAMPAIGN]);
    });

    it.each([
      [{ links: [{ name: "Blog" }] }, { links: ["must have a name and a url"] }],
      [
        { rewards_for_referrals: [{ reward_id: 1, product_ids: [] }] },
        { rewards_for_referrals: ["must not hold reward 1, which is not for referrals"] },
      ],
    ])("answers 400 to %j", async (over, errors) => {
      await reward(app);
      expect(await create(over)).toEqual(invalid(errors as Record<string, string[]>, 400));
      expect((await call("GET /campaigns")).body).toEqual([DEFAULT_CAMPAIGN]);
    });

    it.each([
      [{ rewards_for_promoters: [{ reward_id: 9 }] }, "Reward not found."],
      [{ upgrade_details: { campaign_id: 9, amount: 1, metric: "revenue" } }, "Campaign not found."],
      [{ links: [{ id: 9, name: "x", url: "https://x.example" }] }, "Link not found."],
    ])("answers 404 to %j", async (over, message) => {
      expect(await create(over)).toEqual({ status: 404, body: { message, code: "not_found" } });
    });
  });

  describe.each(["PUT", "PATCH"])("%s /campaigns/{id}", (method) => {
    const update = (body?: unknown, id: number | string = 2) => call(`${method} /campaigns/${id}`, body);
    beforeEach(async () => {
      await create();
    });

    it.each([
      [undefined, {}],
      [{ id: 7, stats: {}, is_default: true }, {}],
      [{ name: "New" }, { name: "New" }],
      [{ landing_url: "https://acme.example/new" }, { landing_url: "https://acme.example/new" }],
      [SETTINGS, SETTINGS],
    ])("accepts %j", async (body, changes) => {
      const after = { status: 200, body: { ...SUMMER, ...changes } };
      expect(await update(body)).toEqual(after);
      expect(await call("GET /campaigns/2")).toEqual(after);
    });

    it("clears the upgrade of promoters who reach a goal", async () => {
      await update(SETTINGS);
      expect((await update({ upgrade_details: null })).body).toMatchObject({ upgrade_details: null });
    });

    it("accepts each record as it was shown", async () => {
      const own = { name: "Own", landing_url: GIVEN.landing_url, ref_params: ["partner"] };
      await app.context.store.transact((tx) => createCampaign(tx, app.context, app.account_id, own));
      for (const id of [1, 2, 3]) {
        const shown = await call(`GET /campaigns/${id}`);
        expect(await update(shown.body, id)).toEqual(shown);
      }
    });

    it("changes single links, and keeps the others", async () => {
      const url = "https://acme.example/page";
      await update({ links: ["a", "b", "c"].map((name) => ({ name, url })) });
      const changes = [
        { id: 2, _destroy: true },
        { id: "1", name: "A" },
        { name: "d", url },
      ];
      expect((await update({ links: changes })).body).toMatchObject({
        links: [
          { id: 1, name: "A", url },
          { id: 3, name: "c", url },
          { id: 4, name: "d", url },
        ],
      });
      expect((await update({ links: [{ id: 2, name: "gone", url }] })).status).toBe(404);
    });

    it("keeps former parameter names behind the new one", async () => {
      await update({ ref_token_param: "?ref" });
      await update({ ref_token_param: "?deal" });
      const { ref_params } = await loadCampaign(app.services.store, app.account_id, 2);
      expect(ref_params).toEqual(["deal", "ref"]);
    });

    it.each([
      [{ name: "" }, { name: ["can't be blank"] }, 422],
      [{ color: null }, { color: ["can't be blank"] }, 422],
      [
        { upgrade_details: { campaign_id: 2, amount: 1, metric: "revenue" } },
        { upgrade_details: ["must lead to another campaign"] },
        400,
      ],
    ] as const)("answers %j with %j and %i", async (body, errors, status) => {
      expect(await update(body)).toEqual(invalid(errors as unknown as Record<string, string[]>, status));
      expect((await call("GET /campaigns/2")).body).toEqual(SUMMER);
    });
  });

  describe("DELETE /campaigns/{id}", () => {
    it("removes a campaign that has no promoters", async () => {
      await create();
      expect(await call("DELETE /campaigns/2")).toEqual({ status: 200, body: SUMMER });
      expect(await call("GET /campaigns/2")).toEqual(NOT_FOUND);
      expect((await call("GET /campaigns")).body).toEqual([DEFAULT_CAMPAIGN]);
    });

    it("refuses the default campaign", async () => {
      const body = { message: "The default campaign can't be deleted", code: "destroy_failed" };
      expect(await call("DELETE /campaigns/1")).toEqual({ status: 409, body });
      await create();
      const changes = { is_default: true };
      await app.context.store.transact((tx) =>
        updateCampaign(tx, app.context, app.account_id, { id: 2, changes }),
      );
      expect((await call("DELETE /campaigns/2")).status).toBe(409);
      expect((await call("DELETE /campaigns/1")).status).toBe(200);
    });

    it("refuses a campaign with promoter campaigns", async () => {
      await create();
      await join(app, "jane@example.com", { campaign_id: "2" });
      const body = { message: "1 promoter campaigns belong to the campaign", code: "destroy_failed" };
      expect(await call("DELETE /campaigns/2")).toEqual({ status: 409, body });
      expect((await call("GET /campaigns/2")).status).toBe(200);
    });

    it("refuses a campaign that a promoter joins just before the commit", async () => {
      await create();
      beforeCommit(app, () => join(app, "jane@example.com", { campaign_id: "2" }));
      expect((await call("DELETE /campaigns/2")).status).toBe(409);
      expect((await call("GET /promoter_campaigns")).body).toMatchObject([{ campaign_id: 2 }]);
    });
  });

  describe.each(["GET", "PUT", "PATCH", "DELETE"])("%s /campaigns/{id}", (method) => {
    it("answers 404 to an unknown or malformed id", async () => {
      expect(await call(`${method} /campaigns/99`)).toEqual(NOT_FOUND);
      expect(await call(`${method} /campaigns/x`)).toEqual(NOT_FOUND);
    });
  });

  describe("GET /campaigns", () => {
    it("answers every campaign in full, a page at a time", async () => {
      await create();
      const { body, headers } = await company(app, "GET /campaigns");
      expect(body).toEqual([DEFAULT_CAMPAIGN, SUMMER]);
      expect(headers.get("total")).toBe("2");
      expect((await call("GET /campaigns?per_page=1&page=2")).body).toEqual([SUMMER]);
      expect((await call("GET /campaigns?page=3")).body).toEqual([]);
    });

    it("counts promoters, leads and sales", async () => {
      await create();
      await join(app, "jane@example.com");
      await app.v1("/track/signup", { email: "lead@example.com", ref_id: JANE.ref_token });
      const { store } = app.services;
      const promoterCampaign = (await app.records.get("promoterCampaign", 1))!;
      await putFact(store, promoterCampaign, { metric: "sales", at: NOW });
      await putFact(store, promoterCampaign, { metric: "sales_cents", at: NOW, amount: 1_999 });
      await putFact(store, promoterCampaign, { metric: "customers", at: NOW });
      const stats = {
        referrals_count: 1,
        sales_count: 1,
        customers_count: 1,
        promoters_count: 1,
        revenue_amount: 1_999,
      };
      expect((await call("GET /campaigns")).body).toEqual([{ ...DEFAULT_CAMPAIGN, stats }, SUMMER]);
      const revenue = { stats: { sales_count: 1, revenue_amount: 1_999 } };
      expect((await call("GET /promoter_campaigns")).body).toMatchObject([revenue]);
    });
  });
});

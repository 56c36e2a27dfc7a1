import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerOf, KEY, NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { v1, type Params } from "../../support/calls.ts";
import { NAMED, SELECTORS, createV1Promoter, type V1Promoter } from "../../support/v1-promoter.ts";
import type { RecordOf } from "../../support/records.ts";
import { addCampaign } from "../../support/v2.ts";

const NOT_FOUND = { status: 404, body: { error: "Promoter not found." } };

describe.each(STORAGES)("V1 promoters on %s", (storage) => {
  let app: TestApp;
  let jane: V1Promoter;
  const create = (params: Params) => createV1Promoter(app, params);
  const show = (params: Params) => v1(app, "GET", "/promoters/show", params);

  beforeEach(async () => {
    app = await startApp(storage);
    jane = await create(NAMED);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  describe("show", () => {
    it.each(SELECTORS)("finds the complete promoter by %s", async (_, selector) => {
      const { status, body } = await show(selector(jane));
      expect({ status, body }).toEqual({ status: 200, body: jane });
    });

    it("names the possible selectors if none is given", async () => {
      const { status, body } = await show({ id: " ", first_name: "Jane" });
      expect({ status, body }).toEqual({
        status: 422,
        body: { error: expect.stringContaining("either by id, cust_id, auth_token") },
      });
    });

    it.each([
      { id: "99" },
      { id: "one" },
      { cust_id: "x" },
      { auth_token: "x" },
      { promoter_email: "x@y.example" },
      { ref_id: "nobody" },
      { ref_id: "not a ref id" },
      { promo_code: "jane" },
    ] as Params[])("answers 404 to %o", async (selector) => {
      expect(await show(selector)).toMatchObject(NOT_FOUND);
    });

    it("shows all promotions, rewards and the promo codes in use", async () => {
      const reward: RecordOf<"reward"> = newReward({ account_id: app.account_id, id: 1, name: "30%" });
      const offer: RecordOf<"reward"> = newReward({
        account_id: app.account_id,
        id: 2,
        name: "$5 off",
        is_promoter_reward: false,
        promoter_reward_type: null,
      });
      offer.schemas = [{ unit: "cash", amount_ten_thousandths: 50_000, is_flat: true, rules: [] }];
      await app.records.put("reward", reward, offer);
      const entry = { apply_on: "all", product_ids: [] };
      const campaign = await addCampaign(app, {
        name: "Second",
        landing_url: "https://second.example/",
        rewards_for_promoters: [{ ...entry, reward_id: 1 }],
        rewards_for_referrals: [{ ...entry, reward_id: 2 }],
      });
      const code = {
        account_id: app.account_id,
        reward_id: 2,
        promoter_campaign_id: 1,
        ext_id: null,
        description: null,
        metadata: null,
        details: null,
        created_at: NOW,
      };
      await app.records.put("promoCode", { ...code, id: 1, code: "FIVE", archived_at: null });
      await app.records.put("promoCode", { ...code, id: 2, code: "OLD", archived_at: NOW });
      await v1(app, "POST", "/promoters/add_to_campaign", { id: "1", campaign_id: String(campaign.id) });
      const { body } = await show({ promo_code: "five" });
      expect(body).toEqual({
        ...jane,
        promotions: [
          jane.promotions[0],
          {
            ...jane.promotions[0],
            id: 2,
            status: "offer_running",
            ref_id: expect.stringMatching(/^jane\d\d$/),
            promo_code: null,
            campaign_id: campaign.id,
            campaign_name: "Second",
            referral_link: expect.stringMatching(/^https:\/\/second\.example\/\?via=jane\d\d$/),
            current_offer: { id: 2, name: "$5 off", amount: 500, unit: "cash", default_promo_code: "COUPON" },
            current_referral_reward: {
              id: 1,
              amount: 0,
              type: "per_referral",
              unit: "cash",
              name: "30%",
              per_of_sale: 30,
              default_promo_code: "COUPON",
            },
          },
        ],
        promo_codes: [{ id: 1, code: "FIVE", reward: { id: 2, name: "$5 off" } }],
      });
    });
  });

  describe("list", () => {
    it("shows the oldest first, a page at a time, with the headers of a list", async () => {
      const ben = await create({ email: "ben@example.com" });
      const { body, headers } = await v1(app, "GET", "/promoters/list", { per_page: "1", page: "2" });
      expect(body).toEqual([ben]);
      expect(headers.get("total")).toBe("2");
      expect(headers.get("per-page")).toBe("1");
      expect(headers.get("link")).toBe(
        '<https://track.acme.example/api/v1/promoters/list?per_page=1&page=1>; rel="first", ' +
          '<https://track.acme.example/api/v1/promoters/list?per_page=1&page=1>; rel="prev"',
      );
      const all = await v1(app, "GET", "/promoters/list", { per_page: "x" });
      expect(all.body).toEqual([jane, ben]);
      expect([all.headers.get("per-page"), all.headers.get("link")]).toEqual(["50", null]);
      expect((await v1(app, "GET", "/promoters/list", { page: "9" })).body).toEqual([]);
    });

    it("shows the promoters who are accepted in a campaign", async () => {
      const { id } = await addCampaign(app, {
        name: "By hand",
        landing_url: "https://b.example/",
        auto_approve_promoters: false,
      });
      await create({ email: "waits@example.com", campaign_id: String(id) });
      const { body, headers } = await v1(app, "GET", "/promoters/list", { campaign_id: "1" });
      expect([body, headers.get("total")]).toEqual([[jane], "1"]);
      const none = await v1(app, "GET", "/promoters/list", { campaign_id: String(id) });
      expect([none.body, none.headers.get("total")]).toEqual([[], "0"]);
    });

    it.each([
      ["99", 422, { error: "Campaign not found." }],
      ["x", 422, { campaign_id: ["is invalid"] }],
    ])("refuses the campaign %s with %i", async (campaign_id, status, body) => {
      expect(await v1(app, "GET", "/promoters/list", { campaign_id })).toMatchObject({ status, body });
    });

    it("accepts a GET with a JSON content type and no body", async () => {
      const headers = { "x-api-key": KEY, "content-type": "application/json" };
      const answer = await answerOf(await app.request("/api/v1/promoters/list.json", { headers }));
      expect(answer.body).toEqual([jane]);
    });
  });
});

function newReward(
  own: Partial<RecordOf<"reward">> & Pick<RecordOf<"reward">, "account_id" | "id" | "name">,
): RecordOf<"reward"> {
  return {
    is_promoter_reward: true,
    promoter_reward_type: "sale",
    tier_reward_mode: null,
    tier_level: null,
    coupon: "COUPON",
    is_hidden: false,
    provider_coupon_id: null,
    duration: null,
    duration_months: null,
    max_redemptions: null,
    new_customers_only: false,
    schemas: [{ unit: "cash", amount_ten_thousandths: 300_000, is_flat: false, rules: [] }],
    created_at: NOW,
    updated_at: NOW,
    ...own,
  };
}

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { JANE, company, invalid, join, outcome, reward } from "../../support/v2.ts";

const PATH = "/promoter_campaigns";

const REWARD = {
  name: "20 percent",
  promoter_reward_type: "sale",
  coupon: "",
  hide_reward: false,
  tier_level: 1,
};

describe.each(STORAGES)("updates of promoter campaigns on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await join(app, "jane@example.com", { first_name: "Jane", last_name: "Doe" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const put = (body: unknown, id: number | string = 1) => call(`PUT ${PATH}/${id}`, body);
  /** The promoter whom a click on a link with this token belongs to. */
  const click = async (refToken: string) => {
    const { body } = await app.browser("/t/click", {
      tid: `00000000-0000-4000-8000-${refToken.padStart(12, "0").replace(/[^0-9a-f]/g, "0")}`,
      ref_id: refToken,
      url: "https://www.acme.example/",
    });
    return (body as { ref_id: string | null }).ref_id;
  };

  describe(`PUT ${PATH}/{id}`, () => {
    it("changes every field", async () => {
      const forPromoters = await reward(app);
      const forReferrals = await reward(app, { is_promoter_reward: false, name: "Gift", coupon: "GIFT" });
      await company(app, "POST /products", { name: "Pro plan", prices: [] });
      const { status, body } = await put({
        state: "inactive",
        ref_token: "jane-2",
        coupon: "cpn_1",
        display_coupon: "JANE10",
        direct_url: "https://jane.example/page",
        rewards_for_promoters: [{ product_ids: [], reward_id: forPromoters, apply_on: "monthly" }],
        rewards_for_referrals: [{ product_ids: ["1"], reward_id: String(forReferrals) }],
        promoter_rewards_customized: true,
        referral_rewards_customized: "yes",
        wid: "ignored",
      });
      const changed = {
        ...JANE,
        state: "inactive",
        ref_token: "jane-2",
        ref_link: "https://jane.example/page",
        coupon: "cpn_1",
        display_coupon: "JANE10",
        direct_url: "https://jane.example/page",
        is_customized: true,
        promoter_rewards_customized: true,
        referral_rewards_customized: true,
        rewards_for_promoters: [
          { apply_on: "monthly", product_ids: [], reward_id: 1, reward: REWARD, products: [] },
        ],
        rewards_for_referrals: [
          {
            apply_on: "specific",
            product_ids: [1],
            reward_id: 2,
            reward: { ...REWARD, name: "Gift", promoter_reward_type: "", coupon: "GIFT" },
            products: [{ id: 1, name: "Pro plan" }],
          },
        ],
      };
      expect({ status, body }).toEqual({ status: 200, body: changed });
      expect((await call(`GET ${PATH}`)).body).toEqual([changed]);
    });

    it.each([
      ["nothing", {}, {}],
      ["its own values", { ref_token: "jane", coupon: "" }, {}],
      ["no body", undefined, {}],
      ["a state alone", { state: "blocked" }, { state: "blocked" }],
      ["a coupon alone", { coupon: " a " }, { coupon: "a" }],
    ])("accepts %s", async (_, body, changes) => {
      expect(await put(body)).toEqual({ status: 200, body: { ...JANE, ...changes } });
      expect(await call(`PATCH ${PATH}/1`, body)).toEqual({ status: 200, body: { ...JANE, ...changes } });
    });

    it("moves from any state to any other", async () => {
      const states = ["pending", "accepted", "rejected", "blocked", "inactive"];
      for (const from of states) {
        for (const to of states) {
          expect((await put({ state: from })).status).toBe(200);
          expect((await put({ state: to })).body).toEqual({ ...JANE, state: to });
        }
      }
    });

    it.each(["blocked", "inactive", "pending", "rejected"])("stops clicks while %s", async (state) => {
      await put({ state });
      expect(await click("jane")).toBeNull();
      await put({ state: "accepted" });
      expect(await click("jane")).toBe("jane");
      expect((await call(`GET ${PATH}`)).body).toMatchObject([{ stats: { clicks_count: 1 } }]);
    });

    it("tracks clicks by a new ref token at once, and by the former one never again", async () => {
      expect((await put({ ref_token: "jane2" })).status).toBe(200);
      expect(await click("jane")).toBeNull();
      expect(await click("jane2")).toBe("jane2");
      expect(await put({ ref_token: "jane" })).toEqual(
        invalid({ ref_token: ["has already been taken"] }, 400),
      );
      const { promoter_campaign_id } = await join(app, "jane@other.example", { first_name: "Jane" });
      const { body } = await call(`GET ${PATH}?ids=${promoter_campaign_id}`);
      expect(body).toMatchObject([{ ref_token: expect.stringMatching(/^jane\d\d$/) }]);
    });

    it("clears fields that may be empty", async () => {
      await put({ coupon: "c", display_coupon: "d", direct_url: "https://jane.example" });
      const { status, body } = await put({ coupon: "", display_coupon: null, direct_url: " " });
      expect({ status, body }).toEqual({ status: 200, body: JANE });
    });

    it("keeps a landing page that is not tracked by its address alone", async () => {
      const page = { landing_url: "https://www.acme.example/bob" };
      const { promoter_campaign_id } = await join(app, "bob@example.com", page);
      const link = { ref_link: "https://www.acme.example/bob?via=bob", direct_url: null };
      expect((await put({ direct_url: null }, promoter_campaign_id)).body).toMatchObject(link);
    });

    it("names every value that belongs to another record, and changes nothing", async () => {
      const taken = { coupon: "c", display_coupon: "Bob10", direct_url: "https://www.bob.example/x/" };
      await join(app, "bob@example.com");
      expect((await put(taken, 2)).status).toBe(200);
      const again = {
        state: "blocked",
        ref_token: "bob",
        coupon: "c",
        display_coupon: "BOB10",
        direct_url: "http://bob.example/x?y",
      };
      const fault = ["has already been taken"];
      expect(await put(again)).toEqual(
        invalid({ ref_token: fault, coupon: fault, display_coupon: fault, direct_url: fault }, 400),
      );
      expect((await call(`GET ${PATH}?ids=1`)).body).toEqual([JANE]);
      expect((await put({ ...taken, coupon: "C" }, 2)).status).toBe(200);
    });

    it.each([
      ["state", "gone", "is not one of pending, accepted, rejected, blocked, inactive"],
      ["state", "", "can't be blank"],
      ["ref_token", "", "can't be blank"],
      ["ref_token", "Jane!", "only lower-case letters, digits, - and _ are allowed"],
      ["direct_url", "jane", "is invalid"],
      ["coupon", "x".repeat(1_001), "is too long (maximum is 1000 characters)"],
      ["coupon", { a: 1 }, "is invalid"],
      ["promoter_rewards_customized", "perhaps", "is invalid"],
      ["rewards_for_promoters", "x", "is invalid"],
      [
        "rewards_for_promoters",
        Array.from({ length: 101 }, () => ({ reward_id: 1 })),
        "is too long (maximum is 100 entries)",
      ],
    ])("answers 422 to %s %j", async (field, value, message) => {
      expect(await put({ [field]: value })).toEqual(invalid({ [field]: [message] }));
      expect((await call(`GET ${PATH}`)).body).toEqual([JANE]);
    });

    it.each([
      [[{ product_ids: [] }], "rewards_for_promoters[reward_id]", "can't be blank"],
      [[{ reward_id: "x" }], "rewards_for_promoters[reward_id]", "is invalid"],
      [
        [{ reward_id: 1, apply_on: "daily" }],
        "rewards_for_promoters[apply_on]",
        "is not one of monthly, yearly, one_time, all, specific",
      ],
      [[{ reward_id: 1, product_ids: "x" }], "rewards_for_promoters[product_ids]", "is invalid"],
    ])("answers 422 to the entries %j", async (entries, field, message) => {
      expect(await put({ rewards_for_promoters: entries })).toEqual(invalid({ [field]: [message] }));
    });

    it.each(["99", "x", "0", "1.5", "99999999999999999999"])("answers the id %s with 404", async (id) => {
      const body = { message: "Promotion not found.", code: "not_found", errors: {} };
      expect(await put({ state: "blocked" }, id)).toEqual({ status: 404, body });
    });
  });

  it("keeps the state of an archived promoter until they are restored", async () => {
    await company(app, "POST /promoters/archive", { ids: [1] });
    const blocked = { ...JANE, state: "blocked" };
    const refusal = { message: "Promoter is archived.", code: "operation_failed", errors: {} };
    expect(await put({ state: "accepted" })).toEqual({ status: 422, body: refusal });
    expect(await put(blocked)).toEqual({ status: 200, body: blocked });
    await company(app, "POST /promoters/restore", { ids: [1] });
    expect(await put({ state: "rejected" })).toMatchObject({ status: 200, body: { state: "rejected" } });
  });

  describe("rewards of a promoter campaign", () => {
    const entry = (rewardId: number) => ({ apply_on: "all", product_ids: [], reward_id: rewardId });
    const shown = (rewardId: number) => ({ ...entry(rewardId), reward: REWARD, products: [] });

    it("are the campaign's until they are customised", async () => {
      await reward(app);
      await reward(app);
      await company(app, "PUT /campaigns/1", { rewards_for_promoters: [entry(1)] });
      const usual = { ...JANE, rewards_for_promoters: [shown(1)] };
      const own = { ...usual, is_customized: true, promoter_rewards_customized: true };
      expect((await put({})).body).toEqual(usual);
      expect((await put({ promoter_rewards_customized: true })).body).toEqual(own);
      await company(app, "PUT /campaigns/1", { rewards_for_promoters: [] });
      expect((await put({})).body).toEqual(own);
      const other = { ...own, rewards_for_promoters: [shown(2)] };
      expect((await put({ rewards_for_promoters: [{ reward_id: 2, product_ids: [] }] })).body).toEqual(other);
      expect(
        (await put({ rewards_for_promoters: [entry(2)], promoter_rewards_customized: false })).body,
      ).toEqual(JANE);
    });

    it("stay as they are if a client sends back what it got", async () => {
      await reward(app);
      await company(app, "PUT /campaigns/1", { rewards_for_promoters: [entry(1)] });
      for (const isOwn of [false, true]) {
        const { body } = await put({ promoter_rewards_customized: isOwn });
        expect(await put(body)).toEqual({ status: 200, body });
      }
    });

    it("must exist", async () => {
      expect(await put({ rewards_for_promoters: [entry(9)] })).toEqual({
        status: 404,
        body: { message: "Reward not found.", code: "not_found", errors: {} },
      });
    });

    it("must be for referrals in the list for referrals", async () => {
      await reward(app);
      const fault = "must not hold reward 1, which is not for referrals";
      expect(await put({ rewards_for_referrals: [entry(1)] })).toEqual(
        invalid({ rewards_for_referrals: [fault] }, 400),
      );
    });
  });
});

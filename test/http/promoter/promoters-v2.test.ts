import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answerOf, KEY, NOW, NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { makeReward } from "../../support/money.ts";
import { v1, v2 } from "../../support/calls.ts";
import { GIVEN_PROFILE, JANE, PROFILE } from "../../support/v2-promoter.ts";
import { addCampaign } from "../../support/v2.ts";

const NOT_FOUND = { message: "Promoter not found.", code: "not_found" };
describe.each(STORAGES)("V2 promoters on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });
  const create = (body: object) => v2(app, "POST", "/promoters", body);

  describe("POST /promoters", () => {
    it("answers 201 with the complete promoter for an e-mail address alone", async () => {
      const { status, body } = await create({ email: "jane@example.com" });
      expect({ status, body }).toEqual({ status: 201, body: JANE });
    });

    it("keeps every field", async () => {
      const { id } = await addCampaign(app, { name: "B", landing_url: "https://b.example/" });
      const { body } = await create({
        email: " Jane@Example.com ",
        cust_id: "c1",
        profile: { ...GIVEN_PROFILE, id: 9, w8_form_url: "x" },
        initial_campaign_id: String(id),
        drip_emails: "no",
        always_approve: "true",
        is_admin: true,
      });
      expect(body).toEqual({
        ...JANE,
        email: "Jane@Example.com",
        name: "Jane Doe",
        cust_id: "c1",
        profile: { ...PROFILE, ...GIVEN_PROFILE },
        promoter_campaigns: [
          {
            ...JANE.promoter_campaigns[0],
            campaign_id: id,
            campaign: { id, name: "B", color: "#2563eb" },
            ref_link: "https://b.example/?via=jane",
          },
        ],
      });
      expect(await app.records.get("promoter", 1)).toMatchObject({
        skip_email_notification: true,
      });
    });

    it("approves a second identity of a promoter, unless told otherwise", async () => {
      const states = [];
      for (const [email, always_approve] of [
        ["jane@gmail.com"],
        ["j.ane@gmail.com"],
        ["ja.ne@gmail.com", false],
      ]) {
        const { body } = await create({ email, always_approve });
        states.push((body as typeof JANE).promoter_campaigns[0]?.state);
      }
      expect(states).toEqual(["accepted", "accepted", "pending"]);
    });

    it("names every taken field with 400", async () => {
      await create({ email: "jane@example.com", cust_id: "c1" });
      const { status, body } = await create({ email: "JANE@example.com", cust_id: "c1" });
      const errors = { cust_id: ["has already been taken"], email: ["has already been taken"] };
      expect({ status, body }).toEqual({
        status: 400,
        body: {
          message: "Validation failed: email has already been taken, cust_id has already been taken",
          code: "invalid_record",
          errors,
        },
      });
    });

    it.each([
      [{}, { email: ["can't be blank"] }],
      [{ email: "" }, { email: ["can't be blank"] }],
      [{ email: "no address" }, { email: ["is invalid"] }],
      [{ email: "a@b.example", profile: "x" }, { profile: ["is invalid"] }],
      [{ email: "a@b.example", profile: { first_name: true } }, { "profile[first_name]": ["is invalid"] }],
      [{ email: "a@b.example", always_approve: "maybe" }, { always_approve: ["is invalid"] }],
    ])("refuses %o with 422", async (given, errors) => {
      const { status, body } = await create(given);
      expect({ status, body }).toEqual({
        status: 422,
        body: { message: expect.stringMatching(/^Validation failed: /), code: "invalid_params", errors },
      });
    });

    it("answers 404 for an unknown campaign", async () => {
      const { status, body } = await create({ email: "a@b.example", initial_campaign_id: 99 });
      expect({ status, body }).toEqual({
        status: 404,
        body: { message: "Campaign not found.", code: "not_found" },
      });
    });
  });

  describe("GET /promoters/{id}", () => {
    beforeEach(async () => {
      await v1(app, "POST", "/promoters/create", {
        email: "jane+x@example.com",
        cust_id: "c/1 %",
        ref_id: "jane",
        promo_code: "PROVIDER",
        customer_promo_code: "Typed",
      });
      await app.records.put("promoCode", {
        account_id: app.account_id,
        id: 1,
        code: "OWN",
        reward_id: 1,
        promoter_campaign_id: 1,
        ext_id: null,
        description: null,
        metadata: null,
        details: null,
        created_at: NOW,
        archived_at: null,
      });
    });

    it.each([
      "1",
      "1?find_by=id",
      "1?find_by=",
      "jane+x@example.com?find_by=email",
      "jane%2Bx%40example.com?find_by=email",
      "JANE+X@EXAMPLE.COM?find_by=email",
      "c%2F1%20%25?find_by=cust_id",
      "jane?find_by=ref_token",
      "Jane?find_by=ref_token",
      "PROVIDER?find_by=promo_code",
      "typed?find_by=promo_code",
      "own?find_by=promo_code",
    ])("finds by %s", async (path) => {
      expect(await v2(app, "GET", `/promoters/${path}`)).toMatchObject({
        status: 200,
        body: { id: 1, email: "jane+x@example.com", cust_id: "c/1 %" },
      });
    });

    it("finds by auth token", async () => {
      const promoter = await app.records.get("promoter", 1);
      const answer = await v2(app, "GET", `/promoters/${promoter?.auth_token}?find_by=auth_token`);
      expect(answer).toMatchObject({ status: 200, body: { id: 1 } });
    });

    it.each([
      "99",
      "jane",
      "1?find_by=email",
      "x?find_by=cust_id",
      "x?find_by=promo_code",
      "%20?find_by=ref_token",
    ])("answers 404 to %s", async (path) => {
      const { status, body } = await v2(app, "GET", `/promoters/${path}`);
      expect({ status, body }).toEqual({ status: 404, body: NOT_FOUND });
    });

    it.each([
      [
        "find_by=name",
        "find_by",
        "is not one of id, email, cust_id, auth_token, ref_token, promo_code, source_id",
      ],
      ["exclude_payout_method=perhaps", "exclude_payout_method", "is invalid"],
    ])("refuses %s with 422", async (query, name, fault) => {
      const { status, body } = await v2(app, "GET", `/promoters/1?${query}`);
      expect({ status, body }).toEqual({
        status: 422,
        body: {
          message: `Validation failed: ${name} ${fault}`,
          code: "invalid_params",
          errors: { [name]: [fault] },
        },
      });
    });

    it("shows which coupon the people whom the promoter refers get", async () => {
      const gift = { name: "Gift", is_promoter_reward: false, coupon: "GIFT" };
      const reward_id = await makeReward(app, [{ amount: 10, unit: "discount_per" }], gift);
      const shown = {
        name: "Gift",
        promoter_reward_type: "",
        coupon: "GIFT",
        hide_reward: false,
        tier_level: 1,
      };
      const entry = { apply_on: "all", product_ids: [], reward_id, reward: shown, products: [] };
      const before = (await v2(app, "GET", "/promoters/1")).body as typeof JANE;
      await v2(app, "PUT", "/campaigns/1", { rewards_for_referrals: [{ reward_id }] });
      expect((await v2(app, "GET", "/promoters/1")).body).toEqual({
        ...before,
        promoter_campaigns: [{ ...before.promoter_campaigns[0], rewards_for_referrals: [entry] }],
      });
    });

    it("shows the selected payout method unless told not to, and the parent if asked", async () => {
      await v1(app, "POST", "/promoters/create", {
        email: "kid@example.com",
        ref_id: "kid",
        parent_promoter_id: "1",
      });
      const method = {
        account_id: app.account_id,
        details: { iban: "secret" },
        meta: {},
        is_managed: false,
        created_at: NOW,
      };
      await app.records.put("payoutMethod", {
        ...method,
        id: 1,
        promoter_id: 2,
        method: "bank",
        is_selected: false,
        is_disabled: false,
      });
      await app.records.put("payoutMethod", {
        ...method,
        id: 2,
        promoter_id: 2,
        method: "wise",
        is_selected: true,
        is_disabled: true,
      });
      const {
        selected_payout_method: _,
        parent_promoter: __,
        ...rest
      } = {
        ...JANE,
        id: 2,
        email: "kid@example.com",
        name: "kid@example.com",
        profile: { ...PROFILE, id: 2 },
        promoter_campaigns: [
          {
            ...JANE.promoter_campaigns[0],
            id: 2,
            promoter_id: 2,
            ref_token: "kid",
            ref_link: "https://www.acme.example/?via=kid",
          },
        ],
      };
      const selected_payout_method = { id: 2, method: "wise", date_added: NOW_SECOND, is_disabled: true };
      const parent_promoter = { id: 1, email: "jane+x@example.com", name: "jane+x@example.com" };
      const whole = { ...rest, selected_payout_method, parent_promoter };
      expect((await v2(app, "GET", "/promoters/2?include_parent_promoter=1")).body).toEqual(whole);
      expect((await v2(app, "GET", "/promoters/2")).body).toEqual({ ...rest, selected_payout_method });
      expect((await v2(app, "GET", "/promoters?ids=2")).body).toMatchObject({ data: [whole] });
      const query = "exclude_payout_method=true&include_parent_promoter=no";
      expect((await v2(app, "GET", `/promoters/2?${query}`)).body).toEqual(rest);
    });
  });

  it("shows nothing without the account's id", async () => {
    const response = await app.request("/api/v2/company/promoters/1", {
      headers: { authorization: `Bearer ${KEY}` },
    });
    const { status, body } = await answerOf(response);
    expect({ status, body }).toEqual({
      status: 401,
      body: { message: "The Account-ID header is missing", code: "unauthorized" },
    });
  });
});

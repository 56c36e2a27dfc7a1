import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { company, invalid, outcome, reward } from "../../support/v2.ts";

const GIVEN = {
  name: "20 percent",
  is_promoter_reward: true,
  schemas: [{ unit: "cash", amount: 20, flat_amount: false }],
};
const SHOWN = {
  id: 1,
  name: "20 percent",
  is_promoter_reward: true,
  promoter_reward_type: "sale",
  coupon: null,
  editable: true,
  hide_reward: false,
  provider_coupon_id: null,
  duration: null,
  duration_in_months: null,
  max_redemptions: null,
  new_customers_only: false,
  created_at: NOW,
  updated_at: NOW,
  provider: null,
  tier_reward_mode: null,
  tier_level: null,
  schemas: [{ unit: "cash", amount: 20, flat_amount: false, rules: [] }],
};
const EVERY_FIELD = {
  promoter_reward_type: "tier",
  tier_reward_mode: "tier_override_mode",
  tier_level: 2,
  coupon: "cpn",
  provider_coupon_id: "prov",
  hide_reward: true,
  duration: "repeating",
  duration_in_months: 3,
  max_redemptions: 100,
  new_customers_only: true,
};
const DECIMALS = "must be a number of at most four decimals";

describe.each(STORAGES)("rewards on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const create = (over: Record<string, unknown> = {}) => call("POST /rewards", { ...GIVEN, ...over });

  describe("POST /rewards", () => {
    it("creates a reward from the required fields", async () => {
      expect(await create()).toEqual({ status: 200, body: SHOWN });
      expect(await call("GET /rewards")).toEqual({ status: 200, body: [SHOWN] });
    });

    it("creates a reward from all fields", async () => {
      const schemas = [
        {
          unit: "cash",
          amount: 20.5,
          flat_amount: true,
          rules: [{ type: "customer_sales_count", value: 1 }],
        },
        { unit: "points", amount: 7, flat_amount: true, rules: [] },
      ];
      const all = { ...EVERY_FIELD, schemas };
      const answer = await create({ ...all, should_create_provider_coupon: true });
      expect(answer).toEqual({ status: 200, body: { ...SHOWN, ...all } });
    });

    it("accepts text for numbers and switches, and blank text as none", async () => {
      const texts = {
        is_promoter_reward: "yes",
        hide_reward: "1",
        tier_level: "2",
        coupon: "",
        duration: null,
        schemas: [{ unit: "cash", amount: "1.15", flat_amount: "false", rules: null }],
      };
      const schemas = [{ unit: "cash", amount: 1.15, flat_amount: false, rules: [] }];
      const body = { ...SHOWN, hide_reward: true, tier_level: 2, schemas };
      expect(await create(texts)).toEqual({ status: 200, body });
    });

    it("creates a reward for referrals without a type", async () => {
      const body = { ...SHOWN, is_promoter_reward: false, promoter_reward_type: null };
      expect(await create({ is_promoter_reward: false })).toEqual({ status: 200, body });
    });

    it.each([
      [0, 0],
      [0.1, 1_000],
      [1.15, 11_500],
      ["19.9999", 199_999],
      ["8.2", 82_000],
      [1_234_567_890.12, 12_345_678_901_200],
    ])("keeps the amount %j as %i ten-thousandths", async (amount, tenThousandths) => {
      await create({ schemas: [{ ...GIVEN.schemas[0], amount }] });
      const record = await app.records.get("reward", 1);
      expect(record?.schemas).toEqual([
        { unit: "cash", amount_ten_thousandths: tenThousandths, is_flat: false, rules: [] },
      ]);
      expect((await call("GET /rewards")).body).toMatchObject([{ schemas: [{ amount: Number(amount) }] }]);
    });

    it.each([1.15555, "1.15000", -1, "1,5", "", "x", 1e21, true].map((amount) => [amount]))(
      "answers 422 to the amount %j",
      async (amount) => {
        const fault = amount === "" ? "can't be blank" : amount === true ? "is invalid" : DECIMALS;
        expect(await create({ schemas: [{ ...GIVEN.schemas[0], amount }] })).toEqual(
          invalid({ "schemas[amount]": [fault] }),
        );
        expect((await call("GET /rewards")).body).toEqual([]);
      },
    );

    it("names every missing field", async () => {
      const blank = ["can't be blank"];
      expect(await call("POST /rewards", {})).toEqual(
        invalid({ name: blank, is_promoter_reward: blank, schemas: blank }),
      );
      expect(await create({ schemas: [{}] })).toEqual(
        invalid({ "schemas[unit]": blank, "schemas[amount]": blank, "schemas[flat_amount]": blank }),
      );
    });

    it.each([
      ["name", true, "is invalid"],
      ["is_promoter_reward", "perhaps", "is invalid"],
      ["promoter_reward_type", "gift", "is not one of sale, tier, target, custom"],
      [
        "tier_reward_mode",
        "x",
        "is not one of tier_commission_mode, tier_override_mode, tier_net_override_mode",
      ],
      ["tier_level", 0, "is invalid"],
      ["duration", "x", "is not one of once, forever, repeating"],
      ["duration_in_months", 1_000_001, "is too large"],
      ["max_redemptions", 1.5, "is invalid"],
      ["schemas", [], "can't be blank"],
      ["schemas", "x", "is invalid"],
    ])("answers 422 to %s %j", async (field, value, message) => {
      expect(await create({ [field]: value })).toEqual(invalid({ [field]: [message] }));
    });

    it.each([
      [
        { promoter_reward_type: "tier" },
        {
          tier_level: ["can't be blank in a tier reward"],
          tier_reward_mode: ["can't be blank in a tier reward"],
        },
      ],
      [{ duration: "repeating" }, { duration_in_months: ["can't be blank in a repeating reward"] }],
      [
        { is_promoter_reward: false, promoter_reward_type: "sale" },
        { promoter_reward_type: ["must be blank in a reward for referrals"] },
      ],
    ])("answers 400 to the contradiction %j", async (over, errors) => {
      expect(await create(over)).toEqual(invalid(errors as Record<string, string[]>, 400));
      expect((await call("GET /rewards")).body).toEqual([]);
    });
  });

  describe.each(["PUT", "PATCH"])("%s /rewards/{id}", (method) => {
    const LATER = "2026-05-05T05:05:05.000Z";
    const update = (body?: unknown, id: number | string = 1) => call(`${method} /rewards/${id}`, body);

    it.each([
      [undefined, {}],
      [{ name: "New" }, { name: "New" }],
      [EVERY_FIELD, EVERY_FIELD],
      [{ is_promoter_reward: true, id: 7 }, {}],
      [
        { coupon: "", max_redemptions: null },
        { coupon: null, max_redemptions: null },
      ],
      [
        { schemas: [{ unit: "credits", amount: 5, flat_amount: true }] },
        { schemas: [{ unit: "credits", amount: 5, flat_amount: true, rules: [] }] },
      ],
    ])("accepts %j", async (body, changes) => {
      await create({ coupon: "cpn", max_redemptions: 7 });
      app.setNow(LATER);
      const before = { ...SHOWN, coupon: "cpn", max_redemptions: 7 };
      const after = { ...before, ...changes, updated_at: LATER };
      expect(await update(body)).toEqual({ status: 200, body: after });
      expect((await call("GET /rewards")).body).toEqual([after]);
    });

    it.each([
      [{ name: "" }, { name: ["can't be blank"] }, 422],
      [{ is_promoter_reward: null }, { is_promoter_reward: ["can't be blank"] }, 422],
      [{ schemas: [] }, { schemas: ["can't be blank"] }, 422],
      [{ is_promoter_reward: false }, { is_promoter_reward: ["can't be changed"] }, 400],
      [{ promoter_reward_type: null }, { promoter_reward_type: ["can't be blank"] }, 400],
      [{ duration: "repeating" }, { duration_in_months: ["can't be blank in a repeating reward"] }, 400],
    ] as const)("answers %j with %j and %i", async (body, errors, status) => {
      await create();
      expect(await update(body)).toEqual(invalid(errors as unknown as Record<string, string[]>, status));
      expect((await call("GET /rewards")).body).toEqual([SHOWN]);
    });

    it("answers 404 to an unknown or malformed id", async () => {
      const body = { message: "Reward not found.", code: "not_found" };
      expect(await update({}, 99)).toEqual({ status: 404, body });
      expect(await update({}, "x")).toEqual({ status: 404, body });
    });
  });

  describe("POST /rewards/{id}/hide", () => {
    it("hides it", async () => {
      await create();
      const hidden = { ...SHOWN, hide_reward: true };
      expect(await call("POST /rewards/1/hide")).toEqual({ status: 200, body: hidden });
      expect((await call("GET /rewards")).body).toEqual([hidden]);
    });

    it("answers 404 to an unknown or malformed id", async () => {
      const body = { message: "Reward not found.", code: "not_found" };
      expect(await call("POST /rewards/99/hide")).toEqual({ status: 404, body });
      expect(await call("POST /rewards/x/hide")).toEqual({ status: 404, body });
    });
  });

  describe("GET /rewards", () => {
    it.each([
      ["", [1, 2, 3], "3"],
      ["?scope=promoters", [1, 3], "2"],
      ["?scope=referrals", [2], "1"],
      ["?scope=promoters&per_page=1&page=2", [3], "2"],
      ["?scope=", [1, 2, 3], "3"],
      ["?page=2", [], "3"],
    ])("answers %j with %j", async (query, ids, total) => {
      await reward(app);
      await reward(app, { is_promoter_reward: false });
      await reward(app);
      const { body, headers } = await company(app, `GET /rewards${query}`);
      expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids);
      expect(headers.get("total")).toBe(total);
    });

    it("answers 422 to an unknown scope", async () => {
      expect(await call("GET /rewards?scope=all")).toEqual(
        invalid({ scope: ["is not one of promoters, referrals"] }),
      );
    });
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findProductByPrice } from "../../../server/domain/program/product.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { company, invalid, join, outcome, reward } from "../../support/v2.ts";

const PRO = {
  name: "Pro plan",
  ext_id: "prod_pro",
  prices: [{ ext_id: "pro_monthly", desc: "Monthly" }, { ext_id: "pro_yearly" }],
};
const SHOWN = {
  id: 1,
  name: "Pro plan",
  ext_id: "prod_pro",
  prices: [
    { ext_id: "pro_monthly", desc: "Monthly" },
    { ext_id: "pro_yearly", desc: null },
  ],
  created_at: NOW,
};
const TAKEN = ["has already been taken"];
const UNKNOWN = { status: 404, body: { message: "Product not found.", code: "not_found" } };

describe.each(STORAGES)("products on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const create = (over: Record<string, unknown> = {}) => call("POST /products", { ...PRO, ...over });
  const productOf = async (planId: string) =>
    (await findProductByPrice(app.services.store, app.account_id, planId))?.id ?? null;

  describe("POST /products", () => {
    it("creates a product that its prices find", async () => {
      expect(await create()).toEqual({ status: 201, body: SHOWN });
      expect(await call("GET /products/1")).toEqual({ status: 200, body: SHOWN });
      expect(await productOf("pro_yearly")).toBe(1);
      expect(await productOf("pro")).toBeNull();
    });

    it("accepts a product without an id or prices of the payment processor", async () => {
      const body = { ...SHOWN, ext_id: null, prices: [] };
      expect(await create({ ext_id: "", prices: [] })).toEqual({ status: 201, body });
      expect((await create({ ext_id: "", prices: [] })).status).toBe(201);
    });

    it("names every missing field", async () => {
      const blank = ["can't be blank"];
      expect(await call("POST /products", {})).toEqual(invalid({ name: blank, prices: blank }));
      expect(await create({ prices: [{ desc: "Monthly" }] })).toEqual(invalid({ "prices[ext_id]": blank }));
    });

    it.each([
      [{ prices: "x" }, { prices: ["is invalid"] }],
      [{ prices: [1] }, { prices: ["is invalid"] }],
      [{ prices: [{ ext_id: ["x"] }] }, { "prices[ext_id]": ["is invalid"] }],
      [{ ext_id: "x".repeat(256) }, { ext_id: ["is too long (maximum is 255 characters)"] }],
    ])("answers 422 to %j", async (over, errors) => {
      expect(await create(over)).toEqual(invalid(errors as Record<string, string[]>));
      expect((await call("GET /products")).body).toEqual([]);
    });

    it.each([
      [{ ext_id: "prod_pro", prices: [] }, { ext_id: TAKEN }],
      [
        { ext_id: "other", prices: [{ ext_id: "pro_yearly" }] },
        { prices: ["must not hold pro_yearly, which another product has"] },
      ],
      [
        { ext_id: "other", prices: [{ ext_id: "x" }, { ext_id: "x" }] },
        { prices: ["must not name a price twice"] },
      ],
    ])("answers 400 to %j, and changes nothing", async (over, errors) => {
      await create();
      expect(await create(over)).toEqual(invalid(errors as Record<string, string[]>, 400));
      expect((await call("GET /products")).body).toEqual([SHOWN]);
      expect(await productOf("x")).toBeNull();
    });

    it("gives a price to one of two products that ask for it at once", async () => {
      const answers = await Promise.all(
        ["a", "b"].map((ext_id) => create({ ext_id, prices: [{ ext_id: "basic" }] })),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
      expect((await call("GET /products")).body).toHaveLength(1);
    });
  });

  describe.each(["PUT", "PATCH"])("%s /products/{id}", (method) => {
    const update = (body?: unknown, id: number | string = 1) => call(`${method} /products/${id}`, body);

    it.each([
      [undefined, {}],
      [{ name: "New" }, { name: "New" }],
      [{ ext_id: null }, { ext_id: null }],
      [{ prices: [] }, { prices: [] }],
      [
        { prices: [{ ext_id: "pro_yearly", desc: "Yearly" }, { ext_id: "pro_once" }] },
        {
          prices: [
            { ext_id: "pro_yearly", desc: "Yearly" },
            { ext_id: "pro_once", desc: null },
          ],
        },
      ],
    ])("accepts %j", async (body, changes) => {
      await create();
      const after = { ...SHOWN, ...changes };
      expect(await update(body)).toEqual({ status: 200, body: after });
      expect((await call("GET /products")).body).toEqual([after]);
      const kept = new Set(after.prices.map(({ ext_id }) => ext_id));
      for (const extId of ["pro_monthly", "pro_yearly", "pro_once"]) {
        expect(await productOf(extId)).toBe(kept.has(extId) ? 1 : null);
      }
    });

    it("frees a price that it drops", async () => {
      await create();
      await update({ prices: [] });
      expect((await create({ ext_id: "other" })).status).toBe(201);
      expect(await update({ prices: PRO.prices })).toEqual(
        invalid({ prices: ["must not hold pro_monthly, which another product has"] }, 400),
      );
    });

    it("answers 422 to a blank name, and 404 to an unknown or malformed id", async () => {
      await create();
      expect(await update({ name: "" })).toEqual(invalid({ name: ["can't be blank"] }));
      expect(await update({}, 99)).toEqual(UNKNOWN);
      expect(await update({}, "x")).toEqual(UNKNOWN);
    });
  });

  describe("GET /products", () => {
    it.each([
      ["", [1, 2], "2"],
      ["?q=PRO", [1], "1"],
      ["?q=basic_once", [2], "1"],
      ["?q=prod_", [1], "1"],
      ["?q=nothing", [], "0"],
      ["?per_page=1&page=2", [2], "2"],
    ])("answers %j with %j", async (query, ids, total) => {
      await create();
      await create({ name: "Basic", ext_id: null, prices: [{ ext_id: "basic_once" }] });
      const { body, headers } = await company(app, `GET /products${query}`);
      expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids);
      expect(headers.get("total")).toBe(total);
    });

    it("answers 404 to an unknown or malformed id", async () => {
      expect(await call("GET /products/99")).toEqual(UNKNOWN);
      expect(await call("GET /products/x")).toEqual(UNKNOWN);
    });
  });

  describe("DELETE /products/{id}", () => {
    it("deletes a product and frees its prices", async () => {
      await create();
      const body = { message: "Product deleted successfully" };
      expect(await call("DELETE /products/1")).toEqual({ status: 200, body });
      expect(await call("DELETE /products/1")).toEqual(UNKNOWN);
      expect(await app.records.count("productPrice")).toBe(0);
      expect((await create()).status).toBe(201);
    });

    it("keeps a product that rewards are for, until none of them is", async () => {
      await create();
      await join(app, "jane@example.com");
      const entry = { reward_id: await reward(app), product_ids: [1] };
      const inUse = (message: string) => ({ status: 409, body: { message, code: "destroy_failed" } });
      await call("PUT /campaigns/1", { rewards_for_promoters: [entry] });
      await call("PUT /promoter_campaigns/1", { rewards_for_promoters: [entry] });
      expect(await call("DELETE /products/1")).toEqual(inUse("2 records refer to the product"));
      await call("PUT /promoter_campaigns/1", { rewards_for_promoters: [] });
      expect(await call("DELETE /products/1")).toEqual(inUse("1 records refer to the product"));
      await call("PUT /campaigns/1", { rewards_for_promoters: [] });
      expect((await call("DELETE /products/1")).status).toBe(200);
    });

    it("keeps a product that was sold", async () => {
      await create();
      await join(app, "jane@example.com", { ref_id: "jane" });
      await app.v1("/track/signup", { email: "sam@example.com", ref_id: "jane" });
      const sale = { email: "sam@example.com", event_id: "s1", amount: "100", plan: "pro_yearly" };
      expect((await app.v1("/track/sale", sale)).status).toBe(200);
      const body = { message: "1 records refer to the product", code: "destroy_failed" };
      expect(await call("DELETE /products/1")).toEqual({ status: 409, body });
    });
  });

  describe("a reward for products", () => {
    it("is shown with its products", async () => {
      await create();
      const entry = { reward_id: await reward(app), product_ids: ["1"] };
      const { body } = await call("PUT /campaigns/1", { rewards_for_promoters: [entry] });
      expect(body).toMatchObject({
        rewards_for_promoters: [
          { apply_on: "specific", product_ids: [1], products: [{ id: 1, name: "Pro plan" }] },
        ],
      });
    });

    it("is refused for an unknown product", async () => {
      await join(app, "jane@example.com");
      const rewards_for_promoters = [{ reward_id: await reward(app), product_ids: [1] }];
      expect(await call("PUT /campaigns/1", { rewards_for_promoters })).toEqual(UNKNOWN);
      const { status, body } = UNKNOWN;
      expect(await call("PUT /promoter_campaigns/1", { rewards_for_promoters })).toEqual({
        status,
        body: { ...body, errors: {} },
      });
    });
  });
});

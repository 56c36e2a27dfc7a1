import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { company, invalid, join, outcome, reward } from "../../support/v2.ts";

const TAKEN = invalid({ code: ["has already been taken"] }, 400);

describe.each(STORAGES)("promo codes on %s", (storage) => {
  let app: TestApp;
  let rewardId: number;
  beforeEach(async () => {
    app = await startApp(storage);
    await join(app, "jane@example.com");
    await join(app, "bob@example.com");
    rewardId = await reward(app, { is_promoter_reward: false, name: "Gift" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const given = (over: Record<string, unknown> = {}) => ({
    code: "JANE10",
    reward_id: rewardId,
    promoter_campaign_id: 1,
    ...over,
  });
  const create = (over: Record<string, unknown> = {}) => call("POST /promo_codes", given(over));
  const shown = (over: Record<string, unknown> = {}) => ({
    id: 1,
    code: "JANE10",
    reward: { id: rewardId, name: "Gift" },
    ext_id: null,
    description: null,
    company_id: app.account_id,
    promoter_campaign_id: 1,
    metadata: {},
    details: {},
    archived_at: null,
    ...over,
  });
  /** Links a promo code to the payment processor. No operation does this yet. */
  const link = (extId: string) => app.records.change("promoCode", 1, { ext_id: extId });

  describe("POST /promo_codes", () => {
    it("creates a promo code from the required fields", async () => {
      expect(await create()).toEqual({ status: 200, body: shown() });
      expect(await call("GET /promo_codes/1")).toEqual({ status: 200, body: shown() });
    });

    it("creates a promo code from all fields, with numbers and objects as text too", async () => {
      const all = {
        description: "For Jane",
        metadata: { plan: "a", note: "" },
        details: { percent_off: 10 },
      };
      const texts = { reward_id: String(rewardId), promoter_campaign_id: " 1 ", code: " JANE10 " };
      const body = { ...all, ...texts, details: JSON.stringify(all.details), wid: "ignored" };
      expect(await create(body)).toEqual({ status: 200, body: shown(all) });
    });

    it("treats blank text as none", async () => {
      expect(await create({ description: "", metadata: "", details: null })).toEqual({
        status: 200,
        body: shown(),
      });
    });

    it("shows its code with the promoter campaign while it is in use", async () => {
      await create();
      await create({ code: "JANE20" });
      const codes = async () => (await call("GET /promoter_campaigns?ids=1")).body;
      expect(await codes()).toMatchObject([{ promo_codes: ["JANE10", "JANE20"] }]);
      await call("DELETE /promo_codes/1");
      expect(await codes()).toMatchObject([{ promo_codes: ["JANE20"] }]);
    });

    it("reserves a code in any case until it is archived", async () => {
      await create();
      expect(await create({ code: "jane10", promoter_campaign_id: 2 })).toEqual(TAKEN);
      await call("DELETE /promo_codes/1");
      expect((await create({ code: "jane10", promoter_campaign_id: 2 })).status).toBe(200);
    });

    it("reserves a code once if ten requests come at once", async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => create()));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(9).fill(400)]);
    });

    it("names every missing field", async () => {
      const blank = ["can't be blank"];
      expect(await call("POST /promo_codes", { code: " " })).toEqual(
        invalid({ code: blank, reward_id: blank, promoter_campaign_id: blank }),
      );
      expect((await call("GET /promo_codes")).body).toEqual([]);
    });

    it.each([
      ["code", true, "is invalid"],
      ["code", "x".repeat(1_001), "is too long (maximum is 1000 characters)"],
      ["reward_id", "x", "is invalid"],
      ["promoter_campaign_id", 1.5, "is invalid"],
      ["description", "x".repeat(10_001), "is too long (maximum is 10000 characters)"],
      ["metadata", "x", "is not a JSON object"],
      ["metadata", [1], "is invalid"],
      ["details", { a: "x".repeat(16_384) }, "is too large (maximum is 16 KiB)"],
    ])("answers 422 to %s %j", async (field, value, message) => {
      expect(await create({ [field]: value })).toEqual(invalid({ [field]: [message] }));
    });

    it.each([
      ["reward_id", "Reward not found."],
      ["promoter_campaign_id", "Promotion not found."],
    ])("answers 404 to an unknown %s", async (field, message) => {
      expect(await create({ [field]: 99 })).toEqual({ status: 404, body: { message, code: "not_found" } });
    });

    it("answers 422 to a body that is not a JSON object", async () => {
      expect(await call("POST /promo_codes", "[]")).toEqual({
        status: 422,
        body: { message: "The body is not a JSON object", code: "invalid_params" },
      });
    });
  });

  describe.each(["PUT", "PATCH"])("%s /promo_codes/{id}", (method) => {
    const update = (body?: unknown, id: number | string = 1) => call(`${method} /promo_codes/${id}`, body);
    beforeEach(async () => {
      await create({ description: "For Jane", metadata: { a: 1 }, details: { b: 2 } });
    });
    const usual = (over: Record<string, unknown> = {}) =>
      shown({ description: "For Jane", metadata: { a: 1 }, details: { b: 2 }, ...over });

    it.each([
      [{}, {}],
      [undefined, {}],
      [{ code: "jane10" }, { code: "jane10" }],
      [
        { code: "NEW", promoter_campaign_id: "2" },
        { code: "NEW", promoter_campaign_id: 2 },
      ],
      [{ description: "x" }, { description: "x" }],
      [
        { description: "", metadata: "", details: null },
        { description: null, metadata: {}, details: {} },
      ],
      [
        { metadata: { c: 3 }, details: {} },
        { metadata: { c: 3 }, details: {} },
      ],
      [{ reward_id: 99, ext_id: "x", archived_at: NOW }, {}],
    ])("accepts %j", async (body, changes) => {
      expect(await update(body)).toEqual({ status: 200, body: usual(changes) });
      expect(await call("GET /promo_codes/1")).toEqual({ status: 200, body: usual(changes) });
    });

    it("refuses an archived code with an ext_id, and changes nothing", async () => {
      await link("promo_1");
      expect((await update({ description: "linked" })).status).toBe(200);
      await call("DELETE /promo_codes/1");
      const fault = "is set: an archived promo code with an ext_id can't be updated";
      expect(await update({ code: "NEW" })).toEqual(invalid({ archived_at: [fault] }, 400));
      const kept = usual({ ext_id: "promo_1", description: "linked", archived_at: NOW });
      expect((await call("GET /promo_codes/1")).body).toEqual(kept);
    });

    it("changes an archived code without an ext_id", async () => {
      await call("DELETE /promo_codes/1");
      expect((await update({ code: "NEW" })).body).toEqual(usual({ code: "NEW", archived_at: NOW }));
    });

    it("refuses a code that another promo code has", async () => {
      await create({ code: "BOB10", promoter_campaign_id: 2 });
      expect(await update({ code: "bob10" })).toEqual(TAKEN);
      expect((await call("GET /promo_codes/1")).body).toEqual(usual());
    });

    it.each([
      [{ code: "" }, { code: ["can't be blank"] }],
      [{ promoter_campaign_id: "x" }, { promoter_campaign_id: ["is invalid"] }],
      [{ metadata: 7 }, { metadata: ["is not a JSON object"] }],
    ])("answers 422 to %j", async (body, errors) => {
      expect(await update(body)).toEqual(invalid(errors as Record<string, string[]>));
    });

    it("answers 404 to an unknown promo code or promoter campaign, and to a malformed id", async () => {
      const body = { message: "Promo code not found.", code: "not_found" };
      expect(await update({}, 99)).toEqual({ status: 404, body });
      expect((await update({ promoter_campaign_id: 99 })).status).toBe(404);
      expect(await update({}, "JANE10")).toEqual({ status: 404, body });
    });
  });

  describe("DELETE /promo_codes/{id}", () => {
    it("archives, once", async () => {
      await create();
      const archived = { status: 200, body: shown({ archived_at: NOW }) };
      expect(await call("DELETE /promo_codes/1")).toEqual(archived);
      app.setNow("2026-05-05T05:05:05.000Z");
      expect(await call("DELETE /promo_codes/1")).toEqual(archived);
      expect(await call("GET /promo_codes/1")).toEqual(archived);
    });

    it.each(["GET", "DELETE"])("%s answers 404 to an unknown or malformed id", async (method) => {
      const body = { message: "Promo code not found.", code: "not_found" };
      expect(await call(`${method} /promo_codes/99`)).toEqual({ status: 404, body });
      expect(await call(`${method} /promo_codes/x`)).toEqual({ status: 404, body });
    });
  });

  describe("GET /promo_codes", () => {
    it.each([
      ["", [1, 2, 3], "3"],
      ["?promoter_campaign_id=1", [1, 3], "2"],
      ["?promoter_campaign_id=1&per_page=1&page=2", [3], "2"],
      ["?promoter_campaign_id=", [1, 2, 3], "3"],
      ["?promoter_campaign_id=99", [], "0"],
      ["?q=bOb", [2], "1"],
      ["?q=%5F", [], "0"],
      ["?q=jane&promoter_campaign_id=1", [1], "1"],
      ["?page=2", [], "3"],
    ])("answers %j with %j", async (query, ids, total) => {
      await create();
      await create({ code: "BOB10", promoter_campaign_id: 2 });
      await create({ code: "JANE20" });
      await call("DELETE /promo_codes/3");
      const { status, body, headers } = await company(app, `GET /promo_codes${query}`);
      expect(status).toBe(200);
      expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids);
      expect(headers.get("total")).toBe(total);
    });

    it("answers 422 to a malformed promoter campaign id", async () => {
      expect(await call("GET /promo_codes?promoter_campaign_id=x")).toEqual(
        invalid({ promoter_campaign_id: ["is invalid"] }),
      );
    });
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { v2 } from "../../support/calls.ts";
import { GIVEN_PROFILE, JANE, PROFILE } from "../../support/v2-promoter.ts";

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

  describe.each(["PUT", "PATCH"] as const)("%s /promoters/{id}", (method) => {
    beforeEach(async () => {
      await create({ email: "jane@example.com", cust_id: "c1", profile: GIVEN_PROFILE });
    });
    const update = (path: string, body: unknown) => v2(app, method, `/promoters/${path}`, body);

    it("writes what is given, clears what is blank or null, and keeps the rest", async () => {
      const { body } = await update("1", {
        email: "new@example.com",
        cust_id: null,
        note: "Met at the fair",
        custom_fields: { tags: ["a", "b"], level: "x" },
        profile: { last_name: "", country: null, website: "new" },
      });
      const after = {
        ...JANE,
        email: "new@example.com",
        name: "Jane",
        note: "Met at the fair",
        custom_fields: { tags: ["a", "b"], level: "x" },
        profile: { ...PROFILE, ...GIVEN_PROFILE, last_name: null, country: null, website: "new" },
      };
      expect(body).toEqual(after);
      expect((await update("1", { email: null })).body).toEqual(after);
      expect((await v2(app, "GET", "/promoters/1?include_parent_promoter=true")).body).toEqual(after);
    });

    it("finds by the selector in the body or the query", async () => {
      expect((await update("jane@example.com", { find_by: "email", cust_id: 7 })).body).toMatchObject({
        cust_id: "7",
      });
      expect((await update("7?find_by=cust_id", { cust_id: "8" })).body).toMatchObject({ cust_id: "8" });
    });

    it.each([
      ["1", { email: "ben@example.com" }, 400, { email: ["has already been taken"] }],
      ["1", { email: "x" }, 422, { email: ["is invalid"] }],
      ["1", { custom_fields: "x" }, 422, { custom_fields: ["is not a JSON object"] }],
      [
        "1",
        { find_by: "name" },
        422,
        { find_by: ["is not one of id, email, cust_id, auth_token, ref_token, promo_code, source_id"] },
      ],
    ])("refuses %s %o with %i", async (path, given, status, errors) => {
      await create({ email: "ben@example.com" });
      expect(await update(path, given)).toMatchObject({ status, body: { errors } });
    });

    it("answers 404 for nobody", async () => {
      const { status, body } = await update("99", { email: "x@example.com" });
      expect({ status, body }).toEqual({ status: 404, body: NOT_FOUND });
    });
  });
});

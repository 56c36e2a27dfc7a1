import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isPassword } from "../../../server/domain/access/password.ts";
import { answerOf, form, KEY, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { v1, type Params } from "../../support/calls.ts";
import { NAMED, SELECTORS, createV1Promoter, type V1Promoter } from "../../support/v1-promoter.ts";
import { addCampaign } from "../../support/v2.ts";

const TAKEN = ["has already been taken"];
const NOT_FOUND = { status: 404, body: { error: "Promoter not found." } };

describe.each(STORAGES)("PUT /api/v1/promoters/update on %s", (storage) => {
  let app: TestApp;
  let jane: V1Promoter;
  const create = (params: Params) => createV1Promoter(app, params);
  const show = (params: Params) => v1(app, "GET", "/promoters/show", params);
  const update = (params: Params) => v1(app, "PUT", "/promoters/update", params);

  beforeEach(async () => {
    app = await startApp(storage);
    jane = await create(NAMED);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  it("writes what is given, clears what is blank, and keeps the rest", async () => {
    await create({ email: "parent@example.com", ref_id: "parent" });
    const first = await update({
      id: "1",
      email: "new@example.com",
      new_cust_id: "cus_2",
      first_name: "Jane",
      country: "NL",
      note: "a note",
      wallet_email: "w@example.com",
      parent_promoter_email: "parent@example.com",
      temp_password: "secret",
      customer_promo_code: "JANE20",
      landing_url: "https://jane.example/",
    });
    expect(first.body).toMatchObject({
      email: "new@example.com",
      cust_id: "cus_2",
      note: "a note",
      temp_password: null,
      pref: "parent",
      parent_promoter_id: "2",
      profile: { first_name: "Jane", country: "NL", wallet_email: "w@example.com" },
      promotions: [{ customer_promo_code: "JANE20", referral_link: "https://jane.example/?via=jane" }],
    });
    const kept = () => app.records.get("promoter", 1);
    const { temp_password_hash } = (await kept())!;
    expect(await isPassword(app.context, "secret", temp_password_hash!)).toBe(true);
    const { body } = await update({
      cust_id: "cus_2",
      email: "",
      new_cust_id: "",
      country: "",
      note: " ",
      wallet_email: "",
      parent_promoter_email: "",
      temp_password: "",
      promo_code: "",
      customer_promo_code: "",
      landing_url: "",
      new_ref_id: "",
      unknown: "x",
    });
    expect(body).toEqual({
      ...jane,
      email: "new@example.com",
      cust_id: null,
      temp_password: null,
      profile: { ...(jane as unknown as { profile: object }).profile, first_name: "Jane" },
      promotions: [{ ...jane.promotions[0], promo_code: null }],
    });
    expect(await kept()).toMatchObject({ temp_password_hash });
  });

  it("accepts paypal_email as another name of wallet_email, which wins", async () => {
    const walletAfter = async (params: Record<string, string>) => {
      const { body } = await update({ id: "1", ...params });
      return (body as { profile: { wallet_email: string | null } }).profile.wallet_email;
    };
    expect(await walletAfter({ paypal_email: "p@example.com" })).toBe("p@example.com");
    expect(await walletAfter({ first_name: "Jane" })).toBe("p@example.com");
    expect(await walletAfter({ paypal_email: "p@example.com", wallet_email: "w@example.com" })).toBe(
      "w@example.com",
    );
    expect(await walletAfter({ paypal_email: "" })).toBeNull();
  });

  it.each(SELECTORS)("finds the promoter by %s", async (_, selector) => {
    const { body } = await update({ ...selector(jane), first_name: "J" });
    expect(body).toMatchObject({
      id: 1,
      profile: { first_name: "J" },
      promotions: [{ promo_code: "JANE" }],
    });
  });

  it("finds by e-mail if nothing else is given", async () => {
    const { body } = await update({ email: "JANE@example.com", note: "found" });
    expect(body).toMatchObject({ id: 1, email: "jane@example.com", note: "found" });
  });

  it("accepts POST, JSON, and parameters in the query with an empty form", async () => {
    const headers = { "x-api-key": KEY };
    const empty = { ...form({}, headers), method: "PUT" };
    const query = await answerOf(await app.request("/api/v1/promoters/update?id=1&note=query", empty));
    expect(query.body).toMatchObject({ note: "query" });
    expect((await v1(app, "POST", "/promoters/update", { id: "1", note: "post" })).body).toMatchObject({
      note: "post",
    });
    const json = await app.request("/api/v1/promoters/update.json", {
      method: "PUT",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ id: 1, new_cust_id: 7 }),
    });
    expect((await answerOf(json)).body).toMatchObject({ cust_id: "7" });
  });

  it("retires a replaced ref id for ever", async () => {
    expect((await update({ ref_id: "jane", new_ref_id: "jane-2" })).body).toMatchObject({
      default_ref_id: "jane-2",
    });
    expect(await show({ ref_id: "jane" })).toMatchObject(NOT_FOUND);
    expect(await show({ ref_id: "jane-2" })).toMatchObject({ status: 200 });
    const { status, body } = await update({ id: "1", new_ref_id: "jane" });
    expect({ status, body }).toEqual({ status: 422, body: { new_ref_id: TAKEN } });
    expect(await update({ id: "1", new_ref_id: "jane-2" })).toMatchObject({ status: 200 });
  });

  it("changes the promotion of the named campaign, or that of the ref id", async () => {
    const campaign = await addCampaign(app, { name: "B", landing_url: "https://b.example/" });
    const campaign_id = String(campaign.id);
    await v1(app, "POST", "/promoters/add_to_campaign", { id: "1", campaign_id });
    await update({ id: "1", campaign_id, new_ref_id: "second" });
    const { body } = await update({ ref_id: "second", customer_promo_code: "B20" });
    expect(body).toMatchObject({
      default_ref_id: "jane",
      promotions: [
        { ref_id: "jane", customer_promo_code: null },
        { ref_id: "second", customer_promo_code: "B20" },
      ],
    });
  });

  it("names every taken field under its parameter, and changes nothing", async () => {
    const other = {
      email: "o@example.com",
      cust_id: "o",
      ref_id: "other",
      promo_code: "O",
      customer_promo_code: "P",
      landing_url: "https://o.example/",
      url_tracking: "true",
    };
    await create(other);
    const { cust_id, ref_id, ...rest } = other;
    const { status, body } = await update({
      id: "1",
      ...rest,
      new_cust_id: cust_id,
      new_ref_id: ref_id,
      note: "x",
    });
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        email: TAKEN,
        new_cust_id: TAKEN,
        new_ref_id: TAKEN,
        promo_code: TAKEN,
        customer_promo_code: TAKEN,
        landing_url: TAKEN,
      },
    });
    expect((await show({ id: "1" })).body).toEqual(jane);
  });

  it.each([
    [{ email: "no address" }, { email: ["is invalid"] }],
    [{ new_ref_id: "No" }, { new_ref_id: ["only lower-case letters, digits, - and _ are allowed"] }],
    [{ url_tracking: "true" }, { landing_url: ["can't be blank with url_tracking"] }],
    [{ url_tracking: "maybe" }, { url_tracking: ["is invalid"] }],
    [{ campaign_id: "x" }, { campaign_id: ["is invalid"] }],
    [
      { parent_promoter_email: "jane@example.com" },
      { parent_promoter_email: ["is the promoter, or is below them"] },
    ],
  ] as [Params, object][])("refuses %o with the record's errors", async (params, fields) => {
    const { status, body } = await update({ id: "1", ...params });
    expect({ status, body }).toEqual({ status: 422, body: fields });
  });

  it.each([
    [{ id: "99" }, "Promoter not found."],
    [{ id: "1", campaign_id: "99" }, "Campaign not found."],
    [{ id: "1", parent_promoter_email: "no@example.com" }, "Parent promoter not found."],
  ] as [Params, string][])("answers 404 to %o", async (params, error) => {
    const { status, body } = await update(params);
    expect({ status, body }).toEqual({ status: 404, body: { error } });
  });

  it("answers 404 for a campaign that the promoter is not in, and 422 for no selector", async () => {
    const { id } = await addCampaign(app, { name: "B", landing_url: "https://b.example/" });
    expect(await update({ id: "1", campaign_id: String(id) })).toMatchObject({
      status: 404,
      body: { error: "Promoter is not in this campaign." },
    });
    expect(await update({ note: "x" })).toMatchObject({ status: 422, body: { error: expect.any(String) } });
  });

  it.each([
    ["PUT", "/promoters/update", { note: "x" }],
    ["POST", "/promoters/add_to_campaign", { campaign_id: 1 }],
    ["POST", "/promoters/move_to_campaign", { destination_campaign_id: 1 }],
    ["PUT", "/promoters/refresh_token", {}],
  ])("%s %s refuses a malformed selector instead of trying the next one", async (method, path, params) => {
    const body = `{"id":12345678901234567890,${JSON.stringify({ email: "jane@example.com", ref_id: "jane", ...params }).slice(1)}`;
    const headers = { "x-api-key": KEY, "content-type": "application/json" };
    const answer = await answerOf(await app.request(`/api/v1${path}`, { method, headers, body }));
    expect([answer.status, answer.body]).toEqual([422, { id: ["is invalid"] }]);
    expect((await show({ id: "1" })).body).toEqual(jane);
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isPassword } from "../../../server/domain/access/password.ts";
import { KEY, STORAGES, answerOf, startApp, type TestApp } from "../../support/app.ts";
import { V1_PROMOTER, V1_PROMOTION } from "../../support/v1-records.ts";
import { addCampaign } from "../../support/v2.ts";

describe.each(STORAGES)("POST /api/v1/promoters/create on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const create = (params: Record<string, string>) => app.v1("/promoters/create", params);

  it("answers 200 with the complete promoter for an e-mail address alone", async () => {
    const { status, body } = await create({ email: "jane@example.com" });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ...V1_PROMOTER,
        temp_password: expect.stringMatching(/^.{12}$/) as string,
        profile: {
          first_name: null,
          last_name: null,
          website: null,
          company_name: null,
          phone_number: null,
          address: null,
          vat_id: null,
          country: null,
          wallet_email: null,
          avatar_url: null,
          description: null,
          social_accounts: {
            twitter: { url: null },
            youtube: { url: null },
            facebook: { url: null },
            linkedin: { url: null },
            instagram: { url: null },
          },
        },
        promotions: [V1_PROMOTION],
        custom_fields: null,
        promo_codes: [],
      },
    });
  });

  it.each<{ temp_password?: string }>([{}, { temp_password: "Sécret 1" }])(
    "shows the password of %j once, and keeps a hash that knows it again",
    async (given) => {
      const { body } = await create({ email: "jane@example.com", ...given });
      const { id, temp_password: shown } = body as { id: number; temp_password: string };
      expect(shown).toBe(given.temp_password ?? shown);
      const kept = (await app.records.get("promoter", id))!;
      expect(JSON.stringify(kept)).not.toContain(shown);
      expect(await isPassword(app.context, shown, kept.temp_password_hash!)).toBe(true);
      expect(await isPassword(app.context, `${shown}x`, kept.temp_password_hash!)).toBe(false);
      const again = await app.v1("/promoters/show", { id: String(id) });
      expect(again.body).toEqual({ ...(body as object), temp_password: null });
    },
  );

  it("accepts paypal_email as another name of wallet_email", async () => {
    const { status, body } = await create({ email: "jane@example.com", paypal_email: "money@example.com" });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ profile: expect.objectContaining({ wallet_email: "money@example.com" }) }),
    ]);
    expect(await create({ email: "bob@example.com", paypal_email: "x" })).toMatchObject({
      status: 422,
      body: { paypal_email: ["is invalid"] },
    });
  });

  it("keeps every parameter", async () => {
    await create({ email: "parent@example.com", first_name: "Pat" });
    const { status, body } = await create({
      email: " Jane.Doe@Example.com ",
      first_name: "Jané",
      last_name: "Doe",
      cust_id: "cus_1",
      ref_id: "jane_d-1",
      promo_code: "COUPON1",
      customer_promo_code: "JANE20",
      campaign_id: "1",
      temp_password: "secret",
      landing_url: "https://jane.example/shop?x=1",
      url_tracking: "TRUE",
      website: "https://jane.example",
      wallet_email: "money@example.com",
      avatar_url: "https://jane.example/a.png",
      parent_promoter_email: "PARENT@example.com",
      linkedin_url: "l",
      twitter_url: "t",
      facebook_url: "f",
      instagram_url: "i",
      youtube_url: "y",
      country: "NL",
      company_name: "Doe BV",
      phone_number: "+31 1",
      address: "Street 1",
      note: "a note",
      created_at: "2025-01-02",
      skip_email_notification: "yes",
      always_approve: "1",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      email: "Jane.Doe@Example.com",
      cust_id: "cus_1",
      default_ref_id: "jane_d-1",
      temp_password: "secret",
      created_at: "2025-01-02T00:00:00.000Z",
      note: "a note",
      pref: "pat",
      parent_promoter_id: "1",
      profile: {
        first_name: "Jané",
        last_name: "Doe",
        website: "https://jane.example",
        company_name: "Doe BV",
        phone_number: "+31 1",
        address: "Street 1",
        country: "NL",
        wallet_email: "money@example.com",
        avatar_url: "https://jane.example/a.png",
        social_accounts: {
          twitter: { url: "t" },
          youtube: { url: "y" },
          facebook: { url: "f" },
          linkedin: { url: "l" },
          instagram: { url: "i" },
        },
      },
      promotions: [
        {
          ref_id: "jane_d-1",
          promo_code: "COUPON1",
          customer_promo_code: "JANE20",
          referral_link: "https://jane.example/shop?x=1",
        },
      ],
    });
  });

  it("appends the ref id to the promoter's own landing page", async () => {
    const { body } = await create({ email: "a@b.example", landing_url: "https://jane.example/shop?x=1#top" });
    expect(body).toMatchObject({
      promotions: [{ referral_link: "https://jane.example/shop?x=1&via=a#top" }],
    });
  });

  it.each([
    [{ first_name: "Zoë Ann" }, "zoeann"],
    [{ first_name: "Дмитрий" }, "dmitriy"],
    [{ first_name: "  " }, "x"],
    [{ first_name: "!!!" }, "x"],
    [{ ref_id: "  " }, "x"],
  ])("derives a blank ref id from %o", async (params, refId) => {
    const { body } = await create({ email: "x@example.com", ...(params as Record<string, string>) });
    expect(body).toMatchObject({ default_ref_id: refId });
  });

  it.each([
    [" jane_d-1\n", "jane_d-1"],
    ["x".repeat(100), "x".repeat(100)],
  ])("trims the ref id %j", async (given, kept) => {
    const { body } = await create({ email: "x@example.com", ref_id: given });
    expect(body).toMatchObject({ default_ref_id: kept, promotions: [{ ref_id: kept }] });
    expect(await app.v1("/track/signup", { uid: "1", ref_id: given })).toMatchObject({ status: 200 });
  });

  it("adds digits to a derived ref id that is taken", async () => {
    await create({ email: "a@example.com", first_name: "Jane" });
    const { body } = await create({ email: "b@example.com", first_name: "Jane" });
    expect((body as { default_ref_id: string }).default_ref_id).toMatch(/^jane\d{2}$/);
  });

  it("names every taken field at once, the e-mail under its dotted key, and writes nothing", async () => {
    const taken = {
      email: "jane@example.com",
      cust_id: "1",
      ref_id: "jane",
      promo_code: "C",
      customer_promo_code: "D",
      landing_url: "https://jane.example/",
      url_tracking: "true",
    };
    await create(taken);
    const { status, body } = await create({
      ...taken,
      email: "JANE@example.com",
      customer_promo_code: "d",
      landing_url: "http://www.jane.example",
    });
    const message = ["has already been taken"];
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        "company_user.user.email": message,
        cust_id: message,
        promo_code: message,
        customer_promo_code: message,
        landing_url: message,
        ref_id: message,
        message: expect.stringContaining("company_user.user.email has already been taken"),
        promotions: [
          { ref_id: message },
          { promo_code: message },
          { customer_promo_code: message },
          { landing_url: message },
        ],
      },
    });
    expect(await create({ email: "next@example.com" })).toMatchObject({ status: 200 });
  });

  it.each([
    [{}, { "company_user.user.email": ["can't be blank"] }],
    [{ email: "not an address" }, { "company_user.user.email": ["is invalid"] }],
    [
      { email: "a@b.example", ref_id: "Jane Doe" },
      { ref_id: ["only lower-case letters, digits, - and _ are allowed"] },
    ],
    [
      { email: "a@b.example", ref_id: "x".repeat(101) },
      { ref_id: ["is too long (maximum is 100 characters)"] },
    ],
    [{ email: "a@b.example", created_at: "2025-02-30" }, { created_at: ["is invalid"] }],
    [{ email: "a@b.example", url_tracking: "maybe" }, { url_tracking: ["is invalid"] }],
    [{ email: "a@b.example", url_tracking: "true" }, { landing_url: ["can't be blank with url_tracking"] }],
    [{ email: "a@b.example", landing_url: "javascript:alert(1)" }, { landing_url: ["is invalid"] }],
    [{ email: "a@b.example", campaign_id: "one" }, { campaign_id: ["is invalid"] }],
    [
      { email: "a@b.example", first_name: "x".repeat(1001), note: "x".repeat(10_001) },
      {
        first_name: ["is too long (maximum is 1000 characters)"],
        note: ["is too long (maximum is 10000 characters)"],
      },
    ],
  ])("refuses %o with 422", async (params, fields) => {
    const { status, body } = await create(params as Record<string, string>);
    const { message, promotions, ...rest } = body as Record<string, unknown>;
    expect(status).toBe(422);
    expect(rest).toEqual(fields);
    expect(message).toMatch(/^Validation failed: /);
    expect(promotions).toEqual(
      Object.entries(fields)
        .filter(([name]) => name === "ref_id" || name === "landing_url")
        .map(([name, messages]) => ({ [name]: messages })),
    );
  });

  it.each([
    [{ campaign_id: "99" }, "Campaign not found."],
    [{ parent_promoter_id: "99" }, "Parent promoter not found."],
    [{ parent_promoter_email: "no@example.com" }, "Parent promoter not found."],
  ])("answers 404 to %o", async (params, error) => {
    const { status, body } = await create({ email: "a@b.example", ...(params as Record<string, string>) });
    expect({ status, body }).toEqual({ status: 404, body: { error } });
  });

  it("lets a promoter wait if the campaign does not auto-approve, whatever the request says", async () => {
    const campaign = await addCampaign(app, {
      name: "By hand",
      landing_url: "https://acme.example/",
      auto_approve_promoters: false,
    });
    const { body } = await create({
      email: "a@b.example",
      campaign_id: String(campaign.id),
      always_approve: "true",
    });
    expect(body).toMatchObject({ status: "pending", promotions: [{ campaign_name: "By hand" }] });
  });

  it("lets a second identity of a promoter wait, unless told to approve always", async () => {
    await create({ email: "janedoe@gmail.com" });
    expect((await create({ email: "jane.doe+2@googlemail.com" })).body).toMatchObject({ status: "pending" });
    expect((await create({ email: "j.anedoe@gmail.com", always_approve: "true" })).body).toMatchObject({
      status: "approved",
    });
  });

  it("approves one of many simultaneous identities", async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => create({ email: `jane+${index}@example.com` })),
    );
    const states = answers.map(({ body }) => (body as { status: string }).status).sort();
    expect(states).toEqual(["approved", ...Array(99).fill("pending")]);
  });

  it("reads query, form and flat JSON, the body first, and ignores unknown parameters", async () => {
    const path = "/api/v1/promoters/create.json?email=query@example.com&first_name=Query&wid=1";
    const answer = await answerOf(
      await app.request(path, {
        method: "POST",
        headers: { "x-api-key": KEY, "content-type": "application/json" },
        body: JSON.stringify({ email: "json@example.com", is_admin: true, campaign_id: 1, cust_id: 7 }),
      }),
    );
    expect(answer.body).toMatchObject({ email: "json@example.com", cust_id: "7", default_ref_id: "query" });
  });

  it("lets one of many simultaneous creations with one e-mail address win", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ email: "a@b.example" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(422)]);
  });
});

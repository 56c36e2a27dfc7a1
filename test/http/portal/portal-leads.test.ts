import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, NOW_SECOND, startApp, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import { visitingPromoter, type PortalBrowser } from "../../support/portal.ts";
import { company, invalid, outcome, reward } from "../../support/v2.ts";
import { eraseLead } from "../../support/operations.ts";

let app: TestApp;
let jane: PortalBrowser;
let kim: PortalBrowser;
beforeEach(async () => {
  app = await startApp();
  await company(app, "PUT /campaigns/1", { promoters_may_add_leads: true });
  jane = await visitingPromoter(app, "jane@example.com", { ref_id: "jane" });
  kim = await visitingPromoter(app, "kim@example.com", { ref_id: "kim" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  expect(await findFaults(app.stored.engine)).toEqual([]);
  await app.close();
});

const SAM = { promoter_campaign_id: 1, email: "sam@example.net" };
const PROPOSED = {
  id: expect.any(Number) as number,
  uid: null,
  email: "s***@example.net",
  state: "pending",
  metadata: {},
  entry_source: "manual_affiliate",
  created_at: NOW_SECOND,
  customer_since: null,
  sub_id: null,
  first_name: null,
  last_name: null,
  website: null,
  comment: null,
  is_removable: true,
  promoter_campaign: {
    id: 1,
    campaign_id: 1,
    created_at: NOW_SECOND,
    campaign: { id: 1, name: "Default campaign", color: "#2563eb" },
  },
};
const add = (given: object = {}, browser = jane) => browser.outcome("POST /referrals", { ...SAM, ...given });
const idOf = async (added: ReturnType<typeof add>) => ((await added).body as { id: number }).id;
const approve = (id: number) => outcome(company(app, "POST /referrals/approve", { ids: [id] }));
const refused = (message: string) => ({ status: 422, body: { message, code: "operation_failed" } });
const notAdded = (message: string) => ({
  status: 422,
  body: { message, code: "operation_failed", errors: {} },
});

describe("a lead that a promoter adds", () => {
  it("waits for approval, and shows what the promoter said about the person", async () => {
    const said = { first_name: "Sam", last_name: "Roe", website: "roe.example", comment: "Met at the fair" };
    const shown = { ...PROPOSED, ...said, website: "https://roe.example" };
    expect(await add(said)).toEqual({ status: 200, body: shown });
    const [{ id }] = (await jane.outcome("GET /referrals")).body as [{ id: number }];
    expect(await jane.outcome(`GET /referrals/${id}`)).toEqual({ status: 200, body: shown });
    expect((await company(app, `GET /referrals/${id}`)).body).toMatchObject({
      email: "sam@example.net",
      state: "pending",
      entry_source: "manual_affiliate",
      fraud_check: "no_suspicion",
      first_name: "Sam",
      comment: "Met at the fair",
      promoter_campaign: { promoter_id: 1 },
    });
    const { body: home } = await company(app, "GET /home?start_date=2026-03-01&end_date=2026-03-04");
    expect(home).toMatchObject({ tasks: { proposed_referrals: { count: 1 } } });
  });

  it("is changed and taken back by the promoter, until it is approved", async () => {
    const id = await idOf(add({ first_name: "Sam" }));
    expect(
      await jane.outcome(`PUT /referrals/${id}`, { last_name: "Roe", email: "other@example.net" }),
    ).toEqual({
      status: 200,
      body: { ...PROPOSED, first_name: "Sam", last_name: "Roe" },
    });
    const other = await idOf(add({ email: "pat@example.net" }));
    expect((await jane.call(`DELETE /referrals/${other}`)).status).toBe(204);
    expect((await jane.outcome(`GET /referrals/${other}`)).status).toBe(404);
    await approve(id);
    const settled = refused("You can change only leads that you added and that wait for approval.");
    expect(await jane.outcome(`PUT /referrals/${id}`, { last_name: "Doe" })).toEqual(settled);
    expect(await jane.outcome(`DELETE /referrals/${id}`)).toEqual(settled);
    // From now on the person may have given other names, which are not the promoter's business.
    expect(await jane.outcome(`GET /referrals/${id}`)).toEqual({
      status: 200,
      body: { ...PROPOSED, state: "signup", is_removable: false },
    });
  });

  it("earns nothing until it is approved, and then like any other", async () => {
    const rewardId = await reward(app);
    await company(app, "PUT /campaigns/1", { rewards_for_promoters: [{ reward_id: rewardId }] });
    const id = await idOf(add());
    const sell = (eventId: string) =>
      app.v1("/track/sale", { email: SAM.email, event_id: eventId, amount: "10000" });
    expect((await sell("early")).status).toBe(204);
    const byHand = { commission_type: "sale", referral_id: id, sale_amount: 10_000 };
    expect(await outcome(company(app, "POST /commissions", byHand))).toEqual(
      refused("The referral waits for your approval"),
    );
    await approve(id);
    expect((await sell("later")).status).toBe(200);
    expect((await jane.outcome("GET /commissions")).body).toMatchObject([{ amount: 2_000 }]);
  });

  it("is suspicious if the promoter adds themselves", async () => {
    const id = await idOf(add({ email: "jane+1@example.com" }));
    expect((await company(app, `GET /referrals/${id}`)).body).toMatchObject({
      fraud_check: "same_promoter_email",
    });
    expect((await company(app, "GET /promoters/1")).body).toMatchObject({
      fraud_suspicions: ["same_promoter_email"],
    });
  });

  it("stands in the audit log under the promoter's name", async () => {
    const id = await idOf(add());
    const { body } = await company(app, "GET /audit_log?filters[entity]=referral");
    expect(body).toEqual([
      {
        id: expect.any(Number),
        at: NOW,
        actor: { kind: "promoter", id: 1, name: "jane@example.com" },
        action: "created",
        entity: "referral",
        entity_id: String(id),
        entity_name: "sam@example.net",
        before: null,
        after: expect.objectContaining({ email: "sam@example.net", state: "pending", is_proposal: true }),
      },
    ]);
  });
});

describe("someone whom the company knows already", () => {
  it.each([
    ["another promoter's lead", () => app.v1("/track/signup", { email: SAM.email, ref_id: "kim" })],
    ["a lead of their own", () => app.v1("/track/signup", { email: SAM.email, ref_id: "jane" })],
    ["another promoter's proposal", () => add({ promoter_campaign_id: 2 }, kim)],
    [
      "a customer",
      () => app.v1("/track/sale", { email: SAM.email, event_id: "s", amount: "100", ref_id: "kim" }),
    ],
    ["nobody", () => Promise.resolve()],
  ])("is answered like a stranger: %s", async (_who, know) => {
    await know();
    expect(await add()).toEqual({ status: 200, body: PROPOSED });
    const listed = (await jane.outcome("GET /referrals?filters[state]=pending")).body;
    expect(listed).toEqual([PROPOSED]);
    const { id } = (listed as { id: number }[])[0]!;
    expect((await jane.call(`PUT /referrals/${id}`, { comment: "Hello" })).status).toBe(200);
    expect((await jane.call(`DELETE /referrals/${id}`)).status).toBe(204);
  });

  it("can't be approved, and stays whose lead they are", async () => {
    await app.v1("/track/signup", { email: SAM.email, ref_id: "kim" });
    const id = await idOf(add());
    expect(await approve(id)).toMatchObject({
      status: 200,
      body: { processed_count: 0, processing_errors: [`${id}: The person is already a lead`] },
    });
    expect((await company(app, `GET /referrals/${SAM.email}?find_by=email`)).body).toMatchObject({
      state: "signup",
      promoter_campaign: { promoter_id: 2 },
    });
    await company(app, "POST /referrals/disable", { ids: [id] });
    await company(app, "POST /referrals/enable", { ids: [id] });
    expect((await company(app, `GET /referrals/${id}`)).body).toMatchObject({ state: "pending" });
    const moved = { id: String(id), state: "signup" };
    expect((await app.v1("/leads/update", moved)).status).toBe(422);
  });

  it("becomes the lead of the promoter whose link they follow while a proposal waits", async () => {
    const id = await idOf(add());
    const signup = await app.v1("/track/signup", { email: SAM.email, ref_id: "kim" });
    expect(signup.body).toMatchObject({ lead: { email: SAM.email }, promoter: { id: 2 } });
    expect(await approve(id)).toMatchObject({ body: { failed_count: 1 } });
  });
});

it("takes no user id from others, even if the company has written it on the proposal", async () => {
  const id = await idOf(add());
  expect((await outcome(company(app, `PUT /referrals/${id}`, { uid: "u1" }))).status).toBe(200);
  const signup = { uid: "u1", email: "roe@example.net", ref_id: "kim" };
  const { body } = await app.v1("/track/signup", signup);
  expect(body).toMatchObject({ lead: { uid: "u1" }, promoter: { email: "kim@example.com" } });
  expect((await approve(id)).body).toMatchObject({ processed_count: 0, failed_count: 1 });
});

it("is one promoter's lead if two proposals and a sign-up meet", async () => {
  const ours = await idOf(add());
  const theirs = await idOf(add({ promoter_campaign_id: 2 }, kim));
  const signUp = () => app.v1("/track/signup", { email: SAM.email, ref_id: "kim" });
  await Promise.all([approve(ours), approve(theirs), signUp()]);
  const { body } = await company(app, "GET /referrals");
  const settled = (body as { state: string }[]).filter(({ state }) => state !== "pending");
  expect(settled).toMatchObject([{ email: SAM.email, state: "signup" }]);
});

describe("POST /referrals refuses", () => {
  it.each<[string, object, unknown]>([
    ["no address", { email: "" }, invalid({ email: ["can't be blank"] })],
    [
      "an address that no mail reaches",
      { email: "mia@nowhere" },
      invalid({ email: ["needs a domain such as example.com"] }),
    ],
    [
      "a script as website",
      { website: "javascript:alert(1)" },
      invalid({ website: ["is not the address of a site"] }),
    ],
  ])("%s", async (_case, given, answer) => {
    expect(await add(given)).toEqual(answer);
  });

  it("the same person twice", async () => {
    await add();
    expect(await add({ email: "SAM@example.net" })).toEqual(
      invalid({ email: ["has already been taken"] }, 400),
    );
  });

  it("what the campaign does not want, which is so unless it says otherwise", async () => {
    await company(app, "PUT /campaigns/1", { promoters_may_add_leads: false });
    expect(await add()).toEqual(notAdded("This campaign does not accept leads by hand."));
    expect((await jane.outcome("GET /promoter_campaigns")).body).toMatchObject([{ may_add_leads: false }]);
  });

  it("a promoter who waits for approval", async () => {
    await company(app, "PUT /promoter_campaigns/1", { state: "pending" });
    expect(await add()).toEqual(notAdded("The promoter campaign is pending and can't get leads"));
  });

  it("more than a hundred at once", async () => {
    for (let each = 0; each < 100; each++)
      expect((await add({ email: `p${each}@example.net` })).status).toBe(200);
    expect(await add()).toEqual(notAdded("100 of your leads wait for approval; add more later."));
  });
});

it("exports leads with masked addresses", async () => {
  await app.v1("/track/signup", { email: "pat@example.net", ref_id: "jane", sub_id: "mail" });
  await add();
  const answer = await jane.call("GET /referrals/export");
  expect(answer.headers.get("content-disposition")).toBe('attachment; filename="leads.csv"');
  expect(answer.body).toBe(
    "id,created_at,state,entry_source,email,customer_since,sub_id,campaign\r\n" +
      `2,${NOW_SECOND},pending,manual_affiliate,s***@example.net,,,Default campaign\r\n` +
      `1,${NOW_SECOND},signup,api,p***@example.net,,mail,Default campaign\r\n`,
  );
});

it("erases with a person what promoters have proposed about them", async () => {
  await app.v1("/track/signup", { email: SAM.email, ref_id: "kim" });
  await add({ first_name: "Sam", comment: "Likes sailing" });
  await add({ promoter_campaign_id: 2, first_name: "Sam" }, kim);
  await eraseLead(app, SAM.email);
  const { body } = await company(app, "GET /referrals");
  expect((body as { email: string }[]).map(({ email }) => email)).toEqual([
    "erased-1@erased.invalid",
    "erased-2@erased.invalid",
    "erased-3@erased.invalid",
  ]);
  const { body: log } = await company(app, "GET /audit_log");
  expect(JSON.stringify([body, log])).not.toMatch(/Sam|sailing|sam@/);
});

it("takes no description of a person who was erased, and can't be approved", async () => {
  const id = await idOf(add({ first_name: "Sam" }));
  await eraseLead(app, SAM.email);
  const again = { first_name: "Sam", comment: "Still likes sailing" };
  expect(await jane.outcome(`PUT /referrals/${id}`, again)).toEqual(
    refused("You can change only leads that you added and that wait for approval."),
  );
  expect((await approve(id)).body).toMatchObject({ failed_count: 1 });
  expect(await outcome(company(app, `PUT /referrals/${id}`, { username: "sam" }))).toEqual({
    status: 422,
    body: { message: "Lead was erased.", code: "operation_failed", errors: {} },
  });
  expect((await company(app, `GET /referrals/${id}`)).body).toMatchObject({
    email: `erased-${id}@erased.invalid`,
    state: "denied",
    first_name: null,
    comment: null,
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { findFaults } from "../../support/consistency.ts";
import { visitingPromoter, type PortalBrowser } from "../../support/portal.ts";
import { company, invalid, outcome, reward } from "../../support/v2.ts";

let app: TestApp;
let jane: PortalBrowser;
/** The campaign's rewards for customers. */
let offered: number[];
beforeEach(async () => {
  app = await startApp();
  const customers = { is_promoter_reward: false, duration: "once" };
  offered = [
    await reward(app, { ...customers, name: "10% off" }),
    await reward(app, { ...customers, name: "20% off" }),
  ];
  const entries = offered.map((rewardId) => ({ reward_id: rewardId }));
  await company(app, "PUT /campaigns/1", {
    promoters_may_make_promo_codes: true,
    rewards_for_referrals: entries,
  });
  jane = await visitingPromoter(app, "jane@example.com", { ref_id: "jane" });
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  expect(await findFaults(app.stored.engine)).toEqual([]);
  await app.close();
});

const CODE = { promoter_campaign_id: 1, code: "JANE10" };
const MADE = {
  id: 1,
  code: "JANE10",
  description: null,
  reward: { name: "10% off" },
  promoter_campaign_id: 1,
  is_own: true,
};
const make = (given: object = {}) => jane.outcome("POST /promo_codes", { ...CODE, ...given });
const refused = (message: string) => ({ status: 422, body: { message, code: "operation_failed" } });

describe("a promoter's own code", () => {
  it("gives one of the campaign's rewards for customers", async () => {
    expect((await jane.outcome("GET /promoter_campaigns")).body).toMatchObject([
      {
        promo_code_rewards: [
          { id: offered[0], name: "10% off" },
          { id: offered[1], name: "20% off" },
        ],
      },
    ]);
    expect(await make()).toEqual({ status: 201, body: MADE });
    const other = { code: "JANE20", reward_id: offered[1], description: "For my podcast" };
    expect(await make(other)).toEqual({
      status: 201,
      body: { ...MADE, id: 2, code: "JANE20", reward: { name: "20% off" }, description: "For my podcast" },
    });
    expect((await company(app, "GET /promo_codes/1")).body).toMatchObject({
      code: "JANE10",
      archived_at: null,
    });
    const sale = { email: "sam@example.net", event_id: "s", amount: "100", promo_code: "jane10" };
    expect((await app.v1("/track/sale", sale)).status).toBe(200);
    expect((await jane.outcome("GET /referrals")).body).toMatchObject([{ entry_source: "coupon" }]);
  });

  it("is changed and archived by the promoter, and then free again", async () => {
    await make();
    expect(await jane.outcome("PUT /promo_codes/1", { code: "JANE15", description: "Spring" })).toEqual({
      status: 200,
      body: { ...MADE, code: "JANE15", description: "Spring" },
    });
    expect((await jane.call("DELETE /promo_codes/1")).status).toBe(204);
    expect((await jane.outcome("GET /promo_codes")).body).toEqual([]);
    expect(await jane.outcome("PUT /promo_codes/1", { code: "JANE16" })).toEqual(
      refused("The code is archived."),
    );
    expect((await make({ code: "JANE15" })).status).toBe(201);
  });

  it("stands in the audit log under the promoter's name", async () => {
    await make();
    const { body } = await company(app, "GET /audit_log?filters[entity]=promo_code");
    expect(body).toEqual([
      {
        id: expect.any(Number),
        at: NOW,
        actor: { kind: "promoter", id: 1, name: "jane@example.com" },
        action: "created",
        entity: "promo_code",
        entity_id: "1",
        entity_name: "JANE10",
        before: null,
        after: {
          code: "JANE10",
          description: null,
          details: null,
          ext_id: null,
          metadata: null,
          reward_id: offered[0],
          promoter_campaign_id: 1,
          made_by_promoter_id: 1,
          created_at: NOW,
          archived_at: null,
        },
      },
    ]);
  });
});

it("leaves the company's codes alone", async () => {
  await company(app, "POST /promo_codes", { ...CODE, reward_id: offered[0] });
  expect((await jane.outcome("GET /promo_codes")).body).toEqual([{ ...MADE, is_own: false }]);
  const message = "Only the company can change this code.";
  expect(await jane.outcome("PUT /promo_codes/1", { code: "MINE" })).toEqual(refused(message));
  expect(await jane.outcome("DELETE /promo_codes/1")).toEqual(refused(message));
  expect((await company(app, "GET /promo_codes/1")).body).toMatchObject({
    code: "JANE10",
    archived_at: null,
  });
});

describe("POST /promo_codes refuses", () => {
  it.each<[string, object, unknown]>([
    ["no code", { code: "" }, invalid({ code: ["can't be blank"] })],
    [
      "a code with blanks",
      { code: "JANE 10" },
      invalid({ code: ["must have at least 3 letters, digits, - or _"] }),
    ],
    ["a short code", { code: "J1" }, invalid({ code: ["must have at least 3 letters, digits, - or _"] })],
    [
      "a reward that the campaign does not give",
      { reward_id: 99 },
      invalid({ reward_id: ["must be one of 1, 2"] }),
    ],
  ])("%s", async (_case, given, answer) => {
    expect(await make(given)).toEqual(answer);
  });

  it("a code that is taken", async () => {
    await make();
    expect(await make({ code: "jane10" })).toEqual(invalid({ code: ["has already been taken"] }, 400));
  });

  const closed = refused("You can't make codes for this campaign.");
  it.each<[string, string, object]>([
    ["what the campaign does not want", "PUT /campaigns/1", { promoters_may_make_promo_codes: false }],
    ["a campaign that gives customers nothing", "PUT /campaigns/1", { rewards_for_referrals: [] }],
    ["a promoter who waits for approval", "PUT /promoter_campaigns/1", { state: "pending" }],
  ])("%s", async (_case, request, body) => {
    await company(app, request, body);
    expect(await make()).toEqual(closed);
    expect((await jane.outcome("GET /promoter_campaigns")).body).toMatchObject([{ promo_code_rewards: [] }]);
  });

  it("more than fifty in use", async () => {
    for (let each = 0; each < 50; each++) expect((await make({ code: `JANE-${each}` })).status).toBe(201);
    expect(await make()).toEqual(refused("You have 50 codes; archive one first."));
    await jane.call("DELETE /promo_codes/1");
    expect((await make()).status).toBe(201);
  });
});

it("keeps a promoter's codes in use when the campaign changes its mind, but lets nobody change them", async () => {
  await make();
  await company(app, "PUT /campaigns/1", { promoters_may_make_promo_codes: false });
  expect((await jane.outcome("PUT /promo_codes/1", { code: "OTHER" })).status).toBe(422);
  expect((await jane.outcome("GET /promo_codes")).body).toEqual([MADE]);
  expect((await jane.call("DELETE /promo_codes/1")).status).toBe(204);
  expect(await outcome(company(app, "GET /promo_codes/1"))).toMatchObject({ body: { code: "JANE10" } });
});

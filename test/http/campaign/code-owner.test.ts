import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { visitingPromoter, type PortalBrowser } from "../../support/portal.ts";
import { racesAtEachStep } from "../../support/race.ts";
import { company, invalid, outcome, reward } from "../../support/v2.ts";

let app: TestApp;
/** Jane makes codes. Her promoter campaign is the first. */
let jane: PortalBrowser;
beforeEach(async () => {
  app = await startApp("memory");
  jane = await begin(app);
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

/** A campaign that lets its promoters make codes, with Jane and Bob. */
async function begin(on: TestApp): Promise<PortalBrowser> {
  const given = await reward(on, { is_promoter_reward: false, name: "10% off" });
  await company(on, "PUT /campaigns/1", {
    promoters_may_make_promo_codes: true,
    rewards_for_referrals: [{ reward_id: given }],
  });
  const browser = await visitingPromoter(on, "jane@example.com", { ref_id: "jane" });
  await on.v1("/promoters/create", { email: "bob@example.com", ref_id: "bob" });
  return browser;
}

const BOB = { coupon: "bCoup", display_coupon: "Bob10" };
const WELCOME = {
  is_promoter_reward: false,
  name: "Welcome",
  duration: "once",
  schemas: [{ unit: "cash", amount: 10, flat_amount: false }],
};
const taken = (field: string) => invalid({ [field]: ["has already been taken"] }, 400);
const make = (code: string) => jane.outcome("POST /promo_codes", { promoter_campaign_id: 1, code });
const change = (body: object, id = 2) => outcome(company(app, `PUT /promoter_campaigns/${id}`, body));
/** The promoter who gets the lead of a sale with this code. null: no one. */
const sell = async (promo_code: string) => {
  const email = `${promo_code}@example.net`;
  const { status, body } = await app.v1("/track/sale", { email, event_id: email, amount: "100", promo_code });
  return status === 200 ? (body as { promoter: { id: number } }).promoter.id : null;
};
const find = async (code: string) =>
  ((await company(app, `GET /promoters/${code}?find_by=promo_code`)).body as { id?: number }).id ?? null;

describe("a promoter's own code can't be", () => {
  it.each([
    ["another's coupon", "bCoup"],
    ["another's coupon in lower case", "bcoup"],
    ["another's coupon in upper case", "BCOUP"],
    ["another's coupon in mixed case", "BCoup"],
    ["the code that another's customers type", "Bob10"],
    ["the code that another's customers type in lower case", "bob10"],
  ])("%s", async (_, code) => {
    await change(BOB);
    expect((await make("JANE10")).status).toBe(201);
    expect(await make(code)).toEqual(taken("code"));
    expect(await jane.outcome("PUT /promo_codes/1", { code })).toEqual(taken("code"));
    expect((await jane.outcome("GET /promo_codes")).body).toMatchObject([{ code: "JANE10" }]);
  });

  it("the coupon of a reward", async () => {
    await reward(app, { is_promoter_reward: false, name: "Welcome", coupon: "Welcome10" });
    expect(await make("WELCOME10")).toEqual(taken("code"));
  });
});

it("a coupon that was given up is free again", async () => {
  await change(BOB);
  await change({ coupon: null, display_coupon: null });
  expect((await make("BCOUP")).status).toBe(201);
});

it("leads sales with another's coupon to that promoter, and finds the same one", async () => {
  await change(BOB);
  await make("bob10");
  await make("bCoup");
  expect([await sell("bob10"), await sell("bCoup")]).toEqual([2, 2]);
  expect([await find("bob10"), await find("bCoup")]).toEqual([2, 2]);
});

describe("the company", () => {
  it.each([["coupon"], ["display_coupon"]])(
    "can't give a promoter a %s that another promoter made",
    async (field) => {
      await make("JANE10");
      expect(await change({ [field]: "jane10" })).toEqual(taken(field));
      expect((await change({ [field]: "jane10" }, 1)).status).toBe(200);
      expect([await sell("jane10"), await find("jane10")]).toEqual([1, 1]);
    },
  );

  it("can't give a new promoter a code that another promoter made", async () => {
    await make("JANE10");
    const codes = { promo_code: "Jane10", customer_promo_code: "jane10" };
    const { status, body } = await app.v1("/promoters/create", { email: "zoe@example.com", ...codes });
    const fault = ["has already been taken"];
    expect({ status, body }).toEqual({
      status: 422,
      body: {
        promo_code: fault,
        customer_promo_code: fault,
        promotions: [{ promo_code: fault }, { customer_promo_code: fault }],
        message: expect.stringMatching(/^Validation failed: /),
      },
    });
  });

  it("can't give a reward a coupon that a promoter made", async () => {
    await make("JANE10");
    const create = (coupon: string) => outcome(app.v2("POST", "/rewards", { ...WELCOME, coupon }));
    expect(await create("Jane10")).toEqual(taken("coupon"));
    expect(await create("WELCOME")).toMatchObject({ status: 200, body: { id: 3, coupon: "WELCOME" } });
    const update = (body: object) => outcome(app.v2("PUT", "/rewards/3", body));
    expect(await update({ coupon: "jane10" })).toEqual(taken("coupon"));
    expect(await update({ name: "Hello" })).toMatchObject({ body: { name: "Hello", coupon: "WELCOME" } });
  });

  it("can't give two promoters the same coupon in different letter cases", async () => {
    expect((await change({ coupon: "SAVE10" })).status).toBe(200);
    expect(await change({ coupon: "Save10" }, 1)).toEqual(taken("coupon"));
    expect((await change({ coupon: "save10" })).status).toBe(200);
    expect([await sell("save10"), await find("save10")]).toEqual([2, 2]);
    expect((await change({ coupon: null })).status).toBe(200);
    expect((await change({ coupon: "Save10" }, 1)).status).toBe(200);
  });

  it("may give its own promo code to a promoter as a coupon", async () => {
    await company(app, "POST /promo_codes", { code: "GIFT", reward_id: 1, promoter_campaign_id: 1 });
    expect((await change({ coupon: "GIFT" })).status).toBe(200);
    expect([await sell("gift"), await find("gift")]).toEqual([1, 1]);
  });
});

it("prefers the coupon in a store where a promoter has made the same code before", async () => {
  await make("JANE10");
  await app.records.change("promoterCampaign", 2, { display_coupon: "jane10" });
  expect([await sell("jane10"), await find("jane10")]).toEqual([2, 2]);
  const description = "For my podcast";
  expect((await jane.outcome("PUT /promo_codes/1", { code: "Jane10", description })).status).toBe(200);
});

describe("two want a code at once:", () => {
  const own = (browser: PortalBrowser) => () =>
    browser.call("POST /promo_codes", { promoter_campaign_id: 1, code: "SAVE10" });

  it.each([
    ["coupon", "SAVE10"],
    ["coupon", "save10"],
    ["display_coupon", "save10"],
  ])("only one promoter gets it (%s %s)", async (field, given) => {
    const races = await racesAtEachStep(async (raced) => {
      const browser = await begin(raced);
      return {
        call: own(browser),
        meanwhile: () => company(raced, "PUT /promoter_campaigns/2", { [field]: given }),
        look: async () => {
          const { body } = await company(raced, "GET /promoter_campaigns?ids=2");
          return (body as Record<string, unknown>[])[0]?.[field];
        },
      };
    });
    const outcomes = new Set(races.map(({ answer, seen }) => `${answer.status} ${seen}`));
    expect(outcomes).toEqual(new Set([`400 ${given}`, "201 null"]));
  });

  it("a promoter or a reward gets it", async () => {
    const races = await racesAtEachStep(async (raced) => {
      const browser = await begin(raced);
      return {
        call: own(browser),
        meanwhile: () => raced.v2("POST", "/rewards", { ...WELCOME, coupon: "save10" }),
        look: async () => (await company(raced, "GET /rewards")).headers.get("total"),
      };
    });
    const outcomes = new Set(races.map(({ answer, seen }) => `${answer.status} ${seen}`));
    expect(outcomes).toEqual(new Set(["400 2", "201 1"]));
  });

  it("one of two promoters gets the coupon, whatever its letter case", async () => {
    const races = await racesAtEachStep(async (raced) => {
      await begin(raced);
      return {
        call: () => raced.v2("PUT", "/promoter_campaigns/1", { coupon: "SAVE10" }),
        meanwhile: () => raced.v2("PUT", "/promoter_campaigns/2", { coupon: "save10" }),
        look: async () => {
          const { body } = await company(raced, "GET /promoter_campaigns");
          return (body as { coupon: unknown }[]).map(({ coupon }) => coupon).join();
        },
      };
    });
    const outcomes = new Set(races.map(({ answer, seen }) => `${answer.status} ${seen}`));
    expect(outcomes).toEqual(new Set(["400 ,save10", "200 SAVE10,"]));
  });
});

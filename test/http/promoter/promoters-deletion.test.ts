import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { v1 } from "../../support/calls.ts";
import { beforeCommit } from "../../support/edge.ts";
import { cashOf, makeReward, offer } from "../../support/money.ts";
import { reward, addCampaign } from "../../support/v2.ts";

/** Additions that belong to the first promoter. */

const COMINGS: [name: string, come: (app: TestApp) => Promise<unknown>][] = [
  [
    "a payout method",
    (app) => {
      const details = { wallet_email: "jane@example.com" };
      return app.v2("POST", "/payout_methods", { promoter_id: 1, method: "paypal", details });
    },
  ],
  [
    "a promo code",
    (app) => app.v2("POST", "/promo_codes", { code: "JANE20", reward_id: 1, promoter_campaign_id: 1 }),
  ],
  ["a child", (app) => app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 1, ids: [2] })],
  [
    "a new child",
    (app) => app.v1("/promoters/create", { email: "kid@example.com", parent_promoter_id: "1" }),
  ],
  ["an address", (app) => app.v1("/track/signup", { email: "a@b.example", ref_id: "jane", ip: "192.0.2.1" })],
  ["a promoter campaign", (app) => app.v1("/promoters/add_to_campaign", { id: "1", campaign_id: "2" })],
  [
    "a promoter campaign in a new campaign",
    async (app) => {
      const landingUrl = "https://3.example/";
      const { id } = await addCampaign(app, { name: "C", landing_url: landingUrl });
      await app.v1("/promoters/add_to_campaign", { id: "1", campaign_id: String(id) });
    },
  ],
];

describe.each(STORAGES)("the remains of a deleted promoter on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await addCampaign(app, { name: "B", landing_url: "https://b.example/" });
    await reward(app);
    for (const ref_id of ["jane", "bob"])
      await v1(app, "POST", "/promoters/create", { email: `${ref_id}@example.com`, ref_id });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const remove = () => v1(app, "DELETE", "/promoters/delete", { id: "1" });

  describe.each(COMINGS)("%s that is added at the same moment", (_, come) => {
    it("is deleted too if it was first", async () => {
      beforeCommit(app, () => come(app));
      expect(await remove()).toMatchObject({ status: 200 });
      expect(await remainsOf(app)).toEqual([]);
    });

    it("is refused if it was late", async () => {
      beforeCommit(app, remove);
      await come(app);
      expect(await v1(app, "GET", "/promoters/show", { id: "1" })).toMatchObject({ status: 404 });
      expect(await remainsOf(app)).toEqual([]);
    });
  });

  it("does not exist while a refund may take back what a sale has paid to the parent", async () => {
    const override = { promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_override_mode" };
    await offer(app, await makeReward(app, [{ amount: 10 }], override));
    await app.v2("POST", "/promoters/assign_parent", { parent_promoter_id: 2, ids: [1] });
    const event = { email: "lead@example.com", amount: "1000" };
    await app.v1("/track/sale", { ...event, ref_id: "jane", event_id: "inv_1" });
    expect(await cashOf(app, 2)).toEqual([100, 100, 0]);
    expect((await remove()).status).toBe(422);
    await app.v1("/track/refund", { ...event, event_id: "re_1" });
    expect(await cashOf(app, 2)).toEqual([0, 0, 0]);
  });

  describe("a lead", () => {
    const signup = (params: Record<string, string>) =>
      v1(app, "POST", "/track/signup", { email: "lead@example.com", ref_id: "bob", ...params });
    const stored = () => app.records.get("lead", 1);
    beforeEach(async () => {
      await signup({ ref_id: "jane" });
      await remove();
    });

    it("can be overridden, and keeps its promoter", async () => {
      expect(await signup({ username: "new", override_existing_lead: "true" })).toMatchObject({
        status: 200,
        body: { id: 1, lead: { id: 1, username: "new" }, promoter: { id: 2 } },
      });
      expect(await stored()).toMatchObject({ username: "new", promoter_id: 1, promoter_campaign_id: 1 });
      expect(await signup({})).toMatchObject({ status: 422 });
    });

    it("can have its first sign-up event", async () => {
      await app.records.change("lead", 1, { signup_event_id: null });
      expect(await signup({ username: "x" })).toMatchObject({ status: 200, body: { promoter: { id: 2 } } });
      expect(await stored()).toMatchObject({ username: "x", promoter_id: 1 });
    });
  });
});

/** Every stored entry that names the first promoter. */
async function remainsOf({ records }: TestApp): Promise<object[]> {
  const [addresses, joined] = [await records.all("promoterAddress"), await records.all("promoterCampaign")];
  return [
    ...(await records.all("payoutMethod")),
    ...[...addresses, ...joined].filter(({ promoter_id }) => promoter_id === 1),
    ...(await records.all("promoter")).filter(({ parent_promoter_id }) => parent_promoter_id === 1),
    ...(await records.all("promoCode")).filter(({ archived_at }) => archived_at === null),
  ];
}

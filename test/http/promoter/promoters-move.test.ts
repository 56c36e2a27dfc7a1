import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { moveToCampaign } from "../../../server/domain/people/promoter-campaign/changes.ts";
import { byId } from "../../../server/domain/people/promoter/search.ts";
import { dailySums } from "../../support/stats.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { v1, v2, type Params } from "../../support/calls.ts";
import { beforeCommit, countCommits, failCommits } from "../../support/edge.ts";
import type { RecordOf } from "../../support/records.ts";
import { addCampaign } from "../../support/v2.ts";
import { newCommission } from "../../support/commissions.ts";

const MORE_THAN_A_COMMIT = 501;

describe.each(STORAGES)("promoters who move with their leads on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await addCampaign(app, { name: "B", landing_url: "https://b.example/" });
    for (const ref_id of ["jane", "bob"])
      await v1(app, "POST", "/promoters/create", { email: `${ref_id}@example.com`, ref_id });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const signup = (email: string, ref_id = "jane") => v1(app, "POST", "/track/signup", { email, ref_id });
  const moving = (from: number, to: number, movesLeads = true) =>
    moveToCampaign(app.context, app.account_id, {
      selection: byId(1),
      fromCampaignId: from,
      toCampaignId: to,
      moves_leads: movesLeads,
    });
  const all = () => app.records.all("lead");
  const campaignsOfLeads = async () => new Set((await all()).map(({ campaign_id }) => campaign_id));
  const where = async () => (await app.records.get("promoterCampaign", 1))?.campaign_id;

  async function signUpMany(): Promise<void> {
    await signup("lead@example.com");
    const [first] = await all();
    const like = first as RecordOf<"lead">;
    const ids = Array.from({ length: MORE_THAN_A_COMMIT - 1 }, (_, at) => at + 2);
    await app.records.put("lead", ...ids.map((id) => ({ ...like, id, email: `${id}@example.com` })));
  }

  it("takes the leads' counts along", async () => {
    await signup("lead@example.com");
    await v1(app, "PUT", "/leads/update", { id: "1", state: "active" });
    await v2(app, "POST", "/promoters/move_to_campaign", {
      ids: [1],
      from_campaign_id: 1,
      to_campaign_id: 2,
      soft_move_referrals: true,
    });
    const counted = async () => {
      const daily = await dailySums(app.services.store, app.account_id, "campaign");
      const sums = daily.map(({ id, metric, sum }) => `${id} ${metric} ${sum}`);
      const { body } = await v2(app, "GET", "/campaigns");
      const customers = (body as { stats: { customers_count: number } }[]).map(
        (one) => one.stats.customers_count,
      );
      return { sums: sums.sort(), customers };
    };
    expect(await counted()).toEqual({
      sums: ["2 active_customers 1", "2 customers 1", "2 referrals 1"],
      customers: [0, 1],
    });
    await v1(app, "DELETE", "/leads/delete", { id: "1" });
    expect(await counted()).toEqual({ sums: [], customers: [0, 0] });
  });

  it("finishes an interrupted move when it is repeated", async () => {
    await signUpMany();
    const end = failCommits(app, new Error("cut short"), (at) => at > 0);
    await expect(moving(1, 2)).rejects.toThrow("cut short");
    end();
    expect([await where(), await campaignsOfLeads()]).toEqual([2, new Set([1, 2])]);
    await moving(1, 2);
    expect([await where(), await campaignsOfLeads()]).toEqual([2, new Set([2])]);
    await expect(moving(1, 2)).rejects.toThrow("Promoter is not in this campaign.");
  });

  it("moves leads that a former move left behind, but only on request", async () => {
    await signup("lead@example.com");
    await moving(1, 2, false);
    await expect(moving(1, 2, false)).rejects.toThrow("Promoter is not in this campaign.");
    await expect(moving(2, 2, false)).rejects.toThrow("Promoter is already in this campaign.");
    expect(await campaignsOfLeads()).toEqual(new Set([1]));
    await moving(2, 2);
    expect(await campaignsOfLeads()).toEqual(new Set([2]));
    await expect(moving(2, 2)).rejects.toThrow("Promoter is already in this campaign.");
  });

  it("leaves the leads with the promoter if they are moved back in between", async () => {
    await signUpMany();
    const commits = countCommits(app);
    beforeCommit(
      app,
      () => moving(2, 1),
      () => commits() === 1,
    );
    await moving(1, 2);
    expect([await where(), await campaignsOfLeads()]).toEqual([1, new Set([1])]);
  });

  describe("lists of records that they left behind", () => {
    beforeEach(async () => {
      await signup("1@example.com");
      await signup("2@example.com", "bob");
      await moving(1, 2, false);
      await signup("3@example.com");
      await v1(app, "POST", "/promoters/add_to_campaign", { id: "1", campaign_id: "1" });
      const again = await app.records.get("promoterCampaign", 3);
      await signup("4@example.com", again?.ref_token);
      await app.records.put("commission", ...(await all()).map(commissionOf));
    });

    it.each(["/leads/list", "/rewards/list"])("%s combines all filters", async (path) => {
      const list = async (params: Params) => {
        const { body, headers } = await v1(app, "GET", path, params);
        const ids = (body as { id: number }[]).map(({ id }) => id);
        expect(headers.get("total")).toBe(String(ids.length));
        return ids;
      };
      expect(await list({ promoter_id: "1", campaign_id: "1" })).toEqual([1, 4]);
      const values: Record<string, string[]> = {
        promotion_id: ["1", "2", "3"],
        ref_id: ["jane", "bob"],
        promoter_id: ["1", "2"],
        campaign_id: ["1", "2"],
      };
      const everything = await list({});
      const alone = new Map<string, number[]>();
      for (const [name, all] of Object.entries(values))
        for (const value of all) alone.set(`${name}=${value}`, await list({ [name]: value }));
      for (const params of combinations(values)) {
        const given = Object.entries(params).map(([name, value]) => alone.get(`${name}=${value}`)!);
        const common = everything.filter((id) => given.every((ids) => ids.includes(id)));
        expect(await list(params), JSON.stringify(params)).toEqual(common);
      }
    });

    it("pages through them", async () => {
      const page = (number: string) =>
        v1(app, "GET", "/leads/list", { promotion_id: "1", campaign_id: "1", per_page: "1", page: number });
      expect((await page("1")).body).toMatchObject([{ id: 1 }]);
      expect((await page("2")).body).toEqual([]);
    });
  });
});

/** Every combination of the names with one value each. */
function combinations(values: Record<string, string[]>): Params[] {
  let found: Params[] = [{}];
  for (const [name, all] of Object.entries(values)) {
    found = found.flatMap((params) => [params, ...all.map((value) => ({ ...params, [name]: value }))]);
  }
  return found;
}

function commissionOf({
  account_id,
  id,
  promoter_campaign_id,
  promoter_id,
  campaign_id,
}: RecordOf<"lead">): RecordOf<"commission"> {
  return newCommission({
    account_id,
    id,
    promoter_campaign_id,
    promoter_id,
    campaign_id,
    lead_id: id,
    status: "pending",
    amount: 100,
    created_at: NOW,
  });
}

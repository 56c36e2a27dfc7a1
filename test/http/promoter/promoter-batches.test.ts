import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { v1, v2 } from "../../support/calls.ts";
import { racesAtEachStep } from "../../support/race.ts";
import { invalid, outcome, addCampaign } from "../../support/v2.ts";

interface V2Promoter {
  archived_at: string | null;
  promoter_campaigns: { campaign_id: number; state: string; ref_token: string }[];
  parent_promoter: { id: number } | null;
}

/** A second campaign, and three promoters of the first. */
async function fill(app: TestApp): Promise<void> {
  await addCampaign(app, { name: "B", landing_url: "https://b.example/" });
  for (const name of ["jane", "ben", "kid"])
    await v1(app, "POST", "/promoters/create", { email: `${name}@example.com`, first_name: name });
}

const batchOf = (app: TestApp, name: string, body: object) => v2(app, "POST", `/promoters/${name}`, body);
const promoterOf = async (app: TestApp, id: number) =>
  (await v2(app, "GET", `/promoters/${id}?include_parent_promoter=true`)).body as V2Promoter;
const statesOf = async (app: TestApp, id: number) =>
  (await promoterOf(app, id)).promoter_campaigns.map(({ campaign_id, state }) => [campaign_id, state]);

describe.each(STORAGES)("batches of promoters on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await fill(app);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const batch = (name: string, body: object) => batchOf(app, name, body);
  const promoter = (id: number) => promoterOf(app, id);
  const states = (id: number) => statesOf(app, id);

  it.each([
    ["accept", "accepted"],
    ["reject", "rejected"],
    ["block", "blocked"],
  ])("%s sets promoter campaigns to %s, each by itself, and reports the result", async (name, state) => {
    const { status, body } = await batch(name, { campaign_id: "1", ids: [1, "2", 2, 99] });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: 1,
        status: "completed",
        total: 3,
        selected_total: 3,
        processed_count: 2,
        failed_count: 1,
        action_label: `promoter/${name}`,
        created_at: NOW,
        updated_at: NOW,
        meta: {},
        progress: 100,
        processing_errors: ["99: Promoter not found."],
      },
    });
    expect([await states(1), await states(2), await states(3)]).toEqual([
      [[1, state]],
      [[1, state]],
      [[1, "accepted"]],
    ]);
    expect((await batch(name, { campaign_id: 2, ids: 3 })).body).toMatchObject({
      processing_errors: ["3: Promoter is not in this campaign."],
    });
  });

  it("stops tracking for blocked promoters until they are accepted again", async () => {
    const signup = (email: string) => v1(app, "POST", "/track/signup", { email, ref_id: "jane" });
    await batch("block", { campaign_id: 1, ids: [1] });
    expect((await signup("a@x.example")).status).toBe(404);
    await batch("accept", { campaign_id: 1, ids: [1] });
    expect((await signup("a@x.example")).status).toBe(200);
  });

  it("archives all promoter campaigns, and restores their states", async () => {
    await batch("add_to_campaign", { campaign_id: 2, ids: [1] });
    await batch("reject", { campaign_id: 2, ids: [1] });
    expect((await batch("archive", { ids: [1] })).body).toMatchObject({ processed_count: 1 });
    app.setNow("2026-03-05T00:00:00.000Z");
    await batch("archive", { ids: [1] });
    expect((await promoter(1)).archived_at).toBe(NOW_SECOND);
    expect(await states(1)).toEqual([
      [1, "blocked"],
      [2, "blocked"],
    ]);
    expect((await batch("accept", { campaign_id: 1, ids: [1] })).body).toMatchObject({
      processing_errors: ["1: Promoter is archived."],
    });
    await batch("restore", { ids: [1, 2] });
    expect((await promoter(1)).archived_at).toBeNull();
    expect(await states(1)).toEqual([
      [1, "accepted"],
      [2, "rejected"],
    ]);
    await batch("block", { campaign_id: 1, ids: [1] });
    await batch("restore", { ids: [1] });
    expect(await states(1)).toEqual([
      [1, "blocked"],
      [2, "rejected"],
    ]);
  });

  it("keeps states that were set meanwhile on a restore", async () => {
    await batch("archive", { ids: [1] });
    await app.records.change("promoterCampaign", 1, { state: "inactive" });
    await batch("restore", { ids: [1] });
    expect(await states(1)).toEqual([[1, "inactive"]]);
  });

  it("adds promoters to a campaign, and leaves those who are in it as they are", async () => {
    await batch("add_to_campaign", { campaign_id: 2, ids: [1] });
    const { body } = await batch("add_to_campaign", { campaign_id: 2, ids: [1, 2], drip_emails: false });
    expect(body).toMatchObject({
      processed_count: 1,
      processing_errors: ["1: Promoter is already in this campaign."],
    });
    expect(await states(2)).toEqual([
      [1, "accepted"],
      [2, "accepted"],
    ]);
  });

  it.each([
    [{}, 1],
    [{ soft_move_referrals: "true" }, 2],
  ])("moves to a campaign with %o: leads belong to campaign %i", async (options, campaignId) => {
    await v1(app, "POST", "/track/signup", { email: "lead@x.example", ref_id: "jane" });
    const move = { from_campaign_id: 1, to_campaign_id: 2, ...options };
    expect((await batch("move_to_campaign", { ...move, ids: [1] })).body).toMatchObject({
      processed_count: 1,
    });
    expect(await promoter(1)).toMatchObject({
      promoter_campaigns: [{ id: 1, campaign_id: 2, ref_token: "jane" }],
    });
    expect(await app.records.get("lead", 1)).toMatchObject({ campaign_id: campaignId });
    expect((await batch("move_to_campaign", { ...move, ids: [1] })).body).toMatchObject({
      processing_errors: ["1: Promoter is not in this campaign."],
    });
  });

  it("assigns a parent, and refuses every circle", async () => {
    const assign = async (parent_promoter_id: number, ids: number[]) =>
      (await batch("assign_parent", { parent_promoter_id, ids })).body as { processing_errors: string[] };
    expect((await assign(1, [2])).processing_errors).toEqual([]);
    expect((await assign(2, [3])).processing_errors).toEqual([]);
    expect(await promoter(3)).toMatchObject({ parent_promoter: { id: 2 } });
    const circle = "The parent is the promoter, or is below them.";
    expect((await assign(3, [1, 3])).processing_errors).toEqual([`1: ${circle}`, `3: ${circle}`]);
    expect((await promoter(1)).parent_promoter).toBeNull();
  });

  it.each<[string, object, Record<string, string[]>]>([
    ["accept", { ids: [1] }, { campaign_id: ["can't be blank"] }],
    ["reject", { campaign_id: 1 }, { ids: ["can't be blank"] }],
    ["block", { campaign_id: 1, ids: [] }, { ids: ["can't be blank"] }],
    ["archive", {}, { ids: ["can't be blank"] }],
    ["restore", { ids: ["x"] }, { ids: ["is invalid"] }],
    ["add_to_campaign", { ids: [1], campaign_id: "x" }, { campaign_id: ["is invalid"] }],
    ["move_to_campaign", { ids: [1], to_campaign_id: 2 }, { from_campaign_id: ["can't be blank"] }],
    ["assign_parent", { ids: [1] }, { parent_promoter_id: ["can't be blank"] }],
  ])("%s refuses %o with 422", async (name, body, errors) => {
    expect(await outcome(batch(name, body))).toEqual(invalid(errors));
  });

  it.each([
    ["accept", { ids: [1], campaign_id: 99 }, "Campaign not found."],
    ["add_to_campaign", { ids: [1], campaign_id: 99 }, "Campaign not found."],
    ["move_to_campaign", { ids: [1], from_campaign_id: 1, to_campaign_id: 99 }, "Campaign not found."],
    ["assign_parent", { ids: [1], parent_promoter_id: 99 }, "Parent promoter not found."],
  ])("%s answers 404 to %o", async (name, body, message) => {
    const answer = await batch(name, body);
    expect([answer.status, answer.body]).toEqual([404, { message, code: "not_found" }]);
  });

  describe("GET /batch_processes", () => {
    beforeEach(async () => {
      await batch("archive", { ids: [1, 99] });
      await batch("restore", { ids: [1] });
    });
    const labels = async (query: string) => {
      const { body } = await v2(app, "GET", `/batch_processes?${query}`);
      return (body as { action_label: string }[]).map(({ action_label }) => action_label);
    };

    it.each<[string, string[]]>([
      ["", ["promoter/restore", "promoter/archive"]],
      ["per_page=1&page=2", ["promoter/archive"]],
      ["page=9", []],
      ["filters[status]=completed", ["promoter/restore", "promoter/archive"]],
      [
        "filters%5Bstatus%5D%5B%5D=failed&filters%5Bstatus%5D%5B%5D=completed",
        ["promoter/restore", "promoter/archive"],
      ],
      ["filters[status]=in_progress", []],
    ])("lists the newest first with %j", async (query, expected) => {
      expect(await labels(query)).toEqual(expected);
    });

    it("reports how many there are", async () => {
      const { headers } = await v2(app, "GET", "/batch_processes?per_page=1");
      expect([headers.get("total"), headers.get("link")]).toEqual([
        "2",
        expect.stringContaining('rel="next"'),
      ]);
    });

    it("refuses an unknown status", async () => {
      const fault = "is not one of pending, in_progress, completed, failed, stopped";
      expect(await outcome(v2(app, "GET", "/batch_processes?filters[status]=x"))).toEqual(
        invalid({ "filters[status]": [fault] }),
      );
    });

    it("shows one batch, and the progress of all", async () => {
      expect((await v2(app, "GET", "/batch_processes/1")).body).toMatchObject({
        id: 1,
        processing_errors: ["99: Promoter not found."],
      });
      expect((await v2(app, "GET", "/batch_processes/progress")).body).toEqual({ 1: 100, 2: 100 });
      expect((await v2(app, "GET", "/batch_processes/progress?filters[status]=pending")).body).toEqual({});
      const { status, body } = await v2(app, "GET", "/batch_processes/99");
      expect([status, body]).toEqual([404, { message: "Batch process not found.", code: "not_found" }]);
    });
  });
});

it("archives a promoter campaign that is added at the same moment", async () => {
  const races = await racesAtEachStep(async (app) => {
    await fill(app);
    return {
      call: () => batchOf(app, "archive", { ids: [1] }),
      meanwhile: () => batchOf(app, "add_to_campaign", { campaign_id: 2, ids: [1] }),
      look: async () => (await statesOf(app, 1)).join(" and "),
    };
  });
  expect(new Set(races.map(({ seen }) => seen))).toEqual(new Set(["1,blocked", "1,blocked and 2,blocked"]));
});

it("lets two assignments at the same moment make no circle", async () => {
  const races = await racesAtEachStep(async (app) => {
    await fill(app);
    return {
      call: () => batchOf(app, "assign_parent", { parent_promoter_id: 1, ids: [2] }),
      meanwhile: () => batchOf(app, "assign_parent", { parent_promoter_id: 2, ids: [1] }),
      look: async () => {
        const promoters = [await promoterOf(app, 1), await promoterOf(app, 2)];
        return promoters.map(({ parent_promoter }) => parent_promoter?.id ?? "none").join();
      },
    };
  });
  expect(new Set(races.map(({ seen }) => seen))).toEqual(new Set(["2,none", "none,1"]));
});

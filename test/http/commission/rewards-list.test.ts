import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newCommission } from "../../support/commissions.ts";
import { listRewards } from "../../../server/v1/rewards.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { bodyOf, send } from "../../support/v1.ts";
import type { RecordOf } from "../../support/records.ts";

describe.each(STORAGES)("GET /api/v1/rewards/list on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    await app.v1("/promoters/create", { email: "bob@example.com", ref_id: "bob" });
    await app.v1("/track/signup", { email: "lead@example.com", ref_id: "jane" });
    await put({ id: 1, lead_id: 1, event_id: "inv_1", sale_amount: 5000 });
    await put({ id: 2, status: "pending", unit: "mon_discount", amount: 2, tier: 2 });
    await put({ id: 3, promoter_campaign_id: 2, promoter_id: 2, lead_id: 99, amount: -200 });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const put = (changes: Partial<RecordOf<"commission">>) =>
    app.records.put(
      "commission",
      newCommission({
        account_id: app.account_id,
        id: 1,
        promoter_campaign_id: 1,
        promoter_id: 1,
        campaign_id: 1,
        amount: 1000,
        created_at: NOW,
        ...changes,
      }),
    );
  const list = async (params: Record<string, string>) => {
    const answer = await send(app, "GET /rewards/list", params);
    return (bodyOf(answer, listRewards) as { id: number }[]).map(({ id }) => id);
  };

  it("answers complete rewards, oldest first, with the lead if there is one", async () => {
    const answer = await send(app, "GET /rewards/list");
    const shown = (await send(app, "GET /leads/show", { id: "1" })).body as Record<string, unknown>;
    const { promotion, promoter, ...lead } = shown;
    const bob = {
      promoter: expect.objectContaining({ id: 2 }),
      promotion: expect.objectContaining({ id: 2 }),
    };
    const common = { status: "approved", created_at: NOW, event_id: null, split_type: null, lead: null };
    expect(bodyOf(answer, listRewards)).toEqual([
      {
        ...common,
        id: 1,
        amount: 1000,
        unit: "cash",
        conversion_amount: 5000,
        tier_level: 1,
        event_id: "inv_1",
        lead,
        promoter,
        promotion,
      },
      {
        ...common,
        id: 2,
        status: "pending",
        amount: 2,
        unit: "discount_mon",
        conversion_amount: 0,
        tier_level: 2,
        promoter,
        promotion,
      },
      { ...common, id: 3, amount: -200, unit: "cash", conversion_amount: 0, tier_level: 1, ...bob },
    ]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({ total: "3", "per-page": "20" });
  });

  it.each([
    [{ promotion_id: "1" }, [1, 2]],
    [{ ref_id: "jane" }, [1, 2]],
    [{ promoter_id: "2" }, [3]],
    [{ campaign_id: "1" }, [1, 2, 3]],
    [{ campaign_id: "1", promoter_id: "2" }, [3]],
    [{ promoter_id: "2", ref_id: "jane" }, []],
    [{ page: "2", per_page: "2" }, [3]],
    [{ page: "3", per_page: "2" }, []],
  ])("filters and pages by %o", async (params, ids) => {
    expect(await list(params as Record<string, string>)).toEqual(ids);
  });

  it.each([
    [{ promotion_id: "9" }, { error: "Promotion not found." }],
    [{ campaign_id: "-1" }, { campaign_id: ["is invalid"] }],
  ])("refuses %o with 422", async (params, body) => {
    const answer = await send(app, "GET /rewards/list", params as Record<string, string>);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 422, body });
  });
});

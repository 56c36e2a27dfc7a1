import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listPayouts } from "../../../server/v1/payouts.ts";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { bodyOf, send } from "../../support/v1.ts";
import type { RecordOf } from "../../support/records.ts";
import { addCampaign } from "../../support/v2.ts";

describe.each(STORAGES)("GET /api/v1/payouts/list on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await addCampaign(app, { name: "Second", landing_url: "https://2.example/" });
    await app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
    await app.v1("/promoters/create", { email: "bob@example.com", ref_id: "bob" });
    await put({ id: 1, amount: 1234, total_incl_tax: 1481 });
    await put({ id: 2, status: "completed", paid_at: NOW, unit: "credits" });
    await put({ id: 3, promoter_id: 2, promoter_campaign_id: 2 });
    await put({ id: 4, promoter_id: 2, campaign_id: 2, status: "failed", error: "no account" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const put = (changes: Partial<RecordOf<"payout">>) =>
    app.records.put("payout", {
      account_id: app.account_id,
      id: 1,
      promoter_campaign_id: 1,
      promoter_id: 1,
      campaign_id: 1,
      status: "pending",
      unit: "cash",
      amount: 1000,
      tax_rate_hundredths: 0,
      total_incl_tax: 1000,
      period_start: "2026-02-01T00:00:00.000Z",
      period_end: "2026-02-28T23:59:59.999Z",
      period_end_date: (changes.period_end ?? "2026-02-28").slice(0, 10),
      due_date: "2026-03-30",
      has_own_terms: false,
      run_id: null,
      group_ref: null,
      payments_batch_id: null,
      payout_method_id: null,
      error: null,
      paid_at: null,
      processing_started_at: null,
      failed_at: null,
      created_at: NOW,
      ...changes,
    });

  it("answers whole payouts, oldest first, in integer cents", async () => {
    await app.v1("/track/signup", { uid: "u", ref_id: "jane" });
    const answer = await send(app, "GET /payouts/list");
    const body = bodyOf(answer, listPayouts) as Record<string, unknown>[];
    const { promoter } = (await send(app, "GET /leads/show", { uid: "u" })).body as Record<string, unknown>;
    const first = {
      id: 1,
      status: "pending",
      amount: 1234,
      date_paid: null,
      due_date: "2026-03-30T00:00:00.000Z",
      unit: "cash",
      created_at: NOW,
      has_issues: false,
      reward: null,
      promoter,
      campaign: {
        id: 1,
        name: "Default campaign",
        landing_url: "https://www.acme.example/",
        description: null,
        private: false,
        color: "#2563eb",
        default_webhook_url: null,
        auto_approve_rewards: true,
        auto_approve_promoters: true,
      },
    };
    expect(body.slice(0, 2)).toEqual([
      first,
      { ...first, id: 2, status: "completed", amount: 1000, date_paid: NOW, unit: "credits" },
    ]);
    expect(body[3]).toMatchObject({ id: 4, has_issues: true, promoter: { id: 2 }, campaign: { id: 2 } });
    expect(Object.fromEntries(answer.headers)).toMatchObject({ total: "4", "per-page": "20" });
  });

  it.each([
    [{}, [1, 2, 3, 4]],
    [{ promoter_id: "1" }, [1, 2]],
    [{ campaign_id: "1" }, [1, 2, 3]],
    [{ status: "pending" }, [1, 3]],
    [{ status: "pending", promoter_id: "1" }, [1]],
    [{ status: "failed", campaign_id: "2" }, [4]],
    [{ promoter_id: "2", campaign_id: "1" }, [3]],
    [{ status: "completed", promoter_id: "1", campaign_id: "1" }, [2]],
    [{ status: "cancelled" }, []],
    [{ promoter_id: "99" }, []],
  ])("filters by %o and reports how many there are", async (params, ids) => {
    const answer = await send(app, "GET /payouts/list", params as Record<string, string>);
    const body = bodyOf(answer, listPayouts) as { id: number }[];
    expect(body.map(({ id }) => id)).toEqual(ids);
    expect(answer.headers.get("total")).toBe(String(ids.length));
  });

  it("pages, and is empty past the end", async () => {
    const idsOf = async (page: string) => {
      const { body } = await send(app, "GET /payouts/list", { page, per_page: "3" });
      return (body as { id: number }[]).map(({ id }) => id);
    };
    expect([await idsOf("1"), await idsOf("2"), await idsOf("3")]).toEqual([[1, 2, 3], [4], []]);
  });

  it("follows a payout from one status to the next", async () => {
    await put({ id: 1, status: "completed" });
    const { body, headers } = await send(app, "GET /payouts/list", { status: "completed", promoter_id: "1" });
    expect([headers.get("total"), (body as unknown[]).length]).toEqual(["2", 2]);
  });

  it.each([
    [{ status: "open" }, { status: ["is not one of pending, completed, failed, processing, cancelled"] }],
    [{ promoter_id: "0" }, { promoter_id: ["is invalid"] }],
  ])("refuses %o with 422", async (params, body) => {
    const answer = await send(app, "GET /payouts/list", params as Record<string, string>);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 422, body });
  });
});

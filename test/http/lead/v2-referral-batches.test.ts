import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { addPayout } from "../../support/payouts.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";
import { newCommission } from "../../support/commissions.ts";

const BATCH = {
  id: 1,
  status: "completed",
  total: 1,
  selected_total: 1,
  processed_count: 1,
  failed_count: 0,
  action_label: "",
  created_at: NOW,
  updated_at: NOW,
  meta: {},
  progress: 100,
  processing_errors: [],
};
const GONE = "99: Lead not found.";

describe.each(STORAGES)("batches of V2 referrals on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await join(app, "jane@example.com", { ref_id: "jane" });
    await join(app, "bob@example.com", { ref_id: "bob" });
    await app.v1("/track/signup", { email: "sam@example.com", ref_id: "jane" });
    await app.v1("/track/signup", { email: "lea@example.com", ref_id: "jane" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const stored = async (id = 1) => (await app.records.get("lead", id))!;
  const change = (over: Partial<RecordOf<"lead">>, id = 1) => app.records.change("lead", id, over);
  const finished = (action: string, over: object = {}) => ({
    status: 200,
    body: { ...BATCH, action_label: `referral/${action}`, ...over },
  });
  const failed = (errors: string[]) => ({
    processed_count: 0,
    failed_count: errors.length,
    processing_errors: errors,
  });

  it.each([
    "DELETE /referrals",
    ...["approve", "disable", "enable"].map((name) => `POST /referrals/${name}`),
  ])("%s needs ids", async (request) => {
    expect(await call(request, {})).toEqual(invalid({ ids: ["can't be blank"] }));
    expect(await call(request, { ids: ["x"] })).toEqual(invalid({ ids: ["is invalid"] }));
  });

  it("deletes referrals", async () => {
    const errors = { total: 3, selected_total: 3, processed_count: 2, failed_count: 1 };
    expect(await call("DELETE /referrals", { ids: [1, 99, 2, 1] })).toEqual(
      finished("destroy", { ...errors, processing_errors: [GONE] }),
    );
    expect(await call("GET /referrals")).toEqual({ status: 200, body: [] });
  });

  it.each<[string, Partial<RecordOf<"lead">>]>([
    ["signup", { state: "signup" }],
    ["signup", { state: "subscribed" }],
    ["active", { state: "active", customer_since: NOW, sales_count: 1 }],
    ["cancelled", { state: "cancelled", customer_since: NOW, cancelled_at: NOW, sales_count: 1 }],
    ["refunded", { state: "refunded", customer_since: NOW, sales_count: 2, refunded_sales_count: 2 }],
    ["active", { state: "active", customer_since: NOW, sales_count: 2, refunded_sales_count: 1 }],
  ])("disables a referral, and enables it as %s", async (state, before) => {
    await change(before);
    const lead = await stored();
    expect(await call("POST /referrals/disable", { ids: [1] })).toEqual(finished("disable"));
    const customerHistory = expect.any(Array);
    expect(await stored()).toEqual({ ...lead, state: "denied", customer_history: customerHistory });
    expect((await call("POST /referrals/disable", { ids: [1] })).body).toMatchObject({ failed_count: 0 });
    expect(await call("POST /referrals/enable", { ids: [1] })).toEqual(finished("enable", { id: 3 }));
    expect(await stored()).toEqual({ ...lead, state, customer_history: customerHistory });
  });

  it("lists all referrals that are not disabled", async () => {
    await call("POST /referrals/disable", { ids: [1] });
    const { body } = await call("GET /referrals?filters[state]=not_denied");
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual([2]);
  });

  it("enables no referral that is not disabled", async () => {
    await change({ state: "subscribed" });
    expect(await call("POST /referrals/enable", { ids: [1] })).toEqual(finished("enable"));
    expect(await stored()).toMatchObject({ state: "subscribed" });
    expect(await call("POST /referrals/enable", { ids: [99] })).toEqual(
      finished("enable", { id: 2, ...failed([GONE]) }),
    );
  });

  it("approves only pending referrals", async () => {
    await change({ state: "pending" });
    await change({ state: "denied" }, 2);
    expect(await call("POST /referrals/approve", { ids: [1] })).toEqual(finished("approve"));
    expect(await stored()).toMatchObject({ state: "signup" });
    expect(await call("POST /referrals/approve", { ids: [2] })).toEqual(
      finished("approve", { id: 2, ...failed(["2: The lead is disabled; enable it first"]) }),
    );
    await change({ state: "active", customer_since: NOW });
    await call("POST /referrals/approve", { ids: [1] });
    expect(await stored()).toMatchObject({ state: "active" });
  });

  describe("POST /referrals/move_to_promoter", () => {
    const commission = (id: number, over: Partial<RecordOf<"commission">> = {}) => {
      const owner = { promoter_campaign_id: 1, promoter_id: 1, campaign_id: 1, lead_id: 1 };
      return newCommission({
        account_id: app.account_id,
        id,
        ...owner,
        amount: 100,
        created_at: NOW,
        ...over,
      });
    };
    const keep = (...records: RecordOf<"commission">[]) => app.records.put("commission", ...records);
    const payout = async (over: Parameters<typeof addPayout>[2]) =>
      (await addPayout(app.context, (await app.records.get("promoter", 1))!, over)).id;
    const owners = async () => {
      const records = await app.records.all("commission");
      return records.map(({ promoter_id, promoter_campaign_id }) => [promoter_id, promoter_campaign_id]);
    };
    const move = (over: object = {}) =>
      call("POST /referrals/move_to_promoter", { ids: [1, 2], promoter_campaign_id: 2, ...over });

    it.each([[{}], [{ move_associated_commissions: "False" }]])(
      "moves referrals, but no commissions, by %j",
      async (over) => {
        await keep(commission(1));
        const counts = { total: 2, selected_total: 2, processed_count: 2 };
        expect(await move(over)).toEqual(finished("move_to_promoter", counts));
        const { body } = await call("GET /referrals?filters[promoter_id]=2");
        expect((body as { id: number }[]).map(({ id }) => id)).toEqual([1, 2]);
        expect(await owners()).toEqual([[1, 1]]);
        expect((await move(over)).body).toMatchObject({ processed_count: 2 });
      },
    );

    it("moves unpaid commissions of the promoter if asked", async () => {
      const pending = await payout({ amount: 300 });
      const completed = await payout({ amount: 100, status: "completed" });
      const processing = await payout({ amount: 100, status: "processing" });
      await keep(
        commission(1),
        commission(2, { status: "pending" }),
        commission(3, { is_paid_elsewhere: true }),
        commission(4, { payout_id: completed }),
        commission(5, { payout_id: processing }),
        commission(6, { payout_id: pending }),
        // The rest of the pending payout is another lead's.
        commission(7, { payout_id: pending, amount: 200, lead_id: 2 }),
        // A parent's commission.
        commission(8, { promoter_id: 3, promoter_campaign_id: 3 }),
      );
      await move({ ids: [1], move_associated_commissions: "True" });
      const [jane, bob] = [
        [1, 1],
        [2, 2],
      ];
      expect(await owners()).toEqual([bob, bob, jane, jane, jane, bob, jane, [3, 3]]);
      expect(await app.records.get("commission", 6)).toMatchObject({ payout_id: null });
      expect(await app.records.get("payout", pending)).toMatchObject({ amount: 200 });
    });

    it("keeps a commission that was paid together with those that take it back", async () => {
      await keep(
        commission(1, { is_paid_elsewhere: true, taken_back_by_ids: [2] }),
        commission(2, { amount: -100, takes_back_id: 1 }),
        commission(3, { taken_back_by_ids: [4] }),
        commission(4, { amount: -50, takes_back_id: 3 }),
      );
      await move({ move_associated_commissions: true });
      expect(await owners()).toEqual([
        [1, 1],
        [1, 1],
        [2, 2],
        [2, 2],
      ]);
    });

    it.each([
      [{ promoter_campaign_id: "" }, invalid({ promoter_campaign_id: ["can't be blank"] })],
      [{ move_associated_commissions: "perhaps" }, invalid({ move_associated_commissions: ["is invalid"] })],
      [
        { promoter_campaign_id: 99 },
        { status: 404, body: { message: "Promotion not found.", code: "not_found" } },
      ],
      [
        { promoter_campaign_id: 2 },
        {
          status: 422,
          body: {
            message: "The promoter campaign is rejected and can't get leads",
            code: "operation_failed",
          },
        },
      ],
    ])("answers %j with %j", async (over, answer) => {
      await call("PUT /promoter_campaigns/2", { state: "rejected" });
      expect(await move(over)).toEqual(answer);
      expect((await call("GET /batch_processes")).body).toEqual([]);
    });

    it("sends events of both", async () => {
      await call("POST /webhooks", {
        url: "https://acme.example/hook",
        event_types: ["referral.moved", "commission.updated"],
      });
      await keep(commission(1));
      await move({ ids: [1], move_associated_commissions: true });
      const told = await app.records.all("fact");
      expect(told.map(({ entity, entity_id }) => `${entity} ${entity_id}`)).toEqual([
        "commission 1",
        "referral 1",
      ]);
    });
  });
});

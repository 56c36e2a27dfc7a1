import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEY, NOW, startApp, type TestApp } from "../../support/app.ts";
import {
  addCommission,
  addPromoter,
  changeAccount,
  commissionIdsOf,
  runPayouts,
  month,
} from "../../support/payouts.ts";
import { company, invalid, outcome, addCampaign } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";
import { balancesOf } from "../../support/money.ts";

let app: TestApp;
let account: RecordOf<"account">;
let jane: RecordOf<"promoter">;
beforeEach(async () => {
  app = await startApp();
  account = await changeAccount(app.context, app.account_id, { min_payment_cents: 100_000 });
  jane = await addPromoter(app.context, account, { email: "jane@example.com", tax_rate_hundredths: 1_900 });
});
afterEach(() => app.close());

const made = () => app.records.all("payout");
const form = (path: string, params: Record<string, string>) => outcome(app.v1(path, params));

describe("payouts of chosen commissions", () => {
  const generate = (ids: unknown) => outcome(company(app, "POST /commissions/generate_payouts", { ids }));

  it("are made for each promoter, campaign and unit, even below the minimum", async () => {
    const joe = await addPromoter(app.context, account, { email: "joe@example.com" });
    const other = await addCampaign(app, { name: "Other" });
    for (const promoter of [jane, joe]) await addCommission(app.context, promoter);
    await addCommission(app.context, jane, { amount: -1, created_at: "2026-01-03T00:00:00.000Z" });
    await addCommission(app.context, jane, { campaign_id: other.id });
    await addCommission(app.context, jane, { amount: 5_000 });
    expect(await generate([1, 2, 3, 4])).toEqual({
      status: 200,
      body: {
        id: 1,
        status: "completed",
        total: 4,
        selected_total: 4,
        processed_count: 4,
        failed_count: 0,
        action_label: "commission/generate_payouts",
        created_at: NOW,
        updated_at: NOW,
        meta: {},
        progress: 100,
        processing_errors: [],
      },
    });
    const terms = {
      status: "pending",
      run_id: null,
      has_own_terms: true,
      period_end: NOW,
      due_date: "2026-04-03",
    };
    const rows = await made();
    expect(rows).toMatchObject([
      { ...terms, amount: 999, total_incl_tax: 1_189, period_start: "2026-01-03T00:00:00.000Z" },
      { ...terms, amount: 1_000, promoter_id: joe.id, period_start: "2026-01-15T12:00:00.000Z" },
      { ...terms, amount: 1_000, campaign_id: other.id },
    ]);
    expect(new Set(rows.map(({ group_ref }) => group_ref)).size).toBe(1);
    expect(await commissionIdsOf(app.context, rows[0]!)).toEqual([1, 3]);
    const custom = await app.v2("GET", "/payouts?filters[due_period]=custom");
    expect((custom.body as unknown[]).length).toBe(3);
  });

  it("leave out those whose promoter is gone, and pay the others", async () => {
    const gone = await addPromoter(app.context, account, { email: "gone@example.com" });
    for (const promoter of [gone, jane]) await addCommission(app.context, promoter);
    await app.records.remove("promoter", gone.id);
    expect(await generate([1, 2])).toMatchObject({
      status: 200,
      body: { failed_count: 1, processing_errors: ["1: Promoter not found."] },
    });
    expect((await made()).map(({ promoter_id }) => promoter_id)).toEqual([jane.id]);
  });

  it("leave out commissions that can't be paid, and say why", async () => {
    await addCommission(app.context, jane, { status: "pending" });
    await addCommission(app.context, jane, { status: "denied" });
    await addCommission(app.context, jane, { is_paid_elsewhere: true });
    await addCommission(app.context, jane);
    await addCommission(app.context, jane, { amount: -2_000 });
    await addCommission(app.context, jane, { amount: 10 });
    await generate([4]);
    const { body } = await generate(["1", 2, 3, 4, 5, 99, 6]);
    expect(body).toMatchObject({
      processed_count: 0,
      failed_count: 7,
      processing_errors: [
        "1: A pending commission can't be paid",
        "2: A denied commission can't be paid",
        "3: Another program has paid it",
        "4: It belongs to payout 1",
        "5: There is nothing to pay: the sum is not above zero",
        "99: Commission not found.",
        "6: There is nothing to pay: the sum is not above zero",
      ],
    });
    expect(await made()).toHaveLength(1);
  });

  it.each([[undefined], [[]], ["x"]])("are refused for the ids %j", async (ids) => {
    const faults = { ids: [ids === "x" ? "is invalid" : "can't be blank"] };
    expect(await outcome(app.v2("POST", "/commissions/generate_payouts", { ids }))).toEqual(invalid(faults));
  });
});

describe("V1's payouts/create", () => {
  it("pays everything of the promoter's campaign, and answers the payout", async () => {
    await addCommission(app.context, jane, { created_at: "2024-01-15T12:00:00.000Z" });
    await addCommission(app.context, jane, { amount: 500, created_at: NOW });
    const { status, body } = await form("/payouts/create", { promoter_email: "JANE@example.com" });
    const list = await app.request("/api/v1/payouts/list", { headers: { "x-api-key": KEY } });
    const [{ promoter }] = (await list.json()) as [{ promoter: unknown }];
    expect(promoter).toMatchObject({ id: 1, email: "jane@example.com", current_balance: { cash: 1_500 } });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: 1,
        status: "pending",
        amount: 1_500,
        date_paid: null,
        due_date: "2026-04-03T00:00:00.000Z",
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
          auto_approve_rewards: expect.any(Boolean),
          auto_approve_promoters: true,
        },
      },
    });
  });

  it("makes it with the requested status", async () => {
    await addCommission(app.context, jane);
    const { body } = await form("/payouts/create", { promoter_id: String(jane.id), status: "completed" });
    expect(body).toMatchObject({
      status: "completed",
      date_paid: NOW,
      promoter: { current_balance: { cash: 0 }, paid_balance: { cash: 1_000 } },
    });
    const units = await balancesOf(app, jane.id);
    expect(units).toEqual({ cash: { earnings: 1_000, current: 0, paid: 1_000 } });
  });

  it("pays for another campaign if one is named", async () => {
    const other = await addCampaign(app, { name: "Other" });
    await addCommission(app.context, jane);
    await addCommission(app.context, jane, { campaign_id: other.id, amount: 30 });
    const params = { promoter_id: String(jane.id), campaign_id: String(other.id) };
    expect((await form("/payouts/create", params)).body).toMatchObject({
      amount: 30,
      campaign: { name: "Other" },
    });
  });

  it("pays once, however often it is called at once", async () => {
    await addCommission(app.context, jane);
    const params = { promoter_id: String(jane.id) };
    const answers = await Promise.all([1, 2, 3].map(() => form("/payouts/create", params)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422]);
    expect(await made()).toHaveLength(1);
  });

  it.each([
    [{}, 422, { error: "You need to pass either promoter_email or promoter_id." }],
    [{ promoter_id: "77" }, 404, { error: "Promoter not found." }],
    [{ promoter_email: "who@example.com" }, 404, { error: "Promoter not found." }],
    [{ promoter_id: "1" }, 422, { error: "There is nothing to pay: the sum is not above zero" }],
    [{ promoter_id: "1", campaign_id: "x" }, 422, { campaign_id: ["is invalid"] }],
    [
      { promoter_id: "1", status: "failed" },
      422,
      { status: ["is not one of pending, processing, completed"] },
    ],
  ])("refuses %j", async (params, status, body) => {
    expect(await form("/payouts/create", params)).toEqual({ status, body });
  });
});

describe("V1's payouts/update", () => {
  it("sets the status, and does nothing if it is the same or missing", async () => {
    await addCommission(app.context, jane);
    await form("/payouts/create", { promoter_id: "1" });
    for (const status of ["processing", "completed", "completed"]) {
      const { body } = await form("/payouts/update", { id: "1", status });
      expect(body).toMatchObject({ id: 1, status, date_paid: status === "completed" ? NOW : null });
    }
    expect((await form("/payouts/update", { id: "1" })).body).toMatchObject({ status: "completed" });
    expect((await form("/payouts/update", { id: "1", status: "pending" })).body).toMatchObject({
      status: "pending",
      date_paid: null,
    });
  });

  it("refuses a move that the rules forbid", async () => {
    await addCommission(app.context, jane);
    await form("/payouts/create", { promoter_id: "1", status: "completed" });
    expect(await form("/payouts/update", { id: "1", status: "processing" })).toEqual({
      status: 422,
      body: { error: "A completed payout can't become processing" },
    });
  });

  it.each([
    [{ status: "completed" }, 422, { error: "You need to find the payout by id." }],
    [{ id: "9", status: "completed" }, 404, { error: "Payment not found" }],
    [{ id: "x" }, 404, { error: "Payment not found" }],
    [{ id: "9", status: "no" }, 422, { status: ["is not one of pending, processing, completed"] }],
  ])("refuses %j", async (params, status, body) => {
    expect(await form("/payouts/update", params)).toEqual({ status, body });
  });
});

describe("a commission of another unit than money", () => {
  const earn = (amount: number, unit = "credits") =>
    app.v1("/rewards/create", { promotion_id: "1", reward_type: unit, amount: String(amount) });

  it("gets a payout of its own when it is approved, and leaves it when it is denied", async () => {
    await earn(3);
    await earn(4);
    const terms = {
      unit: "credits",
      status: "pending",
      tax_rate_hundredths: 0,
      has_own_terms: true,
      run_id: null,
    };
    expect(await made()).toMatchObject([
      { ...terms, amount: 3, total_incl_tax: 3 },
      { ...terms, amount: 4, total_incl_tax: 4 },
    ]);
    await app.v1("/rewards/update", { id: "2", status: "denied" });
    expect(await made()).toMatchObject([{ amount: 3 }]);
    await app.v1("/rewards/update", { id: "2", status: "approved" });
    expect(await made()).toMatchObject([{ amount: 3 }, { amount: 4 }]);
  });

  it("waits for the run if refunds have taken back more than there is", async () => {
    const owed = { unit: "points", created_at: "2026-01-15T12:00:00.000Z" } as const;
    await addCommission(app.context, jane, { ...owed, amount: -5 });
    await earn(3, "points");
    expect(await made()).toEqual([]);
    await earn(4, "points");
    await earn(9, "credits");
    expect(await made()).toMatchObject([{ unit: "credits" }]);
    app.setNow("2026-04-01T00:00:00.000Z");
    const context = { ...app.context, now: new Date("2026-04-01T00:00:00.000Z") };
    await runPayouts(context, account, month("2026-03"));
    expect(await made()).toMatchObject([{ unit: "credits" }, { unit: "points", amount: 2 }]);
    await earn(1, "points");
    expect((await made()).at(-1)).toMatchObject({ unit: "points", amount: 1 });
    const commissions = await app.records.all("commission");
    expect(commissions.filter(({ payout_id }) => payout_id === null)).toEqual([]);
  });
});

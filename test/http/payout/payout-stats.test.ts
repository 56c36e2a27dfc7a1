import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { addPayout, addPromoter, changeAccount, selectMethod } from "../../support/payouts.ts";
import { company, invalid, outcome, addCampaign } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

const META = {
  net_payout_days: 30,
  payout_cycle: "monthly",
  min_payment: 0,
  min_paying_customers: 0,
  terms_description: "Payouts are made monthly and due 30 days after the period's end.",
  selected_payout_methods: ["bank", "crypto", "custom", "paypal", "wise", "dots"],
  payout_method_options: {},
  managed_payouts: false,
};

/** The sums of some payouts of `addPayout`, which are 100.00 and 20 % tax each. */
function sums(count: number, promoters: number, credits = 0) {
  return {
    promoters_count: promoters,
    amounts: {
      cash: count * 10_000,
      credits,
      points: 0,
      free_months: 0,
      mon_discount: 0,
      discount_per: 0,
    },
    total_incl_tax: count * 12_000,
  };
}

describe("statistics of payouts", () => {
  let app: TestApp;
  let account: RecordOf<"account">;
  let jane: RecordOf<"promoter">;
  let joe: RecordOf<"promoter">;
  beforeEach(async () => {
    app = await startApp();
    account = await changeAccount(app.context, app.account_id, {});
    jane = await addPromoter(app.context, account, { email: "jane@example.com" });
    joe = await addPromoter(app.context, account, { email: "joe@example.com" });
  });
  afterEach(() => app.close());

  const stats = async (query = "") => (await company(app, `GET /payouts/stats${query}`)).body;
  const due = async (query = "") => (await company(app, `GET /payouts/due_stats${query}`)).body;

  it("are zeros and nulls without payouts", async () => {
    expect(await stats()).toEqual({
      meta: META,
      data: { by_paid_period: [], by_status: {}, by_payout_method: {} },
    });
    const none = { ...sums(0, 0), due_date: null, period_end: null };
    expect(await due()).toEqual({ meta: META, data: { next: none, overdue: none, custom: none } });
  });

  it("add up by period, status and method", async () => {
    await selectMethod(app.context, joe, { method: "wise" });
    await addPayout(app.context, jane);
    await addPayout(app.context, joe);
    await addPayout(app.context, joe, { status: "completed", paid_at: NOW });
    await addPayout(app.context, jane, { status: "completed", paid_at: NOW, unit: "credits", amount: 3 });
    const december = { period_start: "2025-12-01T00:00:00.000Z", period_end: "2025-12-31T23:59:59.999Z" };
    await addPayout(app.context, jane, { status: "completed", paid_at: NOW, ...december });
    const data = {
      by_paid_period: [
        {
          period_start: "2026-01-01T00:00:00Z",
          period_end: "2026-01-31T23:59:59Z",
          ...sums(1, 2, 3),
        },
        { period_start: "2025-12-01T00:00:00Z", period_end: "2025-12-31T23:59:59Z", ...sums(1, 1) },
      ],
      by_status: { pending: sums(2, 2), completed: sums(2, 2, 3) },
      by_payout_method: { not_set: sums(2, 1, 3), wise: sums(2, 1) },
    };
    expect(await stats()).toEqual({ meta: META, data });
    expect(await stats("?stats_by[status]=true")).toEqual({
      meta: META,
      data: { by_paid_period: [], by_status: data.by_status, by_payout_method: {} },
    });
    expect(await stats("?filters[status]=pending")).toMatchObject({
      data: { by_paid_period: [], by_status: { pending: sums(2, 2) } },
    });
  });

  it("tell what is due next, overdue, and apart from the cycle", async () => {
    const other = await addCampaign(app, { name: "Other" });
    const next = { due_date: "2026-03-30", period_end: "2026-02-28T23:59:59.999Z" };
    await addPayout(app.context, jane, next);
    await addPayout(app.context, joe, { ...next, campaign_id: other.id });
    await addPayout(app.context, joe, { due_date: "2026-04-30", period_end: "2026-03-31T23:59:59.999Z" });
    await addPayout(app.context, jane, { due_date: "2026-03-03" });
    await addPayout(app.context, jane);
    await addPayout(app.context, jane, { status: "completed", paid_at: NOW });
    await addPayout(app.context, joe, { has_own_terms: true });
    expect(await due()).toEqual({
      meta: META,
      data: {
        next: { ...sums(2, 2), due_date: "2026-03-30", period_end: "2026-02-28" },
        overdue: { ...sums(2, 1), due_date: "2026-03-02", period_end: "2026-01-31" },
        custom: { ...sums(1, 1), due_date: "2026-03-02", period_end: "2026-01-31" },
      },
    });
    expect(await due(`?filters[campaign_id]=${other.id}`)).toMatchObject({
      data: { next: sums(1, 1), overdue: { due_date: null }, custom: sums(0, 0) },
    });
    expect(await due("?q=JANE")).toMatchObject({ data: { next: sums(1, 1), custom: sums(0, 0) } });
    expect(await due("?filters[status]=completed")).toMatchObject({ data: { overdue: sums(1, 1) } });
  });

  it("name the payouts that the list shows, although others of the period were paid before", async () => {
    const other = await addCampaign(app, { name: "Other" });
    await addPayout(app.context, jane, { due_date: "2026-03-05", status: "completed", paid_at: NOW });
    await addPayout(app.context, joe, { due_date: "2026-03-20", campaign_id: other.id });
    await addPayout(app.context, joe, { due_date: "2026-03-30" });
    const listed = async (query: string) => {
      const { body } = await company(app, `GET /payouts?filters[due_period]=next&${query}`);
      return (body as { id: number }[]).map(({ id }) => id);
    };
    expect(await due()).toMatchObject({ data: { next: { ...sums(1, 1), due_date: "2026-03-20" } } });
    expect(await listed("filters[status]=pending")).toEqual([2]);
    const inFirst = "filters[campaign_id]=1";
    expect(await due(`?${inFirst}`)).toMatchObject({ data: { next: { due_date: "2026-03-30" } } });
    expect(await listed(`filters[status]=pending&${inFirst}`)).toEqual([3]);
    expect(await due("?filters[status]=completed")).toMatchObject({
      data: { next: { due_date: "2026-03-05" } },
    });
    expect(await listed("filters[status]=completed")).toEqual([1]);
    expect(await listed("")).toEqual([1]);
  });

  it("describe the account's terms", async () => {
    await changeAccount(app.context, app.account_id, {
      payout_cycle: "weekly",
      net_payout_days: 7,
      min_payment_cents: 5_000,
      min_paying_customers: 2,
    });
    expect(await stats()).toMatchObject({
      meta: {
        net_payout_days: 7,
        payout_cycle: "weekly",
        min_payment: 5_000,
        min_paying_customers: 2,
        terms_description: "Payouts are made weekly and due 7 days after the period's end.",
      },
    });
  });

  it.each([
    ["filters[status]", "open", ["is not one of pending, completed, failed, processing, cancelled"]],
    ["filters[campaign_id]", "x", ["is invalid"]],
    ["filters[due_period]", "next", ["is not a filter"]],
    ["stats_by[status]", "perhaps", ["is invalid"]],
  ])("refuse %s=%s", async (name, value, messages) => {
    const answer = outcome(app.v2("GET", `/payouts/stats?${name}=${value}`));
    expect(await answer).toEqual(invalid({ [name]: messages }));
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { addCommission, addPromoter, changeAccount, runPayouts, month } from "../../support/payouts.ts";
import { addAccount } from "../../support/operations.ts";
import { company } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

const PERIOD = {
  group_ref: "2026-03",
  period_start: "2026-03-01T00:00:00.000Z",
  period_end: "2026-03-31T23:59:59.999Z",
};
const CAMPAIGN = { id: 1, name: "Default campaign", color: "#2563eb" };

describe("payout runs", () => {
  let app: TestApp;
  let account: RecordOf<"account">;
  let jane: RecordOf<"promoter">;
  let joe: RecordOf<"promoter">;
  beforeEach(async () => {
    app = await startApp();
    account = await changeAccount(app.context, app.account_id, { min_payment_cents: 1_000 });
    jane = await addPromoter(app.context, account, { email: "jane@example.com" });
    joe = await addPromoter(app.context, account, { email: "joe@example.com" });
    await addCommission(app.context, jane, { amount: 700, created_at: "2026-02-10T00:00:00.000Z" });
    await addCommission(app.context, jane, { amount: 600, created_at: "2026-02-11T00:00:00.000Z" });
    await addCommission(app.context, jane, { amount: 900, status: "pending" });
    await addCommission(app.context, joe, { amount: 999 });
    await addCommission(app.context, joe, { amount: 3, unit: "points" });
  });
  afterEach(() => app.close());

  const preview = async (query = "") => {
    const { status, body, headers } = await company(app, `GET /payout_runs/preview${query}`);
    return { status, body, total: headers.get("total") };
  };
  const ofJane = {
    id: "1-1-cash",
    promoter: { id: 1, email: "jane@example.com", name: "jane@example.com" },
    campaign: CAMPAIGN,
    unit: "cash",
    amount: 1_300,
    set_off: 0,
    commissions_count: 2,
    not_paid_because: null,
  };
  const promoter = { id: 2, email: "joe@example.com", name: "joe@example.com" };
  const ofJoe = [
    {
      id: "2-1-cash",
      promoter,
      campaign: CAMPAIGN,
      unit: "cash",
      amount: 999,
      set_off: 0,
      commissions_count: 1,
      not_paid_because: "The sum is below the minimum payment",
    },
    {
      id: "2-1-points",
      promoter,
      campaign: CAMPAIGN,
      unit: "points",
      amount: 3,
      set_off: 0,
      commissions_count: 1,
      not_paid_because: null,
    },
  ];

  it("show what the next one would pay, and why it would not pay the rest", async () => {
    expect(await preview()).toEqual({
      status: 200,
      body: { data: [ofJane, ...ofJoe], meta: PERIOD },
      total: "3",
    });
    expect(await preview("?page=2&per_page=1")).toEqual({
      status: 200,
      body: { data: [ofJoe[0]], meta: PERIOD },
      total: "3",
    });
  });

  it("are listed once they were made, and what they paid is not previewed again", async () => {
    await runPayouts(app.context, account, month("2026-02"));
    const { status, body, headers } = await company(app, "GET /payout_runs");
    expect([status, headers.get("total"), body]).toEqual([
      200,
      "1",
      [
        {
          id: 1,
          group_ref: "2026-02",
          period_start: "2026-02-01T00:00:00.000Z",
          period_end: "2026-02-28T23:59:59.999Z",
          started_at: NOW,
          finished_at: NOW,
          payouts_count: 2,
        },
      ],
    ]);
    expect(await preview()).toEqual({ status: 200, body: { data: [ofJoe[0]], meta: PERIOD }, total: "1" });
  });

  it("count only the payouts of their own account, whose runs have the same names in all accounts", async () => {
    const other = await addAccount(app, {
      name: "Beta",
      public_id: "beta",
      landing_url: "https://b.example/",
    });
    const ann = await addPromoter(app.context, other.account, { email: "ann@example.com" });
    await addCommission(app.context, ann, { amount: 5_000, created_at: "2026-02-10T00:00:00.000Z" });
    for (const owner of [account, other.account]) await runPayouts(app.context, owner, month("2026-02"));
    const { body } = await company(app, "GET /payout_runs");
    expect(body).toMatchObject([{ group_ref: "2026-02", payouts_count: 2 }]);
  });
});

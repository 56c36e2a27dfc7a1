import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";
import { makeReward, offer } from "../../support/money.ts";
import { addCampaign, company, invalid, join, outcome } from "../../support/v2.ts";

let app: TestApp;
let second: number;
beforeEach(async () => {
  app = await startApp();
  await makeReward(app);
  second = (await addCampaign(app, { name: "Second" })).id;
  await join(app, "jane@example.com", { ref_id: "jane" });
  await join(app, "kim@example.com", { ref_id: "kim", campaign_id: String(second) });
  app.setNow("2026-01-20T12:00:00.000Z");
  await sell("old", "jane", 5_000);
  app.setNow("2026-03-04T12:00:00.000Z");
  await sell("new", "jane", 20_000);
  await sell("other", "kim", 1_000);
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

async function sell(name: string, refId: string, amount: number): Promise<void> {
  const email = `${name}@example.net`;
  await app.v1("/track/signup", { email, ref_id: refId });
  await app.v1("/track/sale", { email, event_id: name, amount: String(amount) });
}
const get = (path: string) => outcome(company(app, `GET /dashboards/${path}`));

it("show totals of all time, of all campaigns or some", async () => {
  const all = {
    clicks_count: 0,
    referrals_count: 3,
    customers_count: 3,
    active_customers_count: 3,
    cancellations_count: 0,
    sales_count: 3,
    revenue_amount: 26_000,
    refunds_amount: 0,
    commissions_count: 0,
  };
  expect(await get("stats")).toEqual({ status: 200, body: all });
  expect(await get(`stats?filters[campaign_id]=${second}`)).toEqual({
    status: 200,
    body: {
      ...all,
      referrals_count: 1,
      customers_count: 1,
      active_customers_count: 1,
      sales_count: 1,
      revenue_amount: 1_000,
    },
  });
  expect(await get("stats?filters[campaign_id]=x")).toEqual(
    invalid({ "filters[campaign_id]": ["is invalid"] }),
  );
});

it("compare the last 30 days with those before", async () => {
  const { status, body } = await get("trendings?filters[campaign_id]=1");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    start_date: "2026-02-03",
    end_date: "2026-03-04",
    previous_start_date: "2026-01-04",
    previous_end_date: "2026-02-02",
    figures: {
      referrals_count: { total: 1, previous_total: 1, change_percent: 0 },
      revenue_amount: { total: 20_000, previous_total: 5_000, change_percent: 300 },
    },
  });
});

it("chart a figure over time", async () => {
  const range = "period_from=2026-03-03&period_to=2026-03-04";
  const chart = (total: number) => ({
    status: 200,
    body: {
      period_from: "2026-03-03",
      period_to: "2026-03-04",
      selection: "revenue",
      selection_items: [
        ["2026-03-03", 0],
        ["2026-03-04", total],
      ],
      total,
      group_by: "day",
    },
  });
  expect(await get(`chart_data?${range}`)).toEqual(chart(21_000));
  expect(await get(`chart_data?${range}&selection=revenue&filters[campaign_id]=1`)).toEqual(chart(20_000));
  expect((await get("chart_data?selection=referrals")).body).toMatchObject({
    period_from: "2026-02-03",
    period_to: "2026-03-04",
    total: 2,
  });
  expect(await get("chart_data?selection=luck")).toEqual(
    invalid({
      selection: ["is not one of revenue, commissions, clicks, referrals, customers, cancellations"],
    }),
  );
  expect((await get("chart_data?period_from=2026-03-04&period_to=2026-03-03")).status).toBe(422);
});

it("add up commissions and payouts", async () => {
  await offer(app, 1);
  await sell("newest", "jane", 10_000);
  const { body } = await get("payouts_and_commissions");
  const none = { count: 0, amount: 0 };
  expect(body).toMatchObject({ payouts: { by_status: {}, due: { next: { promoters_count: 0 } } } });
  const { commissions } = body as { commissions: Record<string, { count: number; amount: number }> };
  expect(commissions["denied"]).toEqual(none);
  const sum = Object.values(commissions).reduce((all, { amount }) => all + amount, 0);
  expect(sum).toBe(1_000);
  expect((await get(`payouts_and_commissions?filters[campaign_id]=${second}`)).body).toMatchObject({
    commissions: { pending: none, approved: none, denied: none },
  });
});

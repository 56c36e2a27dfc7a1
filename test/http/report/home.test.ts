import { afterEach, beforeEach, expect, it } from "vitest";
import { newDelivery } from "../../../server/domain/events/webhook/delivery.ts";
import { SYSTEM } from "../../../server/domain/context.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { putFact } from "../../support/facts.ts";
import { company, invalid, join, outcome, reward } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";
import { startWith } from "../../support/operations.ts";
import { newCommission } from "../../support/commissions.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

const home = (from: string, to: string) =>
  outcome(company(app, `GET /home?start_date=${from}&end_date=${to}`));
const setup = () => outcome(company(app, "GET /setup"));

const NO_TASKS = {
  pending_promoters: { count: 0 },
  proposed_referrals: { count: 0 },
  suspicious_referrals: { count: 0 },
  pending_commissions: { count: 0, amount: 0 },
  pending_payouts: { count: 0, promoters_count: 0, amount: 0, total_incl_tax: 0 },
  failing_webhooks: { count: 0 },
  waiting_events: { count: 0, failed_count: 0, currencies: [] },
  late_deliveries: { count: 0, oldest_at: null },
  undecided_payments: { count: 0 },
  held_payouts: { count: 0 },
  held_emails: { count: 0 },
};
const points = (...values: [date: string, value: number][]) =>
  values.map(([date, value]) => ({ date, value }));

it("shows a range beside the one before, and what promoters were owed at its end", async () => {
  const { promoter_campaign_id } = await join(app, "jane@example.com");
  const facts = [
    ["2026-01-10", "earnings_cents", 700],
    ["2026-02-27", "clicks", 4],
    ["2026-02-27", "earnings_cents", 500],
    ["2026-03-01", "clicks", 10],
    ["2026-03-02", "referrals", 4],
    ["2026-03-02", "customers", 1],
    ["2026-03-02", "sales_cents", 5_000],
    ["2026-03-02", "earnings_cents", 1_000],
    ["2026-03-02", "paid_cents", 200],
    ["2026-03-03", "clicks", 90],
  ] as const;
  const { store } = app.services;
  const jane = (await app.records.get("promoterCampaign", promoter_campaign_id))!;
  for (const [day, metric, amount] of facts) {
    await putFact(store, jane, { metric, at: `${day}T12:00:00.000Z`, amount });
  }
  const nothing = {
    total: 0,
    previous_total: 0,
    change_percent: null,
    previous_points: points(["2026-02-27", 0], ["2026-02-28", 0]),
  };
  expect(await home("2026-03-01", "2026-03-02")).toEqual({
    status: 200,
    body: {
      start_date: "2026-03-01",
      end_date: "2026-03-02",
      previous_start_date: "2026-02-27",
      previous_end_date: "2026-02-28",
      group_by: "day",
      figures: {
        clicks_count: {
          total: 10,
          previous_total: 4,
          change_percent: 150,
          points: points(["2026-03-01", 10], ["2026-03-02", 0]),
          previous_points: points(["2026-02-27", 4], ["2026-02-28", 0]),
        },
        referrals_count: { ...nothing, total: 4, points: points(["2026-03-01", 0], ["2026-03-02", 4]) },
        customers_count: { ...nothing, total: 1, points: points(["2026-03-01", 0], ["2026-03-02", 1]) },
        revenue_amount: {
          ...nothing,
          total: 5_000,
          points: points(["2026-03-01", 0], ["2026-03-02", 5_000]),
        },
        owed_amount: {
          total: 2_000,
          previous_total: 1_200,
          change_percent: 66.7,
          points: points(["2026-03-01", 1_200], ["2026-03-02", 2_000]),
          previous_points: points(["2026-02-27", 1_200], ["2026-02-28", 1_200]),
        },
      },
      rates: { clicks_to_referrals_cr: 40, referrals_to_customers_cr: 25, clicks_to_customers_cr: 10 },
      tasks: NO_TASKS,
      latest_referrals: [],
    },
  });
});

it("groups long ranges into weeks", async () => {
  const { body } = await home("2026-01-01", "2026-03-31");
  expect(body).toMatchObject({ group_by: "week" });
});

it("refuses a range that is missing, malformed or ends before it begins", async () => {
  expect(await outcome(company(app, "GET /home?start_date=soon"))).toEqual(
    invalid({ start_date: ["is invalid"], end_date: ["can't be blank"] }),
  );
  expect(await home("2026-03-02", "2026-03-01")).toEqual({
    status: 422,
    body: { message: "The start date is after the end date", code: "invalid_params" },
  });
});

it("counts what waits for someone, and shows the latest leads first", async () => {
  await company(app, "PUT /campaigns/1", { auto_approve_promoters: false });
  await join(app, "waiting@example.com");
  await company(app, "PUT /campaigns/1", { auto_approve_promoters: true });
  const kim = await join(app, "kim@example.com");
  const { promoter_id, promoter_campaign_id } = await join(app, "jane@example.com", { ref_id: "jane" });
  const signUp = (email: string) => app.v1("/track/signup", { email, ref_id: "jane" });
  await signUp("first@example.net");
  await signUp("jane+one@example.com");
  await signUp("jane+two@example.com");
  await company(app, "POST /referrals/disable", { ids: [3] });
  const owner = {
    account_id: app.account_id,
    promoter_id,
    promoter_campaign_id,
    campaign_id: 1,
    created_at: NOW,
  };
  await app.records.put("commission", newCommission({ ...owner, id: 1, amount: 150, status: "pending" }));
  await app.records.put("commission", newCommission({ ...owner, id: 2, amount: 250, status: "pending" }));
  await app.records.put(
    "commission",
    newCommission({ ...owner, id: 3, amount: 9, status: "pending", unit: "points" }),
  );
  await app.records.put("commission", newCommission({ ...owner, id: 4, amount: 5_000 }));
  await app.records.put(
    "commission",
    newCommission({ ...owner, ...kim, id: 5, amount: 2, unit: "free_months" }),
  );
  await company(app, "POST /commissions/generate_payouts", { ids: [4, 5] });
  await failingWebhook();

  const { body } = await home("2026-03-01", "2026-03-02");
  const { tasks, latest_referrals } = body as { tasks: object; latest_referrals: { email: string }[] };
  expect(tasks).toEqual({
    pending_promoters: { count: 1 },
    proposed_referrals: { count: 0 },
    suspicious_referrals: { count: 1 },
    pending_commissions: { count: 3, amount: 400 },
    // Only one of both is in money.
    pending_payouts: { count: 2, promoters_count: 1, amount: 5_000, total_incl_tax: 5_000 },
    failing_webhooks: { count: 1 },
    waiting_events: { count: 0, failed_count: 0, currencies: [] },
    late_deliveries: { count: 6, oldest_at: "2026-03-01T00:00:00.000Z" },
    undecided_payments: { count: 0 },
    held_payouts: { count: 0 },
    held_emails: { count: 0 },
  });
  expect(latest_referrals.map(({ email }) => email)).toEqual([
    "jane+two@example.com",
    "jane+one@example.com",
    "first@example.net",
  ]);
});

/** A webhook whose latest attempt failed, one that recovered, and one that was switched off. */
async function failingWebhook(): Promise<void> {
  const histories = [
    { is_active: true, statuses: ["delivered", "retrying", "pending"] as const },
    { is_active: true, statuses: ["failed", "delivered", "pending"] as const },
    { is_active: false, statuses: ["failed"] as const },
  ];
  for (const { is_active, statuses } of histories) {
    const { body } = await company(app, "POST /webhooks", {
      url: "https://hooks.example.com/",
      event_types: ["referral.created"],
      active: is_active,
    });
    const { id: webhookId } = body as { id: number };
    for (const [minute, status] of statuses.entries()) {
      const id = webhookId * 10 + minute;
      const createdAt = `2026-03-01T00:0${minute}:00.000Z`;
      const delivery: RecordOf<"delivery"> = {
        ...newDelivery({
          id,
          owner_id: app.account_id,
          lane: String(id),
          webhook_id: webhookId,
          created_at: createdAt,
          status: "held",
        }),
        account_id: SYSTEM,
        status,
      };
      await app.records.put("delivery", delivery);
    }
  }
}

it("ticks off the steps of setting an account up", async () => {
  const steps = {
    script: false,
    name: true,
    landing_page: true,
    reward: false,
    promoter: false,
    click: false,
    referral: false,
    sale: false,
    webhook: false,
    mail: false,
  };
  expect(await setup()).toEqual({ status: 200, body: { has_customer: false, script_seen: null, steps } });
  await company(app, "PUT /campaigns/1", { landing_url: "https://track.acme.example/demo" });
  expect(await setup()).toMatchObject({ body: { steps: { landing_page: false, reward: false } } });
  await company(app, "PUT /campaigns/1", { rewards_for_promoters: [{ reward_id: await reward(app) }] });
  expect(await setup()).toMatchObject({ body: { steps: { landing_page: false, reward: true } } });

  await app.request("/svc.js", {
    headers: { referer: "https://www.acme.example/", host: "track.acme.example" },
  });
  await app.services.sightings.write();
  await join(app, "jane@example.com", { ref_id: "jane" });
  await app.browser("/t/click", { tid: "00000000-0000-4000-8000-00000000000a", ref_id: "jane" });
  expect(await setup()).toMatchObject({
    body: { steps: { script: true, promoter: true, click: true, referral: false } },
  });

  await app.v1("/track/signup", { email: "sam@example.net", ref_id: "jane" });
  await app.v1("/track/sale", { email: "sam@example.net", event_id: "order-1", amount: "10000" });
  await company(app, "POST /webhooks", {
    url: "https://hooks.example.com/",
    event_types: ["referral.created"],
  });
  const startedAt = NOW;
  await startWith(app, { public_url: "", trust_proxy_hops: 0, has_mail: true, started_at: startedAt });
  expect(await setup()).toEqual({
    status: 200,
    body: {
      has_customer: true,
      // The site is none of the account's campaigns any more.
      script_seen: null,
      steps: {
        ...steps,
        script: true,
        landing_page: false,
        reward: true,
        promoter: true,
        click: true,
        referral: true,
        sale: true,
        webhook: true,
        mail: true,
      },
    },
  });
});

it("shows where a site of the account loaded the script last", async () => {
  const load = async (site: string, at: string) => {
    app.setNow(at);
    await app.request("/svc.js", { headers: { referer: `${site}/page`, host: "track.acme.example" } });
    await app.services.sightings.write();
  };
  await load("https://www.acme.example", "2026-03-04T08:00:00.000Z");
  // All accounts of the server load the same script.
  await load("https://www.globex.example", "2026-03-04T09:00:00.000Z");
  expect((await app.v2("GET", "/setup")).body).toMatchObject({
    script_seen: { site: "https://www.acme.example", at: "2026-03-04T08:00:00.000Z" },
  });
});

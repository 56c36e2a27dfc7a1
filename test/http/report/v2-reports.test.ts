import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Metric } from "../../support/stats.ts";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { putFact } from "../../support/facts.ts";
import { company, invalid, join, outcome } from "../../support/v2.ts";

/** Day, promoter campaign, metric, count. */

const FACTS: [day: string, id: number, metric: Metric, amount: number][] = [
  ["2024-12-31", 1, "active_customers", 4],
  ["2025-01-01", 1, "clicks", 100],
  ["2025-01-15", 1, "referrals", 20],
  ["2025-01-15", 1, "unsigned_referrals", 5],
  ["2025-01-31", 1, "customers", 5],
  ["2025-01-31", 1, "active_customers", 5],
  ["2025-01-31", 1, "sales", 5],
  ["2025-01-31", 1, "sales_cents", 161_317],
  ["2025-02-01", 2, "clicks", 30],
  ["2025-02-01", 2, "sales_cents", 5],
  ["2025-02-28", 3, "clicks", 10],
  ["2025-02-28", 3, "refunds", 1],
  ["2025-02-28", 3, "refunds_cents", 900],
  ["2025-02-28", 3, "cancellations", 3],
  ["2025-02-28", 3, "active_customers", -3],
  ["2025-02-28", 1, "earnings_cents", 2600],
  ["2025-02-28", 1, "non_link_customers", 2],
  ["2025-02-28", 1, "paid_cents", 100],
];
const ALL = {
  active_customers: 6,
  monthly_churn: 16.67,
  clicks_count: 140,
  net_revenue_amount: 160_422,
  revenue_amount: 161_322,
  referrals_count: 20,
  customers_count: 5,
  sales_count: 5,
  refunds_count: 1,
  cancelled_customers_count: 3,
  promoter_earnings_amount: 2600,
  non_link_customers: 2,
  referrals_to_customers_cr: 25,
  "3m_epc": 19,
  "6m_epc": 19,
  clicks_to_customers_cr: 3.57,
  clicks_to_referrals_cr: 14.29,
  promoter_paid_amount: 100,
  signups_count: 15,
};
const TIME = "start_date=2025-01-01&end_date=2025-02-28";
const TWO = `columns[]=clicks_count&columns[]=revenue_amount&group_by=month&${TIME}`;
const data = (clicks_count: number, revenue_amount: number) => ({ clicks_count, revenue_amount });
const months = (january: object, february: object) => [
  { period: "2025-01", id: "2025-01-01", data: january },
  { period: "2025-02", id: "2025-02-01", data: february },
];

describe.each(STORAGES)("V2 reports on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await call("POST /campaigns", { name: "Second", landing_url: "https://2.example/", color: "#ff0000" });
    await join(app, "jane@example.com", { first_name: "Jane", last_name: "Doe" });
    await join(app, "bob@example.com");
    await join(app, "eve@example.com", { first_name: '=HYPERLINK("x")', campaign_id: "2" });
    for (const [day, id, metric, amount] of FACTS) {
      const promoterCampaign = (await app.records.get("promoterCampaign", id))!;
      await putFact(app.services.store, promoterCampaign, { metric, at: `${day}T23:59:59.999Z`, amount });
    }
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const call = (request: string, body?: unknown) => outcome(company(app, request, body));
  const report = (name: string, query: string) => call(`GET /reports/${name}?${query}`);
  const FIRST = { id: 1, name: "Default campaign", color: "#2563eb" };
  const SECOND = { id: 2, name: "Second", color: "#ff0000" };
  const [JANE, BOB, EVE] = [
    { id: 1, email: "jane@example.com", name: "Jane Doe" },
    { id: 2, email: "bob@example.com", name: "bob@example.com" },
    { id: 3, email: "eve@example.com", name: '=HYPERLINK("x")' },
  ];

  describe("overview", () => {
    it("computes all nineteen columns from sums", async () => {
      const columns = Object.keys(ALL).map((name) => `columns[]=${name}`);
      expect(await report("overview", `${columns.join("&")}&group_by=year&${TIME}`)).toEqual({
        status: 200,
        body: [{ period: "2025", id: "2025-01-01", data: ALL }],
      });
    });

    it.each([
      [TWO, months(data(100, 161_317), data(40, 5))],
      [TWO.replaceAll("[]", ""), months(data(100, 161_317), data(40, 5))],
      [`${TWO}&sorting[clicks_count]=asc`, months(data(100, 161_317), data(40, 5)).toReversed()],
      [`${TWO}&sorting[sales_count]=desc`, months(data(100, 161_317), data(40, 5))],
      [`${TWO}&q=2025-02`, months({}, data(40, 5)).slice(1)],
      [`${TWO}&q=id:2025-01-01`, months(data(100, 161_317), {}).slice(0, 1)],
    ])("answers %j", async (query, body) => {
      expect(await report("overview", query)).toEqual({ status: 200, body });
    });

    it("adds the sums of the whole range if it is asked to", async () => {
      expect(await report("overview", `${TWO}&totals=true`)).toEqual({
        status: 200,
        body: [
          ...months(data(100, 161_317), data(40, 5)),
          { period: "total", id: "total", data: data(140, 161_322) },
        ],
      });
    });

    it("cuts the range into weeks that begin on Monday", async () => {
      const query = "columns=clicks_count&group_by=week&start_date=2025-01-28&end_date=2025-02-09T10:00:00Z";
      expect(await report("overview", query)).toEqual({
        status: 200,
        body: [
          { period: "2025-01-28", id: "2025-01-28", data: { clicks_count: 30 } },
          { period: "2025-02-03", id: "2025-02-03", data: { clicks_count: 0 } },
        ],
      });
    });

    it.each([
      ["", ["columns", "group_by", "start_date", "end_date"]],
      [TWO.replace("revenue_amount", "x"), ["columns"]],
      [TWO.replace("month", "hour"), ["group_by"]],
      [TWO.replace("2025-01-01", "2025-02-30"), ["start_date"]],
      [`${TWO}&sorting[clicks_count]=up`, ["sorting[clicks_count]"]],
    ])("answers 422 to %j", async (query, names) => {
      const { status, body } = await report("overview", query);
      expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([422, names]);
    });

    it("answers 422 to a range that ends before it begins", async () => {
      const message = "The start date is after the end date";
      expect(
        await report("overview", `${TWO}&start_date=2025-03-01`.replace("start_date=2025-01-01&", "")),
      ).toEqual({
        status: 422,
        body: { message, code: "invalid_params" },
      });
    });
  });

  describe("campaigns", () => {
    const first = {
      campaign: FIRST,
      id: 1,
      data: data(130, 161_322),
      sub_data: months(data(100, 161_317), data(30, 5)),
    };
    const second = { campaign: SECOND, id: 2, data: data(10, 0), sub_data: months(data(0, 0), data(10, 0)) };

    it.each([
      ["", [first, second], "2"],
      ["&sorting[revenue_amount]=asc", [second, first], "2"],
      ["&sorting[cancelled_customers_count]=desc", [second, first], "2"],
      ["&sorting[clicks_count]=desc&per_page=1&page=2", [second], "2"],
      ["&per_page=1", [first], "2"],
      ["&q=SEC", [second], "1"],
      ["&q=id:1", [first], "1"],
      ["&q=id:x", [], "0"],
    ])("answers %j", async (query, body, total) => {
      const answer = await company(app, `GET /reports/campaigns?${TWO}${query}`);
      expect(answer).toMatchObject({ status: 200, body });
      expect(answer.body).toEqual(body);
      expect(answer.headers.get("total")).toBe(total);
    });
  });

  describe("promoters", () => {
    const jane = {
      promoter: JANE,
      id: 1,
      data: data(100, 161_317),
      sub_data: months(data(100, 161_317), data(0, 0)),
    };
    const bob = { promoter: BOB, id: 2, data: data(30, 5), sub_data: months(data(0, 0), data(30, 5)) };
    const eve = { promoter: EVE, id: 3, data: data(10, 0), sub_data: months(data(0, 0), data(10, 0)) };

    it.each([
      ["", [jane, bob, eve], "3"],
      ["&sorting[clicks_count]=asc", [eve, bob, jane], "3"],
      ["&per_page=1&page=2", [bob], "3"],
      ["&q=EXAMPLE.com", [jane, bob, eve], "3"],
      ["&q=jane+doe", [jane], "1"],
      ["&q=id:2", [bob], "1"],
      ["&q=id:99", [], "0"],
      ["&q=id:x", [], "0"],
    ])("answers %j", async (query, body, total) => {
      const answer = await company(app, `GET /reports/promoters?${TWO}${query}`);
      expect(answer.body).toEqual(body);
      expect(answer.headers.get("total")).toBe(total);
    });
  });

  describe("download", () => {
    const csv = (...lines: string[]) => `${lines.join("\r\n")}\r\n`;

    it.each([
      [
        "overview",
        `${TWO}&totals=yes`,
        csv(
          "period,clicks_count,revenue_amount,revenue_amount_cents",
          "2025-01,100,1613.17,161317",
          "2025-02,40,0.05,5",
          "total,140,1613.22,161322",
        ),
      ],
      [
        "campaigns",
        `${TWO}&q=id:2&totals=0`,
        csv(
          "campaign_id,campaign,period,clicks_count,revenue_amount,revenue_amount_cents",
          "2,Second,2025-01,0,0,0",
          "2,Second,2025-02,10,0,0",
        ),
      ],
      [
        "promoters",
        `columns=net_revenue_amount&group_by=year&${TIME}&totals=1&q=id:3`,
        csv(
          "promoter_id,promoter,period,net_revenue_amount,net_revenue_amount_cents",
          `3,"'=HYPERLINK(""x"")",2025,-9,-900`,
          `3,"'=HYPERLINK(""x"")",total,-9,-900`,
        ),
      ],
    ])("answers a file of %s", async (name, query, body) => {
      const answer = await company(app, `GET /reports/download?report_type=${name}&${query}`);
      expect(answer).toMatchObject({ status: 200, body });
      expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect(answer.headers.get("content-disposition")).toBe(
        `attachment; filename="${name}-2025-01-01-2025-02-28.csv"`,
      );
    });

    it("answers 422 without a known report", async () => {
      const answer = await report("download", `${TWO}&report_type=x`);
      expect(answer).toMatchObject({ status: 422, body: { code: "invalid_params" } });
      expect(await report("download", TWO)).toEqual(invalid({ report_type: ["can't be blank"] }));
    });
  });

  describe("chart_data", () => {
    const chart = (selection: string, from: string, to: string) =>
      `chart_data?selection=${selection}&period_from=${from}&period_to=${to}`;
    const zeros = (...days: string[]) => days.map((day): [string, number] => [day, 0]);

    it("shows a promoter's days", async () => {
      expect(await call(`GET /promoters/1/${chart("revenue", "2025-01-30", "2025-02-01")}`)).toEqual({
        status: 200,
        body: {
          period_from: "2025-01-30",
          period_to: "2025-02-01",
          selection: "revenue",
          selection_items: [...zeros("2025-01-30"), ["2025-01-31", 161_317], ...zeros("2025-02-01")],
          group_by: "day",
        },
      });
    });

    it.each([
      ["clicks", "2024-12-30", "2025-03-02", "week", ["2024-12-30", 100], 9],
      ["referrals", "2024-06-15", "2025-06-14", "week", ["2024-06-15", 0], 53],
      ["customers", "2025-01-01", "2025-12-31", "week", ["2025-01-01", 0], 53],
      ["customers", "2025-01-01", "2026-01-01", "month", ["2025-01-01", 5], 13],
      ["cancellations", "2021-01-01", "2025-12-31", "year", ["2021-01-01", 0], 5],
    ])("shows %s from %s to %s by the %s", async (selection, from, to, group_by, first, length) => {
      const { body } = await call(`GET /promoters/1/${chart(selection, from, to)}`);
      const { selection_items: items, ...rest } = body as { selection_items: unknown[] };
      expect(rest).toEqual({ period_from: from, period_to: to, selection, group_by });
      expect([items[0], items.length]).toEqual([first, length]);
    });

    it("adds up all campaigns of a promoter, and shows one of them with its total", async () => {
      await call("POST /promoters/add_to_campaign", { ids: [1], campaign_id: 2 });
      const fourth = (await app.records.get("promoterCampaign", 4))!;
      await putFact(app.services.store, fourth, {
        metric: "clicks",
        at: "2025-01-01T00:00:00.000Z",
        amount: 7,
      });
      const query = chart("clicks", "2025-01-01", "2025-01-01");
      expect((await call(`GET /promoters/1/${query}`)).body).toMatchObject({
        selection_items: [["2025-01-01", 107]],
      });
      const body = {
        period_from: "2025-01-01",
        period_to: "2025-01-01",
        selection: "clicks",
        selection_items: [{ date: "2025-01-01", value: 7 }],
        group_by: "day",
      };
      expect(await call(`GET /promoter_campaigns/4/${query}`)).toEqual({ status: 200, body });
      expect(await call(`GET /promoter_campaigns/4/${query}&with_totals=true`)).toEqual({
        status: 200,
        body: { ...body, total: 7 },
      });
    });

    it.each([
      [`/promoters/99/${chart("clicks", "2025-01-01", "2025-01-02")}`, 404],
      [`/promoter_campaigns/99/${chart("clicks", "2025-01-01", "2025-01-02")}`, 404],
      ["/promoters/1/chart_data", 422],
      [`/promoters/1/${chart("commissions", "2025-01-01", "2025-01-02")}`, 422],
      [`/promoters/1/${chart("clicks", "2025-01-02", "2025-01-01")}`, 422],
      [`/promoters/1/${chart("clicks", "2015-01-01", "2025-01-01")}`, 422],
    ])("answers %s with %i", async (path, status) => {
      expect((await call(`GET ${path}`)).status).toBe(status);
    });
  });
});

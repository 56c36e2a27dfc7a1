import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Metric } from "../../support/stats.ts";
import { campaignsReport, overviewReport, promotersReport } from "../../../server/v1/reports.ts";
import { KEY, STORAGES, answerOf, startApp, type TestApp } from "../../support/app.ts";
import { putFact } from "../../support/facts.ts";
import { bodyOf, send } from "../../support/v1.ts";
import { addCampaign } from "../../support/v2.ts";

/** Day, promoter campaign, metric, count. */
type Fact = [day: string, id: number, metric: Metric, delta: number];

const FACTS: Fact[] = [
  ["2024-12-31", 1, "customers", 4],
  ["2024-12-31", 1, "active_customers", 4],
  ["2025-01-01", 1, "clicks", 100],
  ["2025-01-15", 1, "referrals", 20],
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
  ["2025-03-01", 2, "sales_cents", 1_000_000],
];
const YEAR_START = { start_date: "2025-01-01", end_date: "2025-02-28" };
const MARCH = { start_date: "2025-03-01", end_date: "2025-03-31" };

describe.each(STORAGES)("V1 reports on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await addCampaign(app, { name: "Second", landing_url: "https://2.example/" });
    await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane", last_name: "Doe" });
    await app.v1("/promoters/create", { email: "bob@example.com" });
    await app.v1("/promoters/create", { email: "eve@example.com", first_name: "Eve", campaign_id: "2" });
    await app.v1("/promoters/create", { email: "idle@example.com" });
    for (const fact of FACTS) await count(fact);
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const count = async ([day, id, metric, amount]: Fact) => {
    const { store } = app.services;
    const promoterCampaign = (await app.records.get("promoterCampaign", id))!;
    await putFact(store, promoterCampaign, { metric, at: `${day}T23:59:59.999Z`, amount });
  };
  const OPERATIONS = { overview: overviewReport, campaigns: campaignsReport, promoters: promotersReport };
  const report = async (name: keyof typeof OPERATIONS, params: Record<string, string> = {}) =>
    bodyOf(await send(app, `GET /reports/${name}`, params), OPERATIONS[name]) as Record<string, unknown>[];

  describe("overview", () => {
    it("answers the usual fields of each month, the greatest revenue first", async () => {
      expect(await report("overview", { ...YEAR_START, end_date: "2025-03-15" })).toEqual([
        {
          revenue_amount: "$10,000.00",
          clicks_count: 0,
          referrals_count: 0,
          customers_count: 0,
          promoter_earnings_amount: "$0.00",
          period: "Mar 2025",
        },
        {
          revenue_amount: "$1,613.17",
          clicks_count: 100,
          referrals_count: 20,
          customers_count: 5,
          promoter_earnings_amount: "$0.00",
          period: "Jan 2025",
        },
        {
          revenue_amount: "$0.05",
          clicks_count: 40,
          referrals_count: 0,
          customers_count: 0,
          promoter_earnings_amount: "$26.00",
          period: "Feb 2025",
        },
      ]);
    });

    it("covers the twelve months until today, each with a row", async () => {
      const rows = await report("overview", { sort_dir: "asc", sort: "referrals_count" });
      expect(rows.map(({ period }) => period)).toEqual(
        "Mar 2025,Apr 2025,May 2025,Jun 2025,Jul 2025,Aug 2025,Sep 2025,Oct 2025,Nov 2025,Dec 2025,Jan 2026,Feb 2026,Mar 2026".split(
          ",",
        ),
      );
    });

    it("computes every metric from sums", async () => {
      const names = overviewReport.params!.shape["sort"]!;
      const all = (names as unknown as { unwrap(): { options: string[] } }).unwrap().options;
      const query = new URLSearchParams({ ...YEAR_START, group_by: "year" });
      for (const name of all) query.append("selected_fields[]", name);
      const headers = { "x-api-key": KEY, "content-type": "application/json" };
      const answer = await answerOf(await app.request(`/api/v1/reports/overview?${query}`, { headers }));
      expect(bodyOf(answer, overviewReport)).toEqual([
        {
          revenue_amount: "$1,613.22",
          clicks_count: 140,
          referrals_count: 20,
          customers_count: 5,
          active_customers: 6,
          monthly_churn: 16.67,
          net_revenue_amount: "$1,604.22",
          sales_count: 5,
          refunds_count: 1,
          cancelled_customers_count: 3,
          promoter_earnings_amount: "$26.00",
          non_link_customers: 2,
          referrals_to_customers_cr: 25,
          "3m_epc": "$0.19",
          "6m_epc": "$0.19",
          clicks_to_customers_cr: 3.57,
          clicks_to_referrals_cr: 14.29,
          promoter_paid_amount: "$1.00",
          period: "2025",
        },
      ]);
      expect(Object.keys((answer.body as object[])[0]!)).toEqual([...all, "period"]);
    });

    it("looks back over three and six months for rates", async () => {
      const ask = { "selected_fields[]": "3m_epc", start_date: "2025-05-01", end_date: "2025-05-31" };
      expect(await report("overview", ask)).toEqual([{ "3m_epc": "$0.00", period: "May 2025" }]);
      await count(["2025-03-01", 2, "clicks", 2]);
      await count(["2025-03-02", 2, "earnings_cents", 500]);
      expect(await report("overview", ask)).toEqual([{ "3m_epc": "$2.50", period: "May 2025" }]);
      expect(await report("overview", { ...ask, "selected_fields[]": "6m_epc" })).toEqual([
        { "6m_epc": "$0.22", period: "May 2025" },
      ]);
    });

    it.each([
      ["selected_fields[]=clicks_count&selected_fields[]=sales_count"],
      ["selected_fields%5B%5D=clicks_count&selected_fields%5B%5D=sales_count"],
      ["selected_fields[0]=clicks_count&selected_fields[1]=sales_count"],
      ["selected_fields=clicks_count&selected_fields=sales_count"],
      ["selected_fields=clicks_count,&selected_fields=sales_count"],
      ["selected_fields=clicks_count,sales_count&selected_fields_x=1"],
    ])("reads the fields from %s", async (query) => {
      const path = `/api/v1/reports/overview.json?start_date=2025-01-15&end_date=2025-01-31&${query}`;
      const answer = await answerOf(await app.request(path, { headers: { "X-API-KEY": KEY } }));
      expect(bodyOf(answer, overviewReport)).toEqual([
        { clicks_count: 0, sales_count: 5, period: "Jan 2025" },
      ]);
    });

    it.each([
      [{ sort: "clicks_count" }, ["Jan 1, 2025", "Feb 1, 2025", "Feb 28, 2025"]],
      [{ sort: "clicks_count", sort_dir: "asc" }, ["Jan 2, 2025", "Jan 3, 2025", "Jan 4, 2025"]],
      [{ "selected_fields[]": "refunds_count" }, ["Feb 28, 2025", "Jan 1, 2025", "Jan 2, 2025"]],
    ])("sorts days by %o", async (params, first) => {
      const rows = await report("overview", {
        ...YEAR_START,
        group_by: "day",
        ...(params as Record<string, string>),
      });
      expect(rows.slice(0, 3).map(({ period }) => period)).toEqual(first);
      expect(rows.length).toBe(59);
    });

    it.each([
      ["JPY", "¥1,000,000"],
      ["HUF", "HUF\u{a0}10,000.00"],
      ["IQD", "IQD\u{a0}1,000.000"],
    ])("writes %s with the decimals that it is counted in", async (currency, amount) => {
      await app.records.change("account", app.account_id, { currency });
      expect(await report("overview", { ...MARCH, "selected_fields[]": "revenue_amount" })).toEqual([
        { revenue_amount: amount, period: "Mar 2025" },
      ]);
    });
  });

  it.each(
    ["overview", "campaigns", "promoters"].flatMap((name) => [
      [
        name,
        { "selected_fields[]": "profit" },
        "selected_fields is not one of revenue_amount, clicks_count, ",
      ],
      [
        name,
        { "selected_fields[x]": "clicks_count" },
        "selected_fields is not one of revenue_amount, clicks_count, ",
      ],
      [name, { group_by: "week" }, "group_by is not one of day, month, year"],
      [name, { start_date: "2025-02-30" }, "start_date is invalid"],
      [name, { end_date: "tomorrow" }, "end_date is invalid"],
      [name, { start_date: "2025-02-02", end_date: "2025-02-01" }, "start date is after the end date"],
      [name, { start_date: "2020-01-01", group_by: "day" }, "More than 400 periods"],
      ...(name === "overview"
        ? [[name, { sort: "x", sort_dir: "up" }, ", sort_dir is not one of asc, desc"]]
        : []),
      ...(name === "promoters"
        ? [[name, { top_50: "x", "promoter_ids[]": "y" }, "promoter_ids is invalid, top_50 is not one of "]]
        : []),
    ]) as [string, Record<string, string>, string][],
  )("refuse %s by %o with 422, a message and a code", async (name, params, message) => {
    const { status, body } = await send(app, `GET /reports/${name}`, params);
    expect({ status, body }).toEqual({
      status: 422,
      body: { message: expect.stringContaining(message), code: "invalid_params" },
    });
  });

  it("answers 401 and plain text without a key", async () => {
    const answer = await answerOf(await app.request("/api/v1/reports/overview"));
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 401, body: "Bad credentials" });
  });

  it("campaigns answers every campaign with its months and totals", async () => {
    const fields = { "selected_fields[0]": "clicks_count", "selected_fields[1]": "revenue_amount" };
    expect(await report("campaigns", { ...YEAR_START, ...fields })).toEqual([
      {
        campaign_name: "Default campaign",
        campaign_id: 1,
        items: [
          { clicks_count: 100, revenue_amount: "$1,613.17", period: "Jan 2025" },
          { clicks_count: 30, revenue_amount: "$0.05", period: "Feb 2025" },
        ],
        clicks_count: 130,
        revenue_amount: "$1,613.22",
      },
      {
        campaign_name: "Second",
        campaign_id: 2,
        items: [
          { clicks_count: 0, revenue_amount: "$0.00", period: "Jan 2025" },
          { clicks_count: 10, revenue_amount: "$0.00", period: "Feb 2025" },
        ],
        clicks_count: 10,
        revenue_amount: "$0.00",
      },
    ]);
  });

  describe("promoters", () => {
    const named = async (params: Record<string, string>) =>
      (await report("promoters", params)).map(({ promoter_name }) => promoter_name);

    it("answers the promoters with a fact in the range, the greatest revenue first", async () => {
      const body = await report("promoters", { ...YEAR_START, group_by: "year" });
      const usual = { clicks_count: 30, referrals_count: 0, customers_count: 0, revenue_amount: "$0.05" };
      expect(body.map(({ promoter_name }) => promoter_name)).toEqual(["Jane Doe", "bob@example.com", "Eve"]);
      expect(body[1]).toEqual({
        promoter_name: "bob@example.com",
        promoter_id: 2,
        items: [{ ...usual, period: "2025" }],
        ...usual,
      });
    });

    it("leaves out promoters whose fields are all zero", async () => {
      const query = { ...YEAR_START, "selected_fields[]": "revenue_amount" };
      expect(await named(query)).toEqual(["Jane Doe", "bob@example.com"]);
    });

    it("leaves out promoters with facts only on the other days of a month", async () => {
      const query = { start_date: "2025-01-01", end_date: "2025-02-20", group_by: "month" };
      expect(await named(query)).toEqual(["Jane Doe", "bob@example.com"]);
    });

    it("adds up all campaigns of a promoter", async () => {
      const { store } = app.services;
      const jane = (await app.records.get("promoterCampaign", 1))!;
      await putFact(
        store,
        { ...jane, id: 99 },
        { metric: "clicks", at: "2025-02-15T00:00:00.000Z", amount: 10 },
      );
      const ask = { ...YEAR_START, "promoter_ids[]": "1", "selected_fields[]": "clicks_count" };
      expect(await report("promoters", { ...ask, group_by: "year" })).toMatchObject([
        { promoter_id: 1, clicks_count: 110 },
      ]);
    });

    it.each([
      [{ top_50: "refunds_count" }, ["Eve", "Jane Doe", "bob@example.com"]],
      [{ top_50: "active_customers" }, ["Jane Doe", "bob@example.com", "Eve"]],
      [{ "promoter_ids[]": "3" }, ["Eve"]],
      [{ promoter_ids: "4,2,99,2" }, ["bob@example.com", "idle@example.com"]],
      [{ per_page: "2", page: "2" }, ["Eve"]],
      [{ per_page: "2", page: "3" }, []],
      [MARCH, ["bob@example.com"]],
      [{ start_date: "2025-04-01", end_date: "2025-04-30" }, []],
    ])("chooses and orders by %o", async (params, names) => {
      expect(await named({ ...YEAR_START, ...(params as Record<string, string>) })).toEqual(names);
    });

    it("pages by headers, which count the known promoters", async () => {
      const some = await send(app, "GET /reports/promoters", { promoter_ids: "4,99" });
      expect(some.headers.get("total")).toBe("1");
      const { headers } = await send(app, "GET /reports/promoters", { ...YEAR_START, per_page: "2" });
      expect([headers.get("total"), headers.get("per-page")]).toEqual(["3", "2"]);
      expect(headers.get("link")).toContain('page=2>; rel="next"');
    });
  });
});

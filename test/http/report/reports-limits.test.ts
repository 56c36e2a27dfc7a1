import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COLUMN_NAMES } from "../../../server/v1/reports.ts";
import { ALL_COLUMNS } from "../../../server/v2/report/report-columns.ts";
import { startApp, type TestApp } from "../../support/app.ts";
import { putFact } from "../../support/facts.ts";
import { send } from "../../support/v1.ts";
import { company, outcome, addCampaign } from "../../support/v2.ts";

const PROMOTERS = 8;
/** 366 rows and one of totals with all columns: 6,973 cells for each promoter, about 280 kB. */
const ALL = {
  selected_fields: COLUMN_NAMES.join(","),
  group_by: "day",
  start_date: "2024-01-01",
  end_date: "2024-12-31",
};
const BASE = "https://track.acme.example/api/v1/reports";

describe("reports", () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp();
    for (const name of ["B", "C"]) await addCampaign(app, { name, landing_url: "https://b.example/" });
    for (let id = 1; id <= PROMOTERS; id++) {
      await app.v1("/promoters/create", { email: `promoter-${id}@example.com` });
      const promoterCampaign = (await app.records.get("promoterCampaign", id))!;
      const fact = { metric: "sales_cents", at: "2024-06-01T00:00:00.000Z", amount: id } as const;
      await putFact(app.services.store, promoterCampaign, fact);
    }
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const report = (name: string, params: Record<string, string>) => send(app, `GET /reports/${name}`, params);

  it("by day with every field are whole, and page by page the same", async () => {
    const whole = await report("promoters", ALL);
    expect(whole.status).toBe(200);
    expect(whole.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const pages = [];
    const records = [];
    for (const page of ["1", "2"]) {
      const { status, body } = await report("promoters", { ...ALL, per_page: "7", page });
      expect(status).toBe(200);
      records.push(...(body as { promoter_id: number }[]));
      pages.push(...(body as { promoter_id: number }[]).map(({ promoter_id }) => promoter_id));
    }
    expect(pages).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(whole.body).toEqual(records);
  });

  it("count a field once if it is repeated", async () => {
    const selected_fields = Array.from({ length: 100 }, () => "clicks_count").join(",");
    const { status, body } = await report("promoters", { ...ALL, selected_fields });
    expect(status).toBe(200);
    expect(Object.keys((body as object[])[0] ?? {})).toEqual([
      "promoter_name",
      "promoter_id",
      "items",
      "clicks_count",
    ]);
  });

  it("let other requests run after each promoter", async () => {
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });
    await report("promoters", { ...ALL, per_page: "7" });
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(7);
  });

  it.each([
    ["campaigns", { per_page: "2", page: "2" }, "3", ["C"]],
    ["overview", { per_page: "2", page: "2", group_by: "year", start_date: "2024-01-01" }, "3", ["2026"]],
  ])("page %s by headers", async (name, params, total, shown) => {
    const { status, body, headers } = await report(name, params);
    const first = `${BASE}/${name}?${new URLSearchParams({ ...params, page: "1" }).toString()}`;
    expect({ status, headers: Object.fromEntries(headers) }).toMatchObject({
      status: 200,
      headers: { total, "per-page": "2", link: `<${first}>; rel="first", <${first}>; rel="prev"` },
    });
    const rows = body as { campaign_name?: string; period?: string }[];
    expect(rows.map(({ campaign_name, period }) => campaign_name ?? period)).toEqual(shown);
  });

  it("show all campaigns and all periods by default", async () => {
    const { body, headers } = await report("campaigns", {});
    expect(body).toHaveLength(3);
    expect(headers.get("per-page")).toBe("500");
    const days = await report("overview", {
      group_by: "day",
      start_date: ALL.start_date,
      end_date: ALL.end_date,
    });
    expect(days.body).toHaveLength(366);
    expect(days.headers.get("link")).toBeNull();
  });

  it("are limited in V2 as well, and smaller pages are answered", async () => {
    const range = `start_date=${ALL.start_date}&end_date=${ALL.end_date}&group_by=day`;
    const large = `GET /reports/promoters?${range}&columns=${ALL_COLUMNS.join("&columns=")}`;
    expect(await outcome(company(app, large))).toEqual({
      status: 422,
      body: {
        message:
          "The report would have about 2.3 MB, more than 2.0 MB; ask for fewer fields, longer periods or a smaller per_page",
        code: "invalid_params",
      },
    });
    const { status, body } = await company(app, `${large}&per_page=1`);
    expect([status, (body as object[]).length]).toEqual([200, 1]);
  });
});
